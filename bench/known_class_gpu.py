#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often `aaco run --backend cuda` names the bottleneck that a workload has by construction: a confusion matrix, as known_class.py makes one of a CPU.

What is true, and why:
  launch-bound   chains of element-wise nodes on at most 64 elements: a kernel takes some microseconds, of which nearly all is its start
  compute-bound  products of n x n matrices, n from 2048 on, in fp16: n / 3 FLOP a byte, above the ridge of any GPU
  memory-bound   element-wise chains on 2^26 elements, of which a tensor is larger than any GPU's cache
  cpu-bound      the tiny chains, on one processor that a hog demands all of

Each run measures the device's roofs itself."""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from harness import environment
from known_class import confusion, hogs, print_matrix


def plan():
    """The point of each class first, then the others."""
    for n, count, nodes, elements in ((4096, 8, 300, 16), (8192, 4, 1000, 16), (2048, 16, 300, 64)):
        yield dict(model="gemm", params=dict(m=n, n=n, k=n, count=4), precision="fp16", truth="compute-bound")
        yield dict(model="elementwise", params=dict(count=count, elements=1 << 26), truth="memory-bound")
        yield dict(model="chain-tiny", params={"nodes": nodes, "elements": elements}, processor=0, truth="cpu-bound")
        yield dict(model="chain-tiny", params={"nodes": nodes, "elements": elements}, truth="launch-bound")


def measure(options, point, sessions):
    command = [options.aaco, "run", "--model", point["model"], "--backend", "cuda", "--ort-library", options.ort_library, "--profile", "--telemetry",
               "--processes", "3", "--sessions", sessions, "--json", "--quiet"]
    command += [part for name, value in point["params"].items() for part in ("--param", f"{name}={value}")]
    command += ["--precision", point["precision"]] if "precision" in point else []
    command += ["--pin", str(point["processor"])] if "processor" in point else []
    with hogs([point["processor"]] if "processor" in point else [], 1):
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 5):
        return dict(point, predicted="failed", disturbed=True, error=done.stderr[-300:])
    result = json.loads(done.stdout)
    bottleneck = result["bottleneck"]
    shutil.rmtree(result["bundle"], ignore_errors=True)
    return dict(point, predicted=bottleneck["bottleneck_class"], reason=bottleneck["reason"], disturbed=False,
                scores={score["bottleneck_class"]: score["score"] for score in bottleneck["scores"]},
                metrics={signal["name"]: signal["value"] for signal in bottleneck["signals"]})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aaco", required=True)
    parser.add_argument("--ort-library", required=True)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--output", required=True)
    options = parser.parse_args()
    result = dict(environment=environment(options.aaco), runs=[])
    with tempfile.TemporaryDirectory() as sessions:
        for _ in range(options.repeat):
            for point in plan():
                run = measure(options, point, sessions)
                result["runs"].append(run)
                result["confusion"] = confusion([run for run in result["runs"] if run["predicted"] != "failed"])
                pathlib.Path(options.output).write_text(json.dumps(result, indent=1) + "\n")
                print(point["model"], point["params"], run["predicted"], "" if run["predicted"] == point["truth"] else "NOT " + point["truth"], run.get("error", ""), flush=True)
    print_matrix(result["confusion"])


if __name__ == "__main__":
    sys.exit(main())
