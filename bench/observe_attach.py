#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What joining a program that runs does to it: a loop of a PyTorch step under `aaco observe --pid`, again and again, and never under it. The program tells the time of
each of its steps; steps count as before, while, or after an attachment by the clock that both share.

observe_attach.py AACO [--mode eager|graph] [--times N] [--seconds S] --output FILE
observe_attach.py --program eager|graph FILE: what is joined; ends when FILE.stop exists, and leaves its steps in FILE"""
import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from harness import environment


def program(mode, path):
    import torch
    from observe_step import Block

    torch.manual_seed(0)
    model = torch.nn.Sequential(*[Block(512) for _ in range(8)]).cuda().bfloat16().eval()
    x = torch.randn(8, 256, 512, device="cuda", dtype=torch.bfloat16)
    with torch.no_grad():
        for _ in range(3):
            model(x)
        torch.cuda.synchronize()
        run = lambda: model(x)
        if mode == "graph":
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                model(x)
            run = graph.replay
        steps = []
        print("ready", flush=True)
        while not os.path.exists(path + ".stop"):
            began = time.monotonic_ns()
            run()
            torch.cuda.synchronize()
            steps.append((began, time.monotonic_ns()))
    pathlib.Path(path).write_text(json.dumps(steps))


def median_us(steps, spans):
    """Of steps that lie within one of the spans."""
    inside = [(end - start) / 1e3 for start, end in steps if any(low <= start and end <= high for low, high in spans)]
    return {"steps": len(inside), "median_us": statistics.median(inside) if inside else None, "longest_us": max(inside, default=None)}


def attach(aaco, pid, seconds, sessions):
    began = time.monotonic_ns()
    done = subprocess.run([aaco, "observe", "--quiet", "--json", "--sessions", sessions, "--planes", "device", "--duration", str(seconds), "--pid", str(pid)],
                          capture_output=True, text=True)
    ended = time.monotonic_ns()
    row = {"exit": done.returncode, "began_ns": began, "ended_ns": ended}
    if done.returncode not in (0, 5):
        return row | {"error": done.stderr[-400:]}
    document = json.loads(pathlib.Path(sessions, "latest", "metrics", "observation.json").read_text())
    (process,) = document["processes"] or [{}]
    return row | {"attached_by": document["attached_by"], "thread_stops": document["thread_stops"], "stopped_thread_ns": document["stopped_thread_ns"],
                  "from_ns": process.get("from_ns"), "events": process.get("events"), "lost": process.get("lost"), "dropped": process.get("dropped"),
                  "state": process.get("state"), "outlived": document["outlived"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("aaco")
    parser.add_argument("--mode", default="eager")
    parser.add_argument("--times", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        steps_file = str(pathlib.Path(folder, "steps"))
        child = subprocess.Popen([sys.executable, str(pathlib.Path(__file__).resolve()), "--program", arguments.mode, steps_file], stdout=subprocess.PIPE, text=True)
        child.stdout.readline()
        start = time.monotonic_ns()
        time.sleep(arguments.seconds)
        rows, free = [], [(start, time.monotonic_ns())]
        for _ in range(arguments.times):
            rows.append(attach(arguments.aaco, child.pid, arguments.seconds, folder))
            start = time.monotonic_ns()
            time.sleep(arguments.seconds)
            free.append((start, time.monotonic_ns()))
        pathlib.Path(steps_file + ".stop").touch()
        try:
            code = child.wait(60)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            code = child.wait()
        steps = json.loads(pathlib.Path(steps_file).read_text()) if code == 0 else []
    result = {"what": "bench/observe_attach.py", "environment": environment(arguments.aaco), "mode": arguments.mode, "program_exit": code, "attachments": rows,
              "free": [median_us(steps, [span]) for span in free],  # before the first, and after each
              # the ends are left out, in which the library is loaded and the recording is closed
              "observed": [median_us(steps, [(row["from_ns"] or row["began_ns"], row["ended_ns"])]) for row in rows],
              "longest_step_us": max(((end - start) / 1e3 for start, end in steps), default=None)}
    pathlib.Path(arguments.output).write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps({name: result[name] for name in ("program_exit", "free", "observed", "longest_step_us")}))
    return 0 if code == 0 and all(row["exit"] == 0 for row in rows) else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--program"]:
        program(sys.argv[2], sys.argv[3])
    else:
        sys.exit(main())
