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
    (f"llama run --version 2 --enable-torch-compile --torch-compile-mode reduce-overhead --log-interval 10 --flops-profile-step 5 {SHORT}",
     {"enable": ["loss", "norm", "rotary"], "dispatch": "graph"}),
    (f"llama run --version 2 --enable-torch-compile --disable-torch-compile --gradient-accumulation-steps 1 {SHORT}",
     {"enable": [], "dispatch": "single"}),
    (f"llama study --num-runs 1 --no-baseline --versions 1,4 --enable-profilers {SHORT.replace('--processes 1', '')}", None),
    ("llama run --quick-mode --device cpu:0 --warmup 1 --processes 1 --no-check --quiet --json", {"steps": 20}),
    (f"llama compare --generate-report --versions 4 {SHORT}", None),
]
# What means nothing here, and what the one line says.
REFUSED = [
    (f"llama run --mode benchmark {SHORT}", "--mode benchmark: there is no such mode"),
    (f"llama run --gradient-accumulation-steps 4 {SHORT}", "a step here has one batch"),
    (f"llama compare --v1 a --v2 b {SHORT}", "--v1 and --v2: versions are trained here"),
    (f"llama study --ablation {SHORT}", "--ablation: a study has versions"),
    (f"llama run --preset very_large {SHORT}", "no preset is named very_large"),
    (f"llama run --compare-with-v1 absent.json {SHORT}", "there is no such file"),
]


def beside_the_first(aaco, folder):
    """--compare-with-v1: the ratio is that of the medians, of a file as of a session; another training is refused."""
    def run(line):
        return subprocess.run([aaco, "llama", "run", *line.split(), *SHORT.split()], cwd=folder, capture_output=True, text=True)
    first = json.loads(run("--version 1 --output v1.json").stdout)
    for name in ("v1.json", first["bundle"]):
        second = json.loads(run(f"--version 2 --compare-with-v1 {name}").stdout)
        step = [process["wall_ns"] / process["steps"] for process in (first["processes"][0], second["processes"][0])]
        rows = second["beside_v1"]["versions"]
        if [row["version"] for row in rows] != [1, 2] or abs(rows[1]["speedup"]["value"] * step[1] / step[0] - 1) > 1e-6:
            yield f"--compare-with-v1 {name}: {rows}, of {step} ns a step"
    text = subprocess.run([aaco, "llama", "run", "--version", "2", "--compare-with-v1", "v1.json", *SHORT.removesuffix(" --json").split()],
                          cwd=folder, capture_output=True, text=True).stdout
    if "over the first" not in text or "not measured in turns" not in text:
        yield f"--compare-with-v1 prints {text}"

    def recorded():
        return set((pathlib.Path(folder) / "sessions").glob("*/*/session.json"))

    before = recorded()
    other = run("--version 2 --seq-len 16 --compare-with-v1 v1.json")
    if other.returncode != 2 or "their sizes differ" not in other.stderr or recorded() != before:
        yield f"--compare-with-v1 of another size: exit code {other.returncode}, sessions {recorded() - before}: {other.stderr}"
    gate = {"name": "losses", "passed": False, "found": "7", "must": "at most 1"}
    (pathlib.Path(folder) / "wrong.json").write_text(json.dumps({**first, "gates": [gate]}))
    wrong = run("--version 2 --compare-with-v1 wrong.json")
    if wrong.returncode != 4 or "losses: found 7, must be at most 1" not in wrong.stderr or recorded() != before:
        yield f"--compare-with-v1 of a wrong training: exit code {wrong.returncode}: {wrong.stderr}"
    elsewhere = {**first, "device": {**first["device"], "name": "another processor"}}
    (pathlib.Path(folder) / "elsewhere.json").write_text(json.dumps(elsewhere))
    moved = run("--version 2 --compare-with-v1 elsewhere.json")
    if moved.returncode != 2 or "different devices: another processor" not in moved.stderr:
        yield f"--compare-with-v1 of another device: exit code {moved.returncode}: {moved.stderr}"
    if run("--version 2 --output v2.json").returncode or "no training of version 1" not in run("--compare-with-v1 v2.json").stderr:
        yield "--compare-with-v1 takes version 2"


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
        for line, says in REFUSED:
            done = subprocess.run([aaco, *line.split()], cwd=folder, capture_output=True, text=True)
            if done.returncode != 2 or says not in done.stderr:
                problems.append(f"{line}: exit code {done.returncode}: {done.stderr}")
        problems += beside_the_first(aaco, folder)
    print("\n".join(problems) or f"{len(LINES)} command lines")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
