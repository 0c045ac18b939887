#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""aaco's figures of recorded CSV files against those of Python's own csv module, and of statistics that the profilers wrote
beside them. Exit 77 where the data is not here.

Usage: check_csv_oracles.py AACO REPOSITORY
"""
import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from skipping import skip_without  # noqa: E402

AACO, REPOSITORY = sys.argv[1:3]
DATA = pathlib.Path(os.environ.get("AACO_DATA") or pathlib.Path(REPOSITORY).parent / "shared" / "data")
LAPLACIAN = "hpctraining/history/rocm-blogs-codes/finite-difference/examples/"

# Trace, a file or a folder: events, slices on devices, losses.
COUNTS = {
    "rocprofiler-sdk-docs/kernel_trace.csv": (9, 9, {"no launch": 9}),
    "rocprofiler-sdk-docs/kernel_names.csv": (4, 0, {}),  # counters without times
    "rocprofiler-sdk-docs/counter_collection.csv": (4, 4, {"no launch": 4, "last line not ended": 1}),
    "rocprofiler-sdk-docs/memory_copy_trace.csv": (4, 4, {"no launch": 4}),
    "rocprofiler-sdk-docs/pc_sampling_host_trap.csv": (79, 0, {"last line not ended": 1, "sample without a kernel": 79}),  # the dispatches are not in the file
    "rocprofiler-sdk-docs/pc_sampling_stochastic_debug.csv": (97, 0, {"sample without a kernel": 97}),
    "rocprofiler-sdk-docs/rccl_trace.csv": (21, 0, {}),
    "rocprofiler-sdk-docs/rocpd-to-csv.csv": (13, 0, {}),
    "rocprofiler-sdk-docs/scratch_memory_trace.csv": (2, 0, {"last line not ended": 1}),
    "rocprofiler-sdk-docs/hip_api_stats.csv": (17, 0, {"last line not ended": 1}),
    "pipit-nsys/nbody-nvtx/trace.csv": (131, 0, {}),
    "h200-recorded/ncu_raw.csv": (68, 0, {}),
    "h200-recorded/nvidia_smi.csv": (1124, 0, {}),
    # 12 passes of 3 dispatches, and sysinfo.
    "rocprofiler-compute/vcopy/MI300X_A1_rocpd": (37, 3, {"no launch": 3}),
    # 3 dispatches in each of 8 files, 4 roofs, sysinfo.
    "rocprofiler-compute/vcopy/MI200": (29, 3, {"no launch": 3}),
    # A spreadsheet has cut its times to 8.1097E+14.
    "rocprofiler-compute/vcopy/MI300X_A1": (25, 0, {"no time": 21}),
}

failures = []


def check(what, holds):
    if not holds:
        failures.append(what)


def report(path):
    done = subprocess.run([AACO, "trace", "report", str(DATA / path), "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 5):  # 5: loaded in part
        sys.exit(f"{path}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def losses_of(trace):
    return {loss["loss"]: loss["count"] for loss in trace["losses"]}


def check_counts():
    for path, expected in COUNTS.items():
        trace = report(path)
        slices = sum(sum(one["count"] for one in device["slices"].values()) for device in trace["devices"])
        got = (trace["events"], slices, losses_of(trace))
        check(f"{path}: {got}, expected {expected}", got == expected)


def check_rocprof():
    """Each kernel's count and total as rocprof's own statistics have them, and its median as Python takes it."""
    medians = {"xr/09-11-2023_18-57-23_laplacian_dp_kernel1/": 2643698, "xr/09-11-2023_19-39-41_laplacian_dp_kernel2/": 2556176,
               "xr/09-11-2023_19-40-14_laplacian_dp_kernel3/": 1929932, "": None}
    for folder, known in medians.items():
        path = LAPLACIAN + folder + "results"
        device, = report(path + ".csv")["devices"]
        kernels = {kernel["name"]: kernel for kernel in device["kernels"]}
        with open(DATA / (path + ".stats.csv")) as file:
            theirs = {row["Name"]: row for row in csv.DictReader(file)}
        check(f"{path}: kernels {sorted(kernels)}", kernels.keys() == theirs.keys())
        with open(DATA / (path + ".csv")) as file:
            rows = list(csv.DictReader(file))
        for name, row in theirs.items():
            mine = kernels[name]
            check(f"{path}: {name}: {mine}", (mine["count"], mine["total_ns"]) == (int(row["Calls"]), int(row["TotalDurationNs"])))
            median = statistics.median(int(each["EndNs"]) - int(each["BeginNs"]) for each in rows if each["KernelName"] == name)
            check(f"{path}: {name}: median {mine['median_ns']}, expected {median}", abs(mine["median_ns"] - median) <= 0.5)
            check(f"{path}: {name}: median {median}", not known or int(row["Calls"]) != 1001 or median == known)


def check_window():
    """Of the rocprofv3 kernel trace and of the workload that the long form holds: from the first start to the last end."""
    with open(DATA / "rocprofiler-sdk-docs/kernel_trace.csv") as file:
        rows = list(csv.DictReader(file))
    device, = report("rocprofiler-sdk-docs/kernel_trace.csv")["devices"]
    window = max(int(row["End_Timestamp"]) for row in rows) - min(int(row["Start_Timestamp"]) for row in rows)
    check(f"kernel_trace.csv: window {device['window_ns']}, expected {window}", device["window_ns"] == window)
    check(f"kernel_trace.csv: device {device['device']}", device["device"] == 4)
    device, = report("rocprofiler-compute/vcopy/MI300X_A1_rocpd")["devices"]
    check(f"MI300X_A1_rocpd: window {device['window_ns']}: of several runs", device["window_ns"] < 1_000_000)


def check_telemetry():
    """Rows that lack the column their header has are kept; those of no device at all are not."""
    for path in sorted((DATA / "mi300x-vllm-telemetry/sample-results/monitoring").glob("*.csv")):
        with open(path) as file:
            header, *rows = csv.reader(file)
        bare = sum(1 for row in rows if not any(row[1:]))
        short = sum(1 for row in rows if len(row) < len(header)) - bare
        trace = report(path)
        expected = {loss: count for loss, count in (("short row", short), ("malformed event", bare)) if count}
        check(f"{path.name}: {trace['events']} events of {len(rows)} rows, {losses_of(trace)}, expected {expected}",
              trace["events"] == len(rows) - bare and losses_of(trace) == expected)


def main():
    if not DATA.is_dir():
        skip_without(DATA)
    check_counts()
    check_rocprof()
    check_window()
    check_telemetry()
    print("\n".join(failures) or f"{len(COUNTS)} traces counted")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
