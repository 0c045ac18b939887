#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_kill.py AACO ROUNDS: kills `aaco run` with SIGKILL at moments spread over its first second and a half, a random one
in each of ROUNDS equal parts. Every bundle that exists then must open, be
shown as incomplete, and hold each process's iterations without a hole up to at most a second before the kill; the workers
must be gone."""
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from running import workers_of


def show(aaco, folder, session):
    done = subprocess.run([aaco, "sessions", "show", str(session), "--sessions", str(folder), "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{session}: does not open: {done.stderr}")
    return json.loads(done.stdout)


def one_round(aaco, folder, delay):
    victim = subprocess.Popen([aaco, "run", "--no-roofs", "--model", "chain-tiny", "--param", "nodes=20", "--backend", "cpu", "--processes", "3", "--iterations",
                               "100000000", "--telemetry", "--sessions", str(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(delay)
    killed_at, wall_at_kill = time.monotonic_ns(), time.time_ns()
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    deadline = time.monotonic() + 10  # the kernel ends a worker when it next runs it, which a busy machine may put off
    while workers_of(folder):
        if time.monotonic() > deadline:
            sys.exit("a worker outlived the run")
        time.sleep(0.01)
    bundles = [path.parent for path in folder.glob("*/*/session.json")]
    for bundle in bundles:
        shown = show(aaco, folder, bundle)
        if shown["status"] != "incomplete":
            sys.exit(f"{bundle}: status {shown['status']}, not incomplete")
        # Iterations take microseconds; between two processes lies the load of a model, so only a running journal counts.
        newest = max((path.stat().st_mtime_ns for path in bundle.glob("journal/iterations_p*.jrn")), default=0)
        last = shown["last_iteration_end_ns"]
        if last is not None and newest > wall_at_kill - 500_000_000 and killed_at - last > 1_000_000_000:
            sys.exit(f"{bundle}: its last row is {(killed_at - last) / 1e9:.2f} s older than the kill")
    return len(bundles)


def main(aaco, rounds):
    random.seed(7)
    opened = 0
    for part in range(int(rounds)):
        with tempfile.TemporaryDirectory() as folder:
            opened += one_round(aaco, pathlib.Path(folder), 0.05 + 1.45 * (part + random.random()) / int(rounds))
    print(f"{rounds} kills, {opened} bundles, all open and incomplete")
    return 0 if opened > int(rounds) // 4 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
