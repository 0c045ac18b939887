#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""aaco against a bare ONNX Runtime loop, process by process in one interleaved run.

For each case: PAIRS times, in alternating order, two processes of `bench/ort_bare_loop` and `aaco run --processes 2`, with
the same library, model, inputs, threads and iterations; the second process counts, the first brings the machine into the same
state for both (a machine that was idle before is faster for a while). The figure is the ratio of their medians, paired,
with Student's t on its logarithm; equivalence within the margin is shown by two one-sided tests (the 90 % interval lies
inside). Writes raw results with their environment as JSON; bench/overhead_page.py makes the page from them.
"""
import argparse
import json
import math
import os
import random
import struct
import tempfile

from harness import environment, json_of

CASES = {
    "cpu-small": [dict(name="5 tiny ops", model="chain-tiny", args=["--param", "nodes=5"], sizes=["1"], iterations=20000)],
    "cpu": [dict(name="resnet50", model="resnet50", args=["--precision", "fp32"], sizes=["1"], iterations=60),
            dict(name="bert-base", model="bert-base", args=["--precision", "fp32", "--dim", "sequence=128"], sizes=["1", "128", "1", "128"], iterations=30)],
    "cuda": [dict(name=f"{model} {precision} batch {batch}", model=model,
                  args=["--precision", precision, "--batch", str(batch)] + (["--dim", "sequence=128"] if model == "bert-base" else []),
                  sizes=[str(batch)] if model == "resnet50" else [str(batch), "128"] * 2, iterations=200)
             for model in ("resnet50", "bert-base") for precision in ("fp32", "fp16") for batch in (1, 8, 64)],
}

WARM_UP = 20  # runs of the bare loop; at least that many of aaco's


def t_quantile(p, degrees):
    """Student's t by bisection on its distribution function, integrated by Simpson's rule."""
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)
    density = lambda x: scale * (1 + x * x / degrees) ** (-(degrees + 1) / 2)

    def cdf(x, n=400):
        h = x / n
        return 0.5 + h / 3 * sum((1 if i in (0, n) else 4 if i % 2 else 2) * density(i * h) for i in range(n + 1))
    low, high = 0.0, 1000.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if cdf(middle) < p else (low, middle)
    return (low + high) / 2


def interval(values, confidence):
    n = len(values)
    mean = sum(values) / n
    sigma = math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1))
    half = t_quantile(0.5 + confidence / 2, n - 1) * sigma / math.sqrt(n)
    return mean, mean - half, mean + half


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


def run_aaco(options, case, sessions, threads, inputs):
    command = [options.aaco, "run", "--model", case["model"], "--backend", options.backend, "--processes", "2", "--json", "--sessions", sessions,
               "--iterations", str(case["iterations"]), "--ort-library", options.library] + case["args"]
    command += ["--threads", str(threads), "--inter-op-threads", "1", "--warmup", str(WARM_UP)] + (["--telemetry"] if options.telemetry else []) + inputs
    result = json_of(command)
    session = json.load(open(os.path.join(result["bundle"], "session.json")))
    facts = session["facts"]
    return dict(median_ns=result["summary"]["phases"]["measure"]["process_medians_ns"][-1], harness_ns=facts["process_facts"][-1]["harness_ns"],
                model=facts["model_path"], precision_executed=facts["precision_executed"], nodes_by_provider=facts["nodes_by_provider"],
                runtime=facts["runtime_version"], ports=json.load(open(os.path.join(result["bundle"], "runtime", "ort_config.json")))["inputs"])


def run_bare(options, case, model, threads, folder):
    command = [options.bare, options.library, options.backend, model, str(threads), str(WARM_UP), str(case["iterations"]), folder] + case["sizes"]
    return [json_of(command)["median_ns"] for _ in range(2)][-1]


def measure(options, case, sessions):
    threads = options.threads
    first = run_aaco(options, case, sessions, threads, [])  # also generates the model
    inputs = write_inputs(first["ports"], sessions)
    pairs = []
    for i in range(options.pairs):
        sides = {}
        for side in ("bare", "aaco") if i % 2 == 0 else ("aaco", "bare"):
            sides[side] = run_bare(options, case, first["model"], threads, sessions) if side == "bare" else run_aaco(options, case, sessions, threads, inputs)
        pairs.append(dict(bare_ns=sides["bare"], aaco_ns=sides["aaco"]["median_ns"], harness_ns=sides["aaco"]["harness_ns"]))
        about = sides["aaco"]
    logs = [math.log(p["aaco_ns"] / p["bare_ns"]) for p in pairs]
    differences = [p["aaco_ns"] - p["bare_ns"] for p in pairs]
    ratio95 = [math.exp(v) for v in interval(logs, 0.95)]
    ratio90 = [math.exp(v) for v in interval(logs, 0.90)]
    return dict(case=case["name"], iterations=case["iterations"], threads=threads, runtime=about["runtime"], precision_executed=about["precision_executed"],
                nodes_by_provider=about["nodes_by_provider"], pairs=pairs, ratio=ratio95[0], ratio_95=ratio95[1:], ratio_90=ratio90[1:],
                equivalent_within_1_pct=ratio90[1] > 0.99 and ratio90[2] < 1.01, difference_ns_95=list(interval(differences, 0.95)),
                harness_ns_max=max(p["harness_ns"] for p in pairs))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=sorted(CASES))
    parser.add_argument("--aaco", default="build/bin/aaco")
    parser.add_argument("--bare", default="build/bench/ort_bare_loop")
    parser.add_argument("--library", default=".deps/onnxruntime/lib/libonnxruntime.so", help="libonnxruntime.so of both sides")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
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
