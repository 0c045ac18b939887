#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fuzz_runs.py --seconds 600 --output bench/results/fuzz.json [TARGET...]: each libFuzzer target of build-asan/ (default: all) for so long, by
`scripts/fuzz` and at the lowest priority; --jobs at once. A row has the revision, the date, the seconds, executions, coverage, the corpus and
what was found; the file is written after each, and rows of other targets that it has stay. Exit code 1 with findings."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

from harness import environment

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOUND = ROOT / "build-asan" / "fuzz" / "found"
ARTIFACTS = ("crash-", "leak-", "oom-", "timeout-")


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def revision():
    """Of the sources, which the targets were built from: ask before they run."""
    changed = git("status", "--porcelain", "--untracked-files=no", "--", "src", "fuzz")
    return git("rev-parse", "--short=12", "HEAD") + ("+changes" if changed else "")


def artifacts(target):
    folder = FOUND / target
    return {path.name for path in folder.iterdir() if path.name.startswith(ARTIFACTS)} if folder.is_dir() else set()


def statistic(text, name):
    found = re.search(rf"^stat::{name}: +(\d+)$", text, re.M)
    return found and int(found[1])


def fuzz(target, seconds, built_from):
    before, began = artifacts(target), time.monotonic()
    variables = dict(ASAN_OPTIONS="detect_stack_use_after_return=1:strict_string_checks=1", UBSAN_OPTIONS="print_stacktrace=1",
                     LSAN_OPTIONS=f"suppressions={ROOT}/scripts/lsan.supp:print_suppressions=0")
    done = subprocess.run(["nice", "-n", "19", "scripts/fuzz", target, str(seconds)], cwd=ROOT, env={**os.environ, **variables},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = done.stdout.decode(errors="replace")
    progress = re.findall(r"\bcov: (\d+) ft: (\d+) corp: (\d+)/", text)
    coverage, features, corpus = map(int, progress[-1]) if progress else (None, None, None)
    words = re.findall(r"^(?:SUMMARY: |.*runtime error: ).*", text, re.M)
    if done.returncode and not words:
        print(f"{target}: exit code {done.returncode}\n{text[-4000:]}", file=sys.stderr)
    findings = dict(files=sorted(artifacts(target) - before), words=words[:5]) if done.returncode else None
    return dict(target=target, revision=built_from, date=time.strftime("%Y-%m-%d %H:%M", time.gmtime()), seconds=round(time.monotonic() - began, 1),
                executions=statistic(text, "number_of_executed_units"), peak_rss_mb=statistic(text, "peak_rss_mb"), coverage=coverage, features=features,
                corpus=corpus, exit_code=done.returncode, findings=findings)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", default=sorted(path.stem for path in (ROOT / "fuzz").glob("fuzz_*.cpp")))
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--aaco", default=str(ROOT / "build" / "bin" / "aaco"))
    parser.add_argument("--output", type=pathlib.Path, required=True)
    flags = parser.parse_args()
    rows = {row["target"]: row for row in json.loads(flags.output.read_text())["fuzz_runs"]} if flags.output.exists() else {}
    where, built_from, lock = environment(flags.aaco), revision(), threading.Lock()

    def run(target):
        row = fuzz(target, flags.seconds, built_from)
        with lock:
            rows[target] = row
            flags.output.write_text(json.dumps(dict(environment=where, fuzz_runs=[rows[name] for name in sorted(rows)]), indent=1) + "\n")
            print(f"{target}: {row['executions'] or 0:,} executions in {row['seconds']:.0f} s; {row['findings'] or 'nothing found'}", flush=True)
        return row

    with concurrent.futures.ThreadPoolExecutor(flags.jobs) as pool:
        done = list(pool.map(run, flags.targets))
    print(f"summary: {len(done)} targets, {sum(row['executions'] or 0 for row in done):,} executions, {sum(row['exit_code'] != 0 for row in done)} with findings")
    return 1 if any(row["exit_code"] for row in done) else 0


if __name__ == "__main__":
    sys.exit(main())
