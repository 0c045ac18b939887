#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""FLOPs and bytes of ONNX Runtime's nodes, which its profile gives without attributes and without packed weights, against those of
the graph that it executed, which has both: runs a built-in model, imports the profile that the session keeps, compares by operator.

What the profile cannot tell: an activation fused into a convolution or product (an addition an output element at most here), and
everything of operators whose formula asks for an attribute. A node that takes one tensor twice reads it once by the graph.

Usage: check_node_work.py AACO
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

AACO = sys.argv[1]
FUSES = ("Conv", "FusedConv", "FusedGemm")
# By model: operators that must be among those compared.
MODELS = {
    "resnet50": {"Conv", "Gemm", "GlobalAveragePool"},
    "bert-base": {"MatMul", "Softmax", "Gather", "Transpose"},
}
failures = []


def check(what, holds):
    if not holds:
        failures.append(what)


def run(folder, *arguments):
    done = subprocess.run([AACO, *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode not in (0, 5):
        sys.exit(f"{' '.join(arguments)}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def graph_work(folder, session):
    """Of each operator: nodes, FLOPs and bytes, of which a sum is None where one is unknown, and whether a node takes a tensor twice."""
    work = {}
    query = "SELECT op_type, flops, bytes, inputs FROM graph_nodes WHERE graph = 'optimized' AND executes = 1"
    for node in json.loads(run(folder, "trace", "sql", "--session", session, "--json", query)):
        its = work.setdefault(node["op_type"], dict(nodes=0, flops=0, bytes=0, twice=False))
        its["nodes"] += 1
        for key in ("flops", "bytes"):
            its[key] = None if its[key] is None or node[key] is None else its[key] + node[key]
        inputs = json.loads(node["inputs"])
        its["twice"] = its["twice"] or len(set(inputs)) < len(inputs)
    return work


def profile_work(folder, profile):
    report = json.loads(run(folder, "trace", "report", str(profile), "--json"))
    rank, = report["rooflines"]
    check("not taken for work of the host", rank["on_host"])
    total = sum(op["host_self_ns"] for op in rank["operators"])
    check(f"{total} ns in rows, {rank['operators_ns']} in all", total == rank["operators_ns"])
    rows = collections.defaultdict(list)
    for op in rank["operators"]:
        rows[op["name"]].append(op)
    return rows


def compare(model):
    compared = set()
    with tempfile.TemporaryDirectory() as folder:
        run(folder, "run", "--no-roofs", "--model", model, "--backend", "cpu", "--processes", "1", "--iterations", "2", "--warmup", "1", "--profile", "--sessions", "s")
        session, = (path.parent for path in (pathlib.Path(folder) / "s").glob("*/session.json"))
        graph = graph_work(folder, str(session))
        profiles = sorted(session.glob("**/process_*.json.gz"))
        rows = profile_work(folder, profiles[0])
        for op_type, its in graph.items():
            mine = rows.get(op_type, [])
            where = f"{model}: {op_type}"
            count = sum(row["count"] for row in mine)
            check(f"{where}: {count} executions of {its['nodes']} nodes", count > 0 and count % its["nodes"] == 0)
            if not count or any(row["no_data"] and "roofs" not in row["no_data"] for row in mine) or its["flops"] is None:
                continue
            runs = count // its["nodes"]
            flops = sum(row["flops"] * row["count"] for row in mine) / runs
            bytes_ = sum(row["bytes"] * row["count"] for row in mine) / runs
            least = its["flops"] * (0.99 if op_type in FUSES else 1)
            check(f"{where}: {flops} FLOPs, the graph has {its['flops']}", least <= flops <= its["flops"])
            same = its["bytes"] is None or (bytes_ > its["bytes"] if its["twice"] else bytes_ == its["bytes"])
            check(f"{where}: {bytes_} bytes, the graph has {its['bytes']}", same)
            compared.add(op_type)
        missing = MODELS[model] - compared
        check(f"{model}: not compared: {missing}; compared: {sorted(compared)}", not missing)
    return len(compared)


def main():
    compared = sum(compare(model) for model in MODELS)
    print("\n".join(failures[:40]) or f"summary: {compared} operators of {len(MODELS)} runs have the work that their graph gives")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
