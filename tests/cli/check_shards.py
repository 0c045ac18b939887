#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Several processes of a job import a folder, each its share; one query spans their sessions. Usage: check_shards.py AACO"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

AACO = sys.argv[1]
failures = []


def check(what, holds):
    if not holds:
        failures.append(what)


def run(*words, **variables):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI_", "SLURM_", "AACO_SHARD", "AACO_JOB"))}
    return subprocess.run([AACO, "trace", *map(str, words)], capture_output=True, text=True, env={**kept, **variables})


def import_share(folder, sessions, index, count, job):
    return run("import", folder / "ranks", "--sessions", sessions, AACO_SHARD=str(index), AACO_SHARDS=str(count), AACO_JOB=job)


def total(sessions, session="latest"):
    done = run("sql", "--sessions", sessions, "--session", session, "--json", "SELECT shard, count(*) AS events, sum(duration_ns) AS total FROM events GROUP BY shard ORDER BY shard")
    return done.returncode, json.loads(done.stdout) if done.returncode == 0 else done.stderr


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "ranks").mkdir()
        for rank in range(5):
            events = [dict(ph="X", cat="kernel", name="k", pid=0, tid=7, ts=i, dur=rank + 1) for i in range(10)]
            (folder / "ranks" / f"rank{rank}.json").write_text(json.dumps(dict(distributedInfo=dict(rank=rank), traceEvents=events)))
        sessions = folder / "sessions"
        first = import_share(folder, sessions, 0, 3, "a")
        check(f"first share: {first.stdout} {first.stderr}", first.returncode == 0 and "process 0 of 3 of job a" in first.stdout)
        code, said = total(sessions)
        check(f"a query before the others are done: {code} {said}", code == 2 and "shard 1 of 3" in said)
        for index in (1, 2):
            check(f"share {index}", import_share(folder, sessions, index, 3, "a").returncode == 0)
        code, rows = total(sessions)
        check(f"all shards: {rows}", code == 0 and [row["shard"] for row in rows] == [0, 1, 2])
        check(f"all events: {rows}", code == 0 and sum(row["events"] for row in rows) == 50 and sum(row["total"] for row in rows) == 10 * 15 * 1000)
        check("the same job again is two of one shard", import_share(folder, sessions, 0, 3, "a").returncode == 0 and total(sessions)[0] == 2)

        more = folder / "more"  # than there are recordings
        ends = [import_share(folder, more, index, 7, "b") for index in range(7)]
        check(f"seven shares of five: {[end.returncode for end in ends]}", all(end.returncode == 0 for end in ends))
        check(f"an empty share: {ends[6].stderr}", "no recording is left" in ends[6].stderr)
        code, rows = total(more)
        check(f"five of seven: {rows}", code == 0 and sum(row["events"] for row in rows) == 50 and len(rows) == 5)

        check("a share that is none", run("import", folder / "ranks", "--sessions", more, AACO_SHARD="3", AACO_SHARDS="3", AACO_JOB="c").returncode == 2)
        alone = run("import", folder / "ranks", "--sessions", folder / "alone")
        done = run("sql", "--sessions", folder / "alone", "SELECT count(*) AS n FROM events", "--json")
        check("one process imports all", alone.returncode == 0 and json.loads(done.stdout) == [{"n": 50}])
    print("\n".join(failures) or "shards import and are asked as one")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
