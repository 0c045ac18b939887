#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""aaco's figures of hardware counters against rocprof-compute's own analysis of the same dispatches, and against what
follows from recorded tables by Python's arithmetic. Exit 77 where the data is not here.

Usage: check_counters.py AACO REPOSITORY
"""
import csv
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
failures = []


def check(what, got, expected, tolerance=0.0):
    if got is None or abs(got - expected) > tolerance:
        failures.append(f"{what}: {got}, expected {expected}")


def counters_of(path):
    done = subprocess.run([AACO, "trace", "report", str(path), "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 5):
        sys.exit(f"{path}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)["counters"]


def value(kernel, metric):
    return kernel["metrics"][metric]["value"] if metric in kernel["metrics"] else None


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# By the panels of rocprof-compute's analysis: file, row, column; ours and what to take of it.
PANELS = [
    ("2.1_Speed-of-Light.csv", "VALU FLOPs", "Avg", "valu_rate", "value"),
    ("2.1_Speed-of-Light.csv", "VALU FLOPs", "Pct of Peak", "valu_rate", "percent"),
    ("2.1_Speed-of-Light.csv", "SALU Utilization", "Avg", "salu_utilization", "value"),
    ("2.1_Speed-of-Light.csv", "VALU Utilization", "Avg", "valu_utilization", "value"),
    ("2.1_Speed-of-Light.csv", "VMEM Utilization", "Avg", "vmem_utilization", "value"),
    ("2.1_Speed-of-Light.csv", "Branch Utilization", "Avg", "branch_utilization", "value"),
    ("2.1_Speed-of-Light.csv", "VALU Active Threads", "Pct of Peak", "active_lanes", "value"),
    ("2.1_Speed-of-Light.csv", "IPC", "Avg", "ipc", "value"),
    ("2.1_Speed-of-Light.csv", "IPC", "Pct of Peak", "ipc", "percent"),
    ("2.1_Speed-of-Light.csv", "Wavefront Occupancy", "Avg", "active_waves", "value"),
    ("2.1_Speed-of-Light.csv", "Wavefront Occupancy", "Pct of Peak", "achieved_occupancy", "value"),
    ("2.1_Speed-of-Light.csv", "Theoretical LDS Bandwidth", "Avg", "lds_bandwidth", "value"),
    ("2.1_Speed-of-Light.csv", "Theoretical LDS Bandwidth", "Pct of Peak", "lds_bandwidth", "percent"),
    ("2.1_Speed-of-Light.csv", "vL1D Cache Hit Rate", "Avg", "l1_hit_rate", "value"),
    ("2.1_Speed-of-Light.csv", "vL1D Cache BW", "Avg", "l1_bandwidth", "value"),
    ("2.1_Speed-of-Light.csv", "vL1D Cache BW", "Pct of Peak", "l1_bandwidth", "percent"),
    ("2.1_Speed-of-Light.csv", "L2 Cache Hit Rate", "Avg", "l2_hit_rate", "value"),
    ("2.1_Speed-of-Light.csv", "L2 Cache BW", "Avg", "l2_bandwidth", "value"),
    ("2.1_Speed-of-Light.csv", "L2 Cache BW", "Pct of Peak", "l2_bandwidth", "percent"),
    ("2.1_Speed-of-Light.csv", "L2-Fabric Read BW", "Avg", "hbm_read_bandwidth", "value"),
    ("2.1_Speed-of-Light.csv", "L2-Fabric Read BW", "Pct of Peak", "hbm_read_bandwidth", "percent"),
    ("2.1_Speed-of-Light.csv", "L2-Fabric Write BW", "Avg", "hbm_write_bandwidth", "value"),
    ("2.1_Speed-of-Light.csv", "L2-Fabric Write BW", "Pct of Peak", "hbm_write_bandwidth", "percent"),
    ("2.1_Speed-of-Light.csv", "L2-Fabric Read Latency", "Avg", "hbm_read_latency", "value"),
    ("2.1_Speed-of-Light.csv", "L2-Fabric Write Latency", "Avg", "hbm_write_latency", "value"),
    ("2.1_Speed-of-Light.csv", "sL1D Cache Hit Rate", "Avg", "scalar_hit_rate", "value"),
    ("2.1_Speed-of-Light.csv", "L1I Hit Rate", "Avg", "instruction_hit_rate", "value"),
    ("6.1_Workgroup_Manager_Utilizations.csv", "Accelerator Utilization", "Avg", "gpu_busy", "value"),
    ("6.1_Workgroup_Manager_Utilizations.csv", "SIMD Utilization", "Avg", "cu_utilization", "value"),
    ("6.2_Workgroup_Manager_-_Resource_Allocation.csv", "Not-scheduled Rate (Workgroup Manager)", "Avg", "not_placed",
     "value"),
    ("6.2_Workgroup_Manager_-_Resource_Allocation.csv", "Scratch Stall Rate", "Avg", "no_scratch", "value"),
    ("6.2_Workgroup_Manager_-_Resource_Allocation.csv", "Insufficient SIMD Waveslots", "Avg", "no_waveslot", "value"),
    ("6.2_Workgroup_Manager_-_Resource_Allocation.csv", "Insufficient SIMD VGPRs", "Avg", "no_vgpr", "value"),
    ("7.1_Wavefront_Launch_Stats.csv", "VGPRs", "Avg", "vgprs", "value"),
    ("7.1_Wavefront_Launch_Stats.csv", "AGPRs", "Avg", "agprs", "value"),
    ("7.1_Wavefront_Launch_Stats.csv", "SGPRs", "Avg", "sgprs", "value"),
    ("7.1_Wavefront_Launch_Stats.csv", "LDS Allocation", "Avg", "lds_per_workgroup", "value"),
    ("7.1_Wavefront_Launch_Stats.csv", "Scratch Allocation", "Avg", "scratch_per_workitem", "value"),
    ("7.1_Wavefront_Launch_Stats.csv", "Total Wavefronts", "Avg", "waves", "value"),
    ("11.2_Pipeline_Stats.csv", "VMEM Latency", "Avg", "vmem_latency", "value"),
    ("11.2_Pipeline_Stats.csv", "SMEM Latency", "Avg", "smem_latency", "value"),
    ("12.1_Speed-of-Light.csv", "Utilization", "Avg", "lds_utilization", "value"),
    ("12.2_LDS_Stats.csv", "LDS Latency", "Avg", "lds_latency", "value"),
    ("17.1_Speed-of-Light.csv", "Utilization", "Avg", "l2_utilization", "value"),
    ("17.2_L2_-_Fabric_Transactions.csv", "HBM Read Traffic", "Avg", "hbm_read_share", "value"),
]


def check_panels():
    """rocprof-compute averages each figure over the dispatches: each dispatch is given to aaco by itself."""
    source = DATA / "roc-optiq/compute-csv"
    with open(source / "pmc_perf.csv", newline="", encoding="utf-8") as file:
        header, *rows = list(csv.reader(file))
    kernels = []
    for row in rows:
        with tempfile.TemporaryDirectory() as folder:
            with open(pathlib.Path(folder) / "pmc_perf.csv", "w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows([header, row])
            (pathlib.Path(folder) / "sysinfo.csv").write_bytes((source / "sysinfo.csv").read_bytes())
            kernel, = counters_of(folder)["kernels"]
            kernels.append(kernel)
    check("panels: dispatches", len(kernels), 8)
    for file, name, column, metric, what in PANELS:
        expected, = [float(row[column]) for row in rows_of(source / file) if row["Metric"] == name]
        values = [kernel["metrics"][metric] for kernel in kernels if metric in kernel["metrics"]]
        ours = [each["value"] if what == "value" else each["roof"]["percent"] for each in values]
        # Printed with two decimals.
        check(f"{file}: {name}: {column}", sum(ours) / len(ours) if ours else None, expected, 0.0051)


def check_database():
    """rocprof-compute's database: what it says of each kernel is taken over where the panels agree with ours."""
    path = DATA / "roc-optiq/rocprof_compute_23ed6f36.db"
    counters = counters_of(path)
    check("database: architecture", int(counters["machines"][0]["gfx"] == "gfx950"), 1)
    database = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
    taken = 0
    for uuid, name in database.execute("select kernel_uuid, kernel_name from compute_kernel"):
        ours = [kernel for kernel in counters["kernels"] if kernel["name"] == name]
        check(f"database: {name[:40]}", len(ours), 1)
        for file, label, column, metric, what in PANELS:
            if what == "percent":
                continue
            panel = file.split("_")[0]
            rows = database.execute(
                "select value from compute_kernel_metric_value join compute_metric_definition using (metric_uuid) where "
                "kernel_uuid = ? and name = ? and value_name = ? and metric_id like ?", (uuid, label, column, panel + ".%"))
            values = [row for row, in rows if row is not None]
            if len(values) == 1:
                taken += 1
                check(f"database: {name[:20]}: {panel} {label}", value(ours[0], metric), values[0], 1e-9 * abs(values[0]))
    check("database: figures", int(taken > 200), 1)


def check_two_runs():
    """The first rocprof counted in one run and timed in another: the same dispatches, so the times are taken."""
    for name in ("18-57-23_laplacian_dp_kernel1", "19-39-41_laplacian_dp_kernel2", "19-40-14_laplacian_dp_kernel3"):
        path = DATA / "hpctraining/history/rocm-blogs-codes/finite-difference/examples/xr" / f"09-11-2023_{name}"
        counted, timed = rows_of(path / "data_movement.csv"), rows_of(path / "results.csv")
        same = ("Index", "KernelName", "queue-index", "grd", "arch_vgpr")
        check(f"{name}: the same dispatches", int([[row[key] for key in same] for row in counted] ==
                                                  [[row[key] for key in same] for row in timed]), 1)
        of = "laplacian_kernel"
        bytes_ = sum(1024 * (float(row["FETCH_SIZE"]) + float(row["WRITE_SIZE"])) for row in counted if row["KernelName"] == of)
        duration = sum(int(row["DurationNs"]) for row in timed if row["KernelName"] == of)
        with tempfile.TemporaryDirectory() as folder:
            for file in ("data_movement.csv", "results.csv"):
                (pathlib.Path(folder) / file).write_bytes((path / file).read_bytes())
            kernels = [kernel for kernel in counters_of(folder)["kernels"] if kernel["name"] == of and kernel["timed_by"]]
            alone = counters_of(pathlib.Path(folder) / "data_movement.csv")["kernels"]
        check(f"{name}: kernels", len(kernels), 1)
        check(f"{name}: dispatches", kernels[0]["timed_dispatches"], 1001)
        check(f"{name}: time", kernels[0]["duration_ns"], duration)
        check(f"{name}: bandwidth", value(kernels[0], "hbm_bandwidth"), bytes_ / duration, 1e-6)
        check(f"{name}: without the times", sum("hbm_bandwidth" in kernel["metrics"] for kernel in alone), 0)


def check_kernel_sums():
    """Of a kernel with several dispatches the counters are added up first."""
    path = DATA / "roc-optiq/compute-csv"
    rows = rows_of(path / "pmc_perf.csv")
    counters = counters_of(path)
    names = {row["Kernel_Name"] for row in rows}
    check("sums: kernels", len(counters["kernels"]), len(names))
    for kernel in counters["kernels"]:
        its = [row for row in rows if row["Kernel_Name"] == kernel["name"]]
        total = {column: sum(float(row[column]) for row in its)
                 for column in ("TCC_HIT_sum", "TCC_MISS_sum", "TCC_REQ_sum", "SQ_WAIT_ANY", "SQ_WAVE_CYCLES")}
        duration = sum(int(row["End_Timestamp"]) - int(row["Start_Timestamp"]) for row in its)
        check("sums: dispatches", kernel["dispatches"], len(its))
        check("sums: duration", kernel["duration_ns"], duration)
        check("sums: L2 hits", value(kernel, "l2_hit_rate"),
              100 * total["TCC_HIT_sum"] / (total["TCC_HIT_sum"] + total["TCC_MISS_sum"]), 1e-9)
        check("sums: L2", value(kernel, "l2_bandwidth"), 128 * total["TCC_REQ_sum"] / duration, 1e-9 * 1e4)
        check("sums: waits", value(kernel, "wait_dependency"), 100 * total["SQ_WAIT_ANY"] / total["SQ_WAVE_CYCLES"], 1e-9)
        # The highest of the eight devices that roofline.csv measured.
        check("sums: measured roof", kernel["metrics"]["hbm_bandwidth"]["measured_roof"]["value"],
              max(float(row["HBMBw"]) for row in rows_of(path / "roofline.csv")), 1e-6)
    # 16-bit matrix rate of CDNA 3 without sparsity: 2048 operations a cycle of each of 80 units at 1420 MHz.
    check("sums: MFMA roof", counters["kernels"][0]["metrics"]["f16_rate"]["roof"]["value"], 80 * 1420 * 2048 / 1000, 1e-6)


def check_passes():
    """Counters of level waves lie in a file of their own, with cycles of their own."""
    path = DATA / "rocprofiler-compute/vcopy/MI200"
    kernel, = counters_of(path)["kernels"]
    levels = rows_of(path / "SQ_LEVEL_WAVES.csv")
    waves = sum(float(row["SQ_ACCUM_PREV_HIRES"]) for row in levels) / sum(float(row["GRBM_GUI_ACTIVE"]) for row in levels)
    check("passes: dispatches", kernel["dispatches"], 3)
    check("passes: waves", value(kernel, "active_waves"), waves, 1e-6)
    check("passes: occupancy", value(kernel, "achieved_occupancy"), 100 * waves / (32 * 104), 1e-6)
    latency = rows_of(path / "SQ_INST_LEVEL_VMEM.csv")
    check("passes: VMEM latency", value(kernel, "vmem_latency"),
          sum(float(row["SQ_ACCUM_PREV_HIRES"]) for row in latency) / sum(float(row["SQ_INSTS_VMEM"]) for row in latency),
          1e-6)


def check_long_form():
    path = DATA / "rocprofiler-compute/vcopy/MI300X_A1_rocpd"
    rows = rows_of(path / "pmc_perf.csv")
    total = {}
    for name in ("TCC_HIT_sum", "TCC_MISS_sum"):
        total[name] = sum(float(row["Counter_Value"]) for row in rows if row["Counter_Name"] == name)
    kernel, = counters_of(path)["kernels"]
    check("long form: dispatches", kernel["dispatches"], 3)
    check("long form: L2 hits", value(kernel, "l2_hit_rate"),
          100 * total["TCC_HIT_sum"] / (total["TCC_HIT_sum"] + total["TCC_MISS_sum"]), 1e-9)


def check_no_data():
    kernel, = counters_of(DATA / "rocprofiler-compute/no_roof/MI350")["kernels"]
    if kernel["no_data"].get("achieved_occupancy", {}).get("missing") != ["SQ_LEVEL_WAVES_ACCUM"]:
        failures.append(f"no data: {kernel['no_data'].get('achieved_occupancy')}")
    check("no data: a roof without a clock", kernel["metrics"]["l2_bandwidth"]["roof"] is None, True)
    for kernel in counters_of(DATA / "rocprofiler-sdk-docs/counter_collection.csv")["kernels"]:
        check("rocprofv3: waves", value(kernel, "waves"), 16384)
        check("rocprofv3: no rate", "hbm_bandwidth" in kernel["no_data"], True)


def check_ncu():
    path = DATA / "h200-recorded/ncu_raw.csv"
    with open(path, newline="", encoding="utf-8") as file:
        lines = [row for row in csv.reader(file) if len(row) > 100]
    header, units, *rows = lines
    check("ncu: unit of the length", units[header.index("gpu__time_duration.sum")] == "ns", True)

    def column(row, name):
        return float(row[header.index(name)].replace(",", ""))

    counters = counters_of(path)
    check("ncu: launches", sum(kernel["dispatches"] for kernel in counters["kernels"]), len(rows))
    for kernel in counters["kernels"]:
        its = [row for row in rows if row[header.index("Kernel Name")] == kernel["name"]]
        weights = [column(row, "gpu__time_duration.sum") for row in its]
        for metric, name in (("achieved_occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"),
                             ("theoretical_occupancy", "sm__maximum_warps_per_active_cycle_pct"),
                             ("hbm_throughput", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"),
                             ("l2_throughput", "lts__throughput.avg.pct_of_peak_sustained_elapsed"),
                             ("registers_per_thread", "launch__registers_per_thread")):
            mean = sum(column(row, name) * weight for row, weight in zip(its, weights)) / sum(weights)
            check(f"ncu: {kernel['name']}: {metric}", value(kernel, metric), mean, 1e-9 * max(1, mean))


def main():
    if not DATA.is_dir():
        skip_without(DATA)
    for run in (check_panels, check_kernel_sums, check_database, check_two_runs, check_passes, check_long_form, check_no_data, check_ncu):
        run()
    print("\n".join(failures) or f"summary: {len(PANELS)} figures of rocprof-compute's panels agree")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
