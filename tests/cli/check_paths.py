#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_paths.py AACO: a path is bytes. Each command that takes or keeps one works where it holds the byte 0xff, and what is
printed or written as JSON is UTF-8 that gives the path back."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import tiny_onnx

TRACE = dict(traceEvents=[
    dict(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", pid=1, tid=1, ts=0, dur=1, args=dict(correlation=1)),
    dict(ph="X", cat="kernel", name="a", pid=0, tid=7, ts=5, dur=9, args=dict(device=0, stream=7, correlation=1))])
RUN = "--backend cpu --processes 2 --iterations 3 --warmup 0"


def path_of(text):
    """What a string of the JSON stands for: U+FFFD and two digits are a byte."""
    return re.sub(b"\xef\xbf\xbd([89a-f][0-9a-f])", lambda byte: bytes.fromhex(byte[1].decode()), text.encode())


def paths_in(value):
    """Every path in a JSON value, absolute ones and those of the folder."""
    if isinstance(value, str):
        return [path_of(value)] if value.startswith("/") else []
    return [path for each in (value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
            for path in paths_in(each)]


class Paths:
    def __init__(self, aaco, folder):
        self.aaco = aaco
        self.folder = folder
        self.sessions = folder / "sessions"
        self.failures = []
        self.commands = 0

    def fails(self, words, why):
        self.failures.append(f"{' '.join(os.fsencode(word).decode(errors='backslashreplace') for word in words)}: {why}")

    def run(self, words, *more, codes=(0,), sessions=True):
        """Runs a command, and once more looks at what it says as JSON; what it prints."""
        words = [*words.split(), *map(str, more), *(["--sessions", str(self.sessions)] if sessions else [])]
        self.commands += 1
        done = subprocess.run([self.aaco, *map(os.fsencode, words)], cwd=self.folder, capture_output=True)
        if done.returncode not in codes:
            self.fails(words, f"exit code {done.returncode}: {done.stderr.decode(errors='backslashreplace')}")
        return done.stdout

    def json(self, words, *more, **rest):
        """As run, of JSON: all paths that it holds lie in the folder."""
        printed = self.run(words, *more, "--json", **rest)
        try:
            value = json.loads(printed.decode())
        except ValueError as error:
            self.fails([words], f"no JSON: {error}")
            return None
        for path in paths_in(value):
            if path.startswith(os.fsencode(self.folder.parent)) and not path.startswith(os.fsencode(self.folder)):
                self.fails([words], f"names {path}, which is not in the folder")
        return value

    def expect(self, what, seen, expected):
        if seen != expected:
            self.fails([what], f"{seen} instead of {expected}")


def check_runs(paths):
    model = paths.folder / "model\udcfe.onnx"
    model.write_bytes(tiny_onnx.relu())
    paths.run(f"run {RUN} --model", model)
    paths.json(f"run {RUN} --model", model)
    latest = os.path.realpath(paths.sessions / "latest")
    session = json.loads(pathlib.Path(latest, "session.json").read_bytes().decode())
    paths.expect("facts", path_of(session["facts"]["model_path"]), os.fsencode(model))
    paths.expect("command line", os.fsencode(paths.sessions) in map(path_of, session["command_line"]), True)
    shown = paths.json("sessions show")
    paths.expect("sessions show", shown and path_of(shown["path"]), os.fsencode(latest))
    paths.run("sessions show")
    paths.json("sessions verify")
    for form in ("html", "md", "json", "text"):
        page = paths.run(f"report --format {form}", "--output", paths.folder / f"page\udcff.{form}")
        page = (paths.folder / f"page\udcff.{form}").read_bytes()
        paths.expect(form, page.decode() != "", True)
        paths.run(f"report --format {form}", "--session", latest)
    paths.json("report")
    # The command that the report says is the same command again.
    said = (paths.folder / "page\udcff.text").read_text()
    paths.expect("how to reproduce", r"$'" + os.fsencode(paths.folder).decode(errors="surrogateescape").replace("\udcff", r"\377") in said, True)


def check_baselines(paths):
    kept = paths.folder / "baselines"
    first = min(paths.sessions.glob("2*/*"), key=lambda path: (path / "session.json").stat().st_mtime)
    saved = paths.json("baseline save --baselines", kept, "--session", first)
    file = path_of(saved["baseline"])
    document = json.loads(pathlib.Path(os.fsdecode(file)).read_bytes().decode())
    paths.expect("session of a baseline", os.path.isdir(path_of(document["session_path"])), True)
    for words in ("baseline list --baselines", "baseline show --baselines"):
        more = [kept] + ([pathlib.Path(os.fsdecode(file)).name] if "show" in words else [])
        paths.json(words, *more, sessions=False)
        paths.run(words, *more, sessions=False)
    for form in ("text", "json", "html"):
        paths.run(f"diff --format {form} --baseline", os.fsdecode(file), codes=(0, 1, 4))
    paths.json("diff --baseline", first, codes=(0, 1, 4))
    reference = json.loads(next((paths.sessions / "comparisons").glob("*/baseline_ref.json")).read_bytes().decode())
    paths.expect("reference of a verdict", path_of(reference["path"]), os.fsencode(first))
    paths.run("diff --rerun --baseline", first, codes=(0, 1, 4))


def check_sweep_and_queue(paths):
    paths.json(f"sweep {RUN} --model gemm --batch 1,2 --param m=16 --param n=16 --param k=16")
    paths.json("report")
    quick = "--device cpu --streams 2 --iterations 2 --warmup 0 --processes 2"
    output = paths.folder / "queue\udcff.json"
    paths.json(f"queue run tiny_kernel_stress {quick} --output", output)
    json.loads(output.read_bytes().decode())
    paths.run(f"queue run tiny_kernel_stress {quick} --profile")
    paths.run("report --format text")
    paths.json("queue compare --baseline latest --test latest", codes=(0, 4))
    paths.json(f"queue compare --baseline {os.fsdecode(output)} --test {os.fsdecode(output)}", codes=(0, 4))
    paths.json(f"queue sweep tiny_kernel_stress {quick.replace('2 --iter', '1,2 --iter')}")
    paths.json("queue probe --device cpu --streams 2 --processes 1")


def check_traces(paths):
    trace = paths.folder / "trace\udcff.json"
    trace.write_text(json.dumps(TRACE))
    imported = paths.json("trace import", trace)
    session = os.path.realpath(paths.sessions / "latest")
    for source in (trace, session):
        # Not every path in it: the tables of an import keep the name of a recording as text, with U+FFFD for a bad byte.
        said = json.loads(paths.run("trace report --json", source, sessions=False).decode())
        paths.expect("file of a trace", said and [path_of(file["path"]) for file in said["files"]], [os.fsencode(trace)])
        paths.run("trace report", source, sessions=False)
        paths.json("trace export --format chrome --output", paths.folder / f"out\udcff{source == trace}.json", source, sessions=False)
    paths.run("trace report --csv", paths.folder / "tables\udcff", trace, sessions=False)
    paths.json("trace diff", trace, session, sessions=False)
    paths.expect("imported", imported is not None, True)
    counted = paths.json('trace sql', "--session", "latest", "SELECT count(*) AS n FROM events")
    paths.expect("trace sql", counted, [{"n": 2}])


def main(aaco):
    with tempfile.TemporaryDirectory() as base:
        paths = Paths(aaco, pathlib.Path(base).resolve() / "s\udcffx")
        paths.folder.mkdir()
        for check in (check_runs, check_baselines, check_sweep_and_queue, check_traces):
            try:
                check(paths)
            except (OSError, ValueError, TypeError, KeyError) as error:
                paths.fails([check.__name__], f"ended early: {error!r}")
        listed = paths.json("sessions list")
        there = sorted(map(os.fsencode, paths.sessions.glob("2*/*")))
        paths.expect("sessions list", sorted(path_of(each["path"]) for each in listed["sessions"]), there)
        paths.run("sessions list")
        paths.json("sessions prune --keep 1")
        paths.expect("sessions kept", len(list(paths.sessions.glob("2*/*"))), 1)
        print("\n".join(paths.failures) or f"{paths.commands} commands, all in a folder that is not UTF-8")
        return 1 if paths.failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
