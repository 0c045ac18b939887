#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""aaco's figures of recorded traces in rocprof's, rocprofv3's and the smi tools' own formats against counts taken with
Python's parsers. Exit 77 where the data is not here.

Usage: check_other_formats.py AACO REPOSITORY
"""
import collections
import gzip
import json
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from skipping import skip_without  # noqa: E402

AACO, REPOSITORY = sys.argv[1:3]
DATA = pathlib.Path(os.environ.get("AACO_DATA") or pathlib.Path(REPOSITORY).parent / "shared" / "data")
failures = []


def check(what, got, expected):
    if got != expected:
        failures.append(f"{what}: {got}, expected {expected}")


def report(path):
    done = subprocess.run([AACO, "trace", "report", str(DATA / path), "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{path}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def by_name(device):
    return {kernel["name"]: (kernel["count"], kernel["total_ns"]) for kernel in device["kernels"]}


def check_rocprofv3_json():
    path = "tracelens/rocprof/908_results.json.gz"
    with gzip.open(DATA / path) as file:
        process, = json.load(file)["rocprofiler-sdk-tool"]
    names = {symbol["kernel_id"]: symbol["formatted_kernel_name"] for symbol in process["kernel_symbols"]}
    dispatches = process["buffer_records"]["kernel_dispatch"]
    expected = collections.defaultdict(lambda: (0, 0))
    for record in dispatches:
        name = names[record["dispatch_info"]["kernel_id"]]
        count, total = expected[name]
        expected[name] = (count + 1, total + record["end_timestamp"] - record["start_timestamp"])
    trace = report(path)
    device, = trace["devices"]
    check(f"{path}: dispatches", len(dispatches), 43915)
    check(f"{path}: events", trace["events"], 43915)
    check(f"{path}: device", device["device"], 2)
    check(f"{path}: kernels", by_name(device), dict(expected))
    check(f"{path}: window", device["window_ns"],
          max(record["end_timestamp"] for record in dispatches) - min(record["start_timestamp"] for record in dispatches))


def check_rocprof_json():
    path = "rocm-blogs-rocprof/HIP_trace/results.json"
    with open(DATA / path) as file:
        events = json.load(file)["traceEvents"]
    expected = collections.defaultdict(lambda: (0, 0))
    for event in events:
        if event.get("ph") == "X" and event["pid"] != "2":
            count, total = expected[event["name"]]
            expected[event["name"]] = (count + 1, total + int(event["args"]["EndNs"]) - int(event["args"]["BeginNs"]))
    trace = report(path)
    device, = trace["devices"]
    check(f"{path}: events", trace["events"], len(events) - 1)  # but for the empty object
    check(f"{path}: operations", by_name(device), dict(expected))
    check(f"{path}: copies and kernels", sum(count for count, _ in expected.values()), 7)


def check_malformed():
    path = DATA / "hpctraining/history/malformed_rocprof_results.json"
    done = subprocess.run([AACO, "trace", "report", str(path)], capture_output=True, text=True)
    check("malformed: exit", done.returncode, 2)
    check("malformed: message names the place", "byte 0" in done.stderr, True)


def leaves(value):
    """Readings of a JSON value: a value with its unit is one, a list of anything but objects, too."""
    if isinstance(value, dict):
        return 1 if set(value) == {"value", "unit"} else sum(leaves(each) for each in value.values())
    if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        return sum(leaves(each) for each in value)
    return 1


def elements(element):
    own = len(element.attrib) if element.tag not in ("gpu", "nvidia_smi_log") else 0
    return own + (sum(elements(child) for child in element) if len(element) else 1)


def check_telemetry():
    captures = 0
    for path in sorted(DATA.glob("telegraf-smi/amd_rocm_smi/*.json")) + sorted(DATA.glob("transcribed/amd_smi*.json")):
        with open(path) as file:
            capture = json.load(file)
        check(path.name, report(path)["events"], leaves({"": capture.get("gpu_data", [capture])[0]}))
        captures += 1
    for path in sorted(DATA.glob("telegraf-smi/nvidia_smi/*.xml")):
        check(path.name, report(path)["events"], elements(xml.etree.ElementTree.parse(path).getroot()))
        captures += 1
    return captures


def main():
    if not DATA.is_dir():
        skip_without(DATA)
    check_rocprofv3_json()
    check_rocprof_json()
    check_malformed()
    captures = check_telemetry()
    print("\n".join(failures) or f"two traces and {captures} captures as Python reads them")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
