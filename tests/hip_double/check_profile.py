#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`aaco queue` under the collector of the HIP module, on the doubles of HIP and of rocprofiler-sdk.
Usage: check_profile.py AACO MODULES KERNELS LIBRARIES ROCM"""
import json
import os
import subprocess
import sys
import tempfile

AACO, MODULES, KERNELS, LIBRARIES, ROCM = sys.argv[1:]
DOUBLES = dict(AACO_MODULES=MODULES, AACO_HIP_DOUBLE_KERNELS=KERNELS, LD_LIBRARY_PATH=LIBRARIES, ROCM_PATH=ROCM)
WORK = ["run", "tiny_kernel_stress", "--streams", "3", "--iterations", "10", "--warmup", "1", "--processes", "1", "--profile",
        "--param", "ops_per_stream=20", "--param", "tensor_size=64"]
ITERATIONS = 10
failures = []


def check(what, holds):
    if not holds:
        failures.append(what)


def run(sessions, *words, **variables):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AACO_")}
    return subprocess.run([AACO, "queue", *words, "--device", "hip:0", "--sessions", sessions, "--json"], capture_output=True, text=True,
                          env={**kept, **DOUBLES, **variables})


def profile_of(done):
    if done.returncode != 0:
        failures.append(f"exit {done.returncode}: {done.stderr}")
        sys.exit(report())
    result = json.loads(done.stdout)
    return result["work"]["kernels"] * ITERATIONS, result["profile"], result["profile"]["timeline"]["switches"]


def report():
    print("\n".join(failures) or "summary: the collector of the HIP module")
    return 1 if failures else 0


def main():
    with tempfile.TemporaryDirectory() as sessions:
        kernels, profile, switches = profile_of(run(sessions, *WORK))
        check("kernels", kernels > 0 and switches["pairs"] == kernels - 1)
        check("dropped", profile["dropped"] == 0)
        check("each kernel has its call and its waits", switches["unknown"] == 0 and switches["unresolved"] == 0)
        check("two streams", switches["other_stream"] + switches["overlapped"] > 0)

        kernels, profile, switches = profile_of(run(sessions, *WORK, "--dispatch", "graph"))
        check("kernels of a graph", switches["unknown"] == switches["pairs"] == kernels - 1)

        _, profile, switches = profile_of(run(sessions, *WORK, AACO_ROCPROFILER_DOUBLE_DROP="1"))
        check("one lost", profile["dropped"] == 1 and switches["same_stream_gap"]["quality"].startswith("invalid: the collector lost 1 "))

        none = run(sessions, *WORK, ROCM_PATH=f"{sessions}/no_rocm")
        check("without the library", none.returncode == 3 and "librocprofiler-sdk.so.1 not found" in none.stderr)

        # The kernels' own stamps lie an hour beside rocprofiler's clock: records agree where it is brought to the session's.
        probe = run(sessions, "probe", "--streams", "2", "--processes", "1")
        records = json.loads(probe.stdout)["records"] if probe.returncode == 0 else {}
        check(f"the probe: {probe.stderr}{records}", records.get("agreement") == "agree" and records.get("kernels") == 64)
    return report()


if __name__ == "__main__":
    sys.exit(main())
