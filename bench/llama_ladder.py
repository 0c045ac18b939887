#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""llama_ladder.py --aaco PROGRAM --device cuda:0 --out bench/results/NAME.json [--reference COMMAND] [--steps N] PRESET:PRECISION...

`aaco llama compare` of the four versions, of version 4 with --enable beside, and of 3 and 4 with --deterministic, at each preset and precision, all in one call on one
device. --reference: a program that trains the same model another way (PyTorch, say) on the same device; it runs before and after, and
what it prints is kept line by line. Gates are checked; a version that fails one ends the program.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

import harness


def reference_lines(command):
    if command is None:
        return []
    done = subprocess.run(shlex.split(command), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command}: exit {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout.splitlines()


def session_document(bundle):
    with open(os.path.join(bundle, "metrics", "training.json")) as file:
        return json.load(file)


def without_paths(value):
    """The same without the folders of the machine that it ran on."""
    if isinstance(value, dict):
        return {key: without_paths(part) for key, part in value.items() if key not in ("bundle", "folder", "sessions", "command_line")}
    return [without_paths(part) for part in value] if isinstance(value, list) else value


def command_name(command):
    """A command line without the folders of its words."""
    return " ".join(os.path.basename(word) for word in shlex.split(command)) if command else None


# What may be launched while the kernel before it still ends.
BEHIND = ["norm", "norm_grad", "rotary", "attention", "attention_grad", "glu", "glu_grad", "sum_parts"]


def launches_behind(aaco, device, case, folder):
    """Version 4 with every operation that can be launched behind the one before it, with none, and with one alone: a process each, all first,
    in the middle and last, as a measure of the noise."""
    preset, precision = case.split(":")
    command = [aaco, "llama", "run", "--version", "4", "--preset", preset, "--precision", precision, "--device", device, "--num-steps", "200",
               "--no-check", "--sessions", folder, "--json"]
    names = [None, "none", *BEHIND[:4], None, *BEHIND[4:], "none", None]
    return dict(case=case, runs=[dict(behind=name or "all", step_ns=harness.json_of(
        command, variables=None if name is None else {"AACO_LAUNCH_BEHIND": name})["figures"]["step_ns"]) for name in names])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aaco", required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--reference")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--behind", metavar="PRESET:PRECISION", help="measure launches behind one another too, of this case")
    parser.add_argument("cases", nargs="+", metavar="PRESET:PRECISION")
    arguments = parser.parse_args()
    result = dict(environment=harness.environment(arguments.aaco), device=arguments.device, reference=command_name(arguments.reference),
                  reference_before=reference_lines(arguments.reference), llama_ladder=[])
    with tempfile.TemporaryDirectory() as folder:
        for case in arguments.cases:
            preset, precision = case.split(":")
            common = ["--preset", preset, "--precision", precision, "--device", arguments.device, "--num-steps", str(arguments.steps),
                      "--processes", str(arguments.processes), "--sessions", folder, "--json"]
            ladder = harness.json_of([arguments.aaco, "llama", "compare", *common])
            beside = harness.json_of([arguments.aaco, "llama", "compare", "--versions", "4", "--enable", "beside", *common])
            deterministic = harness.json_of([arguments.aaco, "llama", "compare", "--versions", "3,4", "--deterministic", *common])
            documents = [session_document(row["bundle"]) for row in ladder["versions"] + beside["versions"] + deterministic["versions"]]
            result["llama_ladder"].append(dict(preset=preset, precision=precision, ladder=ladder, beside=beside, deterministic=deterministic, runs=documents))
        if arguments.behind:
            result["launches_behind"] = launches_behind(arguments.aaco, arguments.device, arguments.behind, folder)
    result["reference_after"] = reference_lines(arguments.reference)
    with open(arguments.out, "w") as file:
        json.dump(without_paths(result), file, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main()
