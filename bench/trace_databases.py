#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""trace_databases.py --aaco PROGRAM --output bench/results/trace-databases.json FILE...

Exports of Nsight Systems (SQLite) and databases of rocprofv3 (rocpd) of any version: aaco's counts and sums by kernel, copy and
set, window and idle time of each device beside what Python's own sqlite3 gives. A file of which a figure differs is an error. The
recordings are not part of this repository; names are kept as hashes.
"""
import argparse
import collections
import hashlib
import json
import os
import sqlite3
import sys

from harness import environment, json_of

COPY_KINDS = ("Unknown", "Host-to-Device", "Device-to-Host", "Host-to-Array", "Array-to-Host", "Array-to-Array", "Array-to-Device",
              "Device-to-Array", "Device-to-Device", "Host-to-Host", "Peer-to-Peer", "Unified Host-to-Device", "Unified Device-to-Host",
              "Unified Device-to-Device")


def tables_of(database):
    return {name for name, in database.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")}


def nsys_operations(database):
    """Version, and by process and device: name, start and end of what ran."""
    tables = tables_of(database)
    version = "before 2.9"
    for table in {"EXPORT_META_DATA", "META_DATA_EXPORT"} & tables:
        version = dict(database.execute(f"SELECT name, value FROM {table}"))["EXPORT_SCHEMA_VERSION"]
    queries = {
        "CUPTI_ACTIVITY_KIND_KERNEL": "SELECT globalPid, deviceId, value, start, end FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds "
                                      "ON id = demangledName",
        "CUPTI_ACTIVITY_KIND_MEMCPY": "SELECT globalPid, deviceId, copyKind, start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY",
        "CUPTI_ACTIVITY_KIND_MEMSET": "SELECT globalPid, deviceId, 'CUDA memset', start, end FROM CUPTI_ACTIVITY_KIND_MEMSET",
    }
    operations = collections.defaultdict(list)
    for table in queries.keys() & tables:
        for process, device, name, start, end in database.execute(queries[table]):
            operations[process >> 24 & 0xFFFFFF, device].append((f"CUDA memcpy {COPY_KINDS[name]}" if isinstance(name, int) else name, start, end))
    return f"nsys, schema {version}", operations


def rocpd_operations(database):
    version, = database.execute("SELECT value FROM rocpd_metadata WHERE tag = 'schema_version'").fetchone()
    operations = collections.defaultdict(list)
    for process, device, name, start, end in database.execute(
            "SELECT d.pid, a.absolute_index, s.display_name, d.start, d.end FROM rocpd_kernel_dispatch d JOIN rocpd_info_kernel_symbol s ON "
            "s.id = d.kernel_id JOIN rocpd_info_agent a ON a.id = d.agent_id"):
        operations[process, device].append((name, start, end))
    return f"rocpd, schema {version}", operations


def union_ns(spans):
    busy, last = 0, None
    for start, end in sorted(spans):
        last = start if last is None else last
        busy += max(0, end - max(start, last))
        last = max(last, end)
    return busy


def figures(operations):
    """What must be the same: counts and sums by name, window and idle time."""
    count, total = collections.Counter(), collections.Counter()
    for name, start, end in operations:
        count[name] += 1
        total[name] += end - start
    spans = [(start, end) for _, start, end in operations]
    window = max(end for _, end in spans) - min(start for start, _ in spans)
    return dict(count), dict(total), window, window - union_ns(spans)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aaco", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    raw = {"environment": environment(options.aaco), "trace_databases": []}
    for path in options.files:
        with sqlite3.connect(f"file:{path}?immutable=1", uri=True) as database:
            what, operations = (nsys_operations if "StringIds" in tables_of(database) else rocpd_operations)(database)
        report = json_of([options.aaco, "trace", "report", path, "--json"])
        ours = [({kernel["name"]: kernel["count"] for kernel in device["kernels"]}, {kernel["name"]: kernel["total_ns"] for kernel in device["kernels"]},
                 device["window_ns"], device["idle_ns"]) for device in report["devices"]]
        theirs = [figures(each) for each in operations.values()]
        if len(ours) != len(theirs) or not all(each in theirs for each in ours) or not all(each in ours for each in theirs):
            sys.exit(f"{path}: {what}: differs")
        with open(path, "rb") as file:
            name = hashlib.sha256(file.read()).hexdigest()[:16]
        raw["trace_databases"].append(dict(sha256=name, what=what, bytes=os.path.getsize(path), events=report["events"], devices=len(ours),
                                           operations=sum(map(len, operations.values()))))
    with open(options.output, "w") as file:
        json.dump(raw, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
