#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_seeds.py AACO_PROGRAM TABLE.md REPOSITORY

Every command line, script and document that the originals' own pages name is answered by a row of the table, and every workload is in
`aaco queue list` or in a row. Their pages are not in the repository: they are read in $AACO_SEEDS, else in shared/seeds beside it. Exit 77
where they are not there.
"""
import os
import pathlib
import re
import subprocess
import sys

import table

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from skipping import skip_without  # noqa: E402

# Lines of their code blocks that are no commands of theirs.
NOT_THEIRS = re.compile(r"^(git clone|cd)\b")
# Names of pages that lead to the project's own home page or name a page's own folder.
SELF = {"README.md"}


def normal(text):
    return re.sub(r"\s+", " ", text.split(" #")[0].replace("\\\n", " ")).strip()


def commands_of(text):
    """Lines of the code blocks that are marked as a shell's, without comments and changes of folder."""
    for block in re.findall(r"^```bash\n(.*?)^```", text, re.M | re.S):
        for line in block.replace("\\\n", " ").splitlines():
            line = normal(line)
            if line and not line.startswith("#") and not NOT_THEIRS.match(line):
                yield line


def programs_of(name, text):
    """Scripts that are named anywhere: of the workshop all of them, elsewhere those in scripts/ (the rest are modules inside)."""
    pattern = r"[\w-]+\.(?:py|sh)\b" if "workshop" in name else r"scripts/[\w/-]+\.(?:py|sh)\b"
    return set(re.findall(pattern, text))


def documents_of(text):
    """Pages that are linked to, exercises and slides."""
    linked = re.findall(r"\]\(((?!http)[\w./-]+\.md|LICENSE)\)", text)
    return {*linked, *re.findall(r"[\w-]+\.pptx|exercise_\w+\.md|setup/[\w-]+\.(?:md|txt)", text)} - SELF


def workloads_of(text):
    """First cells of the tables of workloads."""
    return set(re.findall(r"^\| `(\w+)` \|", text, re.M))


def overrides_of(text):
    return set(re.findall(r"`(compile\.\w+(?:=\w+)?)`", text))


def is_in(answered, kind, name):
    """A command line is quoted as a whole; of the others the name is enough, as long as it is not part of a longer one."""
    return f"`{name}`" in answered if kind == "command" else re.search(rf"(?<![\w-]){re.escape(name)}(?![\w=]|\.\w)", answered)


def main(aaco, path, repository):
    seeds = pathlib.Path(os.environ.get("AACO_SEEDS") or pathlib.Path(repository).resolve().parent / "shared" / "seeds")
    pages = sorted(seeds.glob("*.md"))
    if not pages:
        skip_without(seeds)
    rows, problems = table.rows_of(path)
    listed = subprocess.run([aaco, "queue", "list"], capture_output=True, text=True, timeout=60, check=True).stdout
    answered = "\n".join([row.original for row in rows] + [line.split()[0] for line in listed.splitlines() if line[:1].isalpha()])
    counts = {}
    for page in pages:
        text = page.read_text(encoding="utf-8")
        named = {"command": set(commands_of(text)), "script": programs_of(page.name, text), "document": documents_of(text),
                 "override": overrides_of(text), "workload": workloads_of(text)}
        for kind, names in named.items():
            counts[kind] = counts.get(kind, 0) + len(names)
            problems += [f"{page.name}: no row answers the {kind} {name}" for name in sorted(names) if not is_in(answered, kind, name)]
    print("\n".join(problems), end="\n" if problems else "")
    print(f"{len(pages)} pages: {', '.join(f'{count} {kind}s' for kind, count in counts.items())}; {len(problems)} without a row")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
