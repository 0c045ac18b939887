#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_kind.py ROOT: a kind of session is one folder and one line, its command one file and one line, and every command takes it.

kind.patch adds one to a copy of the tree (tree_copy.py). The `aaco` of it has to record a session of it, list it, report it in five
formats, compare two of them, also through a baseline file, and say all of it as JSON."""
import json
import pathlib
import subprocess
import sys

import tree_copy

PATCH = pathlib.Path(__file__).resolve().parent / "kind.patch"
KIND = "toy_clock"


def outputs(aaco, folder):
    """What each output says of the kind's sessions."""

    def run(*words, exits=(0,)):
        done = subprocess.run([aaco, *map(str, words)], cwd=folder, capture_output=True, text=True)
        if done.returncode not in exits:
            print(done.args, done.returncode, done.stderr)
        return done.stdout if done.returncode in exits else ""

    first, second = run("toy-clock", "--quiet").strip(), json.loads(run("toy-clock", "--json", "--quiet") or "{}").get("bundle", "-")
    yield "its command, also as JSON", all((folder / session / "metrics" / f"{KIND}.json").is_file() for session in (first, second))
    yield "sessions list", all(f"clock  cpu      {KIND}" in line for line in run("sessions", "list").splitlines()[1:])
    listed = json.loads(run("sessions", "list", "--json"))["sessions"]
    yield "sessions list --json", [entry["kind"] for entry in listed] == [KIND, KIND] and all(0 < entry["p50_ms"] < 1 for entry in listed)
    for form, words in (("text", "A read of the clock"), ("json", "A read of the clock"), ("md", "A read of the clock"), ("csv", "reads,reads,0,a read,")):
        yield f"report as {form}", words in run("report", first, "--format", form)
    page = folder / run("report", first).strip()
    yield "report as html", page.is_file() and "A read of the clock" in page.read_text()
    verdicts = (0, 1, 4)  # what it is depends on the machine
    yield "diff", "monotonic clock" in run("diff", "--baseline", first, "--session", second, exits=verdicts)
    baseline = run("baseline", "save", "toy", "--session", first).strip()
    said = json.loads(run("diff", "--baseline", baseline, "--session", second, "--json", exits=verdicts) or "{}")
    yield "diff --json of a baseline", [pair["configuration"] for pair in said.get("pairs", [])] == ["monotonic clock"]
    yield "verdict.json", json.loads((folder / second / "regress" / "verdict.json").read_text()) == said
    yield "diff of another kind", "is a session of kind" in subprocess.run([aaco, "queue", "compare", "-b", first, "-t", second], cwd=folder, capture_output=True, text=True).stderr


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    if len(sys.argv) == 2:
        return tree_copy.run_in_a_copy(__file__, root)
    files, lines = tree_copy.apply_patch(root, PATCH)
    command = [file for file in files if not file.startswith(f"src/kind/{KIND}/")]
    assert command == [f"src/cli/{KIND}_command.cpp"], command
    assert sorted(line.strip("+ ").split("(")[0] for line in lines) == ["COMMAND", "KIND"] and all(line.startswith("+") for line in lines), lines
    return tree_copy.verdict("one folder and one line, one command and one line are", outputs(tree_copy.build(root), pathlib.Path(sys.argv[2])))


if __name__ == "__main__":
    sys.exit(main())
