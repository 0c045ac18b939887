#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hang_faults.py --aaco PROGRAM --devices cuda:0,cuda:1 --out bench/results/NAME.json [--config NAME] [--override KEY=VALUE...]

Every fault that `aaco overlap run --inject` makes, in rank 1, and what the run says of it; then what must be no alarm: a set-up that takes
longer than the limit, and many steps at that limit. Exit code 1 where a fault is called another than it is, or an alarm is raised.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import harness

CONFIGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "configs", "overlap")
# What is said of each fault, in rank 1 at step 6.
FAULTS = {"stop": "rank 1 slow: a signal has stopped its process", "kill": "rank 1 dead: signal 9", "sleep": "rank 1 did not enqueue: ",
          "skip": "rank 1 did not enqueue: ", "size": "rank 1 mismatch: it enqueued ", "spin": "rank 1 stuck in the kernel: its device does not come to ",
          "teardown": "rank 1 slow: its teardown behind step "}
KILLED_S = 60  # behind the limit: a run that has not ended by then hangs


def run(arguments, folder, overrides, inject):
    words = [arguments.aaco, "overlap", "run", "--config", os.path.join(CONFIGS, arguments.config + ".yaml"), "--device", arguments.devices, "--override",
             f"distributed.timeout={arguments.limit}", "profiling.enabled=false", f"training.output_dir={folder}/artifacts", *arguments.override, *overrides,
             "--no-check", "--sessions", folder, "--quiet", *(["--inject", inject] if inject else [])]
    begun = time.monotonic()
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=arguments.limit + KILLED_S + arguments.longest)
        code, said = done.returncode, done.stderr
    except subprocess.TimeoutExpired:
        code, said = None, "aaco: it did not end"
    message = next((line.removeprefix("aaco: ") for line in said.splitlines() if line.startswith("aaco: ")), "")
    return dict(inject=inject, overrides=overrides, exit_code=code, seconds=round(time.monotonic() - begun, 1), said=message)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aaco", required=True)
    parser.add_argument("--devices", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--config", default="llama_103m")
    parser.add_argument("--limit", type=int, default=5, help="seconds that a step may make no progress")
    parser.add_argument("--steps", type=int, default=1000, help="without a fault")
    parser.add_argument("--longest", type=int, default=60, help="seconds that such a run may take")
    parser.add_argument("--override", nargs="*", default=[])
    parser.add_argument("--lanes", type=int, default=1, help="runs at a time, on the same devices")
    arguments = parser.parse_args()
    result = dict(environment=harness.environment(arguments.aaco), revision=harness.revision(), devices=arguments.devices, config=arguments.config,
                  overrides=arguments.override, limit_s=arguments.limit, faults=[], no_alarms=[])
    cases = []
    for captured in (True, False):
        cases += [(captured, kind, "teardown:1" if kind == "teardown" else f"{kind}:1:6", ["training.max_steps=12"]) for kind in FAULTS]
        cases += [(captured, None, f"setup:1:{arguments.limit + 3}", ["training.max_steps=12"]), (captured, None, "", [f"training.max_steps={arguments.steps}"])]
    with tempfile.TemporaryDirectory() as folder:
        def measure(i, lane):
            captured, kind, inject, overrides = cases[i]
            one = run(arguments, os.path.join(folder, str(i)), [*overrides, f"compile.capture={'always' if captured else 'never'}"], inject)
            one.update(captured=captured, expected=FAULTS.get(kind, "nothing"))
            one["right"] = one["exit_code"] == 6 and one["said"].startswith(FAULTS[kind]) if kind else one["exit_code"] == 0
            print(f"{'right' if one['right'] else 'WRONG'} {inject or 'no fault'} {overrides[0]} captured={captured} {one['seconds']} s: {one['said']}", flush=True)
            return one
        found = harness.in_lanes(range(arguments.lanes), len(cases), measure)
    result["lanes"] = arguments.lanes
    result["faults"] = [one for one, case in zip(found, cases) if case[1]]
    result["no_alarms"] = [one for one, case in zip(found, cases) if not case[1]]
    with open(arguments.out, "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    sys.exit(0 if all(one["right"] for one in result["faults"] + result["no_alarms"]) else 1)


if __name__ == "__main__":
    main()
