# SPDX-License-Identifier: MIT
"""The rows of docs/from-the-originals.md, and the command lines of aaco in a document's code blocks."""
import dataclasses
import pathlib
import re

# What a row may say of itself; docs/from-the-originals.md explains each.
STATES = ("same", "other", "reads", "later", "no")
# What has to be there for it: `later` and `no` name what stands in the way in their last column.
THERE = ("same", "other", "reads")

ROW = re.compile(r"^\| (?P<original>.+?) \| (?:`(?P<command>[^`]+)`|\[[^\]]+\]\((?P<document>[^)]+)\)|none) \| (?P<state>\w+) \|(?: (?P<note>.+?))? \|$")
# How the originals' own programs were started; *same* rows differ in this alone.
PREFIXES = (("python -m aorta.hw_queue_eval ", "aaco queue "), ("./scripts/", "scripts/"))


@dataclasses.dataclass(frozen=True)
class Row:
    number: int  # of the line
    original: str
    command: str  # "" where a document answers, or nothing
    document: str
    state: str
    note: str


def rows_of(path):
    """The table's rows, and what is wrong with lines that are none."""
    rows, problems = [], []
    for number, line in enumerate(pathlib.Path(path).read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("|") or line.startswith(("| Original", "|---", "| State")) or re.match(r"\| \*\w+\* \|", line):
            continue
        found = ROW.match(line)
        if not found or found["state"] not in STATES:
            problems.append(f"{path}:{number}: not a row of | original | `here` or [document](path) or none | {', '.join(STATES)} | note |")
            continue
        rows.append(Row(number, found["original"], found["command"] or "", found["document"] or "", found["state"], found["note"] or ""))
    return rows, problems


def in_our_words(original):
    """The original's command line with its own program's name replaced, without the quotes of the table."""
    text = original.strip("`")
    for theirs, ours in PREFIXES:
        text = text.replace(theirs, ours)
    return text


def commands_in(path):
    """Lines of a document's code blocks that begin with `aaco` or `$ aaco`, with their numbers; a `\\` at the end joins lines."""
    commands, inside, begun = [], False, ""
    for number, line in enumerate(pathlib.Path(path).read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            inside, begun = not inside, ""
            continue
        line = begun + line.strip().removeprefix("$ ")
        begun = ""
        if not inside or not line.startswith("aaco "):
            continue
        if line.endswith("\\"):
            begun = line[:-1]
            continue
        commands.append((number, line.split("  #")[0].strip()))
    return commands
