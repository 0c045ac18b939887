#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`aaco observe` on a program that links doubles of CUDA's driver and of CUPTI: what arrives in the session is what the
program did, also where it is killed, forks, starts others, has a full ring, another profiler, or no CUDA at all.

check_observe.py AACO PROGRAM CHAINED [CHECK...]"""
import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

AACO, PROGRAM, CHAINED = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:4])
FAILURES = []


def expect(what, got, wanted):
    if got != wanted:
        FAILURES.append(f"{what}: {got!r}, not {wanted!r}")


def environment(more):
    return {**{name: value for name, value in os.environ.items() if not name.startswith(("AACO_OBSERVE", "CUDA_", "NVTX_"))}, **more}


class Observed:
    """One observation: the document, the exit code, what the command printed, rows of the session's events."""

    def __init__(self, *words, flags=(), command=None, **more):
        self.folder = tempfile.mkdtemp(dir=ROOT)
        arguments = [AACO, "observe", "--quiet", "--sessions", self.folder, *flags, "--", *(command or [PROGRAM, *words])]
        done = subprocess.run(arguments, capture_output=True, text=True, env=environment(more), timeout=60)
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        document = pathlib.Path(self.folder, "latest", "metrics", "observation.json")
        self.document = json.loads(document.read_text()) if document.exists() else {}

    def processes(self):
        return self.document["processes"]

    def rows(self, select):
        done = subprocess.run([AACO, "trace", "sql", "--session", str(pathlib.Path(self.folder, "latest")), "--json", select],
                              capture_output=True, text=True, timeout=60)
        return json.loads(done.stdout) if done.returncode == 0 else done.stderr

    def counts(self):
        rows = self.rows("SELECT kind, name, count(*) AS n FROM events GROUP BY ALL ORDER BY ALL")
        return {f"{row['kind']} {row['name']}": row["n"] for row in rows}


def launches(count):
    """What the program's `kernels:N` leaves: a launch of each kernel, the driver's call within it not counted again."""
    gemm = (count + 2) // 3
    return {"host_call cudaLaunchKernel": count, "kernel gemm(float*)": gemm, "kernel softmax": count - gemm}


def check_whole():
    seen = Observed("init", "kernels:1000", "copy:4096", "graph:9", "exit:3")
    expect("exit code", seen.code, 3)
    expect("what arrived", seen.counts(), {**launches(1000), "host_call cudaMemcpyAsync": 1, "copy copy host to device": 1,
                                           "kernel replayed": 1})
    expect("state", [p["state"] for p in seen.processes()], ["whole"])
    expect("losses", [p["lost"] + p["dropped"] + p["beyond_limit"] for p in seen.processes()], [0])
    expect("events", seen.document["events"], 2003)
    rows = seen.rows("SELECT a.key, a.integer AS v FROM events e JOIN arguments a USING (event) WHERE e.name = 'replayed' ORDER BY 1")
    expect("arguments of a graph's kernel", {row["key"]: row["v"] for row in rows} if isinstance(rows, list) else rows,
           {"graph node id": (9 << 32) | 5, "blocks": 6, "registers per thread": 32, "threads per block": 128,
            "shared memory per block": 0, "local memory per thread": 0})
    expect("the program by its name", "  observed_program init kernels:1000" in seen.err, True)
    expect("answer first", seen.err.splitlines()[0].startswith("GPU busy"), True)


def check_threads():
    seen = Observed("init", "threads:16")
    expect("threads", seen.counts().get("host_call cudaLaunchKernel"), 1600)
    tids = seen.rows("SELECT count(DISTINCT track) AS n FROM events WHERE kind = 'host_call'")
    expect("a track for each thread", tids[0]["n"], 16)


def ranges_of(seen):
    rows = seen.rows("""SELECT e.name, e.shape, e.category, e.duration_ns > 0 AS lasts, a.text AS domain FROM events e LEFT JOIN arguments a
                        ON a.event = e.event AND a.key = 'domain' WHERE e.kind = 'host_range' ORDER BY e.start_ns""")
    return [(row["name"], row["shape"], row["domain"]) for row in rows] if isinstance(rows, list) else rows


def check_ranges():
    """NVTX's ranges and marks, of the default domain and of one with a name, nested, across threads, before CUDA is there."""
    seen = Observed("push:load", "pop", "push:main", "init", "domain_push:outer", "push:step", "kernels:3", "mark:here", "domain_pop", "pop",
                    "start:across", "push_wide", "pop", "end", "registered:known", "domain_pop", "pop")
    expect("ranges", ranges_of(seen), [("load", "slice", None), ("main", "slice", None), ("outer", "slice", "library"), ("step", "slice", None),
                                       ("here", "instant", None), ("across", "slice", None), ("Größe €", "slice", None), ("known", "slice", "library")])
    expect("on the thread that launches", seen.rows("SELECT count(DISTINCT track) AS n FROM events WHERE kind LIKE 'host%'"), [{"n": 1}])
    around = seen.rows("""SELECT r.name FROM events r, events c WHERE r.kind = 'host_range' AND r.shape = 'slice' AND c.kind = 'host_call' AND
                          r.start_ns <= c.start_ns AND c.start_ns <= r.start_ns + r.duration_ns GROUP BY r.name ORDER BY r.name""")
    expect("ranges around a launch", [row["name"] for row in around], ["main", "outer", "step"])
    expect("the thread's name", seen.rows("SELECT count(*) AS n FROM tracks WHERE thread_name = 'observed_progra (' || split_part(thread, ' ', 2) || ')'"), [{"n": 1}])
    process = seen.processes()[0]
    expect("counted", (process["ranges"], process["ranges_ns"] > 0, process["open_ranges"]), (8, True, 0))
    expect("their cost is told", "for each NVTX range or mark" in seen.err, True)
    seen = Observed("init", "many_ranges:20000", "sleep:300")
    expect("many", (len(ranges_of(seen)), seen.processes()[0]["dropped"]), (20000, 0))


def check_open_ranges():
    """Killed within ranges: those that were open are named, and have no end."""
    for end in ("kill", "exit:0"):
        seen = Observed("init", "push:epoch", "start:job", "kernels:3", "sleep:700", "push:step", "sleep:700", "pop", "sleep:400", end)
        expect(f"open ranges, {end}", ranges_of(seen), [("epoch", "instant", None), ("job", "instant", None), ("step", "slice", None)])
        expect("open ranges are told", "2 ranges of NVTX had not ended" in seen.err, True)
        losses = seen.rows("SELECT count FROM losses WHERE loss = 'unmatched begin or end'")
        expect("and counted as losses", [row["count"] for row in losses] if isinstance(losses, list) else losses, [2])
    seen = Observed("push:outer", "init", "kernels:3", "sleep:500", "fork", "pop", "push:child", "pop", "kernels:6000", "sleep:600")
    children = [process for process in seen.processes() if process["open_ranges"] == 0]
    expect("a range of the parent's is not its child's", ([name for name, *_ in ranges_of(seen)], len(children)), (["outer", "child"], 1))


def check_chained_ranges():
    seen = Observed("init", "push:a", "push:b", "pop", "pop", "mark:c", "kernels:3", NVTX_INJECTION64_PATH=CHAINED)
    expect("another tool of NVTX", (seen.out.split("\n"), [name for name, *_ in ranges_of(seen)]), (["push a", "push b", ""], ["a", "b", "c"]))
    expect("and is named", seen.document["chained_nvtx"], CHAINED)


def places_of(seen):
    rows = seen.rows("""SELECT a.text AS place FROM events e LEFT JOIN arguments a ON a.event = e.event AND a.key = 'captured in'
                        WHERE e.name = 'replayed' ORDER BY e.start_ns""")
    return [row["place"] for row in rows] if isinstance(rows, list) else rows


def naming(seen):
    work = seen.processes()[0]["graph_work"]
    return {key: count for key, count in work.items() if count}


def check_graph_names():
    """A replayed kernel is called by the ranges around its capture, through instantiation and clones of clones; not where that is not known."""
    seen = Observed("init", "push:step", "push:layers.3.attention", "node:1", "pop", "node:2", "pop", "node:3",
                    "push:replay", "instantiate:1", "instantiate:2", "instantiate:3", "instantiate:101", "instantiate:78", "pop",
                    "graph:101", "graph:102", "graph:103", "graph:201", "graph:178", "graph:8")
    expect("places", places_of(seen), ["step / layers.3.attention", "step", None, "step / layers.3.attention", None, None])
    expect("how many have names", naming(seen), {"named": 3, "outside": 1, "unseen": 2})
    told = "3 of 6 kernels, copies and sets named by where they were captured; 1 captured within no range; 2 captured before that was watched"
    expect("and that is told", told in seen.err, True)
    expect("places are in the answer", "step / layers.3.attention" in seen.err, True)
    file = pathlib.Path(seen.folder, "t.json")
    subprocess.run([AACO, "trace", "export", str(pathlib.Path(seen.folder, "latest")), "--format", "chrome", "--output", str(file)], timeout=60,
                   capture_output=True)
    exported = [event["args"].get("captured in") for event in json.loads(file.read_text())["traceEvents"] if event.get("name") == "replayed"]
    expect("places are exported", exported.count("step / layers.3.attention"), 2)
    seen = Observed("init", "push:one", "node:1", "pop", "instantiate:1", "graph:101", "push:two", "node:1", "pop", "instantiate:1", "graph:101")
    expect("claimed twice", (places_of(seen), naming(seen)), ([None, None], {"ambiguous": 2}))


def check_whole_graphs():
    """A record for each replay, none of what runs within; the rest as without it."""
    words = ("init", "kernels:30", "graph:101", "graph:101", "graph:102")
    seen = Observed(*words, flags=("--graphs", "whole"))
    expect("whole graphs", seen.counts(), {**launches(30), "kernel CUDA graph 101": 2, "kernel CUDA graph 102": 1})
    expect("their category", seen.rows("SELECT DISTINCT category FROM events WHERE name LIKE 'CUDA graph%'"), [{"category": "graph"}])
    expect("the document", seen.document["whole_graphs"], True)
    expect("and that is told", "Each replay of a CUDA graph is one record" in seen.err, True)
    expect("nodes by default", Observed(*words).counts(), {**launches(30), "kernel replayed": 3})
    expect("with --modules", Observed("init", flags=("--graphs", "whole", "--modules")).code, 2)


def framework():
    """A library that looks like PyTorch's: beside it the one subscription is not held all the time."""
    library = str(pathlib.Path(tempfile.mkdtemp(dir=ROOT), "libtorch_cpu.so"))
    shutil.copy(CHAINED, library)
    return ["framework:" + library]


def check_module_names():
    """Beside a framework that profiles itself the subscription is held during captures only; modules are told by their innermost path."""
    torch = [*framework(), "init"]
    seen = Observed(*torch, "push:ignored", "node:1", "instantiate:1", "pop", "graph:101", "capture", "push:step", "module:layers", "module:layers.3",
                    "module:layers.3.attention", "operator:scaled_dot_product", "node:2", "operator_ends", "module_ends", "node:4", "module_ends",
                    "module_ends", "pop", "instantiate:2", "instantiate:4", "captured", "graph:102", "graph:104")
    expect("modules", places_of(seen), [None, "step / layers.3.attention / scaled_dot_product", "step / layers.3"])
    expect("only in captures", naming(seen), {"named": 2, "unseen": 1, "captures": 1})
    expect("modules are no events", [name for name, *_ in ranges_of(seen)], ["ignored", "step"])
    seen = Observed(*torch, "takeover", "capture", "node:1", "captured", "capture:compiled", "captured", "graph:1", "sleep:100")
    expect("beside another profiler", (seen.out, naming(seen)), ("not watched\nnot watched\n", {"captures": 2, "unwatched_captures": 2, "compiled_captures": 1}))
    expect("torch.compile is told", "1 of 2 captures were of code that torch.compile made" in seen.err, True)


def check_kill():
    """What was flushed before is there: at most the last 0.25 s are not."""
    seen = Observed("init", "kernels:300", "sleep:900", "kernels:9", "kill")
    expect("exit code of a killed program", seen.code, 128 + signal.SIGKILL)
    expect("killed", seen.counts(), launches(300))
    expect("state of a killed program", [p["state"] for p in seen.processes()], ["cut"])
    told = Observed(*["kernels:3000"] * 2, "init", "kernels:60000", "kill")  # at once: no flush has told what it took
    if told.document["events"] and told.processes()[0]["collector_ns"] is None:
        expect("a cost that is not known", "time of the collector not known" in told.err, True)
    expect("a cost of nothing", "cost    0 ns" in told.err or told.processes()[0]["collector_ns"] == 0, False)
    for word, code in (("abort", 128 + signal.SIGABRT), ("_exit:7", 7)):
        seen = Observed("init", "kernels:30", "sleep:900", word)
        expect(word, (seen.code, seen.counts(), seen.processes()[0]["state"]), (code, launches(30), "cut"))
    job = f"{PROGRAM} init kernels:300 sleep:900 kill; sleep 2"  # the command goes on, and recording stops after the kill
    seen = Observed(command=["sh", "-c", job], flags=("--duration", "2"))
    expect("killed before --duration", ([p["state"] for p in seen.processes()], seen.counts()), (["cut"], launches(300)))
    seen = Observed("init", "kernels:300", "sleep:1500", "kill", flags=("--duration", "0.9"))
    expect("killed after it", [p["state"] for p in seen.processes()], ["whole"])


def check_running():
    """A record of work that still runs holds its buffer back, and at the end it has no times: it counts as dropped."""
    seen = Observed("init", "kernels:30", "running", "sleep:600")
    expect("with work that still runs", seen.counts(), {**launches(30), "host_call cudaLaunchKernel": 31})
    expect("dropped", seen.processes()[0]["dropped"], 1)
    seen = Observed("init", "running", "sleep:900", "finish", "sleep:600")  # a flush meanwhile must not take it without its end
    expect("work that ran long", (seen.counts().get("kernel never ends"), seen.processes()[0]["dropped"]), (1, 0))
    seen = Observed("init", "kernels:3", "drop:12", "sleep:600")
    expect("dropped by CUPTI", seen.processes()[0]["dropped"], 12)


def check_full_ring():
    """Names are there even so, and each event that is not is counted. The ring is small: 64 slots."""
    seen = Observed("init", "kernels:3000", AACO_OBSERVE_RING_BYTES="1")
    counts = seen.counts()
    stored = sum(counts.values())
    expect("stored and lost", stored + seen.processes()[0]["lost"], 6000)
    expect("something was lost", seen.processes()[0]["lost"] > 0, True)
    expect("names of a full ring", set(counts) - set(launches(3000)), set())
    expect("a full ring is told", "its ring was full" in seen.err, True)
    lost = f"of what was recorded: {seen.processes()[0]['lost']:,} of 6,000 events were lost"
    expect("and first", lost in seen.err.splitlines()[0], True)
    expect("and by the plane", lost.split(": ")[1], json.loads(pathlib.Path(seen.folder, "latest", "session.json").read_text())["planes"]["trace"]["reason"])


def check_limit():
    seen = Observed("init", *["kernels:3000", "sleep:300"] * 8, flags=("--limit", "1MiB"))
    process = seen.processes()[0]
    expect("limit reached", seen.document["limit_reached"], True)
    expect("oldest kept", 0 < process["events"] < 48000, True)
    expect("bounded", seen.document["journal_bytes"] < 4 << 20, True)
    seen = Observed("init", "kernels:300", "sleep:1500", "kernels:60", "sleep:600", flags=("--duration", "0.9"))
    expect("only the first seconds", seen.counts(), launches(300))
    expect("that it stopped is told first", "of what was recorded: recording stopped after 9" in seen.err.splitlines()[0], True)


def check_forks():
    seen = Observed("fork", "init", "kernels:30")  # before the driver is initialised
    expect("fork before", (seen.counts(), len(seen.processes())), (launches(30), 1))
    seen = Observed("init", "kernels:30", "sleep:500", "fork", "exit:0")  # a child that does nothing
    expect("fork after", (seen.counts(), len(seen.processes())), (launches(30), 1))
    seen = Observed("init", "kernels:30", "sleep:500", "fork", "kernels:6000", "sleep:600")  # CUDA forbids it; the double does not
    expect("fork, then use", len(seen.processes()), 2)
    expect("fork, then use: events", sorted(p["events"] for p in seen.processes()), [60, 12000])
    seen = Observed("init", "kernels:30", "sleep:500", "exec", "init", "kernels:90")
    expect("exec", sorted(p["events"] for p in seen.processes()), [60, 180])
    seen = Observed("init", "kernels:30", "spawn", "init", "kernels:90")
    expect("two processes", sorted(p["events"] for p in seen.processes()), [180, 240])  # the parent does the words too


def check_others():
    seen = Observed("init", "kernels:30", CUPTI_DOUBLE_SUBSCRIBED="1")
    expect("another profiler", seen.code, 3)
    expect("another profiler is told", "another profiler" in seen.err, True)
    expect("state under another profiler", [p["state"] for p in seen.processes()], ["other_profiler"])
    seen = Observed("init", "kernels:30", "sleep:900", "takeover", "kernels:60", "sleep:2500")
    process = seen.processes()[0]
    expect("taken over", (seen.code, seen.counts()), (0, launches(30)))
    expect("taken over is noticed", process["other_since_ns"] is not None, True)
    if process["other_since_ns"]:
        expect("since when", 0.4e9 < process["other_since_ns"] - process["from_ns"] < 1.6e9, True)
    expect("taken over is told", "took its records over" in seen.err, True)
    seen = Observed("init", "takeover", "kernels:30")  # before the first flush
    expect("taken over at once", (seen.counts(), seen.processes()[0]["other_since_ns"] is not None), ({}, True))
    seen = Observed("init", "say", "kernels:30", CUDA_INJECTION64_PATH=CHAINED)
    expect("chained", (seen.out.split(), seen.counts()), (["chained", "said"], launches(30)))


def check_profiler_ends():
    """Another profiler that gives its subscription back, or of which the hook tells that it ended: recording goes on, the time between is named."""
    cases = {"given back": (["takeover", "theirs"], ["giveback"], {}),
             "told by the hook": (["profiler:runs", "takeover", "theirs"], ["giveback", "profiler:ends"], {"CUPTI_DOUBLE_NOT_SUBSCRIBED": "1"})}
    for what, (begins, ends, more) in cases.items():
        seen = Observed(*framework(), "init", "kernels:30", "sleep:700", *begins, "sleep:2500", *ends, "sleep:900", "graph:9", "sleep:600", **more)
        expect(f"recording goes on, {what}", (seen.code, seen.counts()), (0, {**launches(30), "kernel replayed": 1}))
        process = seen.processes()[0]
        expect(f"one gap, {what}", (len(process["gaps"]), process["other_since_ns"]), (1, None))
        for gap in process["gaps"]:
            began, ended = (gap[key] - process["from_ns"] for key in ("from_ns", "until_ns"))
            expect(f"from when until when, {what}", (0.3e9 < began < 1.2e9, 3.1e9 < ended < 4.2e9), (True, True))
        expect(f"and that is told, {what}", ("had its records from" in seen.err, "another profiler had the records for" in seen.err.splitlines()[0]), (True, True))
    seen = Observed(*framework(), "init", "kernels:30", "sleep:700", "takeover", "sleep:2500", "giveback", "sleep:900", "graph:9", "sleep:600", CUPTI_DOUBLE_NOT_SUBSCRIBED="1")
    process = seen.processes()[0]
    expect("one of which nothing tells keeps the records", (process["gaps"], process["other_since_ns"] is not None, seen.counts()), ([], True, launches(30)))
def half_of_cost(*words):
    """A budget that makes the collector pause on any machine: half of what it takes of the time without pauses, in per cent."""
    seen = Observed(*words, flags=("--budget", "100%"))
    process = seen.processes()[0]
    return process["cost_ns"] / (seen.document["to_ns"] - process["from_ns"]) / 2 * 100


def check_budget():
    """Whole steps of spans, each a recording, so that no pause is idle time; the mean within the budget."""
    step = ["kernels:3000", "copy:64", "sleep:20"]
    budget = half_of_cost("init", *step * 60)
    seen = Observed("init", *step * 200, flags=("--budget", f"{budget:.4f}%"))
    process = seen.processes()[0]
    spans = process["spans"]
    expect("it pauses", len(spans) >= 2, True)
    recorded = sum(span["end_ns"] - span["start_ns"] for span in spans)
    wall = seen.document["to_ns"] - process["from_ns"]
    expect("recorded in part", 0.1 < recorded / wall < 0.9, True)
    expect("the mean cost", process["cost_ns"] <= wall * budget / 100 or "before pauses could make up for it" in seen.err, True)
    expect("pauses are no idle time", seen.rows("SELECT count(DISTINCT recording) AS n FROM tracks")[0]["n"], len(spans))
    expect("it is told", "All figures are of the recorded spans" in " ".join(seen.err.split()), True)
    seen = Observed("init", "kernels:3000", flags=("--budget", "50%"))
    expect("within its budget it records all", (seen.document["events"], len(seen.processes()[0]["spans"])), (6000, 1))
    for text in ("0", "101%", "three", "-3%"):
        expect(f"--budget {text}", Observed("say", flags=(f"--budget={text}",)).code, 2)


def check_budget_with_ranges():
    """A range over all pauses is in each span with its part, graphs keep their names; another profiler ends a span, and its end begins one."""
    step = ["push:step", "kernels:3000", "graph:101", "pop", "sleep:20"]
    words = ["init", "push:train", "node:1", "instantiate:1"]
    for _ in range(3):  # where another program took the processor while the cost was measured, the budget is never reached
        budget = half_of_cost(*words, *step * 60, "pop")
        seen = Observed(*words, *step * 150, "pop", flags=("--budget", f"{budget:.4f}%"))
        process = seen.processes()[0]
        spans = process["spans"]
        if len(spans) >= 2:
            break
    expect("it pauses", len(spans) >= 2, True)
    trains = seen.rows("SELECT e.start_ns AS s, e.start_ns + e.duration_ns AS e FROM events e WHERE name = 'train' AND duration_ns > 0 ORDER BY 1")
    expect("the long range is in each span", len(trains), len(spans))
    expect("and within it", all(any(span["start_ns"] <= row["s"] and row["e"] <= span["end_ns"] for span in spans) for row in trains), True)
    expect("no range lies in a pause", seen.rows("SELECT count(*) AS n FROM events WHERE name = 'step'")[0]["n"] < 150, True)
    named = seen.rows("SELECT count(*) AS n FROM arguments WHERE key = 'captured in' AND text = 'train'")[0]["n"]
    expect("graphs are named", (named > 0, process["graph_work"]["unseen"], process["open_ranges"]), (True, 0, 0))
    seen = Observed(*framework(), "init", "kernels:30", "sleep:700", "profiler:runs", "takeover", "theirs", "sleep:1500", "giveback", "profiler:ends",
                    "sleep:900", "kernels:30", "sleep:600", flags=("--budget", "50%"), CUPTI_DOUBLE_NOT_SUBSCRIBED="1")
    process = seen.processes()[0]
    expect("a gap within a budget", (len(process["gaps"]), len(process["spans"]), seen.counts()), (1, 2, launches(30 + 30)))
    gap, (before, after) = process["gaps"][0], process["spans"]
    expect("spans end and begin with it", (before["end_ns"] <= gap["from_ns"], after["start_ns"] >= gap["until_ns"]), (True, True))


def check_ranks():
    """A job as torchrun starts it: each process's rank names its tracks."""
    job = "for r in 0 1 2; do RANK=$r LOCAL_RANK=$r WORLD_SIZE=3 SLURM_PROCID=0 %s init kernels:30 & done; wait" % PROGRAM
    seen = Observed(command=["sh", "-c", job])
    expect("ranks", sorted((p["rank"]["rank"], p["rank"]["world_size"], p["rank"]["conflict"]) for p in seen.processes()),
           [(0, 3, ""), (1, 3, "SLURM_PROCID is 0"), (2, 3, "SLURM_PROCID is 0")])
    expect("tracks", [row["rank"] for row in seen.rows("SELECT DISTINCT rank FROM tracks ORDER BY 1")], [0, 1, 2])
    expect("it is told", ("rank 2 device 0" in seen.err, "rank 1 by RANK, though SLURM_PROCID is 0" in seen.err), (True, True))
    seen = Observed("init", "kernels:30", RANK="first")
    expect("no rank", seen.processes()[0]["rank"]["rank"], None)


def check_nested():
    """Of two observers the inner one has the program, and a library that both would call is called once."""
    inner = tempfile.mkdtemp(dir=ROOT)
    seen = Observed(command=[AACO, "observe", "--quiet", "--sessions", inner, "--", PROGRAM, "init", "kernels:30", "exit:5"],
                    CUDA_INJECTION64_PATH=CHAINED)
    document = json.loads(pathlib.Path(inner, "latest", "metrics", "observation.json").read_text())
    expect("nested is told", ("Another aaco observe within the command" in seen.err, "No process" in seen.err), (True, False))
    expect("the inner session", seen.document["inner_sessions"], [str(pathlib.Path(inner, "latest").resolve())])
    expect("nested", (seen.code, seen.out, document["events"], seen.processes()), (5, "chained\n", 60, []))


def check_none():
    seen = Observed("say", "exit:4")
    expect("no CUDA", (seen.code, seen.out, seen.processes()), (4, "said\n", []))
    expect("no hint without a trace", "aaco trace report" in seen.err, False)
    expect("no CUDA is told", ("No process that inherited aaco's environment used CUDA" in seen.err.splitlines()[0], "run aaco in there" in seen.err,
                                    "aaco report --session" in seen.err), (True, True, True))
    expect("of a moment nothing is known", ("too short to watch" in seen.err, "ran 0 ns" in seen.err), (True, False))
    expect("no device plane", (seen.document["has_device_plane"], '"cuda"' in pathlib.Path(seen.folder, "latest", "session.json").read_text()), (False, False))
    for words in (["--json"], ["--duration", "2"], ["--planes", "host"], ["--limit", "2MiB"], ["--budget", "3%"]):
        seen = Observed("say", flags=("--dormant", *words))
        expect(f"--dormant {words[0]}", (seen.code, seen.out, "--dormant records nothing" in seen.err), (2, "", True))
    spin = "import time; until = time.monotonic() + 2.6\nwhile time.monotonic() < until: pass"
    launcher = ["sh", "-c", f"{sys.executable} -c '{spin}' & wait"]  # it has waited for the child after --duration
    seen = Observed(command=launcher, flags=("--duration", "2"))
    expect("children that still run are busy", (seen.document["host"]["busy_ns"] > 0.3e9, seen.code), (True, 0))
    seen = Observed(command=["sh", "-c", "sleep 1.6"], flags=("--duration", "0.6"))
    expect("the host's side stops with --duration", ("recording stopped after 6" in " ".join(seen.err.split()), max(t["to_ns"] for t in seen.document["host"]["threads"]) - seen.document["from_ns"] < 0.9e9), (True, True))
    seen = Observed(command=[sys.executable, "-c", "import time, threading\nuntil = time.monotonic() + 1.2\nwhile time.monotonic() < until: pass"])
    host = seen.document["host"]
    main = [t for t in host["threads"] if t["tid"] == seen.document["pid"]]
    expect("the host's side", (0.3e9 < main[0]["run_ns"] < 1.4e9, host["samples"] > 5, "main thread  ran" in seen.err,
                               bool(re.search("[0-9] processors (of its CPU quota )?busy", seen.err.splitlines()[0]))),
           (True, True, True, True))
    quota = host["quota_processors"]  # where there is one, it is named if it is less than the affinity
    expect("a CPU quota", "of its CPU quota busy" in seen.err, quota is not None and quota < host["processors"])
    seen = Observed("say", flags=("--planes", "device"))
    expect("planes", (seen.document["host"], "main thread" in seen.err), (None, False))
    expect("no such plane", Observed("say", flags=("--planes", "host,x")).code, 2)
    seen = Observed(command=["/no/such/program"])
    expect("no such program", (seen.code, "cannot run /no/such/program" in seen.err), (2, True))
    expect("and no session", seen.document, {})


def check_interrupt():
    folder = tempfile.mkdtemp(dir=ROOT)
    running = subprocess.Popen([AACO, "observe", "--quiet", "--sessions", folder, "--", PROGRAM, "init", "kernels:30", "sleep:20000"],
                               stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=environment({}), start_new_session=True)
    time.sleep(1.2)
    running.send_signal(signal.SIGINT)
    _, error = running.communicate(timeout=30)
    expect("exit code after Ctrl-C", running.returncode, 128 + signal.SIGINT)
    session = json.loads(pathlib.Path(folder, "latest", "session.json").read_text())
    document = json.loads(pathlib.Path(folder, "latest", "metrics", "observation.json").read_text())
    expect("session after Ctrl-C", (session["status"], document["interrupted"], document["events"]), ("complete", True, 60))


SAVES = """
import os, signal, sys, time
def save(number, frame):
    print(signal.Signals(number).name, flush=True)
    wanted.append(number)
wanted = []
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, save)
print("ready", flush=True)
until = None
while until is None or time.monotonic() < until:
    time.sleep(0.02)
    if wanted and until is None:
        until = time.monotonic() + float(sys.argv[1])
print("saved", flush=True)
sys.exit(7)
"""


def stop_saving_program(send, save_s):
    """What the program printed, the exit code, what aaco printed and its document. `send` gets the observer."""
    folder = tempfile.mkdtemp(dir=ROOT)
    running = subprocess.Popen([AACO, "observe", "--quiet", "--sessions", folder, "--", sys.executable, "-c", SAVES, str(save_s)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=environment({}),
                               start_new_session=True)
    running.stdout.readline()
    send(running)
    out, error = running.communicate(timeout=30)
    document = json.loads(pathlib.Path(folder, "latest", "metrics", "observation.json").read_text())
    return out.split(), running.returncode, error, document


def check_saving_program():
    """It gets each signal once, whoever sent it to whom, and the time it needs. A second Ctrl-C ends it."""
    def group(number):
        return lambda running: os.killpg(running.pid, number)

    def alone(number):
        return lambda running: running.send_signal(number)

    for what, send in (("to aaco alone", alone(signal.SIGINT)), ("to the group", group(signal.SIGINT))):
        out, code, error, document = stop_saving_program(send, 3)
        expect(f"SIGINT {what}", (out, code), (["SIGINT", "saved"], 7))
        expect(f"SIGINT {what} is told", ("after Ctrl-C" in error, document["interrupt_signal"]), (True, signal.SIGINT))
    for number in (signal.SIGTERM, signal.SIGHUP):
        for send in (alone(number), group(number)):
            out, code, error, document = stop_saving_program(send, 0.5)
            expect(number.name, (out, code, f"after {number.name}" in error, document["interrupted"]),
                   ([number.name, "saved"], 7, True, True))

    def twice(running):
        running.send_signal(signal.SIGINT)
        time.sleep(0.5)
        running.send_signal(signal.SIGINT)
    out, code, *_ = stop_saving_program(twice, 25)
    expect("a second Ctrl-C", (out, code), (["SIGINT", "SIGTERM"], 128 + signal.SIGKILL))


def check_closed_pipe():
    """Who reads aaco's lines goes away; SIGPIPE is the program's own, as a shell starts it."""
    folder = tempfile.mkdtemp(dir=ROOT)
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([AACO, "observe", "--sessions", folder, "--", "sh", "-c", "grep SigIgn /proc/self/status; exit 5"],
                          stdout=subprocess.PIPE, stderr=writer, text=True, env=environment({}), timeout=60)
    os.close(writer)
    session = json.loads(pathlib.Path(folder, "latest", "session.json").read_text())
    expect("a closed pipe", (done.returncode, session["status"]), (5, "complete"))
    expect("SIGPIPE of the program", int(done.stdout.split()[1], 16) >> (signal.SIGPIPE - 1) & 1, 0)


def check_limit_words():
    for text, code in (("1.5GiB", 0), ("1KiB", 2)):
        seen = Observed("say", flags=("--limit", text))
        expect(f"--limit {text}", (seen.code, "not from 1MiB on" in seen.err), (code, code == 2))
    expect("bytes", Observed("say", flags=("--limit", "1.5GiB")).document["limit_bytes"], 3 << 29)


def check_left_rings():
    """What a killed observer left in memory is removed by the next, what another holds is not."""
    left, gone, held, young = (pathlib.Path(f"/dev/shm/aaco_observe_{name}_{os.getpid()}") for name in ("left", "gone", "held", "young"))
    for folder in (left, gone, held, young):
        folder.mkdir()
    for file in (left / "owner", left / "1_1.ring", gone / "1_1.ring", held / "owner", held / "1_1.ring", young / "owner.new"):
        file.write_text("x")
    with (held / "owner").open() as owner:
        fcntl.flock(owner, fcntl.LOCK_EX)
        Observed("say")
        expect("folders of rings", [folder.exists() for folder in (left, gone, held, young)], [False, False, True, True])
    fifo = pathlib.Path(f"/dev/shm/aaco_observe_fifo_{os.getpid()}")
    fifo.mkdir()
    os.mkfifo(fifo / "owner")
    expect("a FIFO is not waited for", (Observed("say").code, fifo.exists()), (0, True))
    strange = "for f in problem observer; do mkfifo $AACO_OBSERVE_FOLDER/a.$f; ln -s /etc/passwd $AACO_OBSERVE_FOLDER/b.$f; done"
    seen = Observed(command=["sh", "-c", strange])
    expect("neither links nor FIFOs are read", (seen.document["inner_sessions"], [text.split(": ")[1] for text in seen.document["problems"]]),
           ([], ["no room for its records"] * 2))
    for folder in (held, young, fifo):
        shutil.rmtree(folder, ignore_errors=True)


OUT_OF_DESCRIPTORS = """
import ctypes, os, resource, sys, time
ctypes.CDLL(sys.argv[1] + "/libcupti.so.13", ctypes.RTLD_GLOBAL)
ctypes.CDLL(sys.argv[1] + "/libcuda.so.1", ctypes.RTLD_GLOBAL).cuInit(0)
time.sleep(0.6)
if sys.argv[2] == "closed":
    os.closerange(3, 100)
resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
files = []
try:
    while True:
        files.append(os.open("/dev/null", 0))
except OSError:
    print(len(files) > 10, flush=True)
time.sleep(0.8)
"""


def check_out_of_descriptors():
    """A program that can open nothing more, also one that closed all it had, keeps its observer: its ring stays until the end."""
    for what in ("kept", "closed"):
        seen = Observed(command=[sys.executable, "-c", OUT_OF_DESCRIPTORS, str(pathlib.Path(PROGRAM).parent / "lib"), what])
        expect(f"out of descriptors, {what}", (seen.code, seen.out, [p["state"] for p in seen.processes()], seen.document["problems"]),
               (0, "True\n", ["whole"], []))


def check_removed_ring():
    """What a process does after its ring is gone is in no session: that is said, and it does not count as whole."""
    folder = tempfile.mkdtemp(dir=ROOT)
    running = subprocess.Popen([AACO, "observe", "--quiet", "--sessions", folder, "--", PROGRAM, "init", "kernels:30", "sleep:1800"],
                               stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=environment({}))
    time.sleep(1)
    for ring in rings_below(running.pid):
        ring.unlink()
    _, error = running.communicate(timeout=30)
    document = json.loads(pathlib.Path(folder, "latest", "metrics", "observation.json").read_text())
    expect("a removed ring", ([p["state"] for p in document["processes"]], document["events"]), (["cut"], 60))
    expect("a removed ring is told", "its ring was removed" in " ".join(error.split()), True)


def rings_below(observer):
    """Of this observer alone: others may run on the machine."""
    waiting, rings = [str(observer)], []
    while waiting:
        pid = waiting.pop()
        waiting += [child for task in pathlib.Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()]
        for word in pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
            if word.startswith(b"AACO_OBSERVE_FOLDER="):
                rings += pathlib.Path(word.split(b"=", 1)[1].decode()).glob("*.ring")
    return rings


def check_killed_observer():
    """The program goes on to its end, and what its ring took is given back."""
    folder, out = tempfile.mkdtemp(dir=ROOT), pathlib.Path(tempfile.mkdtemp(dir=ROOT), "out")
    running = subprocess.Popen([AACO, "observe", "--quiet", "--sessions", folder, "--", PROGRAM, "init", "kernels:30", "sleep:2500", "say"],
                               stderr=subprocess.DEVNULL, stdout=out.open("w"), stdin=subprocess.DEVNULL, env=environment({}))
    time.sleep(1)
    rings = rings_below(running.pid)
    expect("a ring", len(rings), 1)
    running.kill()
    running.wait()
    time.sleep(0.8)
    expect("its ring and its folder are gone", [ring for ring in rings if ring.parent.exists()], [])
    time.sleep(1.5)
    expect("the program goes on", out.read_text(), "said\n")
    session = str(next(pathlib.Path(folder).glob("*/*/session.json")).parent)
    done = subprocess.run([AACO, "observe", "--recover", session], capture_output=True, text=True, timeout=60)
    document = json.loads(pathlib.Path(session, "metrics", "observation.json").read_text())
    expect("recovered", (done.returncode, document["events"], [p["state"] for p in document["processes"]], document["is_recovered"]), (0, 60, ["cut"], True))
    expect("it is told", ("GPU busy" in done.stderr, "its observer was killed" in done.stderr), (True, True))
    done = subprocess.run([AACO, "observe", "--recover", session], capture_output=True, text=True, timeout=60)
    expect("once", (done.returncode, "was not left by a killed observer" in done.stderr), (2, True))


def check_killed_without_cuda():
    """The session of a program that used no CUDA is closed too, and found as any session is: by the beginning of its id."""
    folder = tempfile.mkdtemp(dir=ROOT)
    running = subprocess.Popen([AACO, "observe", "--quiet", "--sessions", folder, "--", "sleep", "1"], stderr=subprocess.DEVNULL, env=environment({}))
    time.sleep(0.6)
    running.kill()
    running.wait()
    session = next(pathlib.Path(folder).glob("*/*/session.json")).parent
    done = subprocess.run([AACO, "observe", "--sessions", folder, "--recover", session.name[:-2]], capture_output=True, text=True, timeout=60)
    document = json.loads((session / "metrics" / "observation.json").read_text())
    expect("recovered without CUDA", (done.returncode, document["exit_code"], document["user_seconds"], document["is_recovered"]), (0, None, None, True))
    expect("and closed", json.loads((session / "session.json").read_text())["status"], "interrupted")
    expect("nothing is invented", "time    not known" in done.stderr or "time  not known" in done.stderr, True)


def check_killed_with_rows_of_the_kernel():
    """The journals of collectors hold rows and no events: they become the session's tables."""
    folder = tempfile.mkdtemp(dir=ROOT)
    running = subprocess.Popen([AACO, "observe", "--quiet", "--sessions", folder, "--planes", "kernel", "--", "sh", "-c", "for i in 1 2 3 4 5 6 7 8; do sleep 0.1; done"],
                               stderr=subprocess.DEVNULL, env=environment({}))
    time.sleep(0.6)
    running.kill()
    running.wait()
    session = next(pathlib.Path(folder).glob("*/*/session.json")).parent
    journals = list((session / "journal").glob("*.kernel.jrn"))
    expect("journals of rows", len(journals), 3)
    header = 600  # bytes at most; what was not written is zeros
    with_rows = sorted(path.name.split(".")[0] for path in journals if len(path.read_bytes().rstrip(b"\0")) > header)
    done = subprocess.run([AACO, "observe", "--recover", str(session)], capture_output=True, text=True, timeout=60)
    expect("recovered with rows of the kernel", (done.returncode, "no event journal" in done.stderr), (0, False))
    expect("its rows are tables", sorted(path.stem for path in (session / "telemetry").glob("*.parquet")), with_rows)
    report = subprocess.run([AACO, "report", "--session", str(session), "--format", "text"], capture_output=True, text=True, timeout=60)
    expect("a journal without rows is no loss", (report.returncode, "0 rows were read back" in report.stdout), (0, False))
    state = json.loads((session / "session.json").read_text())
    expect("and its plane is named", (state["status"], state["planes"]["kernel_plane"]["state"]), ("interrupted", "recorded"))


def check_plane_that_is_not_to_be_had():
    """A plane that was asked for and is not recorded is named, with why and what to do, where the command answers and in the report."""
    folder = tempfile.mkdtemp(dir=ROOT)
    done = subprocess.run([AACO, "observe", "--sessions", folder, "--planes", "kernel", "--", "sleep", "0.1"], capture_output=True, text=True,
                          timeout=60, env=environment({"AACO_KERNEL_PLANE": "none_such"}))
    report = subprocess.run([AACO, "report", "--session", str(pathlib.Path(folder, "latest")), "--format", "text"], capture_output=True, text=True, timeout=60)
    for name, text in (("answer", done.stderr), ("report", report.stdout)):
        said = " ".join(text.split())
        expect(f"plane in the {name}", ("kernel_plane was asked for and is not recorded" in said, "is ebpf, perf_event_open or procfs" in said), (True, True))
    expect("its command ran", done.returncode, 0)
    expect("peak memory of a tiny program is not aaco's", "peak memory" in done.stderr, False)


def check_other_commands():
    seen = Observed("init", "kernels:300")
    session = str(pathlib.Path(seen.folder, "latest"))
    for words in (["trace", "report", session, "--json"], ["report", "--session", session, "--format", "text"],
                  ["report", "--session", session, "--format", "json"], ["trace", "diff", session, session],
                  ["trace", "export", session, "--format", "chrome", "--output", str(pathlib.Path(seen.folder, "t.json"))],
                  ["sessions", "verify", session], ["sessions", "show", session]):
        done = subprocess.run([AACO, *words], capture_output=True, text=True, timeout=60)
        expect(" ".join(words[:2]), (done.returncode, done.stderr), (0, ""))
        if "text" in words:
            expect("size of what was read", " 0 B\n" in done.stdout.split("What was read")[-1], False)


with tempfile.TemporaryDirectory() as ROOT:
    for name, check in sorted(globals().items()):
        if name.startswith("check_") and name in (sys.argv[4:] or [name]):
            before = len(FAILURES)
            try:
                check()
            except Exception as error:  # a case that breaks says which
                FAILURES.append(f"{name}: {type(error).__name__}: {error}")
            print(f"{'ok' if len(FAILURES) == before else 'FAILED'}  {name}")
print("\n".join(FAILURES))
left = [path for path in pathlib.Path("/dev/shm").glob("aaco_observe_*")] if os.path.isdir("/dev/shm") else []
print(f"{len(left)} folders of rings are left")
sys.exit(1 if FAILURES else 0)
