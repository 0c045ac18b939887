# SPDX-License-Identifier: MIT
"""What must hold of a folder after a command in it was ended, however that was."""
import json
import subprocess


def temporaries_in(folder):
    left = [str(path.relative_to(folder)) for path in folder.rglob("*")
            if ".tmp" in path.name or ".unfinished" in path.name or path.name.startswith("aaco-") or path.parent.name == "tmp"]
    if left:
        yield f"temporary files stay: {left[:5]}"


def problems_in_sessions(place, folder, status=("interrupted", "incomplete", "complete")):
    """Whatever lies there lists, shows, verifies and reports, or says in one line why not."""
    if not any(folder.glob("*/*/session.json")):
        return
    listed = subprocess.run([place.aaco, "sessions", "list", "--sessions", str(folder), "--json"], capture_output=True, text=True)
    if listed.returncode != 0:
        yield f"the sessions cannot be listed: {listed.stderr}"
        return
    for session in json.loads(listed.stdout)["sessions"]:
        if session["status"] not in status:
            yield f"a session is {session['status']}"
    for bundle in (path.parent for path in folder.glob("*/*/session.json")):
        for words in (["sessions", "show", str(bundle)], ["sessions", "verify", str(bundle)], ["report", "--session", str(bundle), "--format", "json"]):
            done = subprocess.run([place.aaco, *words], capture_output=True, text=True, errors="replace", env=place.environment)
            if done.returncode not in (0, 1, 2, 5) or (done.returncode not in (0, 5) and len(done.stderr.splitlines()) > 2):
                yield f"{' '.join(words[:2])}: exit code {done.returncode}: {done.stderr[-300:]}"
