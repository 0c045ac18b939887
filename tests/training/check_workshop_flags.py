#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_workshop_flags.py AACO: command lines of the workshop's scripts, on a nano model. Each must train, and mean what it says: the request
in the session is looked at, and which fusions were left out."""
import json
import pathlib
import subprocess
import sys
import tempfile

SHORT = "--device cpu:0 --num-steps 2 --warmup 1 --processes 1 --no-check --quiet --json"
FUSED = ["qkv", "attention", "gate-up"]
# Command line, members of the request that it must give.
LINES = [
    (f"llama run --enable-pytorch-profiler --batch-size 8 --seq-len 128 {SHORT}", {"sequences": 8, "length": 128, "profile": True, "version": 1}),
    (f"llama run --version 1 --enable-all-fusion --num-layers 1 --hidden-dim 32 --num-heads 2 --learning-rate 1e-3 --vocab-size 50 --profile-operators "
     f"--profile-attention-only --profile-steps 5 --sort-by cuda_time_total {SHORT}",
     {"enable": FUSED, "disable": [], "layers": 1, "hidden": 32, "heads": 2, "kv_heads": 1, "rate": 1e-3, "vocabulary": 50, "profile": True}),
    (f"llama run --version 2 --enable-qkv-fusion --disable-all-fusion --use-amp --n-layers 1 --mode train --include-memory --include-shapes "
     f"--detailed-analysis --computational-intensity --enable-memory-profiling --enable-deepspeed-flops --output-dir other {SHORT}",
     {"disable": FUSED, "enable": [], "precision": "bf16", "layers": 1, "sessions": "other", "profile": False}),
    (f"llama run --version 2 --disable-flash-attention --enable-swiglu-fusion --n-heads 2 --generate-roofline {SHORT}",
     {"disable": ["attention"], "enable": ["gate-up"], "heads": 2}),
    ("llama run --version 4 --device cpu:0 --validate-setup --warmup-steps 1 --quiet --json", {"steps": 3, "processes": 1, "warmup": 1, "check": True}),
    (f"llama compare --generate-report --versions 4 {SHORT}", None),
]


def main(aaco):
    aaco = str(pathlib.Path(aaco).resolve())
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for line, expected in LINES:
            done = subprocess.run([aaco, *line.split()], cwd=folder, capture_output=True, text=True)
            if done.returncode != 0 or done.stderr:
                problems.append(f"{line}: exit code {done.returncode}: {done.stderr}")
                continue
            document = json.loads(done.stdout)
            for member, value in (expected or {}).items():
                if document["request"][member] != value:
                    problems.append(f"{line}: {member} is {document['request'][member]}, not {value}")
            if "--generate-roofline" in line and not (pathlib.Path(folder) / document["bundle"] / "report" / "report.html").is_file():
                problems.append(f"{line}: there is no page")
            if "--validate-setup" in line and not (document["gates"] and all(gate["passed"] for gate in document["gates"][:-1])):
                problems.append(f"{line}: gates {document['gates']}")
    print("\n".join(problems) or f"{len(LINES)} command lines")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
