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


def import_share(folder, sessions, index, count, job, *flags):
    return run("import", folder / "ranks", "--sessions", sessions, *flags, AACO_SHARD=str(index), AACO_SHARDS=str(count), AACO_JOB=job)


def total(sessions, session="latest"):
    done = run("sql", "--sessions", sessions, "--session", session, "--json", "SELECT shard, count(*) AS events, sum(duration_ns) AS total FROM events GROUP BY shard ORDER BY shard")
    return done.returncode, json.loads(done.stdout) if done.returncode == 0 else done.stderr


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "ranks").mkdir()
        for rank in range(5):
            events = [dict(ph="X", cat="kernel", name="k", pid=0, tid=7, ts=i, dur=rank + 1) for i in range(10)]
            (folder / "ranks" / f"rank{rank}.json").write_text(json.dumps(dict(distributedInfo=dict(rank=rank, world_size=5), traceEvents=events)))
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
        session = json.loads(import_share(folder, folder / "again", 1, 3, "d", "--json").stdout)["session"]
        done = run("report", session)
        check(f"a report of one shard: {done.stdout}", done.returncode == 0
              and "shard 1 of the import that 3 processes of job d shared: what shards 0, 2 hold is in no figure here" in done.stdout
              and "\nranks 1, 4 of a job of 5: the other 3 are in no figure here\n" in done.stdout)
        held = json.loads(run("report", session, "--json").stdout)["held"]
        check(f"the same as JSON: {held}", held == dict(shard=dict(job="d", index=1, count=3, missing=[0, 2]), ranks=[1, 4], ranks_of_job=5))
        done = run("export", session, "--format", "chrome", "--output", folder / "shard.json")
        check(f"an export of one shard: {done.stderr}", done.returncode == 0 and "shard 1 of" in done.stderr)
        done = run("diff", session, session)
        check(f"a diff of one shard: {done.stderr}", done.returncode == 0 and done.stderr.count("shard 1 of") == 2)
        copy = json.loads(run("import", session, "--sessions", folder / "copy", "--json").stdout)["session"]
        check("the import of a shard remains a part", "in no figure here" in run("report", copy).stdout)
        check("a trace of all ranks says nothing", "in no figure" not in run("report", folder / "ranks").stdout)
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
