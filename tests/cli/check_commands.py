#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_commands.py AACO: every command's help has examples, and what each prints into a pipe is only what it is for: with
--json one JSON document on stdout, without it a text that holds no control character, and nothing on stderr either way."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import tiny_onnx

RUN = "--model relu.onnx --backend cpu --processes 2 --iterations 3 --warmup 0 --threads 1 --inter-op-threads 1 --no-roofs"
PLACED = RUN.removeprefix("--model relu.onnx ") + " --sessions placed"
QUEUE = "--device cpu --iterations 5 --warmup 1 --processes 3 --sessions queues"
LLAMA = "--preset nano --device cpu:0 --num-steps 3 --warmup 1 --processes 1 --no-check --quiet --sessions trainings"
OVERLAP = ("--device cpu:0,cpu:1 --quiet --sessions overlaps --override model.kind=llama model.vocab_size=64 model.model_dim=32 model.num_heads=4 "
           "model.num_layers=2 model.mlp_hidden_dim=64 dataset.sequence_length=16 training.batch_size=2 training.max_steps=4 "
           "training.mixed_precision=fp32 training.unmeasured_steps=1 scheduler.warmup_steps=0 scheduler.total_steps=0")
SMALL_MOE = "--param hidden=16 --param intermediate=24 --param batch=2 --param seq=10"
# In this order: each finds what those before have made. The exit code 4 is a verdict.
COMMANDS = [
    (f"run {RUN} --profile --telemetry", 0),
    (f"run {RUN} --profile", 0),
    (f"sweep --model open.onnx --backend cpu --batch 1,2 {RUN.split(maxsplit=4)[4]}", 0),
    # The model by its place, also behind a flag that takes several words.
    (f"run free.onnx --dim length=3 --batch 2 {PLACED}", 0),
    (f"run --dim length=3 batch=2 free.onnx {PLACED}", 0),
    (f"run --shape x:2x3 free.onnx {PLACED}", 0),
    (f"sweep --batch 1 2 open.onnx {PLACED}", 0),
    (f"run declared.onnx {PLACED}", 0),
    ("baseline save first --session {first} --force", 0),
    ("baseline show first", 0),
    ("baseline list", 0),
    ("diff --baseline first --session {second}", 4),
    ("diff --baseline {first} --session {second} --format html", 4),
    ("diff {first} {second}", 4),
    ("relu.onnx " + PLACED, 0),
    ("trace.json", 0),
    ("trace.json --top 1", 0),
    ("{first}", 0),
    ("open {first}", 0),
    ("sessions list --all", 0),
    ("report --session {first}", 0),
    ("report --session {sweep}", 0),
    ("report --session {first} --format json", 0),
    ("sessions list", 0),
    ("sessions show {first}", 0),
    ("sessions tag {first} --add nightly --add 'two words' --remove never", 0),
    ("sessions tag {first}", 0),
    ("sessions list --tag nightly", 0),
    ("sessions list --tag nobody", 0),
    ("sessions verify {first}", 0),
    ("sessions prune --keep 10 --dry-run", 0),
    ("trace report trace.json", 0),
    ("trace report cut.json", 5),
    ("trace import trace.json --sessions imports", 0),
    ("trace report imports/latest", 0),
    ("trace diff trace.json imports/latest", 0),
    ("diff trace.json imports/latest", 0),
    ("diff cut.json trace.json", 5),
    ("trace diff cut.json trace.json", 5),
    ("trace sql --sessions imports 'SELECT name, duration_ns FROM events'", 0),
    ("trace export trace.json --format chrome --output exported.json.gz --force", 0),
    ("trace export imports/latest --format perfetto --output exported.pftrace --force", 0),
    ("trace export exported.pftrace --format parquet --output tables --force", 0),
    ("doctor", 0),
    ("devices", 0),
    ("queue list", 0),
    ("queue list --category P0 --verbose", 0),
    (f"queue run tiny_kernel_stress --streams 3 {QUEUE} --param tensor_size=64 --param ops_per_stream=5 --output run.json", 0),
    (f"queue run moe --streams 2 --sync-mode none --dispatch threads --no-check {QUEUE} {SMALL_MOE}", 0),
    (f"queue sweep large_gemm_only --streams 1,2 {QUEUE} --param size=32 --output sweep.json", 0),
    ("queue compare --baseline run.json --test run.json --allow-inconclusive", 0),
    ("queue compare --baseline run.json --session sweep.json", 4),
    ("diff run.json run.json --allow-inconclusive", 0),
    ("diff run.json sweep.json", 4),
    (f"queue profile tiny_kernel_stress --streams 2 {QUEUE} --param ops_per_stream=5 --output profiles", 0),
    ("queue probe --device cpu --streams 2 --processes 1 --quiet --sessions queues", 0),
    *[(f"report --session {kind} --format {form}", 0) for kind in ("{queue}", "{queue_sweep}", "{queue_probe}", "{queue_trace}") for form in ("html", "json")],
    *[(f"sessions {action} {kind}", 0) for action in ("show", "verify") for kind in ("{queue}", "{queue_sweep}", "{queue_probe}", "{queue_trace}")],
    ("sessions list --sessions queues", 0),
    ("diff --baseline {queue} --session {queue_second} --allow-inconclusive --allow-different", 0),
    ("diff --baseline {queue} --session {queue_sweep}", 4),
    ("trace sql --session {queue} 'SELECT phase, count(*) FROM inference_iters GROUP BY 1'", 0),
    ("trace sql --session {queue_sweep} 'SELECT streams, throughput_per_s FROM queue_points'", 0),
    ("trace sql --session {queue_trace} 'SELECT name, count(*) FROM events GROUP BY 1'", 0),
    ("trace report {queue_trace}", 0),
    ("llama list", 0),
    (f"llama run --version 2 {LLAMA} --enable-all-profiling --enable-deepspeed-flops --enable-memory-profiling --generate-report --output training.json", 0),
    (f"llama compare --versions 4 --use-amp {LLAMA} --generate-report --output ladder.json", 0),
    (f"llama study --versions 1,4 {LLAMA} --output study.json", 0),
    (f"llama study --versions 4 --seq-lens 8,16 {LLAMA} --csv", 0),
    ("llama roofline --session {training} --csv --output roofline.json --sessions trainings", 0),
    *[(f"report --session {{training}} --format {form}", 0) for form in ("html", "json")],
    *[(f"sessions {action} {{training}}", 0) for action in ("show", "verify")],
    ("diff --baseline {training} --session {training_second} --allow-inconclusive", 0),
    ("trace report {training}", 0),
    ("overlap keys", 0),
    (f"overlap run {OVERLAP} --dry-run", 0),
    (f"overlap run {OVERLAP} --gate max_avg_iteration_ms=100000 min_overlap_ratio=1", 1),
    ("overlap report --log-dir artifacts --label a --log-dir artifacts --label b", 0),
    (f"overlap sweep {OVERLAP} --sweep fsdp.prefetch_depth=2 --env NCCL_ALGO=Ring --processes 1", 0),
    ("overlap report --scaling {overlap}", 0),
    ("report --session {overlap_sweep}", 0),
    ("diff --baseline {overlap_sweep} --session {overlap_sweep_second} --allow-inconclusive", 0),
    ("overlap copy --device cpu:0 --matrix-size 16 --copy-mb 0.1 --iterations 2 --processes 1 --quiet --sessions copies", 0),
    ("report --session {copy_overlap}", 0),
    ("sessions verify {copy_overlap}", 0),
]

# The older name of a flag means what the flag means.
OLDER_NAMES = [
    ("queue compare --baseline run.json --session run.json --min-effect 50", "queue compare --baseline run.json --test run.json --threshold 0.5"),
    ("queue compare --baseline run.json --session run.json", "queue compare --baseline run.json --session run.json --threshold 0.05"),
]

# What a line's text says.
ONCE = "--device cpu --streams 2 --iterations 1 --warmup 0 --processes 1 --sessions queues"
SAYS = [
    ("queue list", r"multi_region +torch_compile +P3"),
    (f"queue run torch_compile {ONCE}", r"multi_region on cpu.*\n(.*\n)*  sizes for a CPU: hidden=128, batch=8, seq_length=32; --scale full"),
    (f"queue sweep graph_subgraphs {ONCE} --param hidden=64", r"  sizes for a CPU: input=256, output=128, batch=8; --scale full"),
    (f"queue run zero_offload {ONCE} --scale full --param layer_size=64", r"^((?!sizes for a CPU).|\n)*$"),
]

TRACE = json.dumps(dict(traceEvents=[
    dict(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", pid=1, tid=1, ts=1, dur=2, args=dict(correlation=7)),
    dict(ph="X", cat="kernel", name="evil \x1b[31m name", pid=0, tid=7, ts=5, dur=2.5, args=dict(device=0, stream=7, correlation=7)),
    dict(ph="X", cat="gpu_memcpy", name="Memcpy HtoD", pid=0, tid=7, ts=9, dur=1, args=dict(device=0, stream=7, correlation=8))]))


def commands_below(aaco, words):
    text = subprocess.run([aaco, *words, "--help"], capture_output=True, text=True, check=True).stdout
    yield words, text
    if "\nSubcommands:" in text:
        for name in re.findall(r"^  ([\w-]+) ", text[text.index("\nSubcommands:"):].split("\n\n")[0], re.M):
            yield from commands_below(aaco, [*words, name])


def sessions(folder):
    """The sessions of the runs and the sweep, by what the command lines above call them."""
    found = [path.parent for path in sorted(folder.glob("sessions/*/*/session.json"), key=lambda path: path.stat().st_mtime)]
    kinds = {bundle: json.loads((bundle / "session.json").read_text())["kind"] for bundle in found}
    runs = [str(bundle) for bundle in found if kinds[bundle] == "run"]
    sweeps = [str(bundle) for bundle in found if kinds[bundle] == "sweep"]
    return {"first": runs[0] if runs else "", "second": runs[1] if len(runs) > 1 else "", "sweep": sweeps[0] if sweeps else "", **queue_sessions(folder),
            **trainings(folder), **overlaps(folder)}


def overlaps(folder):
    """Of `aaco overlap`: the first of each kind, and the second sweep."""
    found = [*folder.glob("overlaps/*/*/session.json"), *folder.glob("copies/*/*/session.json")]
    of_kind = {}
    for path in sorted(found, key=lambda path: path.stat().st_mtime):
        of_kind.setdefault(json.loads(path.read_text())["kind"], []).append(str(path.parent))
    sweeps = of_kind.get("overlap_sweep", [])
    return {**{kind: of_kind.get(kind, [""])[0] for kind in ("overlap", "copy_overlap", "overlap_sweep")}, "overlap_sweep_second": sweeps[1] if len(sweeps) > 1 else ""}


def trainings(folder):
    """The first two of `aaco llama run`, with and without --json the same training."""
    found = [str(path.parent) for path in sorted(folder.glob("trainings/*/*/session.json"), key=lambda path: path.stat().st_mtime)]
    return {"training": found[0] if found else "", "training_second": found[1] if len(found) > 1 else ""}


def queue_sessions(folder):
    """The same of what `aaco queue` left: two runs of the first line, a sweep, a probe, a run with a trace."""
    found = [path.parent for path in sorted(folder.glob("queues/*/*/session.json"), key=lambda path: path.stat().st_mtime)]
    kinds = {bundle: json.loads((bundle / "session.json").read_text())["kind"] for bundle in found}
    first = {kind: str(next((bundle for bundle in found if kinds[bundle] == kind), "")) for kind in ("queue", "queue_sweep", "queue_probe")}
    runs = [bundle for bundle in found if kinds[bundle] == "queue"]
    traces = [bundle for bundle in runs if (bundle / "trace").exists()]
    return {**first, "queue_second": str(runs[1] if len(runs) > 1 else ""), "queue_trace": str(traces[0] if traces else "")}


def problems_of(aaco, folder, line, exit_code, as_json):
    words = [word.format(**sessions(folder)) for word in shlex.split(line)]
    if words[:3] == ["diff", "--baseline", "first"]:
        words[2] = "baselines/first.json"
    done = subprocess.run([aaco, *words, *(["--json"] if as_json else [])], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "BROWSER": "true"})  # of `aaco open`
    name = f"{line}{' --json' if as_json else ''}"
    if done.returncode != exit_code:
        yield f"{name}: exit code {done.returncode}, not {exit_code}"
    if done.stderr:
        yield f"{name}: stderr: {done.stderr}"
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f]", done.stdout):
        yield f"{name}: a control character in a pipe"
    if as_json or "--format json" in line:
        try:
            json.loads(done.stdout)
        except ValueError as problem:
            yield f"{name}: not one JSON document: {problem}: {done.stdout[:200]}"


def unsaid(aaco, folder):
    for line, pattern in SAYS:
        done = subprocess.run([aaco, *shlex.split(line)], cwd=folder, capture_output=True, text=True)
        if done.returncode != 0 or not re.search(pattern, done.stdout):
            yield f"{line}: exit code {done.returncode}, does not say {pattern}: {done.stdout}{done.stderr}"


def older_names(aaco, folder):
    for lines in OLDER_NAMES:
        done = [subprocess.run([aaco, *shlex.split(line)], cwd=folder, capture_output=True, text=True) for line in lines]
        if not done[0].stdout or done[0].stdout != done[1].stdout or done[0].returncode != done[1].returncode:
            yield f"{' and '.join(lines)} differ: {done[0]}, {done[1]}"


def main(aaco):
    aaco = str(pathlib.Path(aaco).resolve())
    problems = [f"{' '.join(words)} --help: no examples" for words, text in commands_below(aaco, []) if "\nExamples:\n  " not in text]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "relu.onnx").write_bytes(tiny_onnx.relu())
        (folder / "trace.json").write_text(TRACE)
        (folder / "cut.json").write_text(TRACE[:-20])
        (folder / "open.onnx").write_bytes(tiny_onnx.relu(("batch", 4)))
        # Four numbers that differ, and three are declared: the runtime refuses such an output where it has its buffer already.
        (folder / "declared.onnx").write_bytes(tiny_onnx.model(
            [tiny_onnx.node("Unique", ["x"], ["y"])], [tiny_onnx.value("x", (1, 4))], [tiny_onnx.value("y", (3,))]))
        (folder / "free.onnx").write_bytes(tiny_onnx.relu(("batch", "length")))
        for line, exit_code in COMMANDS:
            for as_json in (False, True):
                problems += problems_of(aaco, folder, line, exit_code, as_json)
        problems += older_names(aaco, folder)
        problems += unsaid(aaco, folder)
    print("\n".join(problems) or f"{2 * len(COMMANDS)} outputs in order")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
