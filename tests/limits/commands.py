# SPDX-License-Identifier: MIT
"""Every command that does work, as small as it can be, and the folder in which they find what they read."""
import json
import os
import pathlib
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import tiny_onnx  # noqa: E402

QUICK = "--processes 2 --iterations 3 --warmup 0 --no-roofs --quiet"
OVERLAP = ("--device cpu:0,cpu:1 --quiet --override model.kind=llama model.vocab_size=64 model.model_dim=32 model.num_heads=4 "
           "model.num_layers=2 model.mlp_hidden_dim=64 dataset.sequence_length=16 training.batch_size=2 training.max_steps=3 "
           "training.mixed_precision=fp32 training.unmeasured_steps=1 scheduler.warmup_steps=0 scheduler.total_steps=0")
# {out}: a folder for what the command makes. Those of the first block end within a second.
COMMANDS = {
    "trace report": "trace report trace.json",
    "trace report page": "trace report trace.json --format html --output {out}/page.html",
    "trace report gzip": "trace report trace.json.gz",
    "trace report session": "trace report sessions/latest",
    "trace diff": "trace diff trace.json trace.json.gz",
    "trace import": "trace import trace.json --sessions {out}",
    "trace export chrome": "trace export trace.json --format chrome --output {out}/e.json.gz",
    "trace export perfetto": "trace export trace.json --format perfetto --output {out}/e.pftrace",
    "trace export parquet": "trace export trace.json --format parquet --output {out}/tables",
    "trace sql": "trace sql --session {trace} --sessions sessions 'SELECT count(*) FROM events'",
    "report": "report --session {run} --format html --output {out}/r.html",
    "report json": "report --session {run} --format json",
    "diff": "diff --baseline {run} --session {run} --allow-inconclusive",
    "sessions list": "sessions list --sessions sessions",
    "sessions show": "sessions show {run}",
    "sessions verify": "sessions verify {run}",
    "sessions prune": "sessions prune --sessions sessions --keep 10 --dry-run",
    "baseline save": "baseline save b --session {run} --output {out}/b.json",
    "devices": "devices",
    "queue list": "queue list",
    "overlap keys": "overlap keys",
    "completion": "completion bash",
    "doctor": "doctor",
    "run": f"run relu.onnx --backend cpu --threads 2 {QUICK} --sessions {{out}}",
    "run telemetry": f"run relu.onnx --backend cpu --threads 1 {QUICK} --profile --telemetry --sessions {{out}}",
    "sweep": f"sweep open.onnx --backend cpu --batch 1,2 --threads 1 {QUICK} --sessions {{out}}",
    "queue run": "queue run tiny_kernel_stress --device cpu --streams 3 --iterations 3 --warmup 1 --processes 1 --param tensor_size=64 "
                 "--param ops_per_stream=5 --quiet --sessions {out}",
    "queue threads": "queue run tiny_kernel_stress --device cpu --streams 3 --dispatch threads --iterations 3 --warmup 1 --processes 1 "
                     "--param tensor_size=64 --param ops_per_stream=5 --quiet --sessions {out}",
    "queue graph": "queue run tiny_kernel_stress --device cpu --streams 3 --dispatch graph --iterations 3 --warmup 1 --processes 1 "
                   "--param tensor_size=64 --param ops_per_stream=5 --quiet --sessions {out}",
    "queue probe": "queue probe --device cpu --streams 2 --processes 1 --quiet --sessions {out}",
    "llama run": "llama run --preset nano --device cpu:0 --num-steps 2 --warmup 1 --processes 1 --no-check --quiet --sessions {out}",
    "overlap run": f"overlap run {OVERLAP} --sessions {{out}}",
}
SLOW = ["queue probe", "overlap run", "doctor"]


def trace(events):
    """Host calls, kernels on several devices and streams, collectives of some ranks."""
    entries = []
    for i in range(events // 3):
        device, stream = i % 8, 7 + i % 32
        at = 10 * i
        entries += [
            {"ph": "X", "cat": "cpu_op", "name": f"aten::op{i % 97}", "pid": 1, "tid": 100 + i % 4, "ts": at, "dur": 8, "args": {"External id": i}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 100 + i % 4, "ts": at + 1, "dur": 2,
             "args": {"External id": i, "correlation": i}},
            {"ph": "X", "cat": "kernel", "name": f"kernel{i % 211}", "pid": device, "tid": stream, "ts": at + 5, "dur": 5 + i % 31,
             "args": {"External id": i, "correlation": i, "device": device, "stream": stream}},
        ]
    return entries


def write_trace(path, events):
    with open(path, "w", encoding="utf-8") as out:
        out.write('{"traceEvents":[\n')
        out.write(",\n".join(json.dumps(entry) for entry in trace(events)))
        out.write("\n]}\n")


class Place:
    """A folder with inputs and sessions; `line(name, out)` is a command of it."""

    def __init__(self, aaco, folder, events=300, more=None):
        self.commands = {**COMMANDS, **(more or {})}
        self.aaco, self.folder = str(pathlib.Path(aaco).resolve()), pathlib.Path(folder)
        write_trace(self.folder / "trace.json", events)
        subprocess.run(["gzip", "-k1", str(self.folder / "trace.json")], check=True)
        (self.folder / "relu.onnx").write_bytes(tiny_onnx.relu())
        (self.folder / "open.onnx").write_bytes(tiny_onnx.model([tiny_onnx.node("Relu", ["x"], ["y"])], [tiny_onnx.value("x", ["batch", 3])],
                                                                [tiny_onnx.value("y", ["batch", 3])]))
        self.environment = {**os.environ, "AACO_CACHE": str(self.folder / "cache"), "AACO_CONFIGS": str(self.folder)}
        self.run("run", "relu.onnx", "--backend", "cpu", *QUICK.split(), "--sessions", "sessions")
        self.names = {"run": str(self.bundle())}
        self.run("trace", "import", "trace.json", "--sessions", "sessions")
        self.names["trace"] = str(self.bundle())

    def bundle(self):
        return (self.folder / "sessions" / "latest").resolve()

    def run(self, *words):
        done = subprocess.run([self.aaco, *words], cwd=self.folder, env=self.environment, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{words}: exit code {done.returncode}: {done.stderr}")
        return done.stdout

    def line(self, name, out):
        return [self.aaco, *shlex.split(self.commands[name].format(out=out, **self.names))]
