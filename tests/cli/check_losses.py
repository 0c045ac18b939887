#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What was lost of a trace, in reading and in joining, is the same table whichever command says it. Usage: check_losses.py AACO"""
import json
import pathlib
import subprocess
import sys
import tempfile

AACO = sys.argv[1]
EXPECTED = {"no launch": 1, "overlap in a stream": 1, "unmatched flow": 1, "unknown phase": 1}
TRACE = dict(traceEvents=[
    dict(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", pid=1, tid=1, ts=0, dur=1, args=dict(correlation=1)),
    dict(ph="X", cat="kernel", name="a", pid=0, tid=7, ts=5, dur=9, args=dict(device=0, stream=7, correlation=1)),
    dict(ph="X", cat="kernel", name="b", pid=0, tid=7, ts=6, dur=9, args=dict(device=0, stream=7, correlation=2)),
    dict(ph="s", cat="ac2g", name="ac2g", id=3, pid=1, tid=1, ts=0),
    dict(ph="?", cat="kernel", name="c", pid=0, tid=7, ts=9, dur=9)])


def main():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "trace.json")
        pathlib.Path(path).write_text(json.dumps(TRACE))
        sessions = str(pathlib.Path(folder) / "sessions")
        for words in (["report", path], ["import", path, "--sessions", sessions], ["diff", path, path], ["report", sessions + "/latest"]):
            done = subprocess.run([AACO, "trace", *words, "--json"], capture_output=True, text=True)
            said = json.loads(done.stdout)
            for side in (said["before"], said["after"]) if words[0] == "diff" else (said,):
                losses = {each["loss"]: each["count"] for each in side["losses"]}
                if (done.returncode, losses) != (0, EXPECTED):
                    failures.append(f"{words}: exit {done.returncode}, {losses}")
        for words in (["import", path, "--sessions", sessions], ["diff", path, path, "--csv"]):
            done = subprocess.run([AACO, "trace", *words], capture_output=True, text=True)
            said = done.stderr if "--csv" in words else done.stdout
            if not all(name in said for name in EXPECTED):
                failures.append(f"{words}: {said}")
    print("\n".join(failures) or "every command says what was lost")
    sys.exit(bool(failures))


main()
