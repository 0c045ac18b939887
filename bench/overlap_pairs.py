#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""overlap_pairs.py --aaco PROGRAM --devices cuda:0,cuda:1 --out bench/results/NAME.json --reference COMMAND CONFIG...

`aaco overlap run` of each configuration beside a program that trains the same models another way (bench/torch_llama.py), in one call and in turns:
the reference, aaco, aaco, the reference. The reference prints a line of JSON for each model, with `config`, `parameters`, `step_p50_ms` and
`back_to_back_ms`. A ratio is of the means of both turns, against the smaller of the reference's two figures, and there is none where the
parameters differ.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

import harness
from hang_faults import CONFIGS


def reference_of(command):
    done = subprocess.run(shlex.split(command), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command}: exit {done.returncode}: {done.stderr[-3000:]}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aaco", required=True)
    parser.add_argument("--devices", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--reference", required=True)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--turns", type=int, choices=(1, 2), default=2, help="1: the reference once, then aaco once")
    parser.add_argument("configs", nargs="+", metavar="CONFIG")
    arguments = parser.parse_args()
    result = dict(environment=harness.environment(arguments.aaco), revision=harness.revision(), devices=arguments.devices, reference=arguments.reference,
                  references=[], runs=[], ratios=[])

    def keep():
        with open(arguments.out, "w") as file:
            json.dump(result, file, indent=1)
            file.write("\n")

    def run(config, folder, turn):
        flags = ["--no-check"] if turn else []  # the gates have held in the first turn
        document = harness.json_of([arguments.aaco, "overlap", "run", "--config", os.path.join(CONFIGS, config + ".yaml"), "--device", arguments.devices,
                                    "--override", f"training.max_steps={arguments.steps + 5}", "profiling.enabled=false",
                                    f"training.output_dir={folder}/artifacts", *flags, "--sessions", folder, "--quiet", "--json"])
        result["runs"].append(dict(config=config, turn=turn, parameters=document["parameters"], dispatch=document["dispatch"], gates=document["gates"],
                                   step_p50_ms=max(rank["step_p50_ns"] for rank in document["ranks"]) / 1e6,
                                   library=document["ranks"][0]["library"], notes=document["notes"]))
        print(result["runs"][-1]["config"], result["runs"][-1]["step_p50_ms"], flush=True)
    with tempfile.TemporaryDirectory() as folder:
        result["references"] += reference_of(arguments.reference)
        for turn in range(arguments.turns):
            for config in arguments.configs[::1 if turn == 0 else -1]:
                run(config, folder, turn)
                keep()
        if arguments.turns > 1:
            result["references"] += reference_of(arguments.reference)
    for config in arguments.configs:
        ours = [one for one in result["runs"] if one["config"] == config]
        theirs = [one for one in result["references"] if one["config"] == config]
        mean = lambda runs, key="step_p50_ms": sum(one[key] for one in runs) / len(runs)
        least = min(mean(theirs), mean(theirs, "back_to_back_ms")) if theirs else None
        sizes = {one["parameters"] for one in ours + theirs}
        result["ratios"].append(dict(config=config, parameters=sorted(sizes), aaco_ms=mean(ours), reference_ms=least,
                                     aaco_over_reference=mean(ours) / least if theirs and len(sizes) == 1 else None))
        print(json.dumps(result["ratios"][-1]), flush=True)
    keep()


if __name__ == "__main__":
    main()
