#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""training_gates.py --aaco PROGRAM --device cuda:0 --out bench/results/NAME.json [--versions 1,2,3,4] PRESET:PRECISION[=VERSIONS]...

`aaco llama run` of each version at each preset and precision, two processes of 20 steps: its gates with the kernels that each executed, and
the kernels of the recorded steps. Ends with 1 where a gate does not hold or could not be judged, once all are written.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import harness


def run_of(aaco, device, folder, version, case):
    preset, precision = case.split(":")
    command = [aaco, "llama", "run", "--version", version, "--preset", preset, "--precision", precision, "--device", device, "--num-steps", "20",
               "--processes", "2", "--profile", "--no-telemetry", "--sessions", folder, "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True)
    bundle = next((line.split()[-1] for line in done.stdout.splitlines() if line.startswith("bundle")), None)
    if bundle is None:  # a gate does not hold: the message names the session
        bundle = next((word for word in done.stderr.split() if word.startswith(folder)), "").rstrip(";,.")
    path = os.path.join(bundle, "metrics", "training.json")
    if not os.path.exists(path):
        sys.exit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr}")
    with open(path) as file:
        document = json.load(file)
    kept = {key: document[key] for key in ("version", "created_utc", "request", "device", "gates", "activity", "figures")}
    for key in ("folder", "sessions", "command_line"):
        kept["request"].pop(key)
    return dict(case=case, training=int(version), exit_code=done.returncode, error=done.stderr.strip().replace(folder, "FOLDER"), document=kept)


def line_of(run):
    gates = run["document"]["gates"]
    bad = [f"{gate['name']}: {gate['unknown'] or gate['found']}" for gate in gates if gate["passed"] is not True]
    seconds = sum(gate["seconds"] or 0 for gate in gates)
    timed = next((gate["found"] for gate in gates if gate["name"].startswith("every timed")), "not judged")
    return f"{run['case']} v{run['training']}: {len(gates) - len(bad)} of {len(gates)} gates, {seconds:.1f} s, {timed}; {'; '.join(bad) or 'all hold'}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aaco", required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--versions", default="1,2,3,4")
    parser.add_argument("--revision", help="of the source that PROGRAM was built from, where there is no repository")
    parser.add_argument("cases", nargs="+", metavar="PRESET:PRECISION[=VERSIONS]")
    arguments = parser.parse_args()
    result = dict(environment=harness.environment(arguments.aaco), revision=arguments.revision, device=arguments.device, training_gates=[])
    with tempfile.TemporaryDirectory() as folder:
        for case in arguments.cases:
            name, _, versions = case.partition("=")
            for version in (versions or arguments.versions).split(","):
                run = run_of(arguments.aaco, arguments.device, folder, version, name)
                result["training_gates"].append(run)
                print(line_of(run), flush=True)
                with open(arguments.out, "w") as file:  # each time: what was measured is kept whatever comes
                    json.dump(result, file, separators=(",", ":"))
                    file.write("\n")
    sys.exit(0 if all(gate["passed"] is True for run in result["training_gates"] for gate in run["document"]["gates"]) else 1)


if __name__ == "__main__":
    main()
