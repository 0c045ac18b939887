#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""overlap_gpus.py --aaco PROGRAM --devices cuda:0,cuda:1 --out bench/results/NAME.json [--reference COMMAND] CONFIG[:KEY=VALUE,...]...

`aaco overlap run` of each configuration (a file of configs/overlap, by its name) over the devices, all in one call. --reference: a program
that trains models of like sizes another way (PyTorch's FSDP2, say) on the same devices; it runs before and after, and what it prints is
kept line by line. A run whose gates fail ends the program.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

import harness

CONFIGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "configs", "overlap")


def lines_of(command):
    if command is None:
        return []
    done = subprocess.run(shlex.split(command), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command}: exit {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout.splitlines()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aaco", required=True)
    parser.add_argument("--devices", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--reference")
    parser.add_argument("cases", nargs="+", metavar="CONFIG[:KEY=VALUE,...]")
    arguments = parser.parse_args()
    result = dict(environment=harness.environment(arguments.aaco), revision=harness.revision(), devices=arguments.devices, reference=arguments.reference,
                  reference_before=lines_of(arguments.reference), overlap_runs=[])
    with tempfile.TemporaryDirectory() as folder:
        for case in arguments.cases:
            name, _, overrides = case.partition(":")
            flags = ["--override", *overrides.split(",")] if overrides else []
            document = harness.json_of([arguments.aaco, "overlap", "run", "--config", os.path.join(CONFIGS, name + ".yaml"), "--device",
                                        arguments.devices, *flags, "--sessions", folder, "--quiet", "--json"])
            for private in ("bundle", "timeline"):  # its folder; every slice of a step, which the page of a session draws
                document.pop(private, None)
            result["overlap_runs"].append(dict(config=name, overrides=overrides, run=document))
    result["reference_after"] = lines_of(arguments.reference)
    with open(arguments.out, "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
