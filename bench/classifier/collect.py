#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs whose limit is known, with every metric that `aaco run` gives of them: what the learned classifier is trained and tested on.

A model is drawn (models.py) and runs twice: undisturbed, and under an injected cause (causes.py) that is its truth then. Processes are pinned to --pin. A run
that is not meant to be squeezed, and of whose processors others took more than 5 %, is kept out and counted.

With --backend cuda the models are those of models_gpu.py. The device's roofs are then measured once and not in each run: what a run reached is divided by them."""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import causes
import models
import models_gpu
from harness import environment
from known_class import ForeignTime, cache_bytes, measured_roofs, processor_list

MOST_FOREIGN = 0.05
CAUSES = {"cpu": ("cpu-bound", "quota-bound", "input-bound", "oversubscribed"), "cuda": ("cpu-bound", "quota-bound", "input-bound", "contended")}
AWAKE_S = 0.3  # serving, of a run under load: in less than 0.2 aaco tells nothing of scheduling
FEW = 0.15  # of the draws have a model of no class


def run(options, model, threads, sessions, extra=(), before=None):
    """The result of one `aaco run`, and the metrics in it."""
    backend = ["--backend", "cuda", "--ort-library", options.ort_library] if options.backend == "cuda" else [
        "--backend", "cpu", "--threads", str(threads), "--inter-op-threads", "1"]
    command = [options.aaco, "run", *model, *backend, "--profile", "--telemetry", "--processes", str(options.processes), "--sessions", sessions, "--json", "--quiet",
               *(extra or ["--iterations", options.iterations])]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=before, timeout=300)
    if done.returncode not in (0, 5):
        raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr[-300:]}")
    result = json.loads(done.stdout)
    shutil.rmtree(result["bundle"])
    return result, result["metrics"]["metrics"]


class GpuRoofs:
    """Of one device, by the runs that measure them: what each run reached over the share of the roof that it was."""

    def __init__(self, options, sessions):
        product = [f"--param={side}=512" for side in "mnk"]
        memory = run(options, ["--model", "elementwise", "--param", "elements=1048576", "--param", "count=2"], 1, sessions)[1]
        self.bytes_per_s = self.roof(memory, "achieved_bandwidth", "bandwidth_roof_fraction")
        self.flops_per_s = {precision: self.roof(run(options, ["--model", "gemm", *product, "--param", "count=2", "--precision", precision], 1, sessions)[1],
                                                 "achieved_flops", "flops_roof_fraction") for precision in ("fp16", "fp32")}

    @staticmethod
    def roof(metrics, reached, share):
        return metrics[reached]["value"] / metrics[share]["value"]

    def add_to(self, metrics, precision):
        flops = self.flops_per_s[precision]
        for name, reached, roof in (("flops_roof_fraction", "achieved_flops", flops), ("bandwidth_roof_fraction", "achieved_bandwidth", self.bytes_per_s),
                                    ("intensity_over_ridge", "arithmetic_intensity", flops / self.bytes_per_s)):
            if metrics[reached]["value"] is not None:
                metrics[name] = dict(metrics[name], value=metrics[reached]["value"] / roof, quality="measured")


def row_of(result, metrics, **facts):
    bottleneck = result["bottleneck"]
    return dict(facts, metrics={name: one["value"] for name, one in metrics.items() if one["value"] is not None},
                suspect=[name for name, one in metrics.items() if one["quality"].startswith("suspect")],
                rules=bottleneck["bottleneck_class"], rules_leading=bottleneck["leading_class"],
                scores={score["bottleneck_class"]: round(score["score"], 4) for score in bottleneck["scores"]})


def cache_of_gpu():
    """By another process: a program that used CUDA cannot fork one that does."""
    ask = "import torch; print(torch.cuda.get_device_properties(0).L2_cache_size)"
    return int(subprocess.run([sys.executable, "-c", ask], check=True, capture_output=True, text=True).stdout)


class Draw:
    def __init__(self, options, sessions, threads, processors, roofs):
        self.options, self.sessions, self.threads, self.processors = options, sessions, threads, processors
        self.roofs = roofs if options.backend == "cuda" else None
        self.models = models_gpu if self.roofs else models
        self.machine = dict(cache=cache_of_gpu(), threads=threads) if self.roofs else dict(cache=max(cache_bytes(processors, level) for level in (2, 3)), cache2=cache_bytes(processors, 2), threads=threads)

    def measured(self, model, threads, half, extra=(), before=None):
        if not self.roofs:
            return run(self.options, model, threads, self.sessions, extra, before)
        result, metrics = run(self.options, model, threads, self.sessions, [*(extra or ["--iterations", self.options.iterations]), "--no-roofs"], before)
        self.roofs.add_to(metrics, "fp16" if half else "fp32")
        return result, metrics

    def rows(self, random, path):
        families, unknown = self.models.FAMILIES, self.models.UNKNOWN
        known = [name for name in families if name not in unknown]
        truth = str(random.choice(unknown if random.uniform() < FEW else known))
        family = families[truth][int(random.integers(len(families[truth])))]
        model = family(random, path, self.machine)
        facts = dict(family=family.__name__, base=truth, threads=self.threads, model=model if model[0] == "--model" else family.__name__)
        foreign = ForeignTime(self.processors)
        half = family in models_gpu.HALF
        result, metrics = self.measured(model, self.threads, half)
        share = foreign.share()
        yield None if share > MOST_FOREIGN else row_of(result, metrics, **facts, truth=truth, foreign=round(share, 4))
        cause = str(random.choice(self.options.causes))
        latency_ns = metrics["latency_p50"]["value"]
        row, share = self.under(cause, random, model, half, latency_ns, facts)
        yield None if cause in ("input-bound", "oversubscribed", "crowded cache") and share > MOST_FOREIGN else row

    def under(self, cause, random, model, half, latency_ns, facts):
        extra, before, threads, squeeze, injected = [], None, self.threads, contextlib.nullcontext([]), {}
        if cause == "cpu-bound":
            injected = dict(duty=round(random.uniform(0.5, 1), 3), period_s=round(10 ** random.uniform(-2.5, -1), 4))
            squeeze = causes.hogs(self.processors, **injected)
        elif cause == "quota-bound":
            injected = dict(share=round(random.uniform(0.2, 0.7) * self.threads, 3))
            squeeze = causes.quota(**injected)
        elif cause == "input-bound":
            share = random.uniform(0.05, 0.4)
            rate = share * 1e9 / latency_ns
            injected = dict(rate=round(rate, 4))
            extra = ["--load", f"{rate:.6g}", "--iterations", str(max(30, int(rate * max(1, AWAKE_S / share))))]
        elif cause == "oversubscribed":
            threads = int(random.integers(3, 9)) * len(self.processors)
            injected = dict(threads=threads)
        elif cause == "contended":
            injected = dict(size=1024 * int(random.integers(2, 9)))
            squeeze = causes.contended(**injected)
        else:
            others = sorted(set(range(os.cpu_count())) - set(self.processors))
            injected = dict(size=int(random.uniform(1, 4) * self.machine["cache"]))
            squeeze = causes.crowded_cache(others, **injected)
        with squeeze as handle:
            time.sleep(0.2)
            foreign = ForeignTime(self.processors, handle if isinstance(handle, list) else ())
            result, metrics = self.measured(model, threads, half, extra, handle if callable(handle) else None)
            share = foreign.share()
        return row_of(result, metrics, **dict(facts, threads=threads), truth=cause, injected=injected, foreign=round(share, 4)), share


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aaco", default="build/bin/aaco")
    parser.add_argument("--pin", type=processor_list, default=sorted(os.sched_getaffinity(0)), metavar="CPULIST")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--iterations", default="0.3s")
    parser.add_argument("--causes", type=lambda text: text.split(","), help="of: cpu-bound, quota-bound, input-bound, oversubscribed, contended, crowded cache")
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--ort-library", help="of --backend cuda")
    parser.add_argument("--minutes", type=float, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quiet", type=float, default=MOST_FOREIGN)
    parser.add_argument("--patience", type=float, default=30)
    parser.add_argument("--output", required=True)
    options = parser.parse_args()
    options.causes = options.causes or CAUSES[options.backend]
    processors = options.pin[:options.threads]
    os.sched_setaffinity(0, processors)
    out = dict(environment=environment(options.aaco), pin=processors, seed=options.seed, processes=options.processes, iterations=options.iterations, backend=options.backend,
               disturbed=0, failed=[], rows=[])
    until = time.monotonic() + 60 * options.minutes
    with tempfile.TemporaryDirectory() as sessions:
        roofs = GpuRoofs(options, sessions) if options.backend == "cuda" else measured_roofs(options, options.threads, processors)
        out["roofs"] = vars(roofs) if options.backend == "cuda" else roofs
        draw = Draw(options, sessions, options.threads, processors, roofs)
        number = 0
        while time.monotonic() < until:
            random = numpy.random.default_rng([options.seed, number])
            number += 1
            try:
                for row in draw.rows(random, pathlib.Path(sessions) / "drawn.onnx"):
                    if row is None:
                        out["disturbed"] += 1
                        continue
                    out["rows"].append(dict(row, draw=number))
                    print(f"{number:5} {row['family']:20} {row['truth']:15} rules {row['rules']:14} {row['metrics'].get('latency_p50', 0) / 1e3:10.1f} us", flush=True)
            except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
                out["failed"].append(str(error)[:400])
                print(error, file=sys.stderr, flush=True)
            pathlib.Path(options.output).write_text(json.dumps(out))


if __name__ == "__main__":
    main()
