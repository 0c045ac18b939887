#!/usr/bin/env python3
"""check_table.py AACO_PROGRAM TABLE.md

Holds docs/from-the-originals.md to the truth. A row that says "works": its commands and flags are those that the program's
own help lists, and a script is there and knows its flags. A row that says "later": something in it is not there yet.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
ROW = re.compile(r"^\| (?P<original>.+) \| `(?P<here>[^`]+)` \| (?P<state>\w+) \|$")


def help_of(aaco, commands):
    """The help text of a command, or None where it is unknown. Help ignores what follows, so it runs nothing."""
    done = subprocess.run([aaco, *commands, "--help"], capture_output=True, text=True, timeout=20)
    return done.stdout if done.returncode == 0 else None


def what_is_missing(aaco, words):
    if words[0].startswith("scripts/"):
        script = REPOSITORY / words[0]
        if not os.access(script, os.X_OK):
            return f"{words[0]} is no program"
        flags, text = words[1:], script.read_text()
    else:
        commands = []
        text = help_of(aaco, commands)
        for word in words[1:]:
            # A word is a subcommand where the help before it lists it at the start of a line.
            if word.startswith("-") or not re.search(r"^Subcommands:$", text, re.M | re.I):
                break
            if not re.search(rf"^\s+{re.escape(word)}\b", text, re.M):
                return f"there is no command {' '.join([*commands, word])}"
            commands.append(word)
            text = help_of(aaco, commands)
            if text is None:
                return f"{' '.join(commands)} --help fails"
        flags = words[1 + len(commands):]
    for flag in flags:
        if flag.startswith("--") and not re.search(rf"(?<![\w-]){re.escape(flag)}(?![\w-])", text):
            return f"{flag} is unknown to {words[0]}"
    return None


def main(aaco, table):
    rows = problems = 0
    for number, line in enumerate(pathlib.Path(table).read_text().splitlines(), 1):
        if not line.startswith("|") or line.startswith(("| Original", "|---")):
            continue
        rows += 1
        row = ROW.match(line)
        if not row or row["state"] not in ("works", "later"):
            problems += 1
            print(f"{table}:{number}: not a row of | original | `here` | works or later |")
            continue
        missing = what_is_missing(aaco, shlex.split(row["here"]))
        if row["state"] == "works" and missing:
            problems += 1
            print(f"{table}:{number}: {row['here']}: {missing}")
        if row["state"] == "later" and not missing:
            problems += 1
            print(f"{table}:{number}: {row['here']}: is there now: say that it works")
    print(f"{rows} rows, {problems} wrong")
    return 0 if rows and not problems else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
