#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_ladder.py AACO: `aaco llama compare` of all versions of a nano model on the CPU. Every gate of every version must pass, and all
four must train alike: the same loss at first, and a last one that is a tenth lower; each has its page, and so have they
together. How fast they are is not looked at."""
import json
import pathlib
import subprocess
import sys
import tempfile

COMPARE = "llama compare --preset nano --device cpu:0 --num-steps 30 --warmup 2 --processes 1 --generate-report --quiet --json"
GATES = {
    "no races", "operations are the CPU's", "every parameter has a gradient", "gradients are the oracle's", "gradients are the oracle's, ragged shape",
    "gradients are the oracle's, the run's heads", "operations of the run's size are the CPU's", "a step of the run's size is the reference's",
    "losses are the oracle's", "memory is the closed form's", "backward computes twice the forward", "the device did every operation",
    "every timed kernel ran in a gate", "arithmetic below the roof",
}


def problems_of(row, training, first):
    if training["request"]["version"] != row["version"]:
        yield f"its session is of version {training['request']['version']}"
    gates = {gate["name"]: gate for gate in training["gates"]}
    if set(gates) != GATES:
        yield f"gates {sorted(set(gates) ^ GATES)} are missing or new"
    for name, gate in gates.items():
        if not gate["passed"] and name != "arithmetic below the roof":  # that one is of times
            yield f"{name}: {gate['found']}, must be {gate['must']}"
    figures = training["figures"]
    if abs(figures["first_loss"] - first) > 1e-5:
        yield f"its first loss is {figures['first_loss']}, that of the first version {first}"
    if not 0 < figures["last_loss"] < 0.9 * first:
        yield f"its loss went from {figures['first_loss']} to {figures['last_loss']}"
    if row["last_loss"] != figures["last_loss"]:
        yield f"the ladder has {row['last_loss']} as its last loss, the session {figures['last_loss']}"


def main(aaco):
    aaco = str(pathlib.Path(aaco).resolve())
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([aaco, *COMPARE.split()], cwd=folder, capture_output=True, text=True)
        if done.returncode != 0 or done.stderr:
            print(f"exit code {done.returncode}: {done.stderr}")
            return 1
        ladder = json.loads(done.stdout)
        rows = ladder["versions"]
        pages = [pathlib.Path(folder) / row["bundle"] / "report" / "report.html" for row in rows]
        pages.append(pages[-1].with_name("ladder.html"))
        no_pages = [f"there is no {page}" for page in pages if not page.is_file()]
        trainings = [json.loads((pathlib.Path(folder) / row["bundle"] / "metrics" / "training.json").read_text()) for row in rows]
    problems = no_pages + ([] if [row["version"] for row in rows] == [1, 2, 3, 4] else [f"versions {[row['version'] for row in rows]}"])
    if ladder["not_comparable"]:
        problems.append(f"not comparable: {ladder['not_comparable']}")
    first = trainings[0]["figures"]["first_loss"]
    for row, training in zip(rows, trainings):
        problems += [f"version {row['version']}: {problem}" for problem in problems_of(row, training, first)]
    print("\n".join(problems) or f"{len(rows)} versions, {len(GATES)} gates each: loss {first:.4f} -> " + ", ".join(f"{row['last_loss']:.4f}" for row in rows))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
