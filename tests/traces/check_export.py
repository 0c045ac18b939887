#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What aaco exports of recorded traces says the same as the trace: reports of the exported file and of the original agree,
and other programs' parsers find every event, on rows that a viewer can show. Exit 77 where the data is not here.

Usage: check_export.py AACO REPOSITORY
"""
import collections
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

AACO, REPOSITORY = sys.argv[1:3]
DATA = pathlib.Path(os.environ.get("AACO_DATA") or pathlib.Path(REPOSITORY).parent / "shared" / "data")
MI300 = "tracelens/traces/mi300/"
TRACES = {
    MI300 + "google_owlv2-large-patch14-ensemble__1016001.json.gz": {},
    MI300 + "resnet_act_checkpoint.json.gz": {},
    "hpctraining/MLExamples/TraceLens/fused_traces/merged_all_events.json.gz": {},
    "hta/trace_filter": {},
    "hta/ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz": {},
    "kineto/tb_plugin/samples/resnet50_num_workers_0/worker0.d3fb407.pt.trace.json.gz": {},
    "aorta/smci350-zts-gtu-c6-25_200691.1758927066581847260.pt.trace.json": {},
    "tracelens/rocprof/908_results.json.gz": {},
    "pipit-nsys/cloverleaf-nsys/perlmutter-cloverleaf-cuda.sqlite": {},
    "rocmprofiledata/matmul_result_large.rpd": {},
    "rocm-blogs-rocprof/HIP_trace/results.db": {},
}
failures = []


def check(what, got, expected):
    if got != expected:
        failures.append(f"{what}: {str(got)[:300]}, expected {str(expected)[:300]}")


def run(*arguments):
    done = subprocess.run([AACO, *map(str, arguments), "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 5):
        sys.exit(f"{arguments}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


KEPT = ("rank", "device", "window_ns", "computation_ns", "exposed_communication_ns", "exposed_copy_ns", "idle_ns", "slices", "kernels",
        "overlapping_slices", "unlinked_slices")


def figures(report):
    """Of each device; losses that the analyses count themselves."""
    devices = sorted(([device.get(key) for key in KEPT] for device in report["devices"]), key=str)
    kernels = [dict(each, example=None) for each in report["losses"] if each["loss"] in ("no launch", "overlap in a stream", "zero duration on the device")]
    return devices, kernels


def check_rows(path):
    """As a viewer takes the slices of a thread: each within another one or apart from it."""
    with gzip.open(path) as file:
        events = json.load(file)["traceEvents"]
    rows = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            start, duration = (int(event[key] * 1000 + 0.5) if isinstance(event[key], int) else exact(event[key]) for key in ("ts", "dur"))
            rows[event["pid"], event.get("tid")].append((start, -duration))
    crossing = 0
    for slices in rows.values():
        ends = []
        for start, minus in sorted(slices):
            while ends and ends[-1] <= start:
                ends.pop()
            crossing += bool(ends) and ends[-1] < start - minus
            ends.append(start - minus)
    return len(events), crossing


def exact(number):
    return int(number)


def main():
    if not DATA.is_dir():
        print(f"{DATA} is not here")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        for name in TRACES:
            before = figures(run("trace", "report", DATA / name))
            for form, ending in (("chrome", "json.gz"), ("perfetto", "pftrace")):
                path = pathlib.Path(folder) / f"trace.{ending}"
                counts = run("trace", "export", DATA / name, "--format", form, "--output", path, "--force")
                left_out = sum(each["count"] for each in counts["left_out"])
                check(f"{name}: {form}: events", counts["written"] + left_out, counts["events"])
                check(f"{name}: {form}", figures(run("trace", "report", path)), before)
    print("\n".join(failures) or f"{len(TRACES)} traces")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
