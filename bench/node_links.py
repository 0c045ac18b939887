#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""node_links.py --aaco PROGRAM --ort-library LIB --out bench/results/NAME.json [MODEL[:BATCH[:PRECISION[:TOKENS]]]...]: how many kernels of a GPU `aaco run
--profile` ties to a node, by count and by time, and whether one is tied wrongly.

Whether a link is right is known for one model that is made here: a chain of element-wise nodes, each over another number of elements, so that the
grid of a kernel's launch says whose it is. Of the models that are given, only how many are linked. Needs onnx and numpy."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx

from harness import environment, rows_of

NODES = 200
STEP = 4096  # elements more in each node: enough for a block more in any of ONNX Runtime's element-wise kernels
OPERATORS = ("Relu", "Exp", "Neg", "Abs", "Sigmoid", "Tanh", "Floor", "Erf")

METRICS = ("latency_p50", "profiling_tax", "dispatches_per_inference", "kar_original", "kar_optimized", "gpu_active_ratio_sum",
           "gpu_active_ratio_union", "exposed_launch_time", "launch_rate", "kernels_linked", "kernel_time_linked", "profiled_inference_time",
           "device_kernels_time", "device_copies_in_time", "device_copies_out_time", "device_other_copies_time", "launch_idle_time",
           "node_idle_time", "between_nodes_idle_time", "achieved_flops")


def own_sizes(path):
    """Nodes n_000, n_001, ...: each of its own input and output; sizes grow by STEP."""
    helper, floats = onnx.helper, onnx.TensorProto.FLOAT
    nodes, inputs, outputs = [], [], []
    for i in range(NODES):
        inputs.append(helper.make_tensor_value_info(f"x_{i:03}", floats, [STEP * (i + 1)]))
        outputs.append(helper.make_tensor_value_info(f"y_{i:03}", floats, [STEP * (i + 1)]))
        nodes.append(helper.make_node(OPERATORS[i % len(OPERATORS)], [f"x_{i:03}"], [f"y_{i:03}"], name=f"n_{i:03}"))
    model = helper.make_model(helper.make_graph(nodes, "own_sizes", inputs, outputs), opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path)


def run(aaco, library, folder, model, batch, precision, tokens, *flags):
    command = [aaco, "run", "--model", str(model), "--backend", "cuda", "--ort-library", library, "--profile", "--json", "--quiet", "--sessions",
               str(folder), *(("--batch", batch) if batch else ()), *(("--precision", precision) if precision else ()),
               *(("--tokens", tokens) if tokens else ()), *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 5):
        return {"failed": done.stderr.strip(), "exit": done.returncode}
    return json.loads(done.stdout)


def links(rows):
    kernels = [row for row in rows if row["activity"] == "device_kernel"]
    linked = [row for row in kernels if row["link"] == "correlation"]
    total = sum(row["dur_ns"] for row in kernels)
    reasons = {}
    for row in kernels:
        reasons[row["link"]] = reasons.get(row["link"], 0) + 1
    return {"kernels": len(kernels), "linked": len(linked), "kernel_ns": total, "linked_ns": sum(row["dur_ns"] for row in linked),
            "by_link": reasons, "copies": sum(row["activity"] == "device_copy" for row in rows)}


def wrong_links(rows):
    """Kernels of the model above that are tied to a node whose number of elements the launch's grid does not fit: more blocks than the node before
    it has, and fewer than the one after it, in the same operator's kernels."""
    blocks = {}
    for row in rows:
        if row["activity"] == "device_kernel" and row["link"] == "correlation":
            blocks.setdefault(row["node_name"], set()).add((row["blocks"], row["block_threads"]))
    wrong, per_block = [], {}
    for name, grids in sorted(blocks.items()):
        number = int(name.split("_")[1])
        elements = STEP * (number + 1)
        if len(grids) != 1:
            wrong.append([name, sorted(grids)])
            continue
        (grid, threads), = grids
        per_block.setdefault(OPERATORS[number % len(OPERATORS)], set()).add(-(-elements // grid))
    # In one operator each block does the same number of elements.
    wrong += [[operator, sorted(counts)] for operator, counts in per_block.items() if len(counts) != 1]
    return {"nodes": len(blocks), "wrong": wrong, "elements_per_block": {key: sorted(value) for key, value in per_block.items()}}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aaco", required=True)
    parser.add_argument("--ort-library", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("models", nargs="*")
    arguments = parser.parse_args()
    result = {"environment": environment(arguments.aaco), "models": {}}
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "own_sizes.onnx"
        own_sizes(model)
        for name in [str(model), *arguments.models]:
            path, batch, precision, tokens = (name.split(":") + ["", "", ""])[:4]
            document = run(arguments.aaco, arguments.ort_library, pathlib.Path(folder) / "sessions", path, batch, precision, tokens, "--processes", "3", "--no-roofs")
            label = " ".join([pathlib.Path(path).stem, *(["batch", batch] if batch else []), precision, *(["tokens", tokens] if tokens else [])]).strip()
            if "failed" in document:
                result["models"][label] = document
                continue
            rows = rows_of(arguments.aaco, document["bundle"], "SELECT activity, link, dur_ns, node_name, blocks, block_threads FROM kernels")
            result["models"][label] = links(rows) | {
                "metrics": {name: value for name, value in document["metrics"]["metrics"].items() if name in METRICS},
                "bottleneck": document["bottleneck"].get("class"), "notes": document["notes"], "warnings": document["warnings"]}
            if path == str(model):
                result["own_sizes"] = wrong_links(rows)
            pathlib.Path(arguments.out).write_text(json.dumps(result, indent=1) + "\n")
            print(label, {key: result["models"][label][key] for key in ("kernels", "linked", "by_link", "copies")}, flush=True)
    print(json.dumps(result.get("own_sizes")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
