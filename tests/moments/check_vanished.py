#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_vanished.py AACO: somebody removes the sessions folder, a session, or a part of one while `aaco trace import` or `aaco run`
works. What is then called complete is all there; else the exit code is 6, and one line says what is gone."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

AACO = sys.argv[1]
EVENTS = 60_000


def trace_of_kernels(path):
    with open(path, "w") as file:
        file.write('{"traceEvents":[')
        file.write(",".join(json.dumps(dict(ph="X", cat="kernel", name=f"k{i % 50}", pid=0, tid=7, ts=10 * i, dur=5, args=dict(device=0, stream=7, correlation=i)))
                            for i in range(EVENTS)))
        file.write("]}")


def waits_for(folder, pattern, process):
    while process.poll() is None:
        found = next(iter(folder.glob(pattern)), None)
        if found is not None:
            return found
        time.sleep(0.0005)
    return None


def verified(sessions, bundle):
    return subprocess.run([AACO, "sessions", "verify", str(bundle), "--sessions", str(sessions)], capture_output=True, text=True).returncode == 0


def one(command, seen, remove):
    """A failure, or None; and whether the removal came in time."""
    with tempfile.TemporaryDirectory() as name:
        sessions = pathlib.Path(name) / "s"
        process = subprocess.Popen([AACO, *command, "--sessions", str(sessions)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=name)
        found = waits_for(sessions, seen, process)
        bundle = next(iter(sessions.glob("*/*/")), None)
        in_time = found is not None and process.poll() is None
        if found is not None and bundle is not None:
            target = {"root": sessions, "bundle": bundle, "seen": found, "folder": found.parent}[remove]
            shutil.rmtree(target, ignore_errors=True) if target.is_dir() else target.unlink(missing_ok=True)
        _, stderr = process.communicate(timeout=120)
        what = f"{command[:2]}, {seen}, {remove}: exit {process.returncode}: {stderr}"
        lines = [line for line in stderr.splitlines() if line.startswith(("aaco: ", "hint: "))]
        left = list(sessions.glob("*/*/session.json")) if sessions.exists() else []
        statuses = [json.loads(path.read_text())["status"] for path in left]
        if process.returncode == 0:
            if in_time and remove in ("root", "bundle") and left:
                return f"{what}: made anew", in_time
            if "complete" in statuses and not verified(sessions, left[0].parent) and in_time and remove != "seen":
                return f"{what}: complete and not all there", in_time
            return None, False  # it had done all before the removal
        if process.returncode != 6 or len(lines) != 2 or not lines[0].startswith("aaco: "):
            return what, in_time
        if "complete" in statuses:
            return f"{what}: yet complete", in_time
        return None, in_time


def main():
    failures, hits = [], 0
    with tempfile.TemporaryDirectory() as name:
        trace = str(pathlib.Path(name) / "trace.json")
        trace_of_kernels(trace)
        imports = [("*/*/session.json", "root"), ("*/*/session.json", "bundle"), ("*/*/session.json", "seen"), ("*/*/trace/tracks.parquet", "root"),
                   ("*/*/trace/tracks.parquet", "seen"), ("*/*/trace/events.parquet", "folder"), ("*/*/trace/events.parquet", "bundle"),
                   ("*/*/trace/losses.parquet", "root"), ("*/*/analysis/*.parquet", "folder"), ("*/*/analysis/*.parquet", "bundle")]
        cases = [(["trace", "import", trace], *case) for case in imports]
        run = "run --no-roofs --model chain-tiny --param nodes=20 --backend cpu --processes 2 --iterations 20000 --warmup 0 --quiet --telemetry".split()
        cases += [(run, "*/*/session.json", "root"), (run, "*/*/journal/iterations_p0.jrn", "root"), (run, "*/*/journal/iterations_p0.jrn", "folder"),
                  (run, "*/*/journal/iterations_p1.jrn", "bundle"), (run, "*/*/metrics/inference_iters.parquet", "seen"),
                  (run, "*/*/metrics/inference_iters.parquet", "root")]
        for command, seen, remove in cases:
            failure, in_time = one(command, seen, remove)
            hits += in_time
            if failure:
                failures.append(failure)
    if hits < len(cases) // 2:
        failures.append(f"only {hits} of {len(cases)} removals came in time")
    print("\n".join(failures) or f"{len(cases)} removals, {hits} of them in time: none is called complete")
    sys.exit(bool(failures))


main()
