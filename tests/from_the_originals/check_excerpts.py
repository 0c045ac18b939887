#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_excerpts.py AACO_PROGRAM DOCUMENT.md REPOSITORY

What a document quotes of a report is what the program prints about that recording. A quotation is a code block behind a line
`<!-- report of PATH -->`, the path below the folder of recordings ($AACO_DATA, else shared/data beside the repository); `...` in a line
stands for what was left out. Its lines must be in the report, in their order. Exit 77 where no recording is there.
"""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from skipping import skip_without  # noqa: E402

QUOTED = re.compile(r"^<!-- report of (\S+) -->\n+```\n(.*?)^```", re.M | re.S)


def first_not_found(excerpt, report):
    """The first line of the excerpt that the report does not have behind those before it; a report's broken lines are joined."""
    text = re.sub(r"\n {4}(?=\S)", " ", report)
    text = re.sub(r"  +", " ", text)
    at = 0
    for line in excerpt.splitlines():
        pieces = [re.sub(r"  +", " ", piece).strip(" ,") for piece in line.split("...")]
        for piece in filter(None, pieces):
            found = text.find(piece, at)
            if found < 0:
                return line
            at = found + len(piece)
    return None


def main(aaco, document, repository):
    data = pathlib.Path(os.environ.get("AACO_DATA") or pathlib.Path(repository).resolve().parent / "shared" / "data")
    quotations = QUOTED.findall(pathlib.Path(document).read_text(encoding="utf-8"))
    checked = wrong = 0
    for path, excerpt in quotations:
        if not (data / path).exists():
            continue
        done = subprocess.run([aaco, "trace", "report", str(data / path)], capture_output=True, text=True, timeout=120)
        missing = first_not_found(excerpt, done.stdout) if done.returncode in (0, 5) else done.stderr.strip()
        checked += 1
        wrong += missing is not None
        if missing is not None:
            print(f"{document}: the report of {path} does not say: {missing}")
    print(f"{len(quotations)} quotations, {checked} compared, {wrong} wrong")
    if quotations and not checked:
        skip_without(data)
    return 1 if wrong or not quotations else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
