#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What continuous integration, which has no GPU, can try on doubles alone, tried on a GPU: aaco observe in its rarer ways, the kernel plane beside CUDA,
the guard on GPU sessions, token figures, CUDA graphs under --try, live figures of kernels.

gpu_checks.py AACO [--ort-library FILE] [--only NAME,...] --output FILE: needs PyTorch. Ends with 1 where a check fails; the file has what each found.
gpu_checks.py --program eager|graph|profiled SECONDS: what is observed"""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "serve")]
from dashboard_client import Dashboard
from harness import environment

CHECKS = []


def program(mode, seconds):
    import torch
    from observe_step import Block

    torch.manual_seed(0)
    model = torch.nn.Sequential(*[Block(512) for _ in range(4)]).cuda().bfloat16()
    x = torch.randn(8, 256, 512, device="cuda", dtype=torch.bfloat16)
    turn = lambda: model(x)
    if mode == "graph":
        with torch.no_grad():
            for _ in range(3):
                model(x)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                model(x)
        turn = graph.replay

    def work(for_s):
        until = time.monotonic() + for_s
        while time.monotonic() < until:
            with torch.no_grad():
                turn()
            torch.cuda.synchronize()

    turn()
    torch.cuda.synchronize()
    print("ready", flush=True)
    work(seconds)
    if mode == "profiled":
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]):
            work(1)
        work(seconds + 2)


def program_command(mode, seconds):
    return [sys.executable, str(pathlib.Path(__file__).resolve()), "--program", mode, str(seconds)]


class Tried:
    """aaco with a folder of sessions of its own."""

    def __init__(self, options, folder):
        self.aaco, self.ort, self.sessions = str(pathlib.Path(options.aaco).resolve()), options.ort_library, pathlib.Path(folder)

    def call(self, *words, allowed=(0,), variables=None, timeout=240):
        done = subprocess.run([self.aaco, *map(str, words)], capture_output=True, text=True, env={**os.environ, **(variables or {})}, timeout=timeout, cwd=self.sessions)
        assert done.returncode in allowed, f"{' '.join(map(str, words))}: exit {done.returncode}: {done.stderr[-1500:]}"
        return done

    def json(self, *words, **more):
        return json.loads(self.call(*words, "--json", **more).stdout)

    def observe(self, flags, command, **more):
        self.call("observe", "--quiet", "--sessions", self.sessions, *flags, "--", *command, **more)
        return self.document()

    def document(self, name="observation"):
        return json.loads((self.sessions / "latest" / "metrics" / f"{name}.json").read_text())

    def rows(self, select):
        return self.json("trace", "sql", "--session", self.sessions / "latest", select)

    def kernels(self):
        return self.rows("SELECT count(*) AS n FROM events WHERE kind = 'kernel'")[0]["n"]

    def on_gpu(self, *words, **more):
        """A run of a model on the GPU: what it printed."""
        return self.json("run", *words, "--backend", "cuda", "--ort-library", self.ort, "--sessions", self.sessions, "--quiet", **more)


def check(one):
    CHECKS.append(one)
    return one


@contextlib.contextmanager
def started(command, until=None):
    """A program that runs; it has said `until` on its standard output."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline() if until else ""
        assert not until or until in line, (line, process.stderr.read() if process.poll() is not None else "")
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


@check
def dormant(tried):
    """A program that was started --dormant --modules is woken twice; its graph, captured before, has its modules' names."""
    found = []
    with started([tried.aaco, "observe", "--dormant", "--modules", "--", *program_command("graph", 14)], "ready") as process:
        for _ in range(2):
            tried.call("observe", "--quiet", "--sessions", tried.sessions, "--pid", process.pid, "--duration", 2)
            document = tried.document()
            one = document["processes"][0]
            found.append(dict(attached_by=document["attached_by"], state=one["state"], events=document["events"], lost=one["lost"], dropped=one["dropped"], kernels=tried.kernels(),
                              thread_stops=document["thread_stops"], graph_work=one["graph_work"]))
        code = process.wait(timeout=60)
    assert code == 0, code
    for turn in found:
        assert turn["attached_by"] == "dormant" and turn["state"] == "whole", turn
        assert turn["kernels"] > 100 and turn["graph_work"]["named"] > 100 and turn["graph_work"]["unseen"] == 0, turn
    return found


@check
def torch_operators(tried):
    """--torch-ops gives each kernel of a replayed graph its operator, and counts the modules as --modules does."""
    def counted(flag):
        document = tried.observe([flag], program_command("graph", 1))
        rows = tried.rows("SELECT a.text AS place, count(*) AS n FROM events e JOIN arguments a ON a.event = e.event AND a.key = 'captured in' WHERE e.kind = 'kernel' GROUP BY 1")
        replays = tried.rows("SELECT count(*) AS n FROM events WHERE name = 'cudaGraphLaunch'")[0]["n"]
        return document["processes"][0]["graph_work"], {row["place"]: row["n"] / replays for row in rows}, replays

    work, modules, _ = counted("--modules")
    operators_work, places, replays = counted("--torch-ops")
    by_module = {}
    for place, count in places.items():
        names = [part for part in place.split(" / ") if not part.startswith("aten::")]
        by_module[" / ".join(names)] = by_module.get(" / ".join(names), 0) + count
    named = sum(count for place, count in places.items() if "aten::" in place) / sum(places.values())
    assert named == 1, places
    assert {name: round(count) for name, count in by_module.items()} == {name: round(count) for name, count in modules.items()}, (by_module, modules)
    return dict(replays=replays, modules=work, operators=operators_work, places=len(places), kernels_a_replay=sum(places.values()))


@check
def recovered(tried):
    """The observer is killed; its session is closed from its journals, and the program goes on to its end."""
    with started([tried.aaco, "observe", "--quiet", "--sessions", str(tried.sessions), "--", *program_command("eager", 8)], "ready") as observer:
        child = int(pathlib.Path(f"/proc/{observer.pid}/task/{observer.pid}/children").read_text().split()[0])
        time.sleep(3)
        observer.send_signal(signal.SIGKILL)
        observer.wait()
        for _ in range(300):
            if not pathlib.Path(f"/proc/{child}").exists():
                break
            time.sleep(0.1)
        assert not pathlib.Path(f"/proc/{child}").exists(), "the program did not end"
    said = tried.call("observe", "--quiet", "--sessions", tried.sessions, "--recover", next(p.parent.name for p in tried.sessions.glob("*/*/session.json")), allowed=(0, 5))
    session = next(tried.sessions.glob("*/*/metrics/observation.json")).parent.parent
    document = json.loads((session / "metrics" / "observation.json").read_text())
    kernels = tried.json("trace", "sql", "--session", session, "SELECT count(*) AS n, (max(start_ns + duration_ns) - min(start_ns)) / 1e9 AS s FROM events WHERE kind = 'kernel'")[0]
    assert document["is_recovered"] and kernels["n"] > 1000 and kernels["s"] > 2, (document, kernels)
    return dict(kernels=kernels, states=[process["state"] for process in document["processes"]], said=said.stderr)


@check
def ranks(tried):
    """Two ranks of a job on one GPU: each has its own process, and tracks with its rank."""
    words = " ".join(program_command("eager", 2))
    document = tried.observe([], ["sh", "-c", f"RANK=0 WORLD_SIZE=2 {words} & RANK=1 WORLD_SIZE=2 {words} & wait"])
    found = tried.rows("SELECT t.rank AS rank, count(*) AS n FROM events e JOIN tracks t USING (track) WHERE e.kind = 'kernel' GROUP BY 1 ORDER BY 1")
    states = [(process["rank"], process["state"], process["events"]) for process in document["processes"] if process["events"]]
    assert [row["rank"] for row in found] == [0, 1] and all(row["n"] > 100 for row in found), (found, states)
    return dict(kernels=found, processes=states)


@check
def second_profiler(tried):
    """torch.profiler runs within the recording. The session says since when it has nothing; where a hook tells (--modules) also until when, and it has kernels of after."""
    found = {}
    for flags in ([], ["--modules"]):
        document = tried.observe(flags, program_command("profiled", 3))
        process = next(process for process in document["processes"] if process["events"])
        gaps, since_ns = process["gaps"], process["other_since_ns"]
        assert (len(gaps), since_ns is None) == ((1, True) if flags else (0, False)), process
        from_ns, until_ns = (gaps[0]["from_ns"], gaps[0]["until_ns"]) if gaps else (since_ns, None)
        counts = tried.rows(f"SELECT count(*) FILTER (start_ns + duration_ns < {from_ns}) AS before, count(*) FILTER (start_ns > {until_ns or from_ns + 10**8}) AS after, "
                            f"min(start_ns) AS first, count(*) AS n FROM events WHERE kind = 'kernel'")[0]
        row = dict(gap_s=until_ns and (until_ns - from_ns) / 1e9, from_ns=from_ns, kernels=counts, state=process["state"], note=process["note"])
        found[" ".join(flags) or "plain"] = row
        assert counts["before"] > 1000 and (counts["after"] > 1000 if flags else counts["after"] == 0), found
    return found


@check
def launch_probes(tried):
    """AACO_LAUNCH_PROBES counts the calls of cudaLaunchKernel that CUPTI sees too."""
    tried.observe(["--planes", "device,kernel"], program_command("eager", 3), variables={"AACO_LAUNCH_PROBES": "1"})
    probed = tried.rows("SELECT name, count(*) AS n, median(t_end_ns - t_start_ns) AS ns FROM host_events WHERE kind = 'launch' GROUP BY 1")
    seen = tried.rows("SELECT name, count(*) AS n, median(duration_ns) AS ns FROM events WHERE name LIKE '%LaunchKernel%' GROUP BY 1")
    probes, calls = sum(row["n"] for row in probed), sum(row["n"] for row in seen if row["name"].startswith("cudaLaunchKernel_") or row["name"] == "cudaLaunchKernel")
    assert probes > 500 and abs(probes - calls) <= 0.01 * calls, (probed, seen)
    return dict(probed=probed, cupti=seen)


@check
def held_launches(tried):
    """A program whose processor a hog shares: what held its launches is said, and preemption by the hog is among it."""
    processor = sorted(os.sched_getaffinity(0))[2]
    with started(["taskset", "-c", str(processor), sys.executable, "-c", "while True: pass"]):
        tried.observe(["--planes", "device,host,kernel"], ["taskset", "-c", str(processor), *program_command("eager", 4)])
    text = tried.call("report", "--session", tried.sessions / "latest", "--format", "text").stdout
    held = [line for line in text.splitlines() if "held" in line or "preempted" in line]
    assert any("preempted" in line for line in held), text
    return dict(lines=held[:12], text=text[-9000:])


@check
def live_kernels(tried):
    """A live page hears of kernels while a program is observed."""
    from serve_live import LivePage
    with Dashboard(tried.aaco, tried.sessions) as server:
        page = LivePage(server)
        time.sleep(1)
        document = tried.observe([], program_command("eager", 4))
        time.sleep(1)
        told = [json.loads(data) for _, name, data in list(page.heard) if name == "session"]
    figures = [{figure["name"]: figure["value"] for figure in event["figures"]} for event in told]
    figures = [one for one in figures if one.get("kernels")]
    final = tried.kernels()
    rates = [one["kernels a second"] for one in figures if one.get("kernels a second")]
    counts = [one["kernels"] for one in figures]
    assert len(counts) > 3 and counts == sorted(counts) and counts[-1] <= final and counts[-1] > final / 2 and rates, (counts, rates, final)
    return dict(kernels_told=counts, rates=rates, kernels_in_session=final, events=document["events"])


@check
def tokens(tried):
    """Kernels and GPU active time a token of a decoder."""
    result = tried.on_gpu("tiny-llama", "--profile", "--tokens", "64,16", "--processes", "2", allowed=(0, 5))
    wanted = {name: value for name, value in result["metrics"]["metrics"].items() if "token" in name or "gpu_active" in name}
    return {name: dict(value=one["value"], unit=one.get("unit"), quality=one["quality"]) for name, one in wanted.items()}


@check
def graphs_by_try(tried):
    """--try cuda-graph replays a graph, and says what it gains."""
    result = tried.on_gpu("chain-tiny", "--try", "cuda-graph", "--processes", "2", allowed=(0, 5))
    assert result["tried"], sorted(result)
    return result["tried"]


@check
def guarded_sessions(tried):
    """The guard on sessions of a GPU: a recording, and the same again, which is measured again in turns."""
    history = tried.sessions / "history"
    found = {}
    runs = {"run": ["run", "gemm", "--param", "m=1024", "--param", "n=1024", "--param", "k=1024", "--backend", "cuda", "--ort-library", tried.ort, "--processes", "5", "--iterations", "0.3s", "--no-roofs"],
            "queue": ["queue", "run", "tiny_kernel_stress", "--streams", "4", "--processes", "5"],
            "llama": ["llama", "run", "--version", "2", "--preset", "tiny", "--num-steps", "30", "--processes", "5", "--no-check"]}
    for kind, words in runs.items():
        try:
            tried.call(*words, "--sessions", tried.sessions, "--quiet", allowed=(0, 5))
            recorded = tried.call("guard", "record", "--session", tried.sessions / "latest", "--history", history)
            tried.call(*words, "--sessions", tried.sessions, "--quiet", allowed=(0, 5))
            began = time.monotonic()
            same = tried.call("guard", "check", "--session", tried.sessions / "latest", "--history", history, "--budget", "30s", "--json", allowed=(0, 1, 4))
            found[kind] = dict(recorded=recorded.stderr or recorded.stdout, exit=same.returncode, seconds=time.monotonic() - began, said=json.loads(same.stdout))
        except (AssertionError, subprocess.TimeoutExpired, ValueError) as error:
            found[kind] = dict(error=str(error)[-1500:])
    assert all("error" not in one and one["exit"] in (0, 4) for one in found.values()), json.dumps(found)
    return found


def without_paths(text, folder):
    """Paths are the machine's own."""
    return text.replace(folder, "FOLDER").replace(str(pathlib.Path(__file__).resolve().parent.parent) + "/", "").replace(sys.prefix + "/", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("aaco", nargs="?")
    parser.add_argument("--program", nargs=2)
    parser.add_argument("--ort-library")
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--output")
    options = parser.parse_args()
    if options.program:
        return program(options.program[0], float(options.program[1]))
    result = dict(environment=environment(options.aaco), checks=[])
    for one in CHECKS:
        if options.only and one.__name__ not in options.only:
            continue
        began = time.monotonic()
        folder = tempfile.mkdtemp()
        row = dict(name=one.__name__, what=one.__doc__, passed=True)
        try:
            row["found"] = one(Tried(options, folder))
        except Exception as error:  # the others are tried all the same
            row.update(passed=False, error=f"{type(error).__name__}: {error}"[:12000])
        row["seconds"] = round(time.monotonic() - began, 1)
        shutil.rmtree(folder, ignore_errors=True)
        result["checks"].append(json.loads(without_paths(json.dumps(row), folder)))
        print(f"{'ok' if row['passed'] else 'FAILED':7} {row['name']:20} {row['seconds']:6.1f} s  {row.get('error', '')[:300]}", flush=True)
        pathlib.Path(options.output).write_text(json.dumps(result, indent=1) + "\n")
    return 0 if all(row["passed"] for row in result["checks"]) else 1


if __name__ == "__main__":
    sys.exit(main())
