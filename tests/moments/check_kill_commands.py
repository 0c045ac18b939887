#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_kill_commands.py AACO [--full]: SIGKILL at several moments of every command that works for long. Behind it an output is whole or not
there, and the sessions folder lists, shows, verifies and reports. Without --full the inputs are smaller and the moments fewer."""
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from after import problems_in_sessions
from long_commands import LONG, is_endless, long_place, moments_of


def outputs_in(folder):
    """Files under their final names, with their sizes: those of sessions have checks of their own."""
    return {str(path.relative_to(folder)): path.stat().st_size for path in folder.rglob("*")
            if path.is_file() and ".tmp" not in str(path.relative_to(folder)) and not path.relative_to(folder).parts[0].startswith(("20", "tmp"))}


def kill(place, name, out, after):
    """Whether it still ran."""
    (out / "tmp").mkdir()
    process = subprocess.Popen(place.line(name, out), cwd=place.folder, env={**place.environment, "TMPDIR": str(out / "tmp")}, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    killed = process.wait() == -signal.SIGKILL
    time.sleep(0.05)  # its workers die with it, when the kernel next runs them
    return killed


def main(aaco, *options):
    full = "--full" in options
    problems, kills, early = [], 0, 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        place = long_place(aaco, folder, full)
        for name in LONG:
            whole = pathlib.Path(tempfile.mkdtemp(dir=folder))
            if not is_endless(name):
                subprocess.run(place.line(name, whole), cwd=folder, env=place.environment, capture_output=True)
            expected = outputs_in(whole)
            for after in moments_of(place, name, full):
                out = pathlib.Path(tempfile.mkdtemp(dir=folder))
                killed = kill(place, name, out, after)
                kills, early = kills + 1, early + (not killed)
                cut = {file: size for file, size in outputs_in(out).items() if expected.get(file) != size}
                if cut and killed:
                    problems.append(f"{name}, after {after:.2f} s: half-written: {cut}, whole: {expected}")
                problems += [f"{name}, after {after:.2f} s: {problem}" for problem in problems_in_sessions(place, out, ("incomplete", "complete"))]
                shutil.rmtree(out)
            shutil.rmtree(whole)
    print("\n".join(problems + [f"{kills} kills of {len(LONG)} commands, {early} of them after the end; {len(problems)} problems"]))
    return 1 if problems or early == kills else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
