#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""aaco's figures of hardware counters that an H200 counted, against what the kernels did: bench/known_work.py recorded them
in bench/results/cuda-h200-counters.json.

Usage: check_known_work.py AACO REPOSITORY
"""
import json
import pathlib
import subprocess
import sys
import tempfile

AACO, REPOSITORY = sys.argv[1:3]
RECORDED = pathlib.Path(REPOSITORY) / "bench/results/cuda-h200-counters.json"
L2 = 60e6  # bytes of this GPU's second cache: what a kernel wrote last may still lie there
failures = []
agreeing = 0


def check(what, got, low, high):
    global agreeing
    if got is None or not low <= got <= high:
        failures.append(f"{what}: {got}, expected {low} to {high}")
    else:
        agreeing += 1


def kernels_of(lines):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernels.csv"
        path.write_text("\n".join(lines) + "\n")
        done = subprocess.run([AACO, "trace", "report", str(path), "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{RECORDED}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)["counters"]["kernels"]


def check_kernel(name, kernels, known):
    """What is known of one kernel, or of all kernels of one product of a library."""
    def total(metric, times=lambda kernel: 1):
        values = [kernel["metrics"][metric]["value"] * times(kernel) for kernel in kernels if metric in kernel["metrics"]]
        return sum(values) if values else None

    def amount(rate):
        return total(rate, lambda kernel: kernel["duration_ns"])

    def near(metric, got, expected, relative):
        check(f"{name}: {metric}", got, expected * (1 - relative), expected * (1 + relative))

    if "type" in known:
        operations = known["operations"]
        # Beside its products, a library's kernel multiplies results by a factor.
        near(known["type"], amount(known["type"] + "_rate"), operations, 1e-9 if known["type"].startswith("tensor_") else 1e-3)
        if known["type"] != "tensor_int8":  # counts integers, which no FLOP is
            # Loops, addresses and a product's factors are counted too.
            check(f"{name}: all", total("flop"), operations, operations * 1.01)
        for other in ("fp64", "tf32", "bf16", "fp16", "fp8", "int8"):
            if known["type"] != "tensor_" + other:
                check(f"{name}: not {other}", amount(f"tensor_{other}_rate"), 0, 0)
    if "theoretical_occupancy" in known:
        near("theoretical occupancy", total("theoretical_occupancy"), known["theoretical_occupancy"], 1e-9)
    if "hbm_read_bytes" in known:
        near("read", amount("hbm_read_bandwidth"), known["hbm_read_bytes"], 1e-3)
        check(f"{name}: written", amount("hbm_write_bandwidth"), known["hbm_write_bytes"] - L2, known["hbm_write_bytes"] * 1.001)
    if "l2_bytes" in known:
        near("L2", amount("l2_bandwidth"), known["l2_bytes"], 0.02)
        check(f"{name}: hits in L2", total("l2_hit_rate"), 95, 100)


def main():
    cases = json.loads(RECORDED.read_text())["known_work"]
    check("cases", len(cases), 8, 8)
    check("kernels", sum(len(case["known"]) for case in cases), 19, 19)
    for case in cases:
        kernels = kernels_of(case["csv"])
        for known in case["known"]:
            its = [kernel for kernel in kernels if "::" + known["kernel"] + "(" in kernel["name"]] if "kernel" in known else kernels
            check(f"{case['case']}: {known.get('kernel', 'kernels')}", len(its), 1, 1 if "kernel" in known else 9)
            check_kernel(known.get("kernel", case["case"]), its, known)
    print("\n".join(failures) or f"summary: {agreeing} figures agree with what was done")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
