#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sessions that are not whole: of a killed import, of another user, unreadable ones; and what killed processes leave in $TMPDIR. What
aaco says of them is in its own words. Usage: check_broken_sessions.py AACO"""
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

import tiny_onnx

AACO = sys.argv[1]
NOBODY = 65534
FOREIGN = re.compile(r"json\.exception|nlohmann|yaml-cpp|duckdb|libprotobuf|simdjson|std::|filesystem error|basic_string|(Binder|Catalog|IO|Invalid Input) Error", re.I)
failures = []


def aaco(*words, folder, uid=None, env=None):
    as_user = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"] if uid else []
    done = subprocess.run([*as_user, AACO, *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=60, env=env)
    if FOREIGN.search(done.stdout + done.stderr):
        failures.append(f"{words}: in a library's words: {done.stdout}{done.stderr}")
    return done


def expect(what, done, exit_code, pattern):
    if done.returncode != exit_code or not re.search(pattern, done.stdout + done.stderr):
        failures.append(f"{what}: exit {done.returncode}, not {exit_code} with {pattern!r}: {done.stdout}{done.stderr}")


def write_trace(path, events):
    kernels = [dict(ph="X", cat="kernel", name=f"k{i % 9}", pid=0, tid=7, ts=10 * i, dur=5, args=dict(device=0, stream=7, correlation=i)) for i in range(events)]
    path.write_text(json.dumps(dict(traceEvents=kernels)))


def killed_import(folder, seen):
    """The session of an import that was killed when the file `seen` was there."""
    process = subprocess.Popen([AACO, "trace", "import", "big.json", "--sessions", "killed"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not list((folder / "killed").glob(f"*/*/{seen}")):
        time.sleep(0.0005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    return next((folder / "killed").glob("*/*/session.json")).parent


def check_killed_imports(folder):
    write_trace(folder / "big.json", 60_000)
    for seen, exit_code, pattern in (("session.json", 5, "the import is incomplete, before its events were written"),
                                     ("trace/events.parquet", 5, "the import is incomplete"), ("trace/losses.parquet", 5, "the import is incomplete")):
        session = killed_import(folder, seen)
        if json.loads((session / "session.json").read_text())["status"] == "running":
            expect(f"report of an import killed at {seen}", aaco("trace", "report", session, folder=folder), exit_code, pattern)
            expect("list", aaco("sessions", "list", "--sessions", "killed", folder=folder), 0, "incomplete")
            expect("verify", aaco("sessions", "verify", session, folder=folder), 0, "incomplete")
            expect("show", aaco("sessions", "show", session, folder=folder), 0, "incomplete")
        shutil.rmtree(folder / "killed")


def check_unreadable(folder):
    """As a run with --tolerance nan left it, and otherwise damaged."""
    (folder / "relu.onnx").write_bytes(tiny_onnx.relu())
    made = aaco("run", "relu.onnx", *"--no-roofs --processes 1 --iterations 2 --warmup 0 --sessions own".split(), folder=folder)
    session = next((folder / "own").glob("*/*/session.json")).parent
    whole = (session / "session.json").read_text()
    for name, value in (("pid", None), ("planes", 3), ("command_line", {}), ("status", "paused")):
        info = json.loads(whole)
        info[name] = value
        (session / "session.json").write_text(json.dumps(info))
        expect(f"report, {name} {value}", aaco("report", "--session", session, folder=folder), 2, r"session\.json: ")
        expect("list", aaco("sessions", "list", "--sessions", "own", folder=folder), 0, r"damaged .*session\.json: ")
    (session / "session.json").write_text(whole)
    for file in ("metrics/inference_iters.parquet", "metrics/inference_summary.json", "env.json", "manifest.json", "request.json"):
        kept = (session / file).read_bytes()
        for damage in (b"", b"[1]", b'{"a": null}', kept[: len(kept) // 2], b"PAR1" + kept[4:40] + b"PAR1"):
            (session / file).write_bytes(damage)
            for words in (("report", "--session", session), ("sessions", "verify", session), ("sessions", "show", session), ("diff", "--baseline", session, "--session", session)):
                done = aaco(*words, folder=folder)
                if done.returncode not in (0, 1, 2, 4, 5):
                    failures.append(f"{words} with {file} as {damage[:9]}: exit {done.returncode}: {done.stderr}")
        (session / file).write_bytes(kept)
    info = json.loads(whole)
    info["pid"] = None
    (session / "session.json").write_text(json.dumps(info))
    expect("prune", aaco("sessions", "prune", "--keep", 0, "--sessions", "own", folder=folder), 0, "removed ")
    if session.exists() or made.returncode != 0:
        failures.append(f"an unreadable session stays: {made.stderr}")


def check_words(folder):
    for name, text in (("bad.yaml", "training: [\n"), ("worse.yaml", "a: b: c\n"), ("odd.yaml", "training:\n  max_steps: [1]\n"), ("anchor.yaml", "training: *no\n")):
        (folder / name).write_text(text)
        expect(name, aaco("overlap", "run", "--device", "cpu:0", "--config", name, folder=folder), 2, re.escape(name))
    expect("override", aaco("overlap", "run", "--device", "cpu:0", "--override", "training.max_steps=[", folder=folder), 2, "not valid YAML")
    (folder / "roofs.json").write_text('{"flops_per_s": 3, "bytes_per_s": "x"}')
    write_trace(folder / "small.json", 3)
    expect("roofs", aaco("trace", "report", "small.json", "--roofs", "roofs.json", folder=folder), 2, r"roofs\.json")
    (folder / "x.pb").write_bytes(b"\x08\x01\x12")
    expect("tensor", aaco("run", "relu.onnx", "--no-roofs", "--sessions", "own", "--input", "x=x.pb", folder=folder), 2, r"x\.pb")
    (folder / "bad.onnx").write_bytes(tiny_onnx.relu()[:-3])
    expect("model", aaco("run", "bad.onnx", "--no-roofs", "--sessions", "own", folder=folder), 2, r"bad\.onnx")
    for document in ('{"kind": "queue_run"}', '{"kind": "training_run", "steps": null}', "{}", "[]", '{"kind": 3}', '{"kind": "queue_sweep", "points": [3]}',
                     '{"kind": "overlap_sweep", "points": null}', '{"kind": "training_study", "cells": [{}]}'):
        (folder / "d.json").write_text(document)
        for words in (("queue", "compare", "-b", "d.json", "-t", "d.json"), ("diff", "--baseline", "d.json", "--session", "d.json"), ("llama", "study", "--device", "cpu:0", "--against", "d.json")):
            if aaco(*words, folder=folder).returncode not in (2, 5):
                failures.append(f"{words}: {document} is taken")


def check_permission(folder):
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        print("another user's session: skipped, needs root and setpriv")
        return
    if subprocess.run(["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", AACO, "--version"], capture_output=True).returncode != 0:
        print("another user's session: skipped, another user cannot run aaco here")
        return
    folder.chmod(0o755)
    (folder / "tmp").mkdir()
    (folder / "tmp").chmod(0o777)
    env = dict(os.environ, TMPDIR=str(folder / "tmp"), HOME=str(folder / "tmp"))
    write_trace(folder / "small.json", 3)
    aaco("trace", "import", "small.json", "--sessions", "theirs", folder=folder)
    session = next((folder / "theirs").glob("*/*/session.json")).parent
    for target in (session, session / "session.json", session.parent):
        mode = target.stat().st_mode
        target.chmod(0o700 if target.is_dir() else 0o600)
        for words in (("report", "--session", session), ("sessions", "show", session), ("sessions", "verify", "latest", "--sessions", "theirs"),
                      ("trace", "report", session), ("trace", "sql", "SELECT 1", "--session", "latest", "--sessions", "theirs")):
            if words[1] == "sql" and target.suffix == ".json":
                continue  # the tables may be read
            expect(f"{words}, {target.name} is closed", aaco(*words, folder=folder, uid=NOBODY, env=env), 2, "Permission denied")
        expect("list", aaco("sessions", "list", "--sessions", "theirs", folder=folder, uid=NOBODY, env=env), 0, "Permission denied")
        done = aaco("sessions", "prune", "--keep", 0, "--sessions", "theirs", folder=folder, uid=NOBODY, env=env)
        if not (session / "session.json").exists() or "Permission denied" not in done.stdout + done.stderr:
            failures.append(f"prune of another user's session: {done.stdout}{done.stderr}")
        target.chmod(mode)


def check_leftovers(folder):
    """Of killed runs; of running ones nothing is taken away."""
    temporary = folder / "temporary"
    temporary.mkdir()
    env = dict(os.environ, TMPDIR=str(temporary))
    command = "run --no-roofs --model chain-tiny --param nodes=20 --backend cpu --processes 1 --iterations 100000000 --quiet --sessions".split()

    def start(sessions):
        process = subprocess.Popen([AACO, *command, sessions], cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        before = set(temporary.iterdir())
        deadline = time.monotonic() + 20
        while process.poll() is None and not set(temporary.iterdir()) - before and time.monotonic() < deadline:
            time.sleep(0.001)
        return process, set(temporary.iterdir()) - before

    victim, left = start("s1")
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    if not left or not all(path.exists() for path in left):
        print("leftovers: skipped, the run was too fast to be killed")
        return
    other, used = start("s2")
    gone = [path for path in left if path.exists()]
    if gone:
        failures.append(f"of a killed run stays {gone}")
    alive = [path for path in used if path.exists()]
    aaco("sessions", "list", "--sessions", "s1", folder=folder, env=env)
    if any(not path.exists() for path in alive) and other.poll() is None:
        time.sleep(0.1)
        print("leftovers: the running run removed its own meanwhile")
    other.send_signal(signal.SIGKILL)
    other.wait()
    aaco("sessions", "list", "--sessions", "s1", folder=folder, env=env)
    if list(temporary.iterdir()):
        failures.append(f"at the end stays {list(temporary.iterdir())}")


def main():
    for check in (check_killed_imports, check_unreadable, check_words, check_permission, check_leftovers):
        with tempfile.TemporaryDirectory() as name:
            (pathlib.Path(name) / "relu.onnx").write_bytes(tiny_onnx.relu())
            check(pathlib.Path(name))
    print("\n".join(failures) or "sessions that are not whole are said to be so, in plain words")
    sys.exit(bool(failures))


main()
