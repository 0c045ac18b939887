#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""trace_peers.py --output RAW.json --python PYTHON [--tracelens CHECKOUT] [--aaco PROGRAM] [--times N] FILE.json.gz...

`aaco trace report` beside HolisticTraceAnalysis and, where CHECKOUT is one of its repository, TraceLens (PYTHON is one that has both's
requirements) on the same compressed traces, each in a fresh process, in turns: wall time and peak memory. HTA loads the trace and computes
what its users ask for first: the temporal breakdown, the idle time by cause, and kernels by type. TraceLens writes its performance report as
CSV; aaco's report has all of its sections. bench/overhead_page.py makes the page.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

from harness import environment
from read_traces import program

HTA = """
import sys
from hta.trace_analysis import TraceAnalysis
analysis = TraceAnalysis(trace_files={0: sys.argv[1]}, trace_dir="")
analysis.get_temporal_breakdown(visualize=False)
analysis.get_idle_time_breakdown(visualize=False)
analysis.get_gpu_kernel_breakdown(visualize=False)
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aaco", default="build/bin/aaco")
    parser.add_argument("--python", required=True)
    parser.add_argument("--tracelens", type=pathlib.Path)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--output", required=True)
    parser.add_argument("files", nargs="+", metavar="FILE.json.gz")
    options = parser.parse_args()
    version = subprocess.run([options.python, "-c", "import importlib.metadata as m; print(m.version('HolisticTraceAnalysis'))"],
                             capture_output=True, text=True, check=True).stdout.strip()
    commands = {"aaco": lambda file: [options.aaco, "trace", "report", file], f"HTA {version}": lambda file: [options.python, "-c", HTA, file]}
    folder = tempfile.TemporaryDirectory()
    if options.tracelens:
        commit = subprocess.run(["git", "-C", options.tracelens, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
        commands[f"TraceLens {commit}"] = lambda file: ["env", f"PYTHONPATH={options.tracelens.resolve()}", options.python, "-m",
                                                        "TraceLens.Reporting.generate_perf_report_pytorch", "--profile_json_path", file,
                                                        "--output_csvs_dir", folder.name]
    results = {"environment": environment(options.aaco), "peers": []}
    for file in options.files:
        path = str(pathlib.Path(file).resolve())
        turns = {name: [] for name in commands}
        for turn in range(options.times):
            for name in list(commands)[::-1 if turn % 2 else 1]:
                turns[name].append(program(commands[name](path), 1))
        for name, runs in turns.items():
            walls = sorted(run["best_s"] for run in runs)
            results["peers"].append({"file": pathlib.Path(file).name, "program": name, "all_s": walls, "median_s": walls[len(walls) // 2],
                                     "peak_bytes": max(run["peak_bytes"] for run in runs)})
            print(results["peers"][-1], flush=True)
    with open(options.output, "w") as target:
        json.dump(results, target, indent=1)
        target.write("\n")


if __name__ == "__main__":
    main()
