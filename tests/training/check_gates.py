#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Gates of whole runs on the CPU: each kernel of the recorded steps was executed by a gate that compares values, and two processes leave the
same weights, bit by bit. Usage: check_gates.py AACO"""
import json
import pathlib
import subprocess
import sys
import tempfile

AACO = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parents[2]
LAST = "every timed kernel ran in a gate"
TRAINING = ["llama", "run", "--preset", "nano", "--device", "cpu:0", "--num-steps", "3", "--warmup", "1", "--no-telemetry"]
SHARDED = ["overlap", "run", "--config", str(ROOT / "configs/overlap/llama_nano.yaml"), "--device", "cpu:0,cpu:1", "--override", "training.max_steps=4",
           "training.unmeasured_steps=1"]


def document_of(words, folder):
    done = subprocess.run([AACO, *words, "--sessions", folder, "--quiet", "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def problems_of(document, timed):
    gates = {gate["name"]: gate for gate in document["gates"]}
    for gate in gates.values():
        if gate["passed"] is not True or gate["unknown"]:
            yield f"{gate['name']}: {gate['found']} {gate['unknown']}"
    executed = {name for gate in gates.values() if gate["against"] for name in gate["kernels"] or []}
    if timed is not None and not (timed and timed <= executed):
        yield f"executed by no gate: {sorted(timed - executed)} of {sorted(timed)}"
    if not executed or not gates[LAST]["found"].endswith(" kernels"):
        yield f"{LAST}: {gates[LAST]}"


def main():
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for more in (["--version", "1", "--processes", "1"], ["--version", "4", "--precision", "bf16", "--processes", "2"]):
            document = document_of(TRAINING + more, folder)
            problems += problems_of(document, {use["name"] for use in document["activity"]["uses"]})
            same = document["figures"]["same_weights"]
            if same is not (True if more[-1] == "2" else None):
                problems.append(f"{more}: weights alike: {same}")
        other = document_of(TRAINING + ["--version", "4", "--precision", "bf16", "--processes", "1", "--seed", "7", "--no-check"], folder)
        if other["gates"] or other["processes"][0]["weights"] == document["processes"][0]["weights"]:
            problems.append("another seed leaves the same weights, or --no-check has gates")
        for more in ([], ["training.mixed_precision=bf16", "compile.enabled=true"]):
            problems += problems_of(document_of(SHARDED + [f"training.output_dir={folder}", *more], folder), None)
    print("\n".join(problems) or "every kernel that is timed was compared")
    sys.exit(bool(problems))


main()
