#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""aaco's figures of recorded SQLite databases against independent ones: counts and sums taken with Python's own sqlite3, and
another reader's CSV files that lie beside one. Exit 77 where the data is not here.

Usage: check_sqlite.py AACO REPOSITORY
"""
import csv
import gzip
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from skipping import skip_without  # noqa: E402

AACO, REPOSITORY = sys.argv[1:3]
DATA = pathlib.Path(os.environ.get("AACO_DATA") or pathlib.Path(REPOSITORY).parent / "shared" / "data")
NSYS = "pipit-nsys/cloverleaf-nsys/perlmutter-cloverleaf-cuda.sqlite"
RPD = "rocmprofiledata/mytrace.rpd.gz"
STENCILS = "hpctraining/history/rocm-blogs-codes/finite-difference/examples/xr/"

failures = []


def check(what, holds):
    if not holds:
        failures.append(what)


def report(path, allowed=(0,)):
    done = subprocess.run([AACO, "trace", "report", str(path), "--json"], capture_output=True, text=True)
    if done.returncode not in allowed:
        sys.exit(f"{path}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def losses_of(trace):
    return {loss["loss"]: loss["count"] for loss in trace["losses"]}


def rows_of(path, query):
    """With Python's reader, of a file that may be compressed."""
    data = (DATA / path).read_bytes()
    with tempfile.NamedTemporaryFile() as plain:
        plain.write(gzip.decompress(data) if path.endswith(".gz") else data)
        plain.flush()
        with sqlite3.connect(f"file:{plain.name}?immutable=1", uri=True) as connection:
            return connection.execute(query).fetchall()


def union_ns(spans):
    busy, last = 0, None
    for start, end in sorted(spans):
        last = start if last is None else last
        busy += max(0, end - max(start, last))
        last = max(last, end)
    return busy


def check_device(path, device, expected):
    """`expected`: name, start and end of each operation."""
    count, total = {}, {}
    for name, start, end in expected:
        count[name] = count.get(name, 0) + 1
        total[name] = total.get(name, 0) + end - start
    got_count = {kernel["name"]: kernel["count"] for kernel in device["kernels"]}
    got_total = {kernel["name"]: kernel["total_ns"] for kernel in device["kernels"]}
    check(f"{path}: counts {sum(got_count.values())} of {sum(count.values())} operations differ", got_count == count)
    check(f"{path}: sums differ", got_total == total)
    spans = [(start, end) for _, start, end in expected]
    window = max(end for _, end in spans) - min(start for start, _ in spans)
    check(f"{path}: window {device['window_ns']}, expected {window}", device["window_ns"] == window)
    check(f"{path}: idle {device['idle_ns']}", device["idle_ns"] == window - union_ns(spans))


def check_nsys():
    trace = report(DATA / NSYS)
    device, = trace["devices"]
    check(f"nsys: format {trace['files'][0]['format']}", trace["files"][0]["format"] == "nsys")
    # Kernels, copies, waits, calls of the runtime, of the operating system, and the profiler's own.
    check(f"nsys: {trace['events']} events", trace["events"] == 1312 + 279 + 1312 + 3048 + 1831 + 47)
    check(f"nsys: device {device['device']}, {device['slices_without_launch']} without launch",
          device["device"] == 0 and device["slices_without_launch"] == 0)
    check(f"nsys: {losses_of(trace)}", losses_of(trace) == {"unknown record": 4})
    kernels = rows_of(NSYS, "SELECT value, start, end FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName")
    copies = rows_of(NSYS, "SELECT 'CUDA memcpy ' || label, start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY JOIN "
                           "ENUM_CUDA_MEMCPY_OPER ON id = copyKind")
    check_device("nsys", device, kernels + copies)
    # pipit's dump names kernels in short and copies by the enumerator: the times are what can be compared.
    theirs = []
    with open(DATA / "pipit-nsys/cloverleaf-nsys/cloverleaf_gpu_trace.csv") as file:
        for row in csv.DictReader(file):
            if row["Event Type"] == "Enter":
                theirs.append((int(row["Timestamp (ns)"]), int(row["_matching_timestamp"])))
    window = max(end for _, end in theirs) - min(start for start, _ in theirs)
    check(f"nsys: pipit has {len(theirs)} operations and a window of {window} ns",
          len(theirs) == 1591 and window == device["window_ns"] and window - union_ns(theirs) == device["idle_ns"])


def check_rpd():
    query = ("SELECT CASE d.string WHEN '' THEN t.string ELSE d.string END, start, end FROM rocpd_op JOIN rocpd_string d "
             "ON d.id = description_id JOIN rocpd_string t ON t.id = opType_id")
    for path, api, operations, monitors in ((RPD, 14736, 10124, 81), ("rocmprofiledata/matmul_result.rpd", 125, 85, 15),
                                            ("rocmprofiledata/matmul_result_large.rpd", 125, 85, 62)):
        trace = report(DATA / path)
        device, = trace["devices"]
        check(f"{path}: {trace['events']} events", trace["events"] == api + operations + monitors)
        check(f"{path}: format {trace['files'][0]['format']}", trace["files"][0]["format"] == "rpd")
        check(f"{path}: device {device['device']}", device["device"] == 2)
        check(f"{path}: {device['slices_without_launch']} without launch", device["slices_without_launch"] == 0)
        check_device(path, device, rows_of(path, query))


def check_rocprof():
    trace = report(DATA / "rocm-blogs-rocprof/HIP_trace/results.db")
    device, = trace["devices"]
    check(f"rocprof: {trace['events']} events", trace["events"] == 135 + 6 + 1)
    check(f"rocprof: {losses_of(trace)}", not losses_of(trace))
    check(f"rocprof: slices {device['slices']}",
          device["slices"]["copy"]["count"] == 6 and device["slices"]["computation"]["count"] == 1)
    for folder, median_ns in (("09-11-2023_18-57-23_laplacian_dp_kernel1", 2643698), ("09-11-2023_19-39-41_laplacian_dp_kernel2", 2556176),
                              ("09-11-2023_19-40-14_laplacian_dp_kernel3", 1929932)):
        path = STENCILS + folder + "/results.db"
        device, = report(DATA / path)["devices"]
        stencil, = (kernel for kernel in device["kernels"] if kernel["count"] == 1001)
        check(f"{path}: median {stencil['median_ns']}", stencil["median_ns"] == median_ns)
        check_device(path, device, rows_of(path, "SELECT trim(KernelName, '\"'), BeginNs, EndNs FROM KERN"))


def check_rocprof_compute():
    for path in ("roc-optiq/rocprof_compute_23ed6f36.db", "roc-optiq/rocprof_compute_23ed6f36.v2.db"):
        trace = report(DATA / path)
        device, = trace["devices"]
        check(f"{path}: {trace['events']} events", trace["events"] == 10 + 7 + 1)
        check(f"{path}: {losses_of(trace)}", losses_of(trace) == {"no launch": 10})
        check_device(path, device, rows_of(path, "SELECT kernel_name, start_timestamp, end_timestamp FROM compute_dispatch "
                                                 "JOIN compute_kernel USING (kernel_uuid)"))


def check_cut():
    """A half of the file loads in part, and says so."""
    data = (DATA / NSYS).read_bytes()
    with tempfile.NamedTemporaryFile(suffix=".sqlite") as cut:
        cut.write(data[:len(data) // 2])
        cut.flush()
        trace = report(cut.name, allowed=(0, 5))
        check(f"a half of nsys: {trace['events']} events, {losses_of(trace)}",
              trace["events"] < 7829 and losses_of(trace).get("truncated tail", 0) > 0)


def main():
    if not DATA.is_dir():
        skip_without(DATA)
    for each in (check_nsys, check_rpd, check_rocprof, check_rocprof_compute, check_cut):
        each()
    print("\n".join(failures) or "the databases of four profilers are as other readers have them")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
