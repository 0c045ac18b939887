#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""queue_cpu_times.py --aaco PROGRAM --out RAW.json

How long the commands of `aaco queue` take on a CPU as they are written, with the sizes that they have there by default: `run W --streams 8`
of every workload, `sweep hetero_kernels --streams 1,2,4,8,16`, `run-priority P0`. Wall seconds of each command, and of a run the median
iteration over its processes, the slowest one's, and the sizes. Nothing else should run meanwhile.
"""
import argparse
import json
import statistics
import subprocess
import tempfile
import time

from harness import environment, json_of


def timed(program, sessions, words):
    """The command's row, and what it printed as JSON."""
    began = time.monotonic()
    done = subprocess.run([program, *words.split(), "--device", "cpu:0", "--json", "--quiet", "--sessions", sessions], capture_output=True, text=True)
    row = {"command": f"aaco {words}", "wall_s": round(time.monotonic() - began, 2), "exit_code": done.returncode}
    if done.returncode != 0:
        row["failed"] = done.stderr.strip()
    return row, json.loads(done.stdout) if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aaco", required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    workloads = [one["name"] for one in json_of([options.aaco, "queue", "list", "--json"])]
    commands = [f"queue run {name} --streams 8" for name in workloads]
    commands += ["queue sweep hetero_kernels --streams 1,2,4,8,16", "queue run-priority P0"]
    raw = {"environment": environment(options.aaco), "device": "cpu:0", "queue_commands": []}
    for words in commands:
        with tempfile.TemporaryDirectory() as sessions:
            row, document = timed(options.aaco, sessions, words)
        if document and words.startswith("queue run "):
            medians = [process["p50_ns"] for process in document["processes"]]
            row["scale"], row["parameters"] = document["request"]["scale"], document["request"]["parameters"]
            row["iteration_ms"] = round(statistics.median(medians) / 1e6, 3)
            row["slowest_process_iteration_ms"] = round(max(medians) / 1e6, 3)
        raw["queue_commands"].append(row)
        print(row["wall_s"], row.get("iteration_ms", ""), row["command"], row.get("failed", ""), flush=True)
    with open(options.out, "w") as file:
        json.dump(raw, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
