#!/usr/bin/env python3
"""run_cases.py --list | --aaco PROGRAM CASE

Runs one case of bad_input.py. Every case asserts the exit code, that stderr is one "aaco: " line that matches its pattern
and one "hint: " line, and that no session was left behind.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import bad_input


def sessions_in(folder):
    return {path for path in folder.rglob("*") if path.name == "session.json" or ".tmp" in path.name}


def problems_of(case, done, new_sessions):
    if done.returncode != case.exit_code:
        yield f"exit code {done.returncode}, not {case.exit_code}"
    lines = done.stderr.splitlines()
    if len(lines) != 2 or not lines[0].startswith("aaco: ") or not lines[1].startswith("hint: "):
        yield 'stderr is not one "aaco: " line and one "hint: " line'
    elif not re.search(case.message, lines[0]):
        yield f"the message does not match {case.message!r}"
    elif not re.search(case.hint, lines[1][len("hint: "):]):
        yield f"the hint does not match {case.hint!r}"
    if bool(new_sessions) != case.leaves_session:
        yield f"sessions left behind: {sorted(map(str, new_sessions)) or 'none'}"


def run(case, aaco):
    with tempfile.TemporaryDirectory() as folder:
        tmp = pathlib.Path(folder)
        for name, content in case.files.items():
            (tmp / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp / name).write_bytes(content)
        if case.prepare:
            case.prepare(tmp, aaco)
        before = sessions_in(tmp)
        command = [aaco, *(word.format(tmp=tmp) for word in case.arguments.split())]
        done = subprocess.run(command, cwd=tmp, capture_output=True, text=True, errors="replace", timeout=110)
        problems = list(problems_of(case, done, sessions_in(tmp) - before))
    if problems:
        print(f"command: {' '.join(command)}\nexit code: {done.returncode}\nstderr:\n{done.stderr}")
    for problem in problems:
        print(f"{case.name}: {problem}")
    return 1 if problems else 0


def main():
    cases = {case.name: case for case in bad_input.CASES}
    assert len(cases) == len(bad_input.CASES), "two cases have one name"
    for case in cases.values():  # every message names its file, whatever was wrong with it
        assert not any(re.search(case.message, name) for name in case.files), f"{case.name}: the name of its file is message enough"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--aaco")
    parser.add_argument("case", nargs="?", choices=list(cases))
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(cases))
        return 0
    return run(cases[arguments.case], str(pathlib.Path(arguments.aaco).resolve()))


if __name__ == "__main__":
    sys.exit(main())
