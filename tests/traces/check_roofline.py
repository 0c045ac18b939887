#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""FLOPs, bytes and times of operators against TraceLens's own reports, which lie beside its MI300X traces. Exit 77 where the data
is not here. Known differences, each checked for what it is:

- TraceLens halves the products of causal attention; the triangle with its diagonal is (S + 1) / S of that.
- Its kernel is put down to the outermost operator of a family (aten::convolution, aten::_scaled_dot_product_flash_attention),
  ours to the one that launched it (aten::miopen_convolution, aten::_flash_attention_forward; aten::div by a number, which calls
  aten::div by a tensor of one element).
- It counts normalisations, gelu and the like by conventions of its own, or not at all: not compared.
- It counts a FLOP an element for a copy, which computes nothing; and divides rows by strides, here taken together.
- Backward of a convolution: it moves the gradient twice, once for each of the two products; and counts both products where the
  output mask asks for one.

Usage: check_roofline.py AACO REPOSITORY
"""
import ast
import csv
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from skipping import skip_without  # noqa: E402

AACO, REPOSITORY = sys.argv[1:3]
DATA = pathlib.Path(os.environ.get("AACO_DATA") or pathlib.Path(REPOSITORY).parent / "shared" / "data")
MI300 = DATA / "tracelens/traces/mi300"
REPORTS = {
    "Qwen_Qwen1.5-0.5B-Chat__1016005": "Qwen_Qwen1.5-0.5B-Chat__1016005_perf_report_csvs",
    "google_owlv2-large-patch14-ensemble__1016001": "google_owlv2-large-patch14-ensemble__1016001_perf_report_csvs",
    "facebook_timesformer-base-finetuned-k400__1016002": "facebook_timesformer-base-finetuned-k400__1016002_perf_report_csvs",
    "gaunernst_bert-small-uncased__1016001": "gaunernst_bert-small-uncased__1016001_perf_report_csvs",
    "Falconsai_nsfw_image_detection__1016002": "Falconsai_nsfw_image_detection__1016002_perf_report_csvs",
    "resnet_act_checkpoint": "resnet_act_checkpoint_recompute_perf_report_csvs",
}
SAME = ("aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::add", "aten::mul", "aten::sub", "aten::div", "aten::copy_", "aten::mean", "aten::neg")
LAUNCHED_BY = {"aten::convolution": "aten::miopen_convolution", "aten::_scaled_dot_product_flash_attention": "aten::_flash_attention_forward"}

csv.field_size_limit(10 ** 9)
failures = []
compared = {}


def check(what, holds):
    if not holds:
        failures.append(what)


def near(a, b, relative=1e-9):
    return abs(a - b) <= relative * max(abs(a), abs(b))


def as_tuple(value):
    return tuple(as_tuple(one) for one in value) if isinstance(value, (list, tuple)) else value


def theirs(folder):
    rows = {}
    for row in csv.DictReader(open(folder / "unified_perf_summary.csv")):
        if row["GFLOPS"] and row["Data Moved (MB)"] and "Synthetic" not in row["name"]:
            values = row["Concrete Inputs"] if "conv" in row["name"] or "attention" in row["name"] else ""
            key = row["name"], as_tuple(ast.literal_eval(row["Input Dims"])), as_tuple(ast.literal_eval(row["Input type"])), values
            its = rows.setdefault(key, dict(count=0, ns=0.0, flops=float(row["GFLOPS"]) * 1e9, bytes=float(row["Data Moved (MB)"]) * 2 ** 20,
                                            gradients=row["Concrete Inputs"].count("True") if "backward" in row["name"] else 0, causal="'True'" in row["Concrete Inputs"] and "attention" in row["name"]))
            its["count"] += int(row["operation_count"])
            its["ns"] += float(row["Kernel Time (µs)_sum"]) * 1000
    return [(name, dims, types, row) for (name, dims, types, _), row in rows.items()]


def ours(report):
    rows = {}
    for rank in report["rooflines"]:
        for op in rank["operators"]:
            if op["input_shapes"]:
                dims, types = as_tuple(json.loads(op["input_shapes"])), as_tuple(json.loads(op["input_types"]))
                rows.setdefault((op["name"], dims, types), []).append(op)
    return rows


def compare_same(name, where, their, mine):
    count = sum(row["count"] for row in mine)
    check(f"{where}: {count} calls, not {their['count']}", count == their["count"])
    flops = 0 if name == "aten::copy_" else their["flops"]
    check(f"{where}: {mine[0]['flops']} FLOPs, not {flops}", all(near(row["flops"], flops) for row in mine))
    # A number beside an array is 8 bytes to us, and nothing or an array of its type to TraceLens.
    check(f"{where}: {mine[0]['bytes']} bytes, not {their['bytes']}", all(abs(row["bytes"] - their["bytes"]) <= 8 for row in mine))
    device_ns = sum(row["device_ns"] for row in mine)
    check(f"{where}: {device_ns} ns, not {their['ns']}", abs(device_ns - their["ns"]) <= 1e-6 * their["ns"] + count * 0.5)
    rate = sum(row["flops"] * row["count"] for row in mine) / device_ns
    check(f"{where}: rates differ", near(rate, flops * their["count"] / their["ns"], 1e-3))
    compared[name] = compared.get(name, 0) + 1


def mixed(types):
    return len({one for one in types if one not in ("Scalar", "")}) > 1


def compare(model, folder):
    done = subprocess.run([AACO, "trace", "report", str(MI300 / (model + ".json.gz")), "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 5):
        sys.exit(f"{model}: exit {done.returncode}: {done.stderr}")
    report = json.loads(done.stdout)
    check(f"{model}: not held against an MI300X", report["rooflines"][0]["accelerator"]["name"] == "MI300X")
    rows = ours(report)
    sums = {}
    for name, dims, types, their in theirs(MI300 / folder):
        where = f"{model}: {name} {dims}"
        mine = rows.get((name, dims, types)) or [row for (op, its, _), group in rows.items() if (op, its) == (name, dims) for row in group]
        if name in SAME and mine and not mixed(types):
            compare_same(name, where, their, mine)
        elif name in SAME:
            check(f"{where}: not among ours", mine)
        elif name == "aten::convolution_backward":
            check(f"{where}: {mine[0]['flops']} FLOPs, not {their['flops']}", near(mine[0]["flops"], their["flops"] * their["gradients"] / 2))
            if their["gradients"] == 2:
                check(f"{where}: bytes", near(mine[0]["bytes"], their["bytes"] - 2 * eval_product(dims[0])))
            compared[name] = compared.get(name, 0) + 1
        elif name in LAUNCHED_BY:
            length = dims[0][2]
            factor = (length + 1) / length if their["causal"] else 1
            sums[name] = sums.get(name, 0) + their["flops"] * factor * their["count"]
    for name, flops in sums.items():
        launched = LAUNCHED_BY[name]
        mine = sum(row["flops"] * row["count"] for (op, _, _), group in rows.items() if op == launched for row in group)
        check(f"{model}: {launched} {mine} FLOPs, TraceLens has {flops}", near(mine, flops, 1e-9))
        compared[name] = compared.get(name, 0) + 1


def eval_product(dims):
    product = 1
    for dim in dims:
        product *= dim
    return product


if not MI300.is_dir():
    skip_without(MI300)
for model, folder in REPORTS.items():
    compare(model, folder)
print("rows compared:", ", ".join(f"{count} {name}" for name, count in sorted(compared.items())))
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
