#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What aaco exports of recorded traces is the trace: a report of the exported file has the figures of the original; read with
Python's own parsers it holds every slice to the nanosecond, on rows that a viewer can show; and an interrupt leaves nothing.
Exit 77 where the data is not here.

Usage: check_export.py AACO REPOSITORY
"""
import collections
import decimal
import gzip
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from skipping import skip_without  # noqa: E402

AACO, REPOSITORY = sys.argv[1:3]
DATA = pathlib.Path(os.environ.get("AACO_DATA") or pathlib.Path(REPOSITORY).parent / "shared" / "data")
OWLV2 = "tracelens/traces/mi300/google_owlv2-large-patch14-ensemble__1016001.json.gz"
MERGED = "hpctraining/MLExamples/TraceLens/fused_traces/merged_all_events.json.gz"
KINETO = [
    OWLV2,
    MERGED,
    "hta/negative_queue_length_values_check/rank0.json.gz",
    "kineto/tb_plugin/samples/resnet50_num_workers_0/worker0.d3fb407.pt.trace.json.gz",
    "aorta/smci350-zts-gtu-c6-25_200691.1758927066581847260.pt.trace.json",
]
OTHERS = [
    "hta/trace_filter",  # two ranks, a file each
    "tracelens/rocprof/908_results.json.gz",
    "pipit-nsys/cloverleaf-nsys/perlmutter-cloverleaf-cuda.sqlite",
    "rocmprofiledata/matmul_result_large.rpd",
    "rocm-blogs-rocprof/HIP_trace/results.db",
]
KEPT = ("rank", "device", "window_ns", "computation_ns", "exposed_communication_ns", "exposed_copy_ns", "idle_ns", "slices", "overlapping_slices",
        "slices_without_launch")
COUNTED = ("no launch", "overlap in a stream", "zero duration on the device", "unmatched flow")
ON_DEVICE = {"kernel", "Kernel", "gpu_memcpy", "Memcpy", "gpu_memset", "Memset"}
failures = []


def check(what, got, expected):
    if got != expected:
        failures.append(f"{what}: {str(got)[:300]}, expected {str(expected)[:300]}")


def run(*arguments):
    done = subprocess.run([AACO, "trace", *map(str, arguments), "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 5):
        sys.exit(f"{arguments}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def figures(path):
    """Of each device, and the losses that the analyses count themselves."""
    report = run("report", path)
    devices = [[device[key] for key in KEPT] + [sorted(json.dumps(each, sort_keys=True) for each in device["kernels"])] for device in report["devices"]]
    return sorted(devices, key=str), {each["loss"]: each["count"] for each in report["losses"] if each["loss"] in COUNTED}


def nanoseconds(value):
    return int((value * 1000).to_integral_value(decimal.ROUND_DOWN)) if isinstance(value, decimal.Decimal) else value * 1000


def kineto_slices(path):
    """Category, start, duration, name and row of each slice that is written as one event."""
    with gzip.open(path) if str(path).endswith(".gz") else open(path, "rb") as file:
        root = json.load(file, parse_float=decimal.Decimal)
    for event in root["traceEvents"] if isinstance(root, dict) else root:
        if event.get("ph") == "X":
            yield event.get("cat", ""), nanoseconds(event["ts"]), nanoseconds(event["dur"]), event["name"], (str(event["pid"]), str(event["tid"]))


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        else:
            length = 8
            if kind == 2:
                length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        yield tag >> 3, value


def perfetto_slices(path):
    """As a viewer reads them: begins and ends of a track, the last one that began ends first."""
    names, open_slices = {}, collections.defaultdict(list)
    for _, packet in fields(path.read_bytes()):
        packet = dict(fields(packet))
        for table, entry in fields(packet.get(12, b"")):
            if table == 2:
                entry = dict(fields(entry))
                names[entry[1]] = entry[2].decode()
        event = dict(fields(packet.get(11, b"")))
        if event.get(9) == 1:
            open_slices[event[11]].append((event.get(22, b"").decode(), packet[8], names.get(event.get(10), "")))
        elif event.get(9) == 2:
            category, start, name = open_slices[event[11]].pop()
            yield category, start, packet[8] - start, name, event[11]
    check(f"{path}: slices without an end", sum(map(len, open_slices.values())), 0)


def crossings(slices):
    """Pairs of neighbours that a viewer cannot show on their row; of a device, work within work too."""
    rows = collections.defaultdict(list)
    for category, start, duration, _, row in slices:
        rows[row].append((start, -duration, category in ON_DEVICE))
    found = 0
    for row in rows.values():
        ends = []
        for start, minus, device in sorted(row):
            while ends and ends[-1][0] <= start:
                ends.pop()
            found += bool(ends) and (ends[-1][0] < start - minus or (device and ends[-1][1] and minus < 0))
            ends.append((start - minus, device))
    return found


def check_slices(name, form, path):
    expected = collections.Counter(each[:4] for each in kineto_slices(DATA / name))
    slices = list(kineto_slices(path) if form == "chrome" else perfetto_slices(path))
    found = collections.Counter(each[:4] for each in slices)
    check(f"{name}: {form}: slices that are not the trace's", dict((found - expected)), {})
    check(f"{name}: {form}: slices that are missing", dict((expected - found)), {})
    check(f"{name}: {form}: slices that cannot be shown", crossings(slices), 0)


def check_exports(folder):
    for name in KINETO + OTHERS:
        before = figures(DATA / name)
        for form, ending in (("chrome", "json.gz"), ("perfetto", "pftrace")):
            path = folder / f"trace.{ending}"
            counts = run("export", DATA / name, "--format", form, "--output", path, "--force")
            check(f"{name}: {form}: events", counts["written"] + sum(each["count"] for each in counts["left_out"]), counts["events"])
            devices, losses = figures(path)
            check(f"{name}: {form}: devices", devices, before[0])
            if form == "chrome" or "unmatched flow" not in before[1]:  # an arrow of one end has none in Perfetto's format
                check(f"{name}: {form}: losses", losses, before[1])
            if name in KINETO:
                check_slices(name, form, path)


def check_parquet(folder):
    run("export", DATA / OWLV2, "--format", "parquet", "--output", folder / "tables")
    found = sorted(str(path.relative_to(folder / "tables")) for path in folder.glob("tables/*/*.parquet"))
    for needed in ("trace/events.parquet", "trace/arguments.parquet", "analysis/device_time.parquet"):
        check(f"parquet: {needed}", needed in found, True)


def check_interrupt(folder):
    path = folder / "interrupted.json.gz"
    process = subprocess.Popen([AACO, "trace", "export", str(DATA / MERGED), "--format", "chrome", "--output", str(path)], stderr=subprocess.PIPE)
    while process.poll() is None and not list(folder.glob("interrupted*")):
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    check("interrupt: exit", (process.wait(), process.stderr.read().decode()), (130, "aaco: interrupted\n"))
    check("interrupt: left behind", list(folder.glob("interrupted*")), [])


def main():
    if not DATA.is_dir():
        skip_without(DATA)
    with tempfile.TemporaryDirectory() as folder:
        check_exports(pathlib.Path(folder))
        check_parquet(pathlib.Path(folder))
        check_interrupt(pathlib.Path(folder))
    print("\n".join(failures) or f"{len(KINETO + OTHERS)} traces in two formats as they were")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
