#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_first_need.py AACO: a run measures the machine's roofs where none are kept for it, says so and keeps them, unless other programs
were busy; --no-roofs declines. A sweep's points know how latency grows with the batch, and stay whole."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from skipping import skip  # noqa: E402

AACO = sys.argv[1]
SHORT = "--backend cpu --threads 1 --inter-op-threads 1 --processes 3 --iterations 3 --warmup 0 --json".split()
failures = []


def check(what, holds):
    if not holds:
        failures.append(what)


def run(folder, *words):
    done = subprocess.run([AACO, *words], cwd=folder, capture_output=True, text=True, env={**os.environ, "AACO_CACHE": str(folder / "cache")})
    check(f"{words[0]} exits with 0, not {done.returncode}: {done.stderr}", done.returncode == 0)
    return json.loads(done.stdout) if done.returncode == 0 else {}


def one_run(folder, *more):
    """What a run says of the roofs, and what its session holds of them."""
    said = run(folder, "run", "--model", "chain-tiny", "--param", "nodes=20", *SHORT, "--profile", *more)
    facts = json.loads((folder / said["bundle"] / "session.json").read_text())["facts"]
    return " ".join(note for note in said["notes"] if "roofs" in note), facts


def check_roofs(folder):
    note, facts = one_run(folder, "--no-roofs")
    check("--no-roofs: none are measured", note == "" and facts["roofs"] is None and "doctor --measure" in facts["roofs_unavailable"])
    check("--no-roofs: none are kept", not list(folder.glob("cache/roofs-*")))
    for _ in range(3):  # a moment's load is no failure of the program
        note, facts = one_run(folder)
        kept = list(folder.glob("cache/roofs-*"))
        if kept:
            break
        check(f"disturbed roofs are neither used nor kept: {note}", "other programs held" in note and facts["roofs"] is None)
        check("and the run says why it has none", "when the machine is idle" in facts["roofs_unavailable"])
    else:
        skip("this machine is busy, no roofs were kept")
    check(f"the run says that it measured them: {note}", "measured this machine's roofs first (1 thread" in note and str(kept[0]) in note)
    again, later = one_run(folder)
    check("kept roofs are not measured again", again == "" and later["roofs"]["measured_at"] == facts["roofs"]["measured_at"])
    check("they are those of the run's threads", later["roofs"]["threads"] == 1)
    return 0


def check_threads(folder):
    """A run keeps to the processors that it may use, though ONNX Runtime left to itself makes a thread for each of the machine's."""
    if (os.cpu_count() or 1) < 2:
        return
    for words in ([AACO], ["taskset", "-c", "0", AACO]):
        pin = ["--pin", "0"] if words == [AACO] else []
        done = subprocess.run([*words, "run", "--no-roofs", "--model", "chain-tiny", "--param", "nodes=20", "--backend", "cpu", "--processes", "1", "--iterations", "3",
                               "--warmup", "0", "--json", *pin], cwd=folder, capture_output=True, text=True)
        said = json.loads(done.stdout)
        facts = json.loads((folder / said["bundle"] / "session.json").read_text())["facts"]
        check(f"{words[0]}: one thread, not {facts['intra_op_threads']}", facts["intra_op_threads"] == 1)
        check("and the run says so", any("1 thread within an operator" in note for note in said["notes"]))


def check_sweep(folder):
    sweep = run(folder, "sweep", "--no-roofs", "--model", "chain-tiny", "--param", "nodes=20", "--batch", "1,16", *SHORT)
    exponent = sweep["scaling"]["batch_exponent"]
    check("the sweep has an exponent", isinstance(exponent, float))
    for point in sweep["points"]:
        bundle = folder / point["bundle"]
        metrics = json.loads((bundle / "metrics/derived_metrics.json").read_text())
        value = metrics["metrics"]["batch_exponent"]["value"]
        check(f"batch {point['batch']}: its metrics have the exponent: {value}", value == exponent)
        check("its facts too", json.loads((bundle / "session.json").read_text())["facts"]["batch_exponent"] == exponent)
        signals = json.loads((bundle / "metrics/bottleneck.json").read_text())["signals"]
        seen = [signal["value"] for signal in signals if signal["name"] == "batch_exponent"]
        check(f"and the classifier saw it: {seen}", seen and all(each in (exponent, None) for each in seen) and exponent in seen)
        verified = subprocess.run([AACO, "sessions", "verify", point["bundle"]], cwd=folder, capture_output=True, text=True)
        check(f"the session is whole: {verified.stdout}", verified.returncode == 0)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_sweep(folder)
        check_threads(folder)
        status = check_roofs(folder)
    print("\n".join(failures) or "all hold")
    return 1 if failures else status


sys.exit(main())
