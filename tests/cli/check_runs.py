#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whole runs on the CPU, of which only what does not depend on the machine is asserted: --tokens, --rerun, --try, --load, and a cause that is put in on
purpose.  check_runs.py AACO [PART...]"""
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

LLAMA = "--param layers=1 --param hidden=32 --param heads=2 --param kv_heads=1 --param vocabulary=50".split()
QUICK = "--threads 1 --inter-op-threads 1 --no-roofs --quiet".split()


class Runs:
    def __init__(self, aaco, folder):
        self.aaco, self.folder, self.failures = aaco, folder, []

    def call(self, *words, codes=(0,)):
        done = subprocess.run([self.aaco, *map(str, words)], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, "AACO_CACHE": str(self.folder / "cache")})
        self.expect(done.returncode in codes, f"{' '.join(map(str, words))}: exit {done.returncode}: {done.stderr}")
        return done.stdout

    def json(self, *words, codes=(0,)):
        text = self.call(*words, "--json", codes=codes)
        return json.loads(text) if text else {}

    def sql(self, session, select):
        lines = self.call("trace", "sql", "--session", session, select, "--csv").splitlines()
        return [line.split(",") for line in lines[1:]]

    def expect(self, holds, what):
        if not holds:
            self.failures.append(what)


def tokens(runs):
    """Of every measured sequence one prefill and a decode step for each further token, in their order; the rates are those of the rows."""
    prompt, generated, processes = 6, 4, 3
    run = runs.json("run", "--model", "tiny-llama", *LLAMA, *QUICK, "--tokens", f"{prompt},{generated}", "--processes", processes, "--iterations", 5, "--warmup", 1)
    rows = runs.sql(run["bundle"], "select process, phase, token_idx, t_start_ns, t_end_ns from inference_iters where phase in ('prefill', 'decode') "
                                   "order by process, t_start_ns")
    sequences = []
    for process, phase, token, start, end in rows:
        if phase == "prefill":
            sequences.append([])
        sequences[-1].append((process, token, int(start), int(end)))
    runs.expect(len(sequences) == 5 * processes, f"tokens: {len(sequences)} sequences of {5 * processes}")
    for sequence in sequences:
        runs.expect([token for _, token, _, _ in sequence[1:]] == [str(i) for i in range(1, generated)], f"tokens: {[step[1] for step in sequence]}")
        runs.expect(all(one[3] <= two[2] for one, two in zip(sequence, sequence[1:])), "tokens: steps of a sequence overlap")
    metrics = run["metrics"]["metrics"]
    first = metrics["ttft"]["value"]
    medians = sorted(sorted(s[0][3] - s[0][2] for s in sequences if s[0][0] == process)[2] for process in {s[0][0] for s in sequences})
    runs.expect(abs(first - medians[len(medians) // 2]) < 1e-6 * first, f"tokens: first token {first}, of the rows {medians}")
    runs.expect(abs(metrics["prefill_tokens_per_s"]["value"]) > 0, "tokens: no prefill rate")
    facts = json.loads(pathlib.Path(runs.folder, run["bundle"], "session.json").read_text())["facts"]
    for process in [one for one in facts["process_facts"] if one["role"] == "measure"]:
        own = [step for sequence in sequences for step in sequence if step[0] == str(process["process"])]
        ends = (min(step[2] for step in own), max(step[3] for step in own))
        runs.expect(max(abs(process["t_start_ns"] - ends[0]), abs(process["t_end_ns"] - ends[1])) < 1000, f"tokens: the steady phase is not that of all prompts and steps: {process}, {ends}")
        gaps = [two[2] - one[3] for sequence in sequences for one, two in zip(sequence[1:], sequence[2:]) if one[0] == str(process["process"])]
        runs.expect(abs(process["harness_ns"] - statistics.median(gaps)) <= 2, f"tokens: between steps {process['harness_ns']} ns, of the rows {statistics.median(gaps)}")


def rerun(runs):
    """Two recorded runs again, in turns: two new sessions (behind that of the tokens and the two) of one group, with the requests of the old ones, whose processes alternate (ABBA)."""
    old = [runs.json("run", "--model", "chain-tiny", "--param", f"nodes={nodes}", *QUICK, "--processes", 4, "--iterations", 20)["bundle"] for nodes in (40, 40)]
    verdict = runs.json("diff", "--baseline", old[0], "--session", old[1], "--rerun", codes=(0, 1, 3, 4, 5))
    sessions = sorted(pathlib.Path(runs.folder, "sessions").glob("*/*/session.json"), key=lambda path: json.loads(path.read_text())["t0_wall_ns"])
    new = [json.loads(path.read_text()) for path in sessions[-2:]]
    groups = {session["facts"]["interleave_group"] for session in new}
    runs.expect(len(sessions) == 5 and len(groups) == 1 and "" not in groups, f"rerun: {len(sessions)} sessions of groups {groups}")
    starts = sorted((process["t_start_ns"], side) for side, session in enumerate(new) for process in session["facts"]["process_facts"])
    runs.expect([side for _, side in starts] == [0, 1, 1, 0, 0, 1, 1, 0], f"rerun: turns {[side for _, side in starts]}")
    runs.expect(verdict.get("processes", {}).get("baseline") == 4, f"rerun: {verdict.get('processes')}")


def tried(runs):
    """Eight samples at once instead of one: a gain of each sample; a model that is not there is no data and keeps nothing from being measured."""
    (runs.folder / "damaged.onnx").write_bytes(b"\x08\x0a\x3a\x00")  # a model without a graph: the runtime alone can tell
    run = runs.json("run", "--model", "chain-tiny", "--param", "nodes=200", *QUICK, "--processes", 3, "--iterations", 30, "--try", "batch, damaged.onnx")
    batch, missing = run["tried"]
    runs.expect(batch["name"] == "batch" and batch["batch"] == 8 and batch["gain"]["low"] > 1, f"try: {batch}")
    runs.expect(batch["gain"]["low"] <= batch["gain"]["value"] <= batch["gain"]["high"], f"try: {batch}")
    runs.expect(missing["gain"] is None and missing["reason"], f"try: {missing}")
    session = json.loads(pathlib.Path(runs.folder, batch["bundle"], "session.json").read_text())
    runs.expect(session["facts"]["batch"] == 8 and session["facts"]["interleave_group"] != "", "try: the alternative's session is not of a pair")


def tried_again(runs):
    """What was tried is in the run's session; words that make no sense are refused before anything is measured; Ctrl-C keeps what was measured."""
    common = ("run", "--model", "chain-tiny", "--param", "nodes=50", *QUICK, "--processes", 2, "--iterations", 30)
    run = runs.json(*common, "--try", "batch=2")
    report = runs.call("report", "--session", run["bundle"], "--format", "md", "--output", runs.folder / "again.md")
    text = (runs.folder / "again.md").read_text()
    runs.expect("Tried in turns with the run" in text and "batch=2" in text and "2 pairs" in text, f"try: the report lacks it: {report}")
    sessions = len(list((runs.folder / "sessions").glob("*/*/session.json")))
    for word in ("precision=fp61", "nope.onnx", "batch=2,faster"):
        runs.call(*common, "--try", word, codes=(2,))
    runs.expect(len(list((runs.folder / "sessions").glob("*/*/session.json"))) == sessions, "try: something was measured before a word was refused")
    words = [runs.aaco, *map(str, common), "--iterations", "20000", "--sessions", "stopped", "--try", "batch=2,batch=3", "--json"]
    words.remove("30"), words.remove("--iterations")
    process = subprocess.Popen(words, cwd=runs.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "AACO_CACHE": str(runs.folder / "cache")})
    while process.poll() is None and len(list((runs.folder / "stopped").glob("*/*/session.json"))) < 3:  # the second pair began
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    text = process.communicate()[0]
    runs.expect(process.returncode != 0, "try: an interrupted run ends as if it were whole")
    result = json.loads(text) if text else {"tried": []}
    runs.expect([one["gain"] is not None for one in result["tried"]] == [True, False] and result["tried"][-1]["reason"] == "interrupted",
                f"try: interrupted: {result['tried']}")


def of_processes(rows, figure, centre=statistics.mean):
    """A figure of each process's requests, over processes by `centre`."""
    return centre(figure([row for row in rows if row["process"] == process]) for process in {row["process"] for row in rows})


def load(runs):
    """Requests come when they are due and not when the model is ready; each figure is that of the rows, worked out again here."""
    names = "process request t_arrival_ns t_start_ns t_first_token_ns t_end_ns tokens".split()

    def requests(run):
        rows = runs.sql(run["bundle"], f"select {', '.join(names)} from requests order by process, request")
        return [{name: int(value) if value else None for name, value in zip(names, row)} for row in rows]

    def check_figures(run, limit_ns):
        rows, got = requests(run), {one["id"]: one["value"] for one in run["load"]["metrics"]}
        for one, two in zip(rows, rows[1:]):
            if one["process"] == two["process"]:
                runs.expect(two["t_start_ns"] >= one["t_end_ns"], f"load: request {two['request']} began while another was served")
        runs.expect(all(row["t_start_ns"] >= row["t_arrival_ns"] for row in rows), "load: a request began before it came")
        span = lambda own: max(row["t_end_ns"] for row in own) - own[0]["t_arrival_ns"]
        capacity = of_processes(rows, lambda own: len(own) * 1e9 / sum(row["t_end_ns"] - row["t_start_ns"] for row in own))
        spans = [(sum(row["process"] == p for row in rows) - 1, max(r["t_arrival_ns"] for r in rows if r["process"] == p) - min(r["t_arrival_ns"] for r in rows if r["process"] == p))
                 for p in {row["process"] for row in rows}]
        expected = {"load_throughput": of_processes(rows, lambda own: len(own) * 1e9 / span(own)),
                    "load_busy": of_processes(rows, lambda own: sum(r["t_end_ns"] - r["t_start_ns"] for r in own) / span(own)),
                    "load_queue_mean": of_processes(rows, lambda own: sum(r["t_start_ns"] - r["t_arrival_ns"] for r in own) / span(own)),
                    "load_arrived": sum(n for n, _ in spans) / sum(ns for _, ns in spans) * 1e9,
                    "load_capacity": capacity,
                    "load_offered": sum(n for n, _ in spans) / sum(ns for _, ns in spans) * 1e9 / capacity,
                    "load_goodput": of_processes(rows, lambda own: sum(r["t_end_ns"] - r["t_arrival_ns"] <= limit_ns for r in own) * 1e9 / span(own))}
        if expected["load_offered"] < 1:
            expected["load_latency_p50"] = of_processes(rows, lambda own: statistics.median(r["t_end_ns"] - r["t_arrival_ns"] for r in own), statistics.median)
            expected["load_wait_p50"] = of_processes(rows, lambda own: statistics.median(wait if (wait := r["t_start_ns"] - r["t_arrival_ns"]) >= 1000 else 0 for r in own), statistics.median)
        for name, value in expected.items():
            runs.expect(got[name] is not None and abs(got[name] - value) <= 1e-9 * abs(value) + 1e-9, f"load: {name} {got[name]}, of the rows {value}")
        return rows, got

    model = ("run", "--model", "chain-tiny", "--param", "nodes=50", *QUICK, "--processes", 3)
    idle = runs.json(*model, "--iterations", 40, "--load", "uniform:50", "--goodput", "e2el:1ms")
    rows, got = check_figures(idle, 1_000_000)
    runs.expect(len(rows) == 120 and all(two["t_arrival_ns"] - one["t_arrival_ns"] == 20_000_000 for one, two in zip(rows, rows[1:])
                                         if one["process"] == two["process"]), "load: 40 requests a process, one each 20 ms")
    runs.expect(got["load_latency_p50"] is not None and got["load_ttft_p50"] is None, f"load: {got}")
    for process in json.loads(pathlib.Path(runs.folder, idle["bundle"], "session.json").read_text())["facts"]["process_facts"]:
        steady = process["t_end_ns"] - process["t_start_ns"]
        runs.expect(process["run_delay_known"] and 0.5 * steady < process["awaited_ns"] < steady, f"load: of {steady} ns asleep {process}")
        runs.expect(0 <= process["off_cpu_ns"] < 0.1 * steady and process["cpu_time_ns"] > 0, f"load: the sleep counts as blocked: {process}")
    saturated = runs.json(*model, "--iterations", 60, "--load", "1000000")
    runs.expect(saturated["load"]["saturated"], "load: a million requests a second are none too many")
    figures = {one["id"]: one["value"] for one in saturated["load"]["metrics"]}
    runs.expect(figures["load_latency_p50"] is None and 0 < figures["load_throughput"] <= figures["load_capacity"] and figures["load_queue_max"] > 30, f"load: {figures}")
    run = runs.json("run", "--model", "tiny-llama", *LLAMA, *QUICK, "--processes", 2, "--tokens", "6,4", "--iterations", 12, "--load", "30", "--goodput", "ttft:10s,tpot:10s")
    rows = requests(run)
    prefills = runs.sql(run["bundle"], "select process, t_start_ns, t_end_ns from inference_iters where phase = 'prefill' order by process, t_start_ns")
    runs.expect(len(rows) == len(prefills) == 24 and all(row["tokens"] == 4 for row in rows), f"load: {len(rows)} requests, {len(prefills)} prompts")
    error_ns = 100_000  # rows are of the system's clock, iterations of the processor's counter
    for row, (_, start, end) in zip(rows, prefills):
        runs.expect(row["t_start_ns"] - error_ns <= int(start) <= int(end) <= row["t_first_token_ns"] + error_ns < row["t_end_ns"] + error_ns, f"load: {row}, its prompt {start} to {end}")
    got = {one["id"]: one["value"] for one in run["load"]["metrics"]}
    first = of_processes(rows, lambda own: statistics.median(r["t_first_token_ns"] - r["t_arrival_ns"] for r in own), statistics.median)
    gap = of_processes(rows, lambda own: statistics.median((r["t_end_ns"] - r["t_first_token_ns"]) / 3 for r in own), statistics.median)
    if not run["load"]["saturated"]:
        runs.expect(abs(got["load_ttft_p50"] - first) < 1, f"load: first token {got['load_ttft_p50']}, of the rows {first}")
    runs.expect(abs(got["load_tpot_p50"] - gap) < 1 and got["load_good_share"] == 1, f"load: {got}, of the rows {gap}")
    for words in (("--goodput", "e2el:1s"), ("--load", "0"), ("--load", "5", "--goodput", "ttft:1s"), ("--load", "5", "--goodput", "speed:3")):
        runs.call(*model, *words, codes=(2,))


def cause(runs):
    """Work put in on purpose: the same nodes over eight times as many elements, and ten times as many nodes, each long beside the profiler's
    microsecond. The largest term of the change is the nodes' time in the one and their count in the other. A busy machine decides nothing
    (inconclusive, unexplained), so each pair may be recorded four times; the count of nodes is no measurement, and must be right each time."""
    def record(nodes, elements):
        return runs.json("run", "--model", "chain-tiny", "--param", f"nodes={nodes}", "--param", f"elements={elements}", *QUICK, "--processes", 4,
                         "--iterations", 20, "--profile")["bundle"]
    for nodes, elements, term, count in ((30, 524288, "time", "+0.0%"), (300, 65536, "count", "+900%")):
        verdicts = []
        while len(verdicts) < 4 and ("regressed", term) not in verdicts:
            verdict = runs.json("diff", "--baseline", record(30, 65536), "--session", record(nodes, elements), "--allow-different", codes=(1, 4))
            verdicts.append((verdict.get("verdict"), verdict.get("largest_term")))
            launched = verdict.get("evidence", {}).get("kernel_launch_count_delta")
            runs.expect(launched == count, f"cause: {launched} nodes, not {count}")
        runs.expect(("regressed", term) in verdicts, f"cause: {verdicts}, never regressed by {term}")


PARTS = {part.__name__: part for part in (tokens, rerun, tried, tried_again, load, cause)}


def main(aaco, *names):
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(str(pathlib.Path(aaco).resolve()), pathlib.Path(folder))
        for name in names or PARTS:
            PARTS[name](runs)
        print("\n".join(runs.failures) or f"{', '.join(names or PARTS)}: as they were made")
        return 1 if runs.failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
