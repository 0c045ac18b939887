#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""known_work.py --out RAW.json [--ncu PROGRAM] [--nvcc PROGRAM] [--torch PYTHON]

Hardware counters of work whose operations, bytes and occupancy are known: the kernels of bench/known_work.cu, and matrix
products of PyTorch's libraries (2 M N K operations), each under Nsight Compute, with the counters that aaco's formulas read.
tests/traces/check_known_work.py holds aaco's figures against what is known. Needs a GPU of compute capability 9.0, ncu with
leave to read counters, nvcc, and PyTorch.
"""
import argparse
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
FORMULAS = HERE.parent / "src/analysis/counters/nvidia_formulas.cpp"
SECTIONS = ("SpeedOfLight", "SpeedOfLight_RooflineChart", "Occupancy", "LaunchStats", "MemoryWorkloadAnalysis", "WarpStateStats",
            "ComputeWorkloadAnalysis")
# Columns of the raw page that say which kernel a row is of, and how long it took.
KEPT = ("ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC",
        "gpu__time_duration.sum", "device__attribute_chip", "device__attribute_display_name", "launch__block_size", "launch__grid_size")
SIZE = 4096
PRODUCTS = ("bf16", "fp16", "tf32", "fp64", "fp8", "int8", "fp32")


def counters():
    """The metrics that aaco's formulas for NVIDIA read."""
    return sorted(set(re.findall(r'[( "]((?:derived|dram|gpu|l1tex|launch|lts|sass|sm|smsp)__[a-zA-Z0-9_.]+)(?=[ )"])', FORMULAS.read_text())))


def product(kind):
    """One product of SIZE x SIZE matrices between the marks of the profiler."""
    import torch
    torch.backends.cuda.matmul.allow_tf32 = kind == "tf32"
    types = dict(bf16=torch.bfloat16, fp16=torch.float16, tf32=torch.float32, fp32=torch.float32, fp64=torch.float64)
    if kind == "fp8":
        a = torch.randn(SIZE, SIZE, device="cuda").to(torch.float8_e4m3fn)
        one = torch.ones((), device="cuda")
        run = lambda: torch._scaled_mm(a, a.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
    elif kind == "int8":
        a = torch.randint(-8, 8, (SIZE, SIZE), device="cuda", dtype=torch.int8)
        run = lambda: torch._int_mm(a, a.t())
    else:
        a = torch.randn(SIZE, SIZE, device="cuda", dtype=types[kind])
        run = lambda: a @ a
    run()
    torch.cuda.synchronize()
    torch.cuda.cudart().cudaProfilerStart()
    run()
    torch.cuda.synchronize()
    torch.cuda.cudart().cudaProfilerStop()


def kept(text):
    """The raw page's lines with the columns that matter, as they were written."""
    lines = list(csv.reader(io.StringIO("\n".join(line for line in text.splitlines() if line.startswith('"')))))
    wanted = {*KEPT, *counters()}
    columns = [i for i, name in enumerate(lines[0]) if name in wanted]
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([[line[i] for i in columns] for line in lines])
    return out.getvalue().splitlines()


class Ncu:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.names = counters()
        self.missing = []

    def run(self, command, *options):
        """The raw page of the command's kernels. What ncu does not know as a metric by itself may come with a section."""
        log = os.path.join(self.folder, "raw.csv")
        while True:
            done = subprocess.run([self.program, "--csv", "--page", "raw", "--log-file", log, "--clock-control", "none", *options,
                                   *(word for name in SECTIONS for word in ("--section", name)), "--metrics", ",".join(self.names), *command],
                                  capture_output=True, text=True)
            text = pathlib.Path(log).read_text() if os.path.exists(log) else ""
            said = text + done.stdout + done.stderr
            unknown = [name for name in self.names if re.search(rf"Failed to find metric(?: regex)?:? *\^?{re.escape(name)}\b", said)]
            if not unknown:
                break
            self.missing += unknown
            self.names = [name for name in self.names if name not in unknown]
        if done.returncode != 0 or '"ID"' not in text:
            sys.exit(f"known_work: {' '.join(command)}: exit {done.returncode}\n{said[-2000:]}")
        return text, done


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out")
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--torch", default=sys.executable)
    parser.add_argument("--product", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.product:
        return product(options.product)
    said = lambda *command: subprocess.run(command, capture_output=True, text=True).stdout.strip()
    raw = {"environment": dict(gpu=said("nvidia-smi", "--query-gpu=name,driver_version,clocks.sm,power.limit", "--format=csv,noheader"),
                               ncu=said(options.ncu, "--version").splitlines()[-1], date=time.strftime("%Y-%m-%d", time.gmtime())),
           "known_work": []}
    with tempfile.TemporaryDirectory() as folder:
        ncu = Ncu(options.ncu, folder)
        program = os.path.join(folder, "known_work")
        subprocess.run([options.nvcc, "-std=c++20", "-O3", "-arch=sm_90", "-o", program, str(HERE / "known_work.cu")], check=True)
        text, done = ncu.run([program], "--kernel-name", "regex:^(?!warm_up)")
        known = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        raw["known_work"].append(dict(case="kernels", known=known, csv=kept(text)))
        for kind in PRODUCTS:
            text, _ = ncu.run([options.torch, __file__, "--product", kind], "--profile-from-start", "off")
            known = dict(type=kind if kind == "fp32" else f"tensor_{kind}", operations=2 * SIZE ** 3)
            raw["known_work"].append(dict(case=f"product_{kind}", known=[known], csv=kept(text)))
        raw["missing"] = ncu.missing
    with open(options.out, "w") as file:
        json.dump(raw, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
