#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether what `aaco observe --planes telemetry` says of a GPU is right: an idle device, and one that multiplies large matrices. The energy that the driver's counter
gained between two samples has to be the integral of the power samples between them (trapezoids). Needs torch and a GPU.

gpu_telemetry.py AACO [--seconds S] --output FILE
gpu_telemetry.py --program gemm|idle S: what is observed"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from harness import environment, rows_of

COLUMNS = ("power_w", "core_clock_mhz", "core_clock_target_mhz", "memory_clock_mhz", "temperature_c", "busy_pct", "tensor_busy_pct", "sm_busy_pct", "memory_bandwidth_pct",
           "power_cap_w", "throttled", "clock_event_bits", "processes", "memory_used_bytes", "age_ns")


def program(load, seconds):
    import torch

    matrix = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if load == "gemm":
            for _ in range(50):
                matrix @ matrix
            torch.cuda.synchronize()
        else:
            time.sleep(0.1)


def samples(aaco, load, seconds, folder):
    command = [sys.executable, str(pathlib.Path(__file__).resolve()), "--program", load, str(seconds)]
    subprocess.run([aaco, "observe", "--quiet", "--sessions", folder, "--planes", "telemetry", "--", *command], check=True, capture_output=True)
    return rows_of(aaco, pathlib.Path(folder, "latest"), "SELECT * FROM gpu_samples ORDER BY t_ns")


def energy(rows):
    """Between the first and the last change of the counter, in joules: what it gained, and the integral of the power."""
    rows = [row for row in rows if row["energy_j"] is not None and row["power_w"] is not None]
    changes = [i for i in range(1, len(rows)) if rows[i]["energy_j"] != rows[i - 1]["energy_j"]]
    if len(changes) < 2:
        return None
    inner = rows[changes[0]:changes[-1] + 1]
    integral = sum((b["t_ns"] - a["t_ns"]) / 1e9 * (a["power_w"] + b["power_w"]) / 2 for a, b in zip(inner, inner[1:]))
    gained = inner[-1]["energy_j"] - inner[0]["energy_j"]
    return {"counter_j": gained, "integral_j": integral, "ratio": integral / gained if gained else None, "samples": len(inner)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("aaco")
    parser.add_argument("--seconds", type=float, default=12)
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()
    result = {"what": "bench/gpu_telemetry.py", "environment": environment(arguments.aaco), "loads": {}}
    for load in ("idle", "gemm"):
        with tempfile.TemporaryDirectory() as folder:
            rows = samples(arguments.aaco, load, arguments.seconds, folder)
        settled = rows[len(rows) // 3:]  # the program starts, and power is averaged over a second
        values = {name: [row[name] for row in settled if row.get(name) is not None] for name in COLUMNS}
        result["loads"][load] = {"samples": len(rows), "medians": {name: statistics.median(value) if value else None for name, value in values.items()},
                                 "clock_events": sorted({row["clock_events"] for row in settled if row.get("clock_events")}), "energy": energy(settled)}
    pathlib.Path(arguments.output).write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result["loads"]))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--program"]:
        program(sys.argv[2], float(sys.argv[3]))
    else:
        main()
