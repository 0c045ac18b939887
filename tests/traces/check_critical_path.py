#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""aaco's critical paths of recorded traces: against the path that HTA marked in its copy of a trace, and that they cover their
window. Exit 77 where the data is not here.

Usage: check_critical_path.py AACO REPOSITORY
"""
import gzip
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from skipping import skip_without  # noqa: E402

AACO, REPOSITORY = sys.argv[1:3]
DATA = pathlib.Path(os.environ.get("AACO_DATA") or pathlib.Path(REPOSITORY).parent / "shared" / "data")
SIMPLE_ADD = "hta/critical_path/end_to_end/simple_add/"
ON_DEVICE = ("computation", "communication", "copy")
BETWEEN = ("launch_delay", "turnaround")  # neither on a host thread nor of a slice

failures = []


def check(what, holds):
    if not holds:
        failures.append(what)


def aaco(*words):
    done = subprocess.run([AACO, "trace", *words, "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 5):
        sys.exit(f"{words}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def check_sums():
    """Kinds and items of each path add up to its window, a step's to the step."""
    for names in (["hpctraining/MLExamples/TraceLens/fused_traces/merged_all_events.json.gz"],
                  ["h200-recorded/fsdp2_d2048_rank0.json.gz", "h200-recorded/fsdp2_d2048_rank1.json.gz"],
                  ["tracelens/traces/inference/sglang_decode/sglang_Qwen3-8B_decode.json.gz"],
                  ["tracelens/traces/mi300/resnet_act_checkpoint.json.gz"],
                  ["pipit-nsys/cloverleaf-nsys/perlmutter-cloverleaf-cuda.sqlite"]):
        paths = aaco("report", *(str(DATA / name) for name in names))["critical_paths"]
        check(f"{names}: no path", paths)
        for path in paths:
            check(f"{names}: kinds", sum(path["kinds"].values()) == path["window_ns"])
            check(f"{names}: items", sum(item["total_ns"] for item in path["items"]) == path["window_ns"])
            check(f"{names}: longer than its window", 0 < path["length_ns"] <= path["window_ns"])
            for step in path["steps"]:
                check(f"{names}: {step['name']}", sum(step["kinds"].values()) == step["end_ns"] - step["start_ns"])


def stretches_of(path):
    """The path's stretches on the host thread, and its slices: spans in nanoseconds."""
    host, slices = [], []
    for part in path["parts"]:
        start, end = part["start_ns"], part["start_ns"] + part["duration_ns"]
        if part["kind"] in ON_DEVICE:
            slices.append((start, end, part["name"]))
        elif part["kind"] not in BETWEEN:
            if host and host[-1][1] == start:
                start = host.pop()[0]
            host.append((start, end))
    return host, slices


def check_hta():
    """HTA marked 624 events of this trace as critical. aaco's path has 618 of them. The rest is one branch at the end: HTA lets a
    cudaDeviceSynchronize wait for a kernel that had ended before the call began, and goes by six slices of the device; aaco stays on the
    host, whose work lasted longer, and ends with the last call, which HTA weighs nothing and leaves out."""
    with gzip.open(DATA / SIMPLE_ADD / "output/overlaid_critical_path_trace.json.gz") as file:
        events = json.load(file)["traceEvents"]
    path, = aaco("report", str(DATA / SIMPLE_ADD / "input/trace.json.gz"))["critical_paths"]
    check("simple_add: parts are left out", path["parts_in_all"] == len(path["parts"]))
    host, slices = stretches_of(path)
    theirs, mine = {}, {}
    for place, event in enumerate(events):
        on_host = event.get("cat") in ("cpu_op", "cuda_runtime")
        if event["ph"] != "X" or not (on_host or event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")) or event["dur"] == 0:
            continue
        start, end = event["ts"] * 1000, (event["ts"] + event["dur"]) * 1000
        if event["args"].get("critical"):
            theirs[place] = event
        if on_host and any(a <= start <= b or a <= end <= b for a, b in host) or not on_host and (start, end, event["name"]) in slices:
            mine[place] = event
    check(f"simple_add: {len(theirs)} of HTA, {len(mine)} of aaco", (len(theirs), len(mine), len(theirs.keys() & mine.keys())) == (624, 632, 618))
    only_theirs = [event for place, event in theirs.items() if place not in mine]
    only_mine = [event for place, event in mine.items() if place not in theirs]
    last_kernel = max(event["ts"] + event["dur"] for event in only_theirs)
    call, = (event for event in events if event["name"] == "cudaDeviceSynchronize" and 0 < event["ts"] - last_kernel < 1000)
    arrows = {(event["ph"], event["ts"]) for event in events if event.get("cat") == "critical_path" and event["args"]["type"] == "critical_path_sync_dependency"}
    check("simple_add: HTA draws no arrow from the kernel that had ended to the call", ("f", call["ts"] + call["dur"]) in arrows and call["ts"] > last_kernel)
    check("simple_add: HTA has more than slices alone", all(event["cat"] in ("kernel", "gpu_memset") for event in only_theirs))
    launch = max(event["ts"] for event in theirs.values() if event["name"] == "cudaLaunchKernel" and event["ts"] < call["ts"])
    end = max(event["ts"] + event["dur"] for event in events if event["ph"] == "X" and event.get("cat") == "cuda_runtime")
    for event in only_mine:
        check(f"simple_add: aaco alone has {event['name']} at {event['ts']}",
              event["cat"] in ("cpu_op", "cuda_runtime") and (launch <= event["ts"] < call["ts"] or event["ts"] + event["dur"] == end))
    window = (path["window"]["end_ns"] - path["window"]["start_ns"]) / 1000
    check(f"simple_add: window {window} us", window == end - min(event["ts"] for event in events if event.get("cat") in ("cpu_op", "cuda_runtime")))


if __name__ == "__main__":
    if not DATA.is_dir():
        skip_without(DATA)
    check_hta()
    check_sums()
    print("\n".join(failures) or "all hold")
    sys.exit(bool(failures))
