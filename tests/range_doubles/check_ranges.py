#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_ranges.py AACO ROCTX_DOUBLE [NVTX_DOUBLE]: the ranges that a profiler hears of a training and of a workload, on libraries
that stand in for those of the tools: names, nesting, each family alone; none inside a replayed graph; none where no tool is."""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

LLAMA = "llama run --version 1 --preset nano --device cpu:0 --batch-size 1 --seq-len 8 --num-layers 2 --num-steps 3 --warmup 2 --processes 1 --no-check --no-telemetry --json".split()
QUEUE = "queue run tiny_kernel_stress --device cpu --streams 2 --iterations 5 --warmup 1 --processes 1 --param tensor_size=64 --param ops_per_stream=5 --json".split()
STEP = {"step/forward", "step/forward/layer 0", "step/forward/layer 1", "step/backward", "step/backward/layer 0", "step/backward/layer 1", "step/optimizer", "step/optimizer/layer 1"}


class Checker:
    def __init__(self, aaco, folder, roctx, nvtx):
        self.aaco, self.folder, self.problems, self.checked = str(pathlib.Path(aaco).resolve()), folder, [], 0
        (folder / "lib").mkdir()
        (folder / "lib" / "librocprofiler-sdk-roctx.so.1").symlink_to(pathlib.Path(roctx).resolve())
        self.families = {"ROCTX": {"ROCP_TOOL_LIBRARIES": "a-tool.so", "LD_LIBRARY_PATH": str(folder / "lib")}}
        if nvtx:
            self.families["NVTX"] = {"NVTX_INJECTION64_PATH": str(pathlib.Path(nvtx).resolve())}

    def expect(self, what, holds, seen):
        self.checked += 1
        if not holds:
            self.problems.append(f"{what}: {seen}")

    def heard(self, words, variables):
        """Lines of the log, by family: how often each path was opened. Ranges that do not nest are a problem."""
        log = self.folder / "log"
        log.unlink(missing_ok=True)
        environment = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "NVTX_INJECTION64_PATH", "ROCP_TOOL_LIBRARIES")}
        done = subprocess.run([self.aaco, *words], cwd=self.folder, env={**environment, **variables, "RANGE_DOUBLE_LOG": str(log)}, capture_output=True, text=True)
        self.expect(f"{words[:2]} exit code", done.returncode == 0, done.stderr)
        opened, counts = collections.defaultdict(list), collections.defaultdict(collections.Counter)
        for line in log.read_text().splitlines() if log.exists() else []:
            family, thread, what, *name = line.split(" ", 3)
            stack = opened[family, thread]
            if what == "push":
                stack.append(name[0])
                counts[family]["/".join(stack)] += 1
            elif not stack:
                self.expect(f"{family} {thread}", False, "a pop without a push")
            else:
                stack.pop()
        self.expect(f"{words[:2]} nesting", not any(opened.values()), dict(opened))
        return counts

    def family(self, family):
        variables = self.families[family]
        counts = self.heard(LLAMA, variables)
        self.expect(f"{family}: alone", set(counts) == {family}, set(counts))
        paths = counts[family]
        self.expect(f"{family}: paths", STEP <= set(paths), sorted(paths))
        self.expect(f"{family}: steps", paths["step"] == 3 and paths["warm-up step"] == 2, paths)
        self.expect(f"{family}: layers", paths["step/forward/layer 0"] == 3 and "step/forward/layer 2" not in paths, paths)
        graph = self.heard([*LLAMA, "--dispatch", "graph"], variables)[family]
        # One step comes before the capture, which has no range of its own; replays have none inside.
        self.expect(f"{family}: graph", graph["step"] == 3 and not any(path.startswith("step/") for path in graph), graph)
        queue = self.heard(QUEUE, variables)[family]
        wanted = {"iteration": 5, "iteration/enqueue": 5, "iteration/wait": 5, "warm-up iteration": 1}
        self.expect(f"{family}: queue", all(queue[path] == count for path, count in wanted.items()), queue)


def main(aaco, roctx, nvtx=None):
    with tempfile.TemporaryDirectory() as temporary:
        checker = Checker(aaco, pathlib.Path(temporary), roctx, nvtx)
        for family in checker.families:
            checker.family(family)
        both = checker.heard(LLAMA, {name: value for variables in checker.families.values() for name, value in variables.items()})
        checker.expect("both hear the same", len({json.dumps(both[family], sort_keys=True) for family in checker.families}) == 1, both)
        checker.expect("no tool, no range", not checker.heard(LLAMA, {"LD_LIBRARY_PATH": str(checker.folder / "lib")}), "heard some")
        without = checker.heard(LLAMA, {"ROCP_TOOL_LIBRARIES": "a-tool.so"})
        checker.expect("a tool without its library of markers", not without, without)
    print("\n".join(checker.problems) or f"{checker.checked} checks in order, of {' and '.join(checker.families)}")
    return 1 if checker.problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
