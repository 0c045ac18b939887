#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""queue_bare_loop.py --aaco PROGRAM --device cuda:N --out RAW.json [--pairs 20] [--streams 8] [--iterations 200]
[--dispatch single,threads,graph] [--nvcc PROGRAM]

`aaco queue run tiny_kernel_stress` against bench/queue_bare_loop.cu, which issues the same kernels in the same order, for each way of
dispatching: pairs of fresh processes one after the other, in alternating order. Needs nvcc. bench/overhead_page.py makes the page.
"""
import argparse
import json
import math
import os
import subprocess
import tempfile

from harness import environment, interval, json_of

HERE = os.path.dirname(os.path.abspath(__file__))
WARM_UP = "20"


def built(nvcc, folder):
    program = os.path.join(folder, "queue_bare_loop")
    subprocess.run([nvcc, "-std=c++20", "-O3", "-arch=native", f"-I{HERE}/../src", "--extended-lambda", "--expt-relaxed-constexpr", "-o", program,
                    os.path.join(HERE, "queue_bare_loop.cu")], check=True)
    return program


def aaco_figures(options, mode, sessions):
    run = json_of([options.aaco, "queue", "run", "tiny_kernel_stress", "--device", options.device, "--streams", options.streams, "--dispatch", mode,
                   "--processes", "1", "--iterations", options.iterations, "--warmup", WARM_UP, "--no-check", "--json", "--sessions", sessions])
    figures = run["figures"]
    return {"p50_ns": figures["latency"]["p50_ns"]["value"], "kernels": run["work"]["kernels"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aaco", required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--streams", default="8")
    parser.add_argument("--iterations", default="200")
    parser.add_argument("--dispatch", default="single,threads,graph")
    parser.add_argument("--nvcc", default="nvcc")
    options = parser.parse_args()
    raw = {"environment": environment(options.aaco), "bare_loop": {"workload": "tiny_kernel_stress", "streams": int(options.streams)}, "modes": []}
    with tempfile.TemporaryDirectory() as folder:
        program = built(options.nvcc, folder)
        for mode in options.dispatch.split(","):
            pairs = []
            for i in range(options.pairs):
                sides = {}
                for side in ("aaco", "bare") if i % 2 else ("bare", "aaco"):
                    sides[side] = (aaco_figures(options, mode, folder) if side == "aaco"
                                   else json_of([program, mode, options.streams, options.iterations, WARM_UP]))
                pairs.append({"aaco_ns": sides["aaco"]["p50_ns"], "bare_ns": sides["bare"]["p50_ns"]})
            ratio, low, high = (math.exp(value) for value in interval([math.log(pair["aaco_ns"] / pair["bare_ns"]) for pair in pairs], 0.95))
            raw["modes"].append({"dispatch": mode, "kernels": sides["aaco"]["kernels"], "pairs": pairs, "ratio": ratio, "ratio_95": [low, high]})
            print(mode, f"{ratio:.4f} [{low:.4f}, {high:.4f}]", flush=True)
    with open(options.out, "w") as file:
        json.dump(raw, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
