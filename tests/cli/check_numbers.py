#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Numbers that are none, not finite or out of range are refused before anything is measured: on command lines, in overrides and in
YAML. Each numeric flag of each command is found by its help. Usage: check_numbers.py AACO"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import tiny_onnx

AACO = sys.argv[1]
BAD = ["nan", "inf", "1e999", "-1", "99999999999999999999999999"]
QUICK = "--no-roofs --processes 1 --iterations 2 --warmup 0 --sessions s"

# Numbers inside texts: words before the number, what the message must name.
WITHIN = [(f"run relu.onnx {QUICK} --dim n=", "--dim"), (f"run relu.onnx {QUICK} --shape x=1x", "--shape"), (f"run relu.onnx {QUICK} --pin ", "--pin|processors"),
          (f"run relu.onnx {QUICK} --tokens 8,", "--tokens"), (f"run relu.onnx {QUICK} --option intra_op_threads=", "intra_op_threads"),
          (f"run chain-tiny {QUICK} --param nodes=", "--param"), ("run relu.onnx --no-roofs --sessions s --iterations ", "--iterations"),
          ("queue run hetero_kernels --device cpu:0 --sessions s --param large=", "--param"),
          ("queue sweep hetero_kernels --device cpu:0 --streams 1,2 --sessions s --param ratio=", "--param"),
          ("queue run simple_transformer --device cpu:0 --sessions s --param rate=", "--param"), ("overlap run --device cpu:0 --sessions s --gate min_overlap_ratio=", "--gate"),
          ("overlap run --device cpu:0,cpu:1 --sessions s --inject kill:0:", "fault"),
          ("overlap run --device cpu:0 --sessions s --override training.max_steps=", "training.max_steps"),
          ("overlap run --device cpu:0 --sessions s --override optimizer.learning_rate=", "optimizer.learning_rate"),
          ("overlap run --device cpu:0 --sessions s --override dataset.seed=", "dataset.seed"),
          ("trace import t.json --sessions s --memory ", "--memory"), ("trace import t.json --sessions s --memory 1", "--memory")]
YAML = [("overlap run --device cpu:0 --sessions s --config", "training:\n  max_steps: {}\n", "training.max_steps"),
        ("overlap run --device cpu:0 --sessions s --config", "optimizer:\n  weight_decay: {}\n", "optimizer.weight_decay")]


def run(folder, words):
    return subprocess.run([AACO, *words], cwd=folder, capture_output=True, text=True, timeout=60, env=dict(os.environ, AACO_CONFIGS=str(folder / "configs")))


def commands(path=()):
    """Each command that has no commands below it, with its help."""
    text = subprocess.run([AACO, *path, "--help-all"], capture_output=True, text=True).stdout
    below = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.M)
    if not below:
        yield path, text
        return
    for name in re.findall(r"^  (\w[\w-]*)", below.group(1), re.M):
        yield from commands((*path, name))


def flags():
    for path, text in commands():
        for names in re.findall(r"^  (-[-\w,]+) (?:INT|UINT|FLOAT|PCT|N|DAYS|SIZE|SECONDS|N,\.\.\.)\b", text, re.M):
            yield path, names.split(",")


def main():
    failures, tried = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "relu.onnx").write_bytes(tiny_onnx.relu())
        (folder / "t.json").write_text("[]")
        (folder / "configs").mkdir()

        def expect(words, value, named):
            nonlocal tried
            tried += 1
            done = run(folder, words)
            lines = done.stderr.splitlines()
            if done.returncode != 2 or len(lines) != 2 or not re.search(named, lines[0]) or value not in lines[0] or not lines[1].startswith("hint: "):
                failures.append(f"{' '.join(words)}: exit {done.returncode}: {done.stderr}")
            for left in (folder / "s", folder / "sessions"):
                if any(left.rglob("*")):
                    failures.append(f"{' '.join(words)}: left a session")
                shutil.rmtree(left, ignore_errors=True)

        found = list(flags())
        for at, (path, names) in enumerate(found):  # a value each here: the unit test of the command line tries all
            value = BAD[at % 4]
            expect([*path, f"{names[-1]}={value}"], value, "|".join(map(re.escape, names)))
        for words, named in WITHIN:
            for value in BAD if "--memory 1" not in words else ["XB", " 000 000MiB", "e12", ".5.5GiB"]:
                line = words.rsplit(" ", 1)
                expect([*line[0].split(), line[1] + value], "" if "memory 1" in words else value, named)
        for words, text, named in YAML:
            for value in [".nan", ".inf", "-.inf", *BAD]:
                (folder / "bad.yaml").write_text(text.format(value))
                expect([*words.split(), "bad.yaml"], value, named)
        for value in ["nan", "-1", "99999999999999999999"]:
            (folder / "configs" / "models.yaml").write_text(f"models:\n  m:\n    path: relu.onnx\n    warmup: {value}\n")
            expect(["run", "m", *"--no-roofs --processes 1 --iterations 2 --sessions s".split()], value, r"models\.yaml:4")
    if len(found) < 60:
        failures.append(f"only {len(found)} numeric flags were found in the help")
    print("\n".join(failures) or f"{len(found)} numeric flags, {tried} refusals")
    sys.exit(bool(failures))


main()
