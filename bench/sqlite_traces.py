#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sqlite_traces.py --output bench/results/sqlite-traces.json [--bench build/bench/sqlite_traces] [--rows N] [--times N]

How fast databases of traces are read: build/bench/sqlite_traces on one processor, and on all that this process may use."""
import argparse
import json
import os
import subprocess
import tempfile

from harness import environment


def measured(options, processors, folder):
    os.sched_setaffinity(0, processors)
    lines = subprocess.run([options.bench, folder, options.rows, options.times], capture_output=True, text=True, check=True).stdout
    return [dict(json.loads(line), processors=len(processors)) for line in lines.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", required=True)
    parser.add_argument("--aaco", default="build/bin/aaco")
    parser.add_argument("--bench", default="build/bench/sqlite_traces")
    parser.add_argument("--rows", default="1000000")
    parser.add_argument("--times", default="7")
    options = parser.parse_args()
    allowed = os.sched_getaffinity(0)
    results = {"environment": environment(options.aaco), "database_rates": []}
    with tempfile.TemporaryDirectory() as folder:
        for processors in sorted({frozenset({min(allowed)}), frozenset(allowed)}, key=len):
            results["database_rates"] += measured(options, processors, folder)
    with open(options.output, "w") as file:
        json.dump(results, file, indent=1)
        file.write("\n")
    for one in results["database_rates"]:
        print(f"{one['database']:8} {one['processors']:2} processors  {one['what']:16} {one['rows_per_s'] / 1e6:.2f} M rows/s")


if __name__ == "__main__":
    main()
