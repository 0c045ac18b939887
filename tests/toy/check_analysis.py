#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_analysis.py ROOT: an analysis of a trace is one file and one line, and every output has it.

analysis.patch adds one to a copy of the tree (tree_copy.py). The `aaco` of it has to show the new figure as text, JSON, page, CSV and
SQL."""
import json
import pathlib
import re
import subprocess
import sys

import tree_copy

PATCH = pathlib.Path(__file__).resolve().parent / "analysis.patch"
GAP_NS = 5_000  # between the two kernels of TRACE


def kernel(start_us, duration_us):
    return {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": start_us, "dur": duration_us,
            "args": {"device": 0, "stream": 7}}


TRACE = {"schemaVersion": 1, "traceEvents": [kernel(100, 10), kernel(115, 20)]}


def outputs(aaco, folder):
    """What each output says of the gap."""
    trace = folder / "trace.json"
    trace.write_text(json.dumps(TRACE))

    def run(*words):
        return subprocess.run([aaco, "trace", *words], cwd=folder, check=True, capture_output=True, text=True).stdout

    yield "text", re.search(r"^longest gap\n *gap\n5\.000 us$", run("report", trace), re.M)
    yield "JSON", json.loads(run("report", trace, "--json"))["longest_gap"][0]["gap_ns"] == GAP_NS
    yield "page", re.search(r"<section[^>]*longest_gap.*?5\.000 us.*?</section>", run("report", trace, "--format", "html"), re.S)
    yield "CSV", f"longest_gap,longest_gap,0,gap,{GAP_NS},ns,,,\n" in run("report", trace, "--format", "csv")
    session = run("import", trace, "--sessions", folder / "sessions").splitlines()[0]
    yield "SQL", json.loads(run("sql", "--session", session, "SELECT gap_ns FROM longest_gap", "--json")) == [{"gap_ns": GAP_NS}]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    if len(sys.argv) == 2:
        return tree_copy.run_in_a_copy(__file__, root)
    files, lines = tree_copy.apply_patch(root, PATCH)
    assert len(files) == 1 and len(lines) == 1 and lines[0].startswith("+"), f"files {files}, lines {lines}"
    return tree_copy.verdict("one file and one line are", outputs(tree_copy.build(root), pathlib.Path(sys.argv[2])))


if __name__ == "__main__":
    sys.exit(main())
