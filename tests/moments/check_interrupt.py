#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_interrupt.py AACO: interrupts `aaco run` while it inspects, measures, profiles and analyses, as Ctrl-C does (SIGINT
to the whole group) and as a service manager does (SIGTERM to the program). It must end with exit code 130, leave no worker
and no temporary folder, and close the bundle as interrupted with every row that was recorded."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from running import status_of, stop_when, workers_of

PROCESSES = 2


def bundle_in(folder):
    return next((path.parent for path in (folder / "sessions").glob("*/*/session.json")), None)


def has_rows(folder):
    bundle = bundle_in(folder)
    return bundle is not None and any(path.stat().st_size > 0 for path in bundle.glob("journal/iterations_p0.jrn"))


def all_processes_are_done(folder):
    bundle = bundle_in(folder)
    return bundle is not None and (bundle / "journal" / f"result_profile_{2 * PROCESSES - 1}.json").exists()


# What the run is doing, when it does so, and the iterations and nodes that keep it there for a while.
PHASES = {
    "inspecting": (lambda folder: workers_of(folder / "tmp", "inspect"), 10, 500),
    "measuring": (has_rows, 1_000_000, 500),
    "profiling": (lambda folder: workers_of(folder, "profile"), 50, 500),
    "analysing": (all_processes_are_done, 20_000, 20),  # rows of iterations are what it reads
}
SIGNALS = {
    "SIGINT": lambda process: os.killpg(process.pid, signal.SIGINT),
    "SIGTERM": lambda process: process.send_signal(signal.SIGTERM),
}


def start(aaco, folder, iterations, nodes):
    command = [aaco, "run", "--quiet", "--no-roofs", "--model", "chain-tiny", "--param", f"nodes={nodes}", "--backend", "cpu", "--threads", "1", "--inter-op-threads", "1",
               "--processes", str(PROCESSES), "--iterations", str(iterations), "--warmup", "1", "--profile", "--telemetry", "--sessions",
               str(folder / "sessions")]
    (folder / "tmp").mkdir()
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
                            env={**os.environ, "TMPDIR": str(folder / "tmp")})


def problems_of(aaco, phase, process, folder, stderr, seconds):
    if process.returncode != 130 or stderr != "aaco: interrupted\n":
        yield f"exit code {process.returncode}, stderr {stderr!r}"
    if seconds > 10:
        yield f"it took {seconds:.1f} s to end"
    if workers_of(folder):
        yield "a worker outlived the run"
    left = [path.name for path in (folder / "tmp").iterdir()]
    if left:
        yield f"left in the temporary folder: {left}"
    bundle = bundle_in(folder)
    if phase == "inspecting":
        if bundle is not None:
            yield "a bundle was left although nothing was measured"
        return
    if bundle is None or status_of(bundle) != "interrupted":
        yield f"bundle {bundle}: not interrupted"
        return
    shown = subprocess.run([aaco, "sessions", "show", str(bundle), "--json"], capture_output=True, text=True)
    rows = json.loads(shown.stdout)["rows"].get("iterations", 0) if shown.returncode == 0 else None
    recorded = sum((path.stat().st_size - 4096) // 32 for path in bundle.glob("journal/iterations_p?.jrn"))
    if not rows or rows != recorded:
        yield f"{rows} iterations in the bundle, {recorded} in the journals: {shown.stderr}"
    verified = subprocess.run([aaco, "sessions", "verify", str(bundle)], capture_output=True, text=True)
    if verified.returncode != 0:
        yield f"does not verify: {verified.stdout}{verified.stderr}"


def interrupt(aaco, phase, name):
    reached, iterations, nodes = PHASES[phase]
    for _ in range(5):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            process = start(aaco, folder, iterations, nodes)
            in_phase = stop_when(process, lambda: reached(folder))
            if in_phase and (phase == "inspecting" or status_of(bundle_in(folder)) == "running"):
                if phase == "measuring":
                    process.send_signal(signal.SIGCONT)
                    time.sleep(0.3)
                began = time.monotonic()
                SIGNALS[name](process)
                process.send_signal(signal.SIGCONT)
                stderr = process.communicate(timeout=60)[1]
                return list(problems_of(aaco, phase, process, folder, stderr, time.monotonic() - began))
            process.send_signal(signal.SIGCONT)
            process.communicate()
    return ["the moment was missed five times"]


def main(aaco):
    problems = [f"{name} while {phase}: {problem}" for phase in PHASES for name in SIGNALS for problem in interrupt(aaco, phase, name)]
    print("\n".join(problems) or f"{len(PHASES) * len(SIGNALS)} interrupted runs, all closed as such")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
