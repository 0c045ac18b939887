#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""queue_workloads.py --aaco PROGRAM --device ID --out RAW.json [--streams 8,16,32,64,128] [--dispatch single,graph,threads]
[--workloads NAME,...] [--processes N] [--iterations N] [--warmup N] [--no-check] [--no-probe] [--seconds N]

Every workload of `aaco queue` at its default sizes on a device: at the first number of streams dispatched in each way, with the other
numbers of streams in the first way, one right after the other because their ratio is what counts; then checked, four at a time because
no time of theirs counts; and the controlled experiments of `aaco queue probe`. Writes what aaco printed, with the environment;
bench/overhead_page.py makes the page from it. After N seconds no further measurement is begun, and the file says what is missing.
"""
import argparse
import json
import os
import subprocess
import tempfile
import time

from harness import environment, in_lanes, json_of


def aaco_json(program, sessions, *words):
    """What the command printed as JSON, or its error as one line."""
    done = subprocess.run([program, *words, "--json", "--sessions", sessions], capture_output=True, text=True)
    if done.returncode != 0:
        return {"failed": (done.stderr.strip().splitlines() or ["no message"])[0], "exit_code": done.returncode}
    return without_places(json.loads(done.stdout))


def without_places(document):
    """Where its bundle lay is of no use to anyone else."""
    for key in ("bundle", "folder", "sessions", "command_line"):
        document.pop(key, None)
        document.get("request", {}).pop(key, None)
    return document


def figures_of(document):
    """Of a run's document what the page shows and what compares; the iterations themselves stay in the session."""
    if "failed" in document:
        return document
    kept = {key: document[key] for key in ("work", "verification", "notes", "figures", "processes", "communicator")}
    kept["dispatch"] = document["request"]["dispatch"]
    kept["sync_mode"] = document["request"]["sync_mode"]
    kept["streams"] = document["request"]["streams"]
    kept["parameters"] = document["request"]["parameters"]
    return kept


def write(raw, path):
    with open(path, "w") as file:
        json.dump(raw, file, indent=1)
        file.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aaco", required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--streams", default="8,16,32,64,128")
    parser.add_argument("--processes", default="3")
    parser.add_argument("--iterations", default="30")
    parser.add_argument("--warmup", default="10")
    parser.add_argument("--dispatch", default="single,graph,threads")
    parser.add_argument("--workloads")
    parser.add_argument("--no-check", action="store_true")
    parser.add_argument("--no-probe", action="store_true")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    began = time.monotonic()
    raw = {"environment": environment(options.aaco), "device": options.device, "devices": None, "runs": [], "not_run": [], "probes": []}
    workloads = options.workloads.split(",") if options.workloads else [one["name"] for one in json_of([options.aaco, "queue", "list", "--json"])]
    raw["devices"] = json_of([options.aaco, "devices", "--json"])
    first, *others = options.streams.split(",")
    mode, *other_modes = options.dispatch.split(",")
    plan = [(name, streams, mode) for name in workloads for streams in (first, *others)]
    plan += [(name, first, other) for other in other_modes for name in workloads]
    with tempfile.TemporaryDirectory() as sessions:
        if not options.no_probe:
            raw["probes"].append(aaco_json(options.aaco, sessions, "queue", "probe", "--device", options.device, "--streams", "8",
                                           "--processes", "5"))
        for name, streams, dispatch in plan:
            case = {"workload": name, "streams": int(streams), "dispatch": dispatch}
            if time.monotonic() - began > options.seconds:
                raw["not_run"].append(case)
                continue
            words = ["queue", "run", name, "--device", options.device, "--streams", streams, "--dispatch", dispatch,
                     "--processes", options.processes, "--iterations", options.iterations, "--warmup", options.warmup]
            case.update(figures_of(aaco_json(options.aaco, sessions, *words, "--no-check")))
            raw["runs"].append(case)
            write(raw, options.out)
            print(case["workload"], streams, dispatch, case.get("failed", "ok"), flush=True)

        def checked(i, lane):
            run = aaco_json(options.aaco, os.path.join(sessions, lane), "queue", "run", workloads[i], "--device", options.device, "--streams", first,
                            "--processes", "1", "--iterations", options.iterations)
            print("check", workloads[i], run.get("failed", "ok"), flush=True)
            return {"workload": workloads[i], **({"failed": run["failed"]} if "failed" in run else {"verification": run["verification"]})}
        if not options.no_check:
            raw["checks"] = in_lanes(("a", "b", "c", "d"), len(workloads), checked)
    write(raw, options.out)


if __name__ == "__main__":
    main()
