#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_table.py [--full] AACO_PROGRAM TABLE.md [DOCUMENT.md ...]

Holds docs/from-the-originals.md to the truth. Of a row whose command is there: the program's own help lists its commands and
flags, a script is there and knows its flags, and what begins with `aaco` is run (running.py says how it is shortened, and what a
line may lack). Of a row that says `later`: something in it is not there yet. The command lines of aaco in further documents are run too.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import running
import table

REPOSITORY = running.REPOSITORY


def help_of(aaco, commands):
    """The help text of a command, or None where it is unknown. Help ignores what follows, so it runs nothing."""
    done = subprocess.run([aaco, *commands, "--help-all"], capture_output=True, text=True, timeout=20)
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


def untruth_of(aaco, row):
    """What a row claims that does not hold, without running it."""
    if row.state in ("later", "no") and not row.note:
        return "says not what it waits for, or why it will not be"
    if row.document:
        return None if (REPOSITORY / "docs" / row.document).exists() else f"there is no {row.document}"
    if not row.command:
        return None if row.state in ("later", "no") else "names no command"
    if row.state == "same" and table.in_our_words(row.original) != row.command:
        return f"{row.command}: differs from {row.original} in more than the program's name"
    missing = what_is_missing(aaco, shlex.split(row.command))
    if row.state in table.THERE and missing:
        return f"{row.command}: {missing}"
    if row.state == "later" and not missing:
        return f"{row.command}: is there now: say that it works"
    return None


def run_all(aaco, lines, full):
    """Runs each command line once and prints what came of it; (document, number, line) each. The numbers that ran, were skipped, failed."""
    counts, done = {"ran": 0, "skipped": 0, "wrong": 0}, set()
    with tempfile.TemporaryDirectory() as folder:
        runner = running.Runner(aaco, folder, full)
        for document, number, line in lines:
            if line in done:
                continue
            done.add(line)
            outcome, why = runner.run(line)
            counts[outcome] += 1
            print(f"{'' if outcome != 'wrong' else f'{document}:{number}: '}{outcome}: {line}: {why}", flush=True)
    return counts


def main(*words):
    full = "--full" in words
    aaco, path, *documents = (word for word in words if word != "--full")
    aaco = str(pathlib.Path(aaco).resolve())
    rows, problems = table.rows_of(path)
    for row in rows:
        untruth = untruth_of(aaco, row)
        if untruth:
            problems.append(f"{path}:{row.number}: {untruth}")
    print("\n".join(problems), end="\n" if problems else "")
    lines = [(path, row.number, row.command) for row in rows if row.state in table.THERE and row.command.startswith("aaco ")]
    for document in documents:
        lines += [(document, number, line) for number, line in table.commands_in(document)]
    counts = run_all(aaco, lines, full)
    states = ", ".join(f"{sum(row.state == state for row in rows)} {state}" for state in table.STATES)
    print(f"{len(rows)} rows ({states}), {len(problems)} untrue; of {sum(counts.values())} command lines of aaco "
          f"{counts['ran']} ran, {counts['skipped']} were skipped, {counts['wrong']} failed")
    return 0 if rows and counts["ran"] and not problems and not counts["wrong"] else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
