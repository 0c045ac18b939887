#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Steps that `aaco trace report` finds in traces of continuous_batching.py beside this file, against the engine's own log: each step's
class, requests and tokens, exactly. Where PyTorch is here the engine runs anew, under each engine's names; recorded/ holds a trace of it
for machines without. A trace made by hand has kernels too.

Usage: check_serving_engine.py AACO [--record]     --record writes recorded/ anew
"""
import csv
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

AACO = str(pathlib.Path(sys.argv[1]).resolve())
HERE = pathlib.Path(__file__).resolve().parent
RECORDED = HERE / "recorded"
SPLIT = ("prefill_requests", "prefill_tokens", "decode_requests", "decode_tokens")
failures = []


def steps_of(trace):
    done = subprocess.run([AACO, "trace", "report", "--json", str(trace)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{trace}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)["serving"]


def told(step, names):
    """What a name of that engine says of a step of the log; None where it does not say."""
    one = {key: step[key] for key in SPLIT}
    one["class"] = step["class"]
    one["requests"] = step["prefill_requests"] + step["decode_requests"]
    one["tokens"] = step["prefill_tokens"] + step["decode_tokens"]
    if names == "sglang":
        if step["class"] == "decode":
            one["tokens"] = one["decode_tokens"] = None
        elif step["class"] != "prefill":
            one |= dict.fromkeys(("tokens", *SPLIT))
    return one


def check(trace, log, names):
    serving = steps_of(trace)
    got = [{key: step[key] for key in ("class", "requests", "tokens", *SPLIT)} for step in serving["steps"]]
    expected = [told(step, names) for step in json.loads(log.read_text())]
    classes = {step["class"] for step in expected}
    if names == "vllm" and not {"prefill", "decode", "mixed"} <= classes:
        failures.append(f"{names}: the log holds {sorted(classes)} only")
    if got != expected:
        wrong = next((i for i, (a, b) in enumerate(zip(got, expected)) if a != b), min(len(got), len(expected)))
        failures.append(f"{names}: {len(got)} steps, expected {len(expected)}; step {wrong}: {got[wrong:wrong + 1]}, expected {expected[wrong:wrong + 1]}")
    if any(step["kernels"] is not None or step["marked_by"] != "range" for step in serving["steps"]):
        failures.append(f"{names}: a step without a device has kernels, or is not marked by its range")
    for kind in classes:
        rows = [row for row in serving["classes"] if row["class"] == kind]
        count = sum(step["class"] == kind for step in expected)
        if [row["steps"] for row in rows] != [count]:
            failures.append(f"{names}: {kind}: {rows}, expected {count} steps")


def run_engine(folder, names):
    trace, log = folder / f"{names}.json", folder / f"{names}.log.json"
    subprocess.run([sys.executable, HERE / "continuous_batching.py", trace, log, "--names", names], check=True)
    return trace, log


def has_torch():
    return subprocess.run([sys.executable, "-c", "import torch"], capture_output=True).returncode == 0


def made_trace():
    """Two steps worked out by hand, in us: a prompt's run of 10 tokens with kernels from 40 to 60 and 70 to 110, and a replay of two
    kernels from 220 to 260 for two requests; a kernel outside of both."""
    def event(cat, name, start, end, ids, **args):
        return {"ph": "X", "cat": cat, "name": name, "ts": start, "dur": end - start, **ids, "args": args}
    host, device = {"pid": 1, "tid": 1}, {"pid": 0, "tid": 7}
    launch = [event("cuda_runtime", name, start, end, host, correlation=number) for name, start, end, number in
              (("cudaLaunchKernel", 20, 25, 1), ("cudaLaunchKernel", 30, 35, 2), ("cudaLaunchKernel", 150, 152, 4), ("cudaGraphLaunch", 210, 215, 3))]
    kernel = [event("kernel", name, start, end, device, correlation=number, device=0, stream=7) for name, start, end, number in
              (("gemm", 40, 60, 1), ("BatchPrefillWithPagedKVCacheKernel", 70, 110, 2), ("paged_attention_v2_kernel", 220, 230, 3), ("gemm", 230, 260, 3),
               ("other", 300, 310, 4))]
    ranges = [event("user_annotation", "execute_context_2(10)_generation_0(0)", 0, 100, host),
              event("user_annotation", "execute_context_0(0)_generation_2(2)", 200, 230, host)]
    return {"traceEvents": ranges + launch + kernel}


def check_made(folder):
    """The same figures as text, CSV and rows for SQL."""
    def call(*words):
        done = subprocess.run([AACO, "trace", *map(str, words)], cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{words}: exit {done.returncode}: {done.stderr}")
        return done.stdout
    (folder / "made.json").write_text(json.dumps(made_trace()))
    text = call("report", "made.json")
    for words in ("found by the engine's own ranges", "prefill on device 0", "110.0 us", "decode on device 0", "60.00 us"):
        if words not in text:
            failures.append(f"made: '{words}' is not in the report")
    call("report", "made.json", "--csv", "figures")
    columns = "class,attention,marked_by,requests,tokens,kernels,launches,graph_launches,work_ns,idle_ns,idle_before_ns,longest_idle_ns,longest_idle_cause"
    expected = ["prefill,prefill,range,2,10,2,2,0,70000,10000,0,10000,turnaround", "decode,decode,range,2,2,2,1,1,40000,0,110000,110000,launch_starved"]
    with open(folder / "figures" / "engine_steps.csv") as file:
        got = [",".join(row[name] for name in columns.split(",")) for row in csv.DictReader(file)]
    if got != expected:
        failures.append(f"made: CSV {got}, expected {expected}")
    call("import", "made.json")
    rows = call("sql", f"select {columns} from engine_steps order by start_ns", "--csv").splitlines()
    if rows != [columns, *expected]:
        failures.append(f"made: SQL {rows}, expected {expected}")


if "--record" in sys.argv:
    RECORDED.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        trace, log = run_engine(pathlib.Path(folder), "vllm")
        recorded = json.loads(trace.read_text())
        # Names and places of the machine that recorded it are nobody's business; arguments are not looked at here.
        kept = [{key: e[key] for key in ("ph", "cat", "name", "pid", "tid", "ts", "dur") if key in e}
                for e in recorded["traceEvents"] if e.get("cat") in ("cpu_op", "user_annotation")]
        text = json.dumps({"schemaVersion": 1, "traceEvents": kept}, separators=(",", ":"))
        (RECORDED / "engine.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
        (RECORDED / "engine.log.json").write_text(log.read_text())
with tempfile.TemporaryDirectory() as folder:
    check_made(pathlib.Path(folder))
check(RECORDED / "engine.json.gz", RECORDED / "engine.log.json", "vllm")
if has_torch():
    with tempfile.TemporaryDirectory() as folder:
        for names in ("vllm", "sums", "sglang"):
            check(*run_engine(pathlib.Path(folder), names), names)
    print("the engine ran anew under three engines' names")
else:
    print("PyTorch not here: the recorded trace alone")
print("\n".join(failures) or "ok")
sys.exit(bool(failures))
