#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`aaco observe --pid` and `--dormant` on a program that links doubles of CUDA's driver and of CUPTI: it is joined and left, again and
again, and runs on as if nothing had been; what cannot be attached says why.

check_attach.py AACO PROGRAM STATIC_PROGRAM CHAINED [--full] [CHECK...]"""
import contextlib
import ctypes
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

AACO, PROGRAM, STATIC, CHAINED = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:5])
FULL = "--full" in sys.argv
FAILURES = []


def expect(what, got, wanted):
    if got != wanted:
        FAILURES.append(f"{what}: {got!r}, not {wanted!r}")


def environment(more=()):
    return {**{name: value for name, value in os.environ.items() if not name.startswith(("AACO_OBSERVE", "CUDA_", "NVTX_"))}, **dict(more)}


@contextlib.contextmanager
def running(*words, command=None, **more):
    """A program that runs, and is initialised."""
    started = subprocess.Popen(command or [PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(more))
    try:
        time.sleep(0.4)
        yield started
    finally:
        if started.poll() is None:
            started.kill()
        started.communicate()


def end_of(started, timeout=60):
    out, _ = started.communicate(timeout=timeout)
    return started.returncode, out


class Attached:
    def __init__(self, pid, *flags, duration="0.6"):
        self.folder = tempfile.mkdtemp(dir=ROOT)
        words = [AACO, "observe", "--quiet", "--sessions", self.folder, "--pid", str(pid), *(("--duration", duration) if duration else ()), *flags]
        self.words = words
        done = subprocess.run(words, capture_output=True, text=True, env=environment(), timeout=120)
        self.code, self.err = done.returncode, done.stderr
        document = pathlib.Path(self.folder, "latest", "metrics", "observation.json")
        self.document = json.loads(document.read_text()) if document.exists() else {}

    def rows(self, select):
        done = subprocess.run([AACO, "trace", "sql", "--session", str(pathlib.Path(self.folder, "latest")), "--json", select], capture_output=True,
                              text=True, timeout=60)
        return json.loads(done.stdout) if done.returncode == 0 else done.stderr

    def ranges(self):
        return {row["name"]: row["n"] for row in self.rows("SELECT name, count(*) AS n FROM events WHERE kind = 'host_range' GROUP BY 1")}

    def state(self):
        return self.code, self.document.get("attached_by"), [p["state"] for p in self.document.get("processes", [])]


def threads_of(pid):
    return sorted(pathlib.Path(f"/proc/{pid}/task/{thread}/comm").read_text().strip() for thread in os.listdir(f"/proc/{pid}/task"))


def check_again_and_again():
    with running("init", "work:6000", "say", "exit:3") as program:
        before = threads_of(program.pid)
        for turn in range(3):
            seen = Attached(program.pid)
            expect(f"turn {turn}", seen.state(), (0, "ptrace", ["whole"]))
            expect(f"events of turn {turn}", 200 < seen.document.get("events", 0) < 1300, True)
            expect(f"turn {turn}: threads left behind", threads_of(program.pid), before)
        maps = pathlib.Path(f"/proc/{program.pid}/maps").read_text()
        expect("no code without a file is left", [line for line in maps.splitlines() if " r-xp " in line and line.split()[-1] == "0"], [])
        expect("it says how", "attached by ptrace: its threads were stopped" in seen.err, True)
        expect("the program", end_of(program), (3, "said\n"))


def check_one_thread_that_waits_or_computes():
    for word in ("sleep:4000", "spin:4000"):
        with running("init", word, "kernels:30", "say") as program:
            seen = Attached(program.pid)
            expect(word, seen.state(), (0, "ptrace", ["whole"]))
            expect(f"the program of {word}", end_of(program), (0, "said\n"))


def check_hammered():
    """64 threads in malloc, dlopen, pthread_create and fork. Beside other tests the collector's thread may not come to answer: that is said."""
    turns = 100 if FULL else 5
    with running("init", f"hammer:{turns * 4000}", "say") as program:
        for turn in range(turns):
            seen = Attached(program.pid, duration="0.2")
            if program.poll() is not None:
                break
            expect(f"hammered, turn {turn}", seen.state() in [(0, "ptrace", [state]) for state in ("whole", "still_running")], True)
        expect("it lives", program.poll(), None)


def check_without_cuda():
    """Seen from outside, and attached to as soon as it loads CUDA."""
    with running(command=[sys.executable, "-c", "import time; time.sleep(4)"]) as program:
        seen = Attached(program.pid)
        expect("without CUDA", seen.state(), (0, "host_only", []))
        expect("it is told", "nothing was loaded into the program" in seen.err, True)
        expect("its CPU quota is not asked for", seen.document["host"]["quota_processors"], None)
        expect("nothing was", "aaco" in pathlib.Path(f"/proc/{program.pid}/maps").read_text(), False)
    lib = pathlib.Path(PROGRAM).parent / "lib"
    late = f"import ctypes, time; time.sleep(1.2); c = ctypes.CDLL('{lib}/libcuda.so.1', ctypes.RTLD_GLOBAL); c.cuInit(0)\ntime.sleep(3)"
    with running(command=[sys.executable, "-c", late]) as program:
        expect("CUDA loaded late", Attached(program.pid, duration="2.5").state(), (0, "ptrace", ["whole"]))


def check_end_and_kill():
    for word, state in (("exit:4", "whole"), ("kill", "cut"), ("_exit:5", "cut"), ("abort", "cut")):
        with running("init", "work:1500", word) as program:
            seen = Attached(program.pid, duration=None)
            expect(f"it ends by {word}", seen.state(), (0, "ptrace", [state]))
            expect(f"{word} is told", "it ended by itself" in seen.err, True)
    with running("init", "work:900", "fork", "kernels:6000", "sleep:600") as program:  # CUDA forbids it; the double does not
        seen = Attached(program.pid, duration="2")
        expect("it forks", (seen.code, sorted(p["state"] for p in seen.document["processes"])), (0, ["whole", "whole"]))
    with running("init", "work:1500", "exec", "sleep:12000") as program:  # nobody is left in it that could answer
        seen = Attached(program.pid, duration="3")
        expect("it becomes another program", seen.state(), (0, "ptrace", ["still_running"]))


def check_interrupt():
    with running("init", "work:6000", "say") as program:
        folder = tempfile.mkdtemp(dir=ROOT)
        observer = subprocess.Popen([AACO, "observe", "--quiet", "--sessions", folder, "--pid", str(program.pid)], stderr=subprocess.PIPE,
                                    text=True, env=environment())
        time.sleep(1)
        second = Attached(program.pid)
        expect("a second observer", (second.code, "another aaco observes it already" in second.err, second.document), (3, True, {}))
        observer.send_signal(signal.SIGINT)
        _, error = observer.communicate(timeout=30)
        session = json.loads(pathlib.Path(folder, "latest", "session.json").read_text())
        expect("Ctrl-C", (observer.returncode, session["status"], "after Ctrl-C" in error), (0, "complete", True))
        observer = subprocess.Popen([AACO, "observe", "--quiet", "--sessions", folder, "--pid", str(program.pid)], stderr=subprocess.DEVNULL,
                                    env=environment())
        time.sleep(1)
        observer.kill()
        observer.wait()
        time.sleep(0.8)
        expect("after a killed observer", threads_of(program.pid), ["observed_progra"])
        expect("and again", Attached(program.pid).state(), (0, "ptrace", ["whole"]))
        expect("the program", end_of(program), (0, "said\n"))


def check_dormant():
    with running(command=[AACO, "observe", "--dormant", "--", PROGRAM, "init", "work:5000", "say", "exit:6"]) as program:
        expect("asleep", threads_of(program.pid), ["aaco-asleep", "observed_progra"])
        switches = pathlib.Path(f"/proc/{program.pid}/task/{max(os.listdir(f'/proc/{program.pid}/task'))}/status").read_text()
        time.sleep(0.5)
        again = pathlib.Path(f"/proc/{program.pid}/task/{max(os.listdir(f'/proc/{program.pid}/task'))}/status").read_text()
        expect("it sleeps soundly", [line for line in again.splitlines() if "ctxt" in line], [line for line in switches.splitlines() if "ctxt" in line])
        for turn in range(3):
            seen = Attached(program.pid)
            expect(f"woken, turn {turn}", seen.state(), (0, "dormant", ["whole"]))
            expect(f"events of turn {turn}", 200 < seen.document.get("events", 0) < 1300, True)
            expect(f"asleep after turn {turn}", threads_of(program.pid), ["aaco-asleep", "observed_progra"])
        expect("the program", end_of(program), (6, "said\n"))
    expect("pages left", list(pathlib.Path(f"/dev/shm/aaco_dormant_{os.geteuid()}").glob(f"{program.pid}_*")), [])


def check_ranges():
    """Where the library was there when NVTX started, ranges come in each recording, and what is open is told in each; else that is said."""
    steps = ["push:step", "work:100", "pop"]
    with running(command=[AACO, "observe", "--dormant", "--", PROGRAM, "push:epoch", "many_ranges:9000", "init", *steps * 40, "say"]) as program:
        for turn in range(2):
            seen = Attached(program.pid)
            expect(f"ranges woken, turn {turn}", seen.state(), (0, "dormant", ["whole"]))
            found = seen.ranges()
            expect(f"ranges of turn {turn}", (sorted(found), 3 <= found.get("step", 0) <= 8, found.get("epoch")), (["epoch", "step"], True, 1))
            process = seen.document["processes"][0]
            expect(f"counts of turn {turn}", (3 <= process["ranges"] <= 8, process["open_ranges"], process["lost"], process["dropped"], process["nvtx_libraries"]),
                   (True, 2, 0, 0, 1))
            names = [row["n"] for row in seen.rows("SELECT DISTINCT thread_name AS n FROM tracks ORDER BY 1")]
            expect(f"thread of turn {turn}", f"observed_progra ({program.pid})" in names, True)
        expect("the program", end_of(program), (0, "said\n"))
    with running("push:before", "init", *steps * 20) as program:
        seen = Attached(program.pid)
        expect("NVTX that started before", (seen.state(), seen.ranges(), "none was there" in seen.err), ((0, "ptrace", ["whole"]), {}, True))
    folder = tempfile.mkdtemp(dir=ROOT)
    with running(command=[AACO, "observe", "--quiet", "--sessions", folder, "--duration", "0.3", "--", PROGRAM, "init", *steps * 40]) as observer:
        time.sleep(0.6)
        children = pathlib.Path(f"/proc/{observer.pid}/task/{observer.pid}/children").read_text().split()
        seen = Attached(next(child for child in children if threads_of(child)[-1] == "observed_progra"))
        expect("left, and joined again", (seen.state(), sorted(seen.ranges())), ((0, "ptrace", ["whole"]), ["step"]))


def check_captured_asleep():
    """A graph that the hook's captures told of while the library slept has its name in each recording."""
    lib = shutil.copy(CHAINED, pathlib.Path(tempfile.mkdtemp(dir=ROOT), "libtorch_cuda.so"))
    graph = ["graph:103", "sleep:50"]
    with running(command=[AACO, "observe", "--dormant", "--modules", "--", PROGRAM, f"framework:{lib}", "init", "capture", "module:layers.0", "node:3",
                          "module_ends", "instantiate:3", "captured", *graph * 60]) as program:
        for turn in range(2):
            seen = Attached(program.pid)
            work = seen.document["processes"][0]["graph_work"]
            expect(f"named, turn {turn}", (seen.state(), work["named"] > 3, work["unseen"], work["captures"]), ((0, "dormant", ["whole"]), True, 0, 1))


def check_signals():
    """Handlers stay, and each signal keeps what came with it."""
    for words in (("handle_trap", "spin:2500", "trap"), ("handle_trap", "sleep:2500", "trap"), ("timer:300", "spin:2500", "signals_are_the_timers")):
        with running("init", *words, "kernels:3", "say") as program:
            expect(f"{words}", Attached(program.pid).state(), (0, "ptrace", ["whole"]))
            expect(f"the program of {words}", end_of(program), (0, "said\n"))


def refused(what, pid, code, words, hint=""):
    seen = Attached(pid, "--planes", "device")
    expect(what, (seen.code, words in seen.err, hint in seen.err, seen.document), (code, True, True, {}))
    if words not in seen.err:
        FAILURES.append(seen.err)


def check_refused():
    refused("gone", 2 ** 22 - 1, 2, "there is no process")
    with running(command=[STATIC]) as program:
        refused("static", program.pid, 3, "linked statically")
        seen = Attached(program.pid)
        expect("static, from outside", (seen.state(), "linked statically" in seen.err), ((0, "host_only", []), True))
    with running("init", "filter", "sleep:2000", "say") as program:
        refused("seccomp", program.pid, 3, "a seccomp filter", "--dormant")
        expect("the program with a filter", end_of(program), (0, "said\n"))
    with running(command=[sys.executable, "-c", "import time; time.sleep(4)"]) as program:
        refused("without CUDA, nothing else wanted", program.pid, 3, "has not loaded CUDA")
    with running("init", "sleep:3000") as program:
        program.send_signal(signal.SIGSTOP)
        time.sleep(0.1)
        refused("stopped", program.pid, 3, "it is stopped", f"kill -CONT {program.pid}")
        program.send_signal(signal.SIGCONT)
    with running("init", "sleep:3000") as program:
        libc = ctypes.CDLL(None, use_errno=True)
        ready, done = threading.Event(), threading.Event()

        def trace():
            libc.ptrace(0x4206, program.pid, None, None)  # PTRACE_SEIZE
            ready.set()
            done.wait()
        tracer = threading.Thread(target=trace)
        tracer.start()
        ready.wait()
        refused("traced", program.pid, 3, f"process {tracer.native_id} (a debugger")
        done.set()
        tracer.join()
    musl = pathlib.Path(tempfile.mkdtemp(dir=ROOT), "ld-musl-x86_64.so.1")
    musl.write_bytes(b"x" * 4096)
    with running(command=[sys.executable, "-c", f"import mmap, time; f = open({str(musl)!r}, 'r+b'); m = mmap.mmap(f.fileno(), 0); time.sleep(9)"]) as program:
        refused("musl", program.pid, 3, "musl")
    if os.geteuid() == 0:
        with running(command=["unshare", "-m", PROGRAM, "init", "sleep:3000"]) as program:
            refused("another container", program.pid, 3, "in another container")
        with running(command=["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", PROGRAM, "init", "work:3000"]) as program:
            if program.poll() is None:  # where its folder is open to others
                expect("another user's, as root", Attached(program.pid).state(), (0, "ptrace", ["whole"]))


with tempfile.TemporaryDirectory() as ROOT:
    os.chmod(ROOT, 0o755)
    chosen = [word for word in sys.argv[5:] if not word.startswith("--")]
    for name, check in sorted(globals().items()):
        if name.startswith("check_") and name in (chosen or [name]):
            before, start = len(FAILURES), time.monotonic()
            try:
                check()
            except Exception as error:  # a case that breaks says which
                FAILURES.append(f"{name}: {type(error).__name__}: {error}")
            print(f"{'ok' if len(FAILURES) == before else 'FAILED'}  {name}, {time.monotonic() - start:.0f} s", flush=True)
print("\n".join(FAILURES))
sys.exit(1 if FAILURES else 0)
