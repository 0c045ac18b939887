#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_help.py AACO CONTRIBUTING: what people read first. Each --help fits a screen and 80 columns, --help-all has every flag that completion knows,
a flag that several commands have takes the same value in each (the table of CONTRIBUTING.md), a help names no flag that its command does not have,
and `aaco` alone, `aaco help` and `aaco FILE` answer."""
import pathlib
import re
import subprocess
import sys

LINES, COLUMNS = 48, 80


def output(aaco, *words):
    return subprocess.run([aaco, *words], capture_output=True, text=True)


def commands_below(aaco, words):
    short = output(aaco, *words, "--help").stdout
    yield words, short, short if "--help-all" not in short else output(aaco, *words, "--help-all").stdout
    if "\nSubcommands:" in short:
        for name in re.findall(r"^  ([\w-]+)(?: |$)", short[short.index("\nSubcommands:"):].split("\n\n")[0], re.M):
            yield from commands_below(aaco, [*words, name])


def values_of(text):
    """What each flag of a help takes: its type's name, or "flag"."""
    values = {}
    for names, value in re.findall(r"^  ((?:-\w,)*--[\w,-]+)(?: ([^\s=]+))?", text, re.M):
        values.update({name: value or "flag" for name in names.split(",") if name.startswith("--")})
    values.update(re.findall(r"\(or (--[\w-]+)\) ([^\s=]+)", text))  # of what has a place too
    return values


def foreign_flags(whole):
    """Flags that a help names and its command does not have. Those behind another command (aaco queue list --verbose) are that one's, and a file of
    --output may be another's too."""
    words = re.sub(r"\baaco(?: [a-z]+)* --[\w-]+|\b[Ff]ile of --output\b", "", " ".join(whole.split("\nExamples:")[0].split()))
    return sorted(set(re.findall(r"(?<![\w-])--[a-z][\w-]*\w", words)) - set(values_of(whole)) - {"--help", "--help-all", "--version"})


def vocabulary(contributing):
    """Rows of the table: flag -> its value, and that of each command which is an exception."""
    rows = {}
    for row in re.findall(r"^\| `--.*\|$", contributing, re.M):
        flag, value, _, exceptions = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:5]]
        rows[flag.strip("`")] = (value.strip("`"), {command.strip(): other for other, command in re.findall(r"`([^`]+)` in ([a-z -]+)", exceptions)})
    return rows


def problems(aaco, contributing):
    rows = vocabulary(contributing)
    if len(rows) < 10:
        yield f"CONTRIBUTING.md: {len(rows)} rows of vocabulary"
    seen = {}
    for words, short, whole in commands_below(aaco, []):
        name = " ".join(words)
        if short.count("\n") > LINES:
            yield f"{name} --help: {short.count(chr(10))} lines, a screen has {LINES}"
        examples = short[short.index("\nExamples:"):].splitlines()
        for line in short.splitlines():
            if len(line) > COLUMNS and line not in examples:
                yield f"{name} --help: {len(line)} columns: {line}"
        for flag in foreign_flags(whole):
            yield f"{name} --help-all: names {flag}, which it does not have"
        for flag, value in values_of(whole).items():
            seen.setdefault(flag, {})[name] = value
    for flag, values in seen.items():
        usual, others = rows.get(flag, (None, {}))
        for command, value in values.items():
            wanted = others.get(command, usual)
            if usual is None and len(set(values.values())) > 1:
                yield f"{flag}: takes {values}: a flag means one thing, or has a row in CONTRIBUTING.md"
                break
            if wanted is not None and value != wanted:
                yield f"{command} {flag}: takes {value}, not {wanted} as CONTRIBUTING.md says"
    completion = output(aaco, "completion", "bash").stdout
    for flag in sorted(set(re.findall(r"(?<![\w-])--[a-z][\w-]+", completion)) - set(seen) - {"--help", "--help-all"}):
        yield f"{flag}: completed, and in no --help-all"
    alone = output(aaco)
    if alone.returncode != 0 or len(re.findall(r"^  aaco ", alone.stdout, re.M)) != 3:
        yield f"aaco alone: {alone}"
    if output(aaco, "help", "queue", "run").stdout != output(aaco, "queue", "run", "--help").stdout:
        yield "aaco help queue run is not aaco queue run --help"


def main(aaco, contributing):
    complaints = list(problems(str(pathlib.Path(aaco).resolve()), pathlib.Path(contributing).read_text()))
    print("\n".join(complaints) or "every help fits, and says the same words for the same things")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
