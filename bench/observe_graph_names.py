#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether `aaco observe --modules` calls kernels of a replayed CUDA graph by the right module: a forward pass of PyTorch is captured and replayed
under it, and the kernels of each module are counted; an eager run of the same program, under `aaco observe` too, opens an NVTX range in each module, and
a kernel is counted where its launch lies. Both counts have to be the same for each module.

observe_graph_names.py AACO [--steps N] --output FILE
observe_graph_names.py --program eager|graph N: what is observed"""
import argparse
import bisect
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

from harness import environment

WARMUP = 3


def program(mode, steps):
    import torch
    from observe_step import Block

    torch.manual_seed(0)
    model = torch.nn.Sequential(*[Block(512) for _ in range(8)]).cuda().bfloat16().eval()
    x = torch.randn(8, 256, 512, device="cuda", dtype=torch.bfloat16)
    names = {module: name or type(module).__name__ for name, module in model.named_modules()}
    with torch.no_grad():
        for _ in range(WARMUP):
            model(x)
        torch.cuda.synchronize()
        if mode == "graph":
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                model(x)
            for _ in range(steps):
                graph.replay()
        else:
            hooks = torch.nn.modules.module
            # What a hook returns replaces what it was given: these return nothing.
            def push(module, _):
                torch.cuda.nvtx.range_push("module " + names[module])

            def pop(*_):
                torch.cuda.nvtx.range_pop()

            hooks.register_module_forward_pre_hook(push)
            hooks.register_module_forward_hook(pop)
            for _ in range(steps):
                model(x)
        torch.cuda.synchronize()


class Session:
    def __init__(self, aaco, mode, steps, folder):
        self.aaco, self.path = aaco, pathlib.Path(folder, mode, "latest")
        command = [sys.executable, str(pathlib.Path(__file__).resolve()), "--program", mode, str(steps)]
        flags = ["--modules"] if mode == "graph" else []
        subprocess.run([aaco, "observe", "--quiet", "--sessions", str(self.path.parent), *flags, "--", *command], check=True)

    def rows(self, select):
        done = subprocess.run([self.aaco, "trace", "sql", "--session", str(self.path), "--json", select], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def naming(self):
        document = json.loads((self.path / "metrics" / "observation.json").read_text())
        return [process["graph_work"] for process in document["processes"]]


def captured_counts(session):
    rows = session.rows("SELECT a.text AS place, count(*) AS n FROM events e LEFT JOIN arguments a ON a.event = e.event AND a.key = 'captured in' "
                        "WHERE e.kind = 'kernel' AND e.event IN (SELECT event FROM arguments WHERE key = 'graph node id') GROUP BY 1")
    return {row["place"]: row["n"] for row in rows}


def eager_counts(session):
    """By the innermost range around the launch, on its thread."""
    ranges = collections.defaultdict(list)
    for row in session.rows("SELECT track, start_ns, duration_ns, name FROM events WHERE kind = 'host_range' AND shape = 'slice' AND name LIKE 'module %' "
                            "ORDER BY start_ns"):
        ranges[row["track"]].append((row["start_ns"], row["start_ns"] + row["duration_ns"], row["name"][len("module "):]))
    counts = collections.Counter()
    for row in session.rows("SELECT c.track, c.start_ns FROM events k JOIN events c ON c.correlation = k.correlation AND c.kind = 'host_call' "
                            "WHERE k.kind = 'kernel'"):
        around = ranges[row["track"]]
        for start, end, name in reversed(around[:bisect.bisect_right(around, (row["start_ns"], float("inf"), ""))]):
            if row["start_ns"] <= end:  # the latest that has not ended is the innermost
                counts[name] += 1
                break
    return dict(counts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("aaco")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        graph = Session(arguments.aaco, "graph", arguments.steps, folder)
        captured, eager = captured_counts(graph), eager_counts(Session(arguments.aaco, "eager", arguments.steps, folder))
        different = {name: [captured.get(name), eager.get(name)] for name in {*captured, *eager} if captured.get(name) != eager.get(name)}
        result = {"what": "bench/observe_graph_names.py", "environment": environment(arguments.aaco), "steps": arguments.steps, "modules": len(eager), "kernels": sum(eager.values()),
                  "captured": captured, "eager": eager, "different": different, "graph_work": graph.naming()}
    pathlib.Path(arguments.output).write_text(json.dumps(result, indent=1) + "\n")
    print(f"{len(eager)} modules, {sum(eager.values())} kernels; modules with another count: {len(different)}")
    return 1 if different or not eager else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--program"]:
        program(sys.argv[2], int(sys.argv[3]))
    else:
        sys.exit(main())
