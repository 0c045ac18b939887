#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_training.py AACO: interrupts `aaco llama run` while it trains, as Ctrl-C does. It must end with exit code 130 and leave no worker,
and the session must be closed as interrupted, with every step that was recorded and the loss of each."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from running import status_of, stop_when, workers_of

TRAIN = "llama run --preset nano --device cpu:0 --num-steps 900000 --warmup 1 --no-check"


def bundle_in(folder):
    return next((path.parent for path in (folder / "sessions").glob("*/*/session.json")), None)


def has_rows(folder):
    bundle = bundle_in(folder)
    return bundle is not None and any(path.stat().st_size > 0 for path in bundle.glob("journal/iterations_p0.jrn"))


def problems_of(aaco, folder, process, stderr):
    if process.returncode != 130 or stderr != "aaco: interrupted\n":
        yield f"exit code {process.returncode}, stderr {stderr!r}"
    if workers_of(folder):
        yield "a worker outlived the run"
    bundle = bundle_in(folder)
    if status_of(bundle) != "interrupted":
        yield f"the session is {status_of(bundle)}"
    training = json.loads((bundle / "metrics" / "training.json").read_text())["processes"][0]
    shown = json.loads(subprocess.run([aaco, "sessions", "show", str(bundle), "--json"], capture_output=True, text=True, check=True).stdout)
    if not training["interrupted"] or training["steps"] < 1 or training["steps"] + 1 != shown["rows"]["iterations"]:
        yield f"{training['steps']} steps in the document, {shown['rows']['iterations']} rows"
    if len(training["losses"]) != training["steps"] + 1:
        yield f"{len(training['losses'])} losses of {training['steps']} steps after one of warm-up"
    for words in (["sessions", "verify", str(bundle)], ["report", "--session", str(bundle)]):
        done = subprocess.run([aaco, *words], capture_output=True, text=True)
        if done.returncode != 0 or done.stderr:
            yield f"{words[0]}: exit code {done.returncode}: {done.stderr}"


def main(aaco):
    aaco = str(pathlib.Path(aaco).resolve())
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        process = subprocess.Popen([aaco, *TRAIN.split(), "--sessions", str(folder / "sessions")], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True, start_new_session=True)
        if not stop_when(process, lambda: has_rows(folder)):
            print(f"it ended before it trained: {process.communicate()[1]}")
            return 1
        process.send_signal(signal.SIGCONT)
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)
        stderr = process.communicate(timeout=60)[1]
        problems = list(problems_of(aaco, folder, process, stderr))
    print("\n".join(problems) or "an interrupted training, closed as such")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
