#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""queue_anchors.py --aaco PROGRAM --device ID --out RAW.json [--processes N] [--iterations N] [--workloads NAME,...]

The workloads of `aaco queue` that a public tool has too, with parameters that make them compute what that tool computes (and, where
ours is real and its was not, as they are), 8 streams, in fp32 and bf16, from one host thread and as a graph; with the launch cost
of the same device. bench/overhead_page.py holds them against the public figures and against what arithmetic and launches must take.
"""
import argparse
import json
import tempfile

from harness import environment, json_of
from queue_workloads import aaco_json, figures_of

STREAMS = "8"
# Workload, what it is compared as, parameters, further words.
CASES = [("large_gemm_only", "same", {}, []),
         ("hetero_kernels", "same", {}, []),
         ("moe", "same", {"mode": "dense"}, ["--ranks", "1"]),
         ("moe", "sparse", {}, ["--ranks", "1"]),
         ("fsdp_tp", "same", {"gradients": "input"}, ["--ranks", "1"]),
         ("fsdp_tp", "made real", {}, ["--ranks", "1"]),
         ("graph_subgraphs", "same", {}, []),
         ("speculative_decode", "same", {"scale": "fixed", "cache": "off"}, []),
         ("speculative_decode", "made real", {"scale": "fixed"}, []),
         ("continuous_batch", "made real", {}, []),
         ("rag_pipeline", "same", {"generation_length": "1", "logits": "all"}, []),
         ("rag_pipeline", "made real", {}, []),
         ("async_dataload", "made real", {}, [])]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aaco", required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--processes", default="3")
    parser.add_argument("--iterations", default="30")
    parser.add_argument("--workloads")
    options = parser.parse_args()
    chosen = options.workloads.split(",") if options.workloads else [case[0] for case in CASES]
    raw = {"environment": environment(options.aaco), "device": options.device, "anchors": []}
    with tempfile.TemporaryDirectory() as sessions:
        probe = json_of([options.aaco, "queue", "probe", "--device", options.device, "--streams", "2", "--processes", "7", "--json", "--sessions", sessions])
        raw["launch_ns"] = next(one["per_kernel"] for one in probe["launches"] if one["threads"] == 1 and not one["synchronised"])
        for dtype in ("fp32", "bf16"):
            for workload, compared_as, parameters, words in (case for case in CASES if case[0] in chosen):
                for dispatch in ("single", "graph"):
                    values = {**parameters, "dtype": dtype}
                    case = {"workload": workload, "as": compared_as, "dtype": dtype, "dispatch": dispatch}
                    case.update(figures_of(aaco_json(
                        options.aaco, sessions, "queue", "run", workload, "--device", options.device, "--streams", STREAMS, "--dispatch", dispatch,
                        "--processes", options.processes, "--iterations", options.iterations, "--no-check", *words,
                        *(word for key, value in values.items() for word in ("--param", f"{key}={value}")))))
                    raw["anchors"].append(case)
                    write_json(options.out, raw)  # what there is, whatever ends the next run
                    print(dtype, workload, compared_as, dispatch, case.get("failed", "ok"), flush=True)


def write_json(path, values):
    with open(path, "w") as file:
        json.dump(values, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
