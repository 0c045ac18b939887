#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""aaco against a bare ONNX Runtime loop, process by process in one interleaved run.

For each case, PAIRS times: a process of `bench/ort_bare_loop` and one of `aaco run`, with the same library, model, inputs,
threads and iterations. Where an iteration takes milliseconds, both are loaded at once and take turns (`turn_s` in the raw
file), one of them stopped at any time, and the ratio of a pair is the geometric mean over aaco's turns: its median in the turn over
the bare loop's in the turns before and after, of the iterations that no turn's end interrupted. What the machine does in the
course of seconds then meets both. Otherwise they run one after the other in alternating order, each behind a process of its own
kind that does not count, because a machine that was idle before is faster for a while, and the ratio is that of their medians.
The figure is the geometric mean over the pairs, with Student's t on its logarithm; equivalence within the margin is shown by two
one-sided tests (the 90 % interval lies inside). With --lanes, as many pairs at a time as sets
of processors are named, both sides of a pair on the same set. Writes raw results with their environment as JSON;
bench/overhead_page.py makes the page from them.
"""
import argparse
import contextlib
import json
import math
import os
import random
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time

from harness import environment, in_lanes, integers_of, interval, json_of

CASES = {
    "cpu-small": [dict(name="5 tiny ops", model="chain-tiny", args=["--param", "nodes=5"], sizes=["1"], iterations=20000)],
    "cpu": [dict(name="resnet50", model="resnet50", args=["--precision", "fp32"], sizes=["1"], iterations=200, turn_s=0.4),
            dict(name="bert-base", model="bert-base", args=["--precision", "fp32", "--dim", "sequence=128"], sizes=["1", "128", "1", "128"], iterations=110, turn_s=0.6),
            dict(name="bert-base, sequence 32", model="bert-base", args=["--precision", "fp32", "--dim", "sequence=32"], sizes=["1", "32", "1", "32"], iterations=400, turn_s=0.3)],
    "cuda": [dict(name=f"{model} {precision} batch {batch}", model=model,
                  args=["--precision", precision, "--batch", str(batch)] + (["--dim", "sequence=128"] if model == "bert-base" else []),
                  sizes=[str(batch)] if model == "resnet50" else [str(batch), "128"] * 2, iterations=200)
             for model in ("resnet50", "bert-base") for precision in ("fp32", "fp16") for batch in (1, 8, 64)],
}

WARM_UP = 20  # runs of the bare loop; at least that many of aaco's


def write_inputs(ports, folder):
    """The same bytes for both sides, because values have their price too: NAME.npy for aaco, NAME.bin for the bare loop."""
    random.seed(1)
    flags = []
    for port in ports:
        descr, letter, draw = {"float32": ("<f4", "f", random.random), "float16": ("<f2", "e", random.random),
                               "int64": ("<i8", "q", (lambda: 1) if "mask" in port["name"] else (lambda: random.randrange(30000)))}[port["dtype"]]
        count = math.prod(port["dims"])
        data = struct.pack(f"<{count}{letter}", *(draw() for _ in range(count)))
        shape = "(" + "".join(f"{d}, " for d in port["dims"]) + ")"
        header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}}}".ljust(117) + "\n"
        npy = os.path.join(folder, port["name"] + ".npy")
        with open(npy, "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)
        with open(os.path.join(folder, port["name"] + ".bin"), "wb") as file:
            file.write(data)
        flags += ["--input", f"{port['name']}={npy}"]
    return flags


def aaco_command(options, case, sessions, inputs, processes):
    return [options.aaco, "run", "--model", case["model"], "--backend", options.backend, "--processes", str(processes), "--json",
            "--sessions", sessions, "--iterations", str(case["iterations"]), "--ort-library", options.library, *case["args"],
            "--threads", str(options.threads), "--inter-op-threads", "1", "--warmup", str(WARM_UP), *inputs] + (["--telemetry"] if options.telemetry else [])


def aaco_figures(result):
    session = json.load(open(os.path.join(result["bundle"], "session.json")))
    facts = session["facts"]
    return dict(median_ns=result["summary"]["phases"]["measure"]["process_medians_ns"][-1], harness_ns=facts["process_facts"][-1]["harness_ns"],
                model=facts["model_path"], precision_executed=facts["precision_executed"], nodes_by_provider=facts["nodes_by_provider"],
                runtime=facts["runtime_version"], lead_s=(facts["process_facts"][0]["t_start_ns"] - session["t0_monotonic_ns"]) / 1e9,
                ports=json.load(open(os.path.join(result["bundle"], "runtime", "ort_config.json")))["inputs"])


def bare_command(options, case, model, folder):
    return [options.bare, options.library, options.backend, model, str(options.threads), str(WARM_UP), str(case["iterations"]), folder, *case["sizes"]]


def signal_tree(pid, number):
    """To a process and what it started."""
    parents = {}
    for folder in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            parents.setdefault(int(open(f"/proc/{folder}/stat").read().rsplit(")", 1)[1].split()[1]), []).append(int(folder))
    tree = [pid]
    for member in tree:
        tree += parents.get(member, [])
    for member in tree:
        with contextlib.suppress(ProcessLookupError):
            os.kill(member, number)


def in_turns(first, second, lead, turn):
    """Runs two commands, of which only one is awake at any time: the first alone for `lead` seconds, then in turns to the end
    of both. What each printed, as JSON, and the turns: (0 or 1, begin, end) in CLOCK_MONOTONIC's nanoseconds. A command that is
    left alone still waits every other turn: its interruptions stay those of the other."""
    running = [subprocess.Popen(first, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)]
    time.sleep(lead)
    signal_tree(running[0].pid, signal.SIGSTOP)
    running.append(subprocess.Popen(second, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    awake, turns = 1, []
    while any(process.poll() is None for process in running):
        began = time.monotonic_ns()
        time.sleep(turn)
        turns.append((awake, began, time.monotonic_ns()))
        signal_tree(running[awake].pid, signal.SIGSTOP)
        awake = 1 - awake
        signal_tree(running[awake].pid, signal.SIGCONT)
    outputs = [process.communicate() for process in running]
    for process, command, (_, errors) in zip(running, (first, second), outputs):
        if process.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit {process.returncode}: {errors}")
    return [json.loads(output) for output, _ in outputs], turns


def turn_medians(turns, iterations):
    """Of each turn the median of the iterations (start, end) of its side that lie in it whole; None where there are fewer than three."""
    medians = []
    for side, began, ended in turns:
        whole = [end - start for start, end in iterations[side] if began <= start and end <= ended]
        medians.append(statistics.median(whole) if len(whole) >= 3 else None)
    return medians


def neighbours_ratio(turns, medians):
    """Geometric mean, over the turns of side 0 between two of side 1 that all have a median, of its median over theirs; and their number."""
    logs = [math.log(medians[i]) - (math.log(medians[i - 1]) + math.log(medians[i + 1])) / 2
            for i in range(1, len(turns) - 1) if turns[i][0] == 0 and None not in medians[i - 1:i + 2]]
    return (math.exp(statistics.fmean(logs)) if logs else None), len(logs)


def one_after_the_other(options, case, about, inputs, folder, sessions, pinned, aaco_first):
    """A process each; one of the same kind ran before each and does not count."""
    bare = lambda: [json_of(pinned + bare_command(options, case, about["model"], folder))["median_ns"] for _ in range(2)][-1]
    aaco = lambda: aaco_figures(json_of(pinned + aaco_command(options, case, sessions, inputs, 2)))
    figures, bare_ns = (aaco(), bare()) if aaco_first else (bare(), aaco())[::-1]
    return dict(ratio=figures["median_ns"] / bare_ns, bare_ns=bare_ns, aaco_ns=figures["median_ns"], harness_ns=figures["harness_ns"])


def side_by_side(options, case, about, inputs, folder, sessions, pinned):
    """A process each, which took turns from where aaco begins to load the model to measure it."""
    (result, bare), turns = in_turns(pinned + aaco_command(options, case, sessions, inputs, 1),
                                     pinned + bare_command(options, case, about["model"], folder), about["lead_s"], case["turn_s"])
    figures = aaco_figures(result)
    aaco = integers_of(options.duckdb, f"select t_start_ns, t_end_ns from '{result['bundle']}/metrics/inference_iters.parquet' where iter_idx >= {WARM_UP}")
    bare_loop = [(start, start + latency) for start, latency in zip(bare["start_ns"], bare["latency_ns"])]
    ratio, count = neighbours_ratio(turns, turn_medians(turns, (aaco, bare_loop)))
    return dict(ratio=ratio, turns=count, bare_ns=bare["median_ns"], aaco_ns=figures["median_ns"], harness_ns=figures["harness_ns"])


def measure(options, case, folder):
    first = aaco_figures(json_of(aaco_command(options, case, folder, [], 1)))  # also generates the model
    inputs = write_inputs(first["ports"], folder)
    about = aaco_figures(json_of(aaco_command(options, case, folder, inputs, 1)))
    began = time.monotonic()
    json_of(bare_command(options, dict(case, iterations=1), first["model"], folder))
    about["lead_s"] = max(0.0, about["lead_s"] - (time.monotonic() - began))  # so that both begin to measure at the same time
    until = time.monotonic() + options.seconds
    lanes = options.lanes.split(":")

    def pair(i, lane):
        if time.monotonic() > until:
            return None
        pinned = ["taskset", "-c", lane] if lane else []
        with tempfile.TemporaryDirectory() as sessions:
            if "turn_s" in case:
                figures = side_by_side(options, case, about, inputs, folder, sessions, pinned)
            else:
                figures = one_after_the_other(options, case, about, inputs, folder, sessions, pinned, i // len(lanes) % 2 == 1)
        return dict(figures, lane=lane)
    measured = [p for p in in_lanes(lanes, options.pairs, pair) if p]
    pairs = [p for p in measured if p["ratio"] is not None]  # without one: they never measured side by side
    if len(pairs) < 2:
        sys.exit(f"{case['name']}: {len(pairs)} of {len(measured)} pairs measured side by side")
    logs = [math.log(p["ratio"]) for p in pairs]
    differences = [p["bare_ns"] * (p["ratio"] - 1) for p in pairs]
    ratio95 = [math.exp(v) for v in interval(logs, 0.95)]
    ratio90 = [math.exp(v) for v in interval(logs, 0.90)]
    return dict(case=case["name"], iterations=case["iterations"], warm_up=WARM_UP, turn_s=case.get("turn_s"), threads=options.threads, runtime=about["runtime"],
                precision_executed=about["precision_executed"],
                nodes_by_provider=about["nodes_by_provider"], pairs=measured, ratio=ratio95[0], ratio_95=ratio95[1:], ratio_90=ratio90[1:],
                equivalent_within_1_pct=ratio90[1] > 0.99 and ratio90[2] < 1.01, difference_ns_95=list(interval(differences, 0.95)),
                harness_ns_max=max(p["harness_ns"] for p in pairs))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=sorted(CASES))
    parser.add_argument("--aaco", default="build/bin/aaco")
    parser.add_argument("--bare", default="build/bench/ort_bare_loop")
    parser.add_argument("--library", default=".deps/onnxruntime/lib/libonnxruntime.so", help="libonnxruntime.so of both sides")
    parser.add_argument("--duckdb", default=".deps/duckdb/lib/libduckdb.so", help="libduckdb.so that reads aaco's iterations")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no pair of a case after so long")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--lanes", default="", metavar="CPUS:CPUS:...", help="sets of processors (as taskset takes them) that measure a pair each at the same time; default: one, not pinned")
    parser.add_argument("--telemetry", action="store_true", help="aaco's side samples the host meanwhile")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--output", required=True)
    options = parser.parse_args()
    options.backend = "cuda" if options.set == "cuda" else "cpu"
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # as aaco does: of both sides
    results = dict(set=options.set, telemetry=options.telemetry, environment=environment(options.aaco), cases=[])
    with tempfile.TemporaryDirectory() as sessions:
        for case in CASES[options.set]:
            if options.only in case["name"]:
                results["cases"].append(measure(options, case, sessions))
                last = results["cases"][-1]
                print(f"{last['case']}: ratio {last['ratio']:.4f} [{last['ratio_95'][0]:.4f}, {last['ratio_95'][1]:.4f}], "
                      f"difference {last['difference_ns_95'][0]:.0f} ns, harness {last['harness_ns_max']:.0f} ns, equivalent: {last['equivalent_within_1_pct']}", flush=True)
                json.dump(results, open(options.output, "w"), indent=1)


if __name__ == "__main__":
    main()
