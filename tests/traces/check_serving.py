#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Steps of serving engines that `aaco trace report` finds, against counts from the raw traces by another way; and that no other recorded
trace has any. Exit 77 where the data is not here.

Usage: check_serving.py AACO REPOSITORY
"""
import concurrent.futures
import gzip
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from skipping import skip_without  # noqa: E402

AACO, REPOSITORY = sys.argv[1:3]
DATA = pathlib.Path(os.environ.get("AACO_DATA") or pathlib.Path(REPOSITORY).parent / "shared" / "data")
SGLANG = "tracelens/traces/inference/"
SERVING = {SGLANG + "sglang_decode/sglang_Qwen3-8B_decode.json.gz": ("decode", 32, 32),
           SGLANG + "sglang_prefilldecode/sglang_Qwen3-8B_prefilldecode.json.gz": ("prefill", 15, 15360)}
VLLM = "rocmprofiledata/mytrace.rpd.gz"
failures = []


def check(what, got, expected):
    if got != expected:
        failures.append(f"{what}: {got}, expected {expected}")


def report(path):
    done = subprocess.run([AACO, "trace", "report", "--json", str(path)], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def raw_steps(path):
    """Outermost annotations of the engine, each with what its thread launched in it: by ids, from the JSON alone."""
    with gzip.open(path) as file:
        events = json.load(file)["traceEvents"]
    ranges = [e for e in events if e.get("cat") == "user_annotation" and re.match(r"execute_(\d+_)?context_|step\[", e["name"])]
    outer = [e for e in ranges
             if not any(o is not e and o["tid"] == e["tid"] and o["ts"] <= e["ts"] and e["ts"] + e["dur"] <= o["ts"] + o["dur"] for o in ranges)]
    launches = {}
    for e in events:
        if e.get("cat") in ("cuda_runtime", "cuda_driver") and "correlation" in e.get("args", {}):
            launches.setdefault(e["args"]["correlation"], e)
    steps = []
    for one in sorted(outer, key=lambda e: e["ts"]):
        mine = [e for e in events if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")
                and (call := launches.get(e["args"]["correlation"])) and call["tid"] == one["tid"]
                and one["ts"] <= call["ts"] < one["ts"] + one["dur"]]
        calls = {e["args"]["correlation"] for e in mine}
        steps.append({"name": one["name"], "kernels": sum(e["cat"] == "kernel" for e in mine), "launches": len(calls),
                      "graph_launches": sum("GraphLaunch" in launches[c]["name"] for c in calls),
                      "host_ns": round(one["dur"] * 1000), "start_ns": round(one["ts"] * 1000)})
    return steps


def check_sglang():
    for trace, (kind, requests, tokens) in SERVING.items():
        got = report(DATA / trace)["serving"]["steps"]
        expected = raw_steps(DATA / trace)
        check(f"{trace}: steps", len(got), len(expected))
        for step, raw in zip(got, expected):
            for key in ("name", "kernels", "launches", "graph_launches"):
                check(f"{trace}: {key}", step[key], raw[key])
            for key in ("host_ns", "start_ns"):  # a double holds a time of this trace within a microsecond
                if abs(step[key] - raw[key]) > 1000:
                    failures.append(f"{trace}: {key} {step[key]}, expected {raw[key]}")
            check(f"{trace}: class", (step["class"], step["attention"], step["marked_by"]), (kind, kind, "range"))
            check(f"{trace}: batch", (step["requests"], step["tokens"]), (requests, tokens))


def check_vllm():
    """No ranges: a step is a replay whose kernels attend over the paged cache."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "vllm.rpd"
        path.write_bytes(gzip.decompress((DATA / VLLM).read_bytes()))
        rows = sqlite3.connect(path).execute(
            "select a.id, count(*), sum(d.string like '%paged_attention%') from rocpd_api a join rocpd_string n on n.id = a.apiName_id"
            " join rocpd_api_ops j on j.api_id = a.id join rocpd_op o on o.id = j.op_id join rocpd_string d on d.id = o.description_id"
            " join rocpd_string t on t.id = o.opType_id where n.string = 'hipGraphLaunch' and t.string in ('KernelExecution', 'Task') group by 1").fetchall()
        got = report(path)["serving"]["steps"]
    expected = sorted(kernels for _, kernels, attention in rows if attention)
    check("vLLM: kernels of each replay", sorted(step["kernels"] for step in got), expected)
    check("vLLM: classes", {(step["class"], step["marked_by"], step["tokens"]) for step in got}, {("decode", "graph_replay", None)})


def check_others():
    traces = [p for pattern in ("*.json.gz", "*trace*.json", "*.rpd", "*.db", "*.sqlite") for p in DATA.rglob(pattern)]
    others = sorted(str(p.relative_to(DATA)) for p in set(traces) if str(p.relative_to(DATA)) not in SERVING)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        reports = dict(zip(others, pool.map(lambda name: report(DATA / name), others)))
    read = [name for name, one in reports.items() if one is not None]
    if len(read) < 40:
        failures.append(f"only {len(read)} other traces could be read")
    check("other traces with steps of an engine", [name for name in read if "serving" in reports[name]], [])
    print(f"{len(read)} other traces have no steps of a serving engine")


if not (DATA / VLLM).exists():
    skip_without(DATA / VLLM)
check_sglang()
check_vllm()
check_others()
print("\n".join(failures) or "ok")
sys.exit(bool(failures))
