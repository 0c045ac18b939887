#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gemm_operands.py --aaco PROGRAM --device cuda:0 --out RAW.json [--rounds 3] [--nvcc PROGRAM]

bf16 products of 8192 x 8192 matrices, of zeros and of random numbers: `aaco queue run large_gemm_only` on one stream and on eight beside
bench/gemm_bare_loop.cu, in turns. What a device reaches at its power limit depends on the bits that its operands flip. Needs nvcc and
cuBLASLt (AACO_NVIDIA_LIBRARIES, as for aaco itself). bench/overhead_page.py makes the page.
"""
import argparse
import glob
import json
import os
import subprocess
import tempfile

from harness import environment, json_of

HERE = os.path.dirname(os.path.abspath(__file__))


def built(nvcc, folder):
    program = os.path.join(folder, "gemm_bare_loop")
    libraries = os.environ.get("AACO_NVIDIA_LIBRARIES", "/usr/local/cuda")
    found = sorted(glob.glob(os.path.join(libraries, "**", "libcublasLt.so*"), recursive=True))
    if not found:
        raise SystemExit(f"gemm_operands: no libcublasLt.so in {libraries}: set AACO_NVIDIA_LIBRARIES")
    os.symlink(found[0], os.path.join(folder, "libcublasLt.so"))
    subprocess.run([nvcc, "-std=c++20", "-O3", "-arch=native", "-o", program, os.path.join(HERE, "gemm_bare_loop.cu"), f"-L{folder}", "-lcublasLt",
                    "-Xlinker", f"-rpath={os.path.dirname(found[0])}"], check=True)
    return program


def aaco_tflops(options, operands, streams, sessions):
    run = json_of([options.aaco, "queue", "run", "large_gemm_only", "--device", options.device, "--streams", streams, "--param", "dtype=bf16",
                   "--param", f"operands={operands}", "--sync-mode", "end_only", "--processes", "1", "--iterations", str(400 // int(streams)),
                   "--no-check", "--json", "--sessions", sessions])
    return run["figures"]["flops_per_s"]["value"] / 1e12


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aaco", required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--nvcc", default="nvcc")
    options = parser.parse_args()
    raw = {"environment": environment(options.aaco), "device": options.device, "gemm_operands": []}
    with tempfile.TemporaryDirectory() as folder:
        program = built(options.nvcc, folder)
        for turn in range(options.rounds):
            lines = subprocess.run([program, "8192", "400"], check=True, capture_output=True, text=True).stdout.splitlines()
            for bare in map(json.loads, lines):
                raw["gemm_operands"].append({**bare, "turn": turn,
                                             **{f"aaco_{streams}": aaco_tflops(options, bare["operands"], streams, folder) for streams in ("1", "8")}})
                print(raw["gemm_operands"][-1], flush=True)
    with open(options.out, "w") as file:
        json.dump(raw, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
