#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_mutate.py MUTATE: fuzz/mutate.py finds each fault that it looks for in programs that have it, none in one that has
none, and draws the same cases from the same seed."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# What a program does in place of aaco, and the finding. All are logs read by `overlap report`, with --json or without.
JSON = 'case "$*" in *--json*) echo "{}" ;; esac; '
FAULTS = [
    ("kill -SEGV $$", "signal N"),
    ("exit 70", "exit code N"),
    ("exit 99", "exit code N"),
    ("exec python3 -c 'x = b\"1\" * (650 << 20)'", "memory N MiB"),
    ("echo 'aaco: [json.exception.type_error.302] x' >&2; echo 'hint: y' >&2; exit 2", "library words: [json.exception"),
    ("echo \"aaco: terminate called after throwing\" >&2; exit 2", "library words: terminate called"),
    ("for i in 1 2 3; do echo \"aaco: $i\" >&2; done; exit 2", "an error of N lines"),
    ("exit 2", "an error without a word"),
    ("printf '{\"a\": NaN}'", "bad JSON: NaN is no JSON"),
    ("printf '{'", "bad JSON"),
    (JSON + "printf '\\033[31m' >&2", "steers a terminal"),
    (JSON + "printf '\\377' >&2", "no UTF-N"),
    (JSON + "touch r.json.tmp12ab", "left behind"),
    (JSON + "touch $TMPDIR/x", "left behind"),
]


def run(mutate, program, runs="3"):
    done = subprocess.run([sys.executable, "-B", mutate, program, "--runs", runs, "--only", "log", "--jobs", "2"], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def main(mutate):
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program"

        def play(script):
            program.write_text(f"#!/usr/bin/env bash\n{script}\n")
            program.chmod(0o755)
            return run(mutate, str(program))

        for script, finding in FAULTS:
            code, out, err = play(script)
            found = [re.sub(r"\d+", "N", line) for line in out.splitlines() if line.startswith("FINDING")]
            if code != 1 or not any(finding in line for line in found):
                problems.append(f"{script}: exit code {code}, {found} {err[-300:]}")
        code, out, _ = play(JSON)
        if code != 0 or ": 0 findings" not in out:
            problems.append(f"a program without a fault: exit code {code}, {out}")
        first, second = play('cat "$3"/*; ' + JSON), play('cat "$3"/*; ' + JSON)
        if first != second:
            problems.append("the same seed gave other cases")
    print("\n".join(problems) or f"{len(FAULTS)} faults found, none where there is none")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
