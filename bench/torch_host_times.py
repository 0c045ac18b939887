#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""torch_host_times.py [--aaco PROGRAM]: the operators of a training step on the CPU, recorded by PyTorch's profiler: their own time on the
host as `aaco trace report` says it beside the profiler's own averages. Needs torch. Exit 1 where one differs by more than the 50 ns a call
that the averages are rounded to."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import torch
from torch.profiler import ProfilerActivity, profile


def record(path):
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3), torch.nn.BatchNorm2d(16), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(14400, 10))
    images, labels = torch.randn(8, 3, 32, 32), torch.randint(0, 10, (8,))
    optimizer = torch.optim.AdamW(model.parameters())
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiler:
        for _ in range(5):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()
    profiler.export_chrome_trace(str(path))
    return {each.key: (each.count, each.self_cpu_time_total) for each in profiler.key_averages() if not each.key.startswith("Optimizer.")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aaco", default="build/bin/aaco")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "step.json"
        theirs = record(path)
        done = subprocess.run([options.aaco, "trace", "report", path, "--json"], capture_output=True, text=True, check=True)
    ours = {each["name"]: (each["count"], each["host_self_ns"] / 1000) for rank in json.loads(done.stdout)["operators"] for each in rank["by_name"]}
    differing = [name for name, (count, self_us) in theirs.items()
                 if name not in ours or ours[name][0] != count or abs(ours[name][1] - self_us) > 0.05 * count]
    for name in differing:
        print(f"{name}: {ours.get(name)}, torch {theirs[name]}")
    print(f"torch {torch.__version__}: {len(theirs) - len(differing)} of {len(theirs)} operators have the same count and the same own time")
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
