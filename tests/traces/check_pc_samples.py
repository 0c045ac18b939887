#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""aaco's counts of samples of the program counter against counts by Python's csv module, alone and beside a kernel trace.
Exit 77 where the data is not here.

Usage: check_pc_samples.py AACO REPOSITORY
"""
import collections
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from skipping import skip_without  # noqa: E402

AACO, REPOSITORY = sys.argv[1:3]
DATA = pathlib.Path(os.environ.get("AACO_DATA") or pathlib.Path(REPOSITORY).parent / "shared" / "data") / "rocprofiler-sdk-docs"
KERNEL_HEADER = '"Kind","Agent_Id","Queue_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp"\n'
failures = []


def check(what, got, expected):
    if got != expected:
        failures.append(f"{what}: {got}, expected {expected}")


def report(*words):
    done = subprocess.run([AACO, "trace", "report", *map(str, words), "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{words}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def short(name):
    return name.split("_REASON_")[-1].split("_TYPE_")[-1]


def compare(what, kernel, rows):
    """One kernel of the report against the rows of its samples."""
    check(f"{what}: samples", kernel["samples"], len(rows))
    check(f"{what}: dispatches", kernel["dispatches"], len({row["Dispatch_Id"] for row in rows}))
    counts = collections.Counter((row["Instruction"], row["Instruction_Comment"]) for row in rows)
    check(f"{what}: instructions", {(each["instruction"], each["source"] or ""): each["samples"] for each in kernel["instructions"]},
          dict(counts))
    check(f"{what}: hottest first", [each["samples"] for each in kernel["instructions"]], sorted(counts.values(), reverse=True))
    lines = collections.Counter(row["Instruction_Comment"] for row in rows if row["Instruction_Comment"])
    check(f"{what}: lines", {each["source"]: each["samples"] for each in kernel["source_lines"]}, dict(lines))
    lanes = sum(bin(int(row["Exec_Mask"])).count("1") for row in rows) / len(rows)
    check(f"{what}: lanes", abs(kernel["mean_active_lanes"] - lanes) < 1e-9, True)
    if "Stall_Reason" not in rows[0]:
        check(f"{what}: host trap", (kernel["method"], kernel["issued"], kernel["stall_reasons"]), ("host_trap", None, None))
        return
    issued = [row for row in rows if row["Wave_Issued_Instruction"] == "1"]
    stalled = [row for row in rows if row["Wave_Issued_Instruction"] == "0"]
    check(f"{what}: issued", (kernel["issued"], kernel["not_issued"]), (len(issued), len(stalled)))
    check(f"{what}: reasons", {each["name"]: each["samples"] for each in kernel["stall_reasons"]},
          dict(collections.Counter(short(row["Stall_Reason"]) for row in stalled)))
    check(f"{what}: types", {each["name"]: each["samples"] for each in kernel["instruction_types"]},
          dict(collections.Counter(short(row["Instruction_Type"]) for row in issued)))
    waves = sum(int(row["Wave_Count"]) for row in rows) / len(rows)
    check(f"{what}: waves", abs(kernel["mean_active_waves"] - waves) < 1e-9, True)


def check_file(name, method, samples):
    path = DATA / name
    with open(path, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["Dispatch_Id"]]
    check(f"{name}: rows", len(rows), samples)
    trace = report(path)
    kernel, = trace["pc_samples"]["kernels"]
    check(f"{name}: without kernels", (kernel["name"], [each["count"] for each in trace["losses"] if each["loss"] == "sample without a kernel"]),
          (None, [samples]))
    compare(name, kernel, rows)
    # Beside a kernel trace of the same run, of which every third dispatch is another kernel.
    def kernel_of(row):
        return f"kernel {int(row['Dispatch_Id']) % 3 == 0}"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / f"1_pc_sampling_{method}.csv").write_bytes(path.read_bytes())
        dispatches = sorted({int(row["Dispatch_Id"]) for row in rows})
        (folder / "1_kernel_trace.csv").write_text(KERNEL_HEADER + "".join(
            f'"KERNEL_DISPATCH","Agent 4",1,{each},1,"kernel {each % 3 == 0}",{each},{1000 * each},{1000 * each + 10}\n' for each in dispatches))
        trace = report(folder, "--csv", folder / "tables")
        kernels = {each["name"]: each for each in trace["pc_samples"]["kernels"]}
        check(f"{name}: kernels", set(kernels), {kernel_of(row) for row in rows})
        for kernel_name, kernel in kernels.items():
            check(f"{name}: device", kernel["device"], 4)
            compare(f"{name}: {kernel_name}", kernel, [row for row in rows if kernel_of(row) == kernel_name])
        check(f"{name}: every sample has a kernel", [each for each in trace["losses"] if each["loss"] == "sample without a kernel"], [])
        with open(folder / "tables" / "sampled_instructions.csv", newline="", encoding="utf-8") as file:
            table = list(csv.DictReader(file))
        check(f"{name}: table", sum(int(row["samples"]) for row in table), samples)


def main():
    if not DATA.is_dir():
        skip_without(DATA)
    check_file("pc_sampling_host_trap.csv", "host_trap", 79)
    check_file("pc_sampling_host_trap_debug.csv", "host_trap", 21)
    check_file("pc_sampling_stochastic_debug.csv", "stochastic", 97)
    print("\n".join(failures) or "summary: samples of three files are counted as by Python")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
