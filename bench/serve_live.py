#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""serve_live.py --aaco PROGRAM --output bench/results/serve-live.json [--parts behind cost server] [--rounds 20] [--sessions 200]: aaco serve beside runs that go on.
behind: how old an iteration is when a live page hears of it, for a model's run, a queue's, a training and an overlap run on the CPU.
cost: the same run with and without `aaco serve` and one live page, in turns (ABBA); how much longer the median and the mean iteration is, with a 95 % interval.
Each round takes four times --seconds. server: processor time of the server, by sessions in its folder, while one run goes on.
A page of a browser draws what it hears within a frame or two; the client here draws nothing."""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "serve"))
from dashboard_client import Dashboard
from harness import environment, interval, rows_of

MODEL = ["run", "chain-tiny", "--param", "nodes=200", "--processes", "1", "--no-roofs", "--quiet"]
NANO = ["model.kind=llama", "model.vocab_size=64", "model.model_dim=32", "model.num_heads=4", "model.num_layers=2", "model.mlp_hidden_dim=64", "dataset.sequence_length=16",
        "training.batch_size=2", "training.mixed_precision=fp32", "scheduler.warmup_steps=0", "scheduler.total_steps=0", "training.output_dir=artifacts"]
# Each for some seconds. A step of these takes longer than what is asked here.
RUNS = {
    "run": lambda seconds: [*MODEL, "--threads", "1", "--iterations", f"{seconds}s"],
    "queue": lambda seconds: ["queue", "run", "tiny_kernel_stress", "--device", "cpu", "--streams", "2", "--processes", "1", "--iterations", str(1500 * seconds), "--no-check", "--quiet"],
    "training": lambda seconds: ["llama", "run", "--preset", "nano", "--device", "cpu:0", "--num-steps", str(60 * seconds), "--processes", "1", "--no-check", "--quiet"],
    "overlap": lambda seconds: ["overlap", "run", "--device", "cpu:0,cpu:1", "--no-check", "--quiet", "--override", *NANO, f"training.max_steps={150 * seconds}"],
}


class LivePage:
    """One open live page: what it heard, and when by the monotonic clock."""

    def __init__(self, server):
        self.heard = []
        self.connection = server.connection()
        self.connection.request("GET", "/api/live", headers={"Authorization": f"Bearer {server.token}"})
        self.stream = self.connection.getresponse()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        name = ""
        try:
            for line in iter(self.stream.readline, b""):
                if line.startswith(b"event: "):
                    name = line[7:].strip().decode()
                elif line.startswith(b"data: "):
                    self.heard.append((time.monotonic_ns(), name, line[6:]))
        except (OSError, ValueError, AttributeError):
            return  # it was closed


def newest_session(sessions):
    return max(sessions.glob("*/*/session.json"), key=lambda path: path.parent.name).parent


def milliseconds(values):
    ordered = sorted(values)
    return {"n": len(ordered), "p50": statistics.median(ordered), "p95": ordered[int(0.95 * (len(ordered) - 1))], "max": ordered[-1]}


def behind(aaco, folder, seconds):
    """By kind of run: the age of each iteration that a page was told of, when it was; how long the page heard nothing; how late it knew of the run at all."""
    rows = {}
    for kind, words in RUNS.items():
        sessions = folder / kind
        sessions.mkdir()
        with Dashboard(aaco, sessions) as server:
            page = LivePage(server)
            time.sleep(1.5)
            subprocess.run([aaco, *words(seconds), "--sessions", sessions], cwd=folder, check=True, capture_output=True)
            start_ns = json.loads((newest_session(sessions) / "session.json").read_text())["t0_monotonic_ns"]
            ages, told, first, figures = [], 0.0, None, []
            events = [(at, json.loads(data)) for at, name, data in list(page.heard) if name == "session"]
            for at, event in events:
                first = first or (at - start_ns) / 1e6
                figures = [figure["name"] for figure in event["figures"]]
                series = [each for each in event["series"] if each["unit"] == "ms"]
                fresh = [t for t in (series[0]["t"] if series else []) if t > told]
                told = max([told, *fresh])
                ages += [(at - start_ns) / 1e6 - t * 1e3 for t in fresh]
        if len(events) < 2 or not ages:
            sys.exit(f"{kind}: the run was over before a page heard of it twice: give it more --seconds")
        gaps = [(later[0] - earlier[0]) / 1e6 for earlier, later in zip(events, events[1:])]
        rows[kind] = {"figures": figures, "first_heard_after_ms": first, "age_ms": milliseconds(ages), "between_events_ms": milliseconds(gaps)}
        print(f"{kind}: an iteration is {rows[kind]['age_ms']['p50']:.0f} ms old when it is told (95 %: {rows[kind]['age_ms']['p95']:.0f}, at most {rows[kind]['age_ms']['max']:.0f})")
    return rows


def iterations_of(aaco, sessions, folder, threads, seconds):
    """Median and mean of the measured iterations of a run, in nanoseconds."""
    subprocess.run([aaco, *MODEL, "--threads", str(threads), "--iterations", f"{seconds}s", "--sessions", sessions], cwd=folder, check=True, capture_output=True)
    session = newest_session(sessions)
    row, = rows_of(aaco, session, "SELECT median(t_end_ns - t_start_ns) AS median, avg(t_end_ns - t_start_ns) AS mean, count(*) AS n FROM inference_iters WHERE phase = 'measure'")
    shutil.rmtree(session)  # each round finds the same folder
    return row


def cost(aaco, folder, rounds, seconds, others):
    rows = []
    for threads in (1, os.cpu_count()):
        sessions = folder / f"threads{threads}"
        fill(aaco, sessions, folder, others)

        def bare():
            return iterations_of(aaco, sessions, folder, threads, seconds)

        def served():
            with Dashboard(aaco, sessions) as server:
                page = LivePage(server)
                row = bare()
                assert any(name == "session" for _, name, _ in page.heard), "the page heard of no run"
                return row
        pairs = []
        for turn in range(2 * rounds):
            order = (bare, served) if turn % 2 == 0 else (served, bare)
            taken = {way.__name__: way() for way in order}
            pairs.append(taken)
        row = {"threads": threads, "sessions": others, "seconds": seconds, "pairs": pairs}
        for figure in ("median", "mean"):
            longer = [pair["served"][figure] / pair["bare"][figure] - 1 for pair in pairs]
            mean, low, high = interval(longer, 0.95)
            row[f"{figure}_longer"] = {"mean": mean, "low": low, "high": high, "median": statistics.median(longer)}
        rows.append(row)
        print(f"{threads} threads: the median iteration takes {100 * row['median_longer']['mean']:+.2f} % [{100 * row['median_longer']['low']:+.2f}, "
              f"{100 * row['median_longer']['high']:+.2f}], the mean {100 * row['mean_longer']['mean']:+.2f} %")
    return rows


def fill(aaco, sessions, folder, count):
    """`count` sessions beside the one that is measured: copies of a short run, each with its own name."""
    if count == 0:
        sessions.mkdir(exist_ok=True)
        return
    subprocess.run([aaco, *MODEL, "--threads", "1", "--iterations", "5", "--sessions", sessions], cwd=folder, check=True, capture_output=True)
    first = newest_session(sessions)
    (sessions / "2020-01-01").mkdir()
    text = (first / "session.json").read_text()
    for number in range(count):
        name = f"20200101_{number // 3600 % 24:02}{number // 60 % 60:02}{number % 60:02}_{number:06x}"
        copy = sessions / "2020-01-01" / name
        copy.mkdir()
        (copy / "session.json").write_text(text.replace(first.name, name))
    shutil.rmtree(first)


def processor_seconds(pid):
    """Of the process and of its children that have ended."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def server_share(aaco, folder, seconds):
    """Processor time of the server a second, with a live page, while a run goes on and without one."""
    rows = []
    for others in (0, 100, 1000):
        sessions = folder / f"server{others}"
        fill(aaco, sessions, folder, others)
        with Dashboard(aaco, sessions) as server:
            page = LivePage(server)
            time.sleep(1)
            start, start_s = time.monotonic(), processor_seconds(server.process.pid)
            time.sleep(seconds)
            idle = (processor_seconds(server.process.pid) - start_s) / (time.monotonic() - start)
            run = subprocess.Popen([aaco, *RUNS["run"](10 * seconds), "--sessions", sessions], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not any(name == "session" for _, name, _ in page.heard):
                time.sleep(0.1)
            start, start_s = time.monotonic(), processor_seconds(server.process.pid)
            time.sleep(seconds)
            busy = (processor_seconds(server.process.pid) - start_s) / (time.monotonic() - start)
            run.terminate()
            run.wait()
        rows.append({"sessions": others, "share_of_a_processor": {"no run": idle, "a run": busy}})
        print(f"{others} sessions: the server takes {100 * idle:.2f} % of a processor without a run, {100 * busy:.2f} % beside one")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aaco", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--parts", nargs="+", choices=["behind", "cost", "server"], default=["behind", "cost", "server"])
    parser.add_argument("--rounds", type=int, default=20, help="of cost: each has four runs")
    parser.add_argument("--seconds", type=int, default=5, help="that each run measures")
    parser.add_argument("--sessions", type=int, default=200, help="in the folder beside the run, of cost")
    flags = parser.parse_args()
    aaco = str(pathlib.Path(flags.aaco).resolve())
    result = {"environment": environment(aaco)}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if "behind" in flags.parts:
            result["behind"] = behind(aaco, folder, flags.seconds)
        if "server" in flags.parts:
            result["server"] = server_share(aaco, folder, 2 * flags.seconds)
        if "cost" in flags.parts:
            result["cost"] = cost(aaco, folder, flags.rounds, flags.seconds, flags.sessions)
    pathlib.Path(flags.output).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
