#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_roofline.py AACO: `aaco llama roofline` of a nano model on the CPU, measured and from its session: every module of the model in each
phase, FLOPs that add up to the step's, times, what binds each; and `aaco llama run --json` with the same. Figures must follow from each
other; how fast anything is, is not looked at."""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

RUN = "llama roofline --version 2 --preset nano --device cpu:0 --num-steps 4 --warmup 1 --processes 1 --no-check --quiet --json"
MODULES = {("forward", name) for name in ("embedding", "attention", "mlp", "norms", "head", "loss")} | {
    ("backward", name) for name in ("embedding", "attention", "mlp", "norms", "head")} | {("optimizer", "optimizer"), ("optimizer", "loss")}


def close(one, other):
    return math.isclose(one, other, rel_tol=1e-9)


def problems_of_work(name, work, products, memory):
    if not work["alone_ns"] > 0:
        yield f"{name} was not timed"
    if not close(work["bytes_per_s"], work["ideal_bytes"] / work["alone_ns"] * 1e9):
        yield f"{name}: {work['bytes_per_s']} B/s"
    if work["flops"] > 0 and not close(work["intensity"], work["flops"] / work["ideal_bytes"]):
        yield f"{name}: intensity {work['intensity']}"
    if memory is None:
        if work["bound"] != "unknown" or work["of_roof"] is not None:
            yield f"{name}: bound by {work['bound']} under an unknown roof"
        return
    times = {"compute": work["flops"] / products * 1e9, "memory": work["ideal_bytes"] / memory * 1e9}
    if work["bound"] != max(times, key=times.get) or not close(work["roof_ns"], max(times.values())):
        yield f"{name}: bound by {work['bound']}, {work['roof_ns']} ns of {times}"
    if not close(work["of_roof"], max(times.values()) / work["alone_ns"]):
        yield f"{name}: {work['of_roof']} of the roof"


def problems_of(roofline, run):
    modules = {(work["phase"], work["module"]): work for work in roofline["modules"]}
    if set(modules) != MODULES:
        yield f"modules {sorted(set(modules) ^ MODULES)} are missing or new"
    products = roofline["products"]["flops_per_s"]
    memory = roofline["memory"] and roofline["memory"]["bytes_per_s"]
    if memory and "a triad on 1 thread," not in roofline["memory"]["how"]:
        yield f"products are of one thread, and the roof of memory of others: {roofline['memory']}"
    for kind in ("parts", "modules", "phases"):
        for work in roofline[kind]:
            yield from problems_of_work(f"{kind}: {work['phase']} {work.get('part') or work.get('module')}", work, products, memory)
        for figure in ("flops", "ideal_bytes", "operations"):
            if not close(sum(work[figure] for work in roofline[kind]), roofline["step"][figure]):
                yield f"{figure} of the {kind} do not add up to the step's"
    if not close(roofline["step"]["flops"], run["work"]["flops"]):
        yield "the step's FLOPs are not those of its operations"
    for name in ("attention", "mlp", "head"):
        ratio = modules["backward", name]["flops"] / modules["forward", name]["flops"]
        if not 1.5 < ratio < 3:
            yield f"the backward pass of {name} has {ratio:.2f} times the FLOPs of the forward pass"
    if not close(sum(size for what, size in run["work"]["memory"].items() if what != "all"), run["work"]["memory"]["all"]):
        yield f"memory does not add up: {run['work']['memory']}"


def main(aaco):
    aaco = str(pathlib.Path(aaco).resolve())
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        def run(command):
            done = subprocess.run([aaco, *command.split()], cwd=folder, capture_output=True, text=True)
            if done.returncode != 0 or done.stderr:
                problems.append(f"{command}: exit code {done.returncode}: {done.stderr}")
            return done.stdout

        roofline = json.loads(run(RUN))
        bundle = pathlib.Path(folder) / roofline["bundle"]
        document = json.loads((bundle / "metrics" / "training.json").read_text())
        again = json.loads(run("llama roofline --session latest --json"))
        text = run("llama roofline --session latest")
        csv = run("llama roofline --session latest --csv")
        page = (bundle / "report" / "roofline.html").is_file()
        run("report --session latest")
        run("sessions verify latest")
    problems += problems_of(roofline, document)
    if again != roofline or {**document["roofline"], "kind": "training_roofline", "bundle": roofline["bundle"]} != roofline:
        problems.append("the session has another roofline than what was printed")
    if not page or "attention" not in text or "mlp" not in csv:
        problems.append(f"no page, text or table: {text}")
    print("\n".join(problems) or f"{len(MODULES)} modules under {'both roofs' if roofline['memory'] else 'the roof of products'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
