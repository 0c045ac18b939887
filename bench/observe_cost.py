#!/usr/bin/env python3
"""What observing costs, and whether what it records is right: bench/observe_step.py bare, under the least that CUPTI can
do (--floor), under `aaco observe`, under torch.profiler, in turns; then counts and sums by kernel of the same program
from aaco's sessions and from torch.profiler's traces.

observe_cost.py AACO [--floor LIBRARY] [--rounds N] [--cases eager:small,...] [--seconds S] --output FILE"""
import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

STEP = pathlib.Path(__file__).resolve().parent / "observe_step.py"


def run(command, environment=None):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(environment or {})})
    return done.returncode, done.stdout, done.stderr


def step_ms(output):
    for line in output.splitlines():
        if line.startswith('{"step_ms"'):
            return json.loads(line)["step_ms"]
    return None


class Bench:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, pathlib.Path(folder)
        self.deadline = time.monotonic() + arguments.seconds

    def program(self, case, more=()):
        mode, size = case.split(":")
        return [sys.executable, str(STEP), mode, size, str(self.arguments.steps), *more]

    def late(self):
        return time.monotonic() > self.deadline

    def bare(self, case):
        return run(self.program(case))

    def floor(self, case):
        return run(self.program(case), {"CUDA_INJECTION64_PATH": self.arguments.floor})

    def observed(self, case, sessions=None, flags=()):
        sessions = sessions or str(self.folder / "cost")
        return run([self.arguments.aaco, "observe", "--quiet", "--sessions", sessions, *flags, "--", *self.program(case)])

    def whole_graphs(self, case):
        return self.observed(case, flags=("--graphs", "whole"))

    def within_budget(self, case):
        return self.observed(case, flags=("--budget", "3%"))

    def profiled(self, case, trace=None):
        return run(self.program(case, [trace or str(self.folder / "cost.json")]))


def cost(bench, case):
    ways = {"bare": bench.bare, "observed": bench.observed}
    if bench.arguments.floor:
        ways["floor"] = bench.floor
    if case.startswith("graph"):
        ways["whole_graphs"] = bench.whole_graphs
    else:
        ways["budget_3_percent"] = bench.within_budget
    times, problems = {way: [] for way in [*ways, "torch_profiler"]}, []
    for number in range(bench.arguments.rounds):
        order = list(ways.items()) if number % 2 == 0 else list(ways.items())[::-1]
        if number < bench.arguments.profiled_rounds:
            order.append(("torch_profiler", bench.profiled))
        for way, start in order:
            if bench.late():
                continue
            code, output, error = start(case)
            if code == 0 and step_ms(output) is not None:
                times[way].append(step_ms(output))
            else:
                problems.append({"way": way, "code": code, "error": error[-400:]})
    row = {"case": case, "step_ms": times, "problems": problems}
    medians = {way: statistics.median(values) for way, values in times.items() if values}
    row["median_ms"] = medians
    if "bare" in medians:
        row["cost"] = {way: round(value / medians["bare"] - 1, 5) for way, value in medians.items()}
    return row


def kernels(bench, path):
    code, output, error = run([bench.arguments.aaco, "trace", "report", str(path), "--json", "--top", "1000000"])
    if code not in (0, 5):
        return None, error[-400:]
    found = {}
    for device in json.loads(output)["devices"]:
        for kernel in device["kernels"]:
            if kernel.get("work") == "copy" or kernel["name"].startswith(("Mem", "copy", "set")):
                continue
            entry = found.setdefault(kernel["name"], [0, 0])
            entry[0] += kernel["count"]
            entry[1] += kernel["total_ns"]
    return found, ""


def compare(bench, case):
    """Two recordings a side: the spread between those of torch.profiler is what sums may differ by, and 0.5 %."""
    ours, theirs, problems = [], [], []
    for number in range(2):
        sessions = bench.folder / f"right_{case.replace(':', '_')}_{number}"
        code, _, error = bench.observed(case, str(sessions))
        found, problem = kernels(bench, sessions / "latest") if code == 0 else (None, error[-400:])
        ours.append(found)
        trace = str(bench.folder / f"right_{number}.json")
        code, _, error = bench.profiled(case, trace)
        other, other_problem = kernels(bench, trace) if code == 0 else (None, error[-400:])
        theirs.append(other)
        problems += [text for text in (problem, other_problem) if text]
        if os.path.exists(trace):
            os.remove(trace)
    row = {"case": case, "problems": problems}
    if any(side is None for side in ours + theirs):
        return row
    names = set().union(*ours, *theirs)
    row["names"] = len(names)
    row["kernels"] = [sum(value[0] for value in side.values()) for side in (*ours, *theirs)]
    row["count_differs"] = {name: [side.get(name, [0, 0])[0] for side in (*ours, *theirs)] for name in names
                            if len({side.get(name, [0, 0])[0] for side in (*ours, *theirs)}) > 1}
    row["total_ns"] = [sum(value[1] for value in side.values()) for side in (*ours, *theirs)]
    outside = {}
    for name in names:
        sums = [side.get(name, [0, 0])[1] for side in (*ours, *theirs)]
        mean = (sums[2] + sums[3]) / 2
        if mean and abs((sums[0] + sums[1]) / 2 - mean) > abs(sums[2] - sums[3]) + 0.005 * mean:
            outside[name] = sums
    row["sum_outside"] = outside
    row["sum_outside_share"] = sum(abs(v[0] + v[1]) / 2 for v in outside.values()) / max(1, sum(row["total_ns"][:2]) / 2)
    return row


def environment(arguments):
    code, smi, _ = run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"])
    _, version, _ = run([arguments.aaco, "--version"])
    import torch
    return {"gpu": smi.strip() if code == 0 else None, "aaco": version.strip(), "torch": torch.__version__,
            "cuda": torch.version.cuda, "python": sys.version.split()[0], "cpus": os.cpu_count()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("aaco")
    parser.add_argument("--floor", default="")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--profiled-rounds", type=int, default=2)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--cases", default="eager:small,graph:small,eager:large,graph:large")
    parser.add_argument("--right", default="eager:small,graph:small")
    parser.add_argument("--seconds", type=float, default=400)
    parser.add_argument("--revision", default="")
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()
    result = {"what": "bench/observe_cost.py", "revision": arguments.revision,
              "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
              "environment": environment(arguments), "steps": arguments.steps, "right": [], "cost": []}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments, folder)
        for name, function in (("right", compare), ("cost", cost)):
            for case in filter(None, (arguments.right if name == "right" else arguments.cases).split(",")):
                if not bench.late():
                    result[name].append(function(bench, case))
                    pathlib.Path(arguments.output).write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result["cost"], indent=1))


main()
