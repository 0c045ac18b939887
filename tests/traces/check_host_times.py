#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The time of operators on the host, self and by union, against a walk over the marks of each thread: of made traces, without a device
too, and of recorded ones where they are here.

Usage: check_host_times.py AACO REPOSITORY
"""
import collections
import decimal
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

AACO, REPOSITORY = sys.argv[1:3]
DATA = pathlib.Path(os.environ.get("AACO_DATA") or pathlib.Path(REPOSITORY).parent / "shared" / "data")
RECORDED = ["hta/negative_queue_length_values_check/rank0.json.gz", "kineto/tb_plugin/samples/resnet50_num_workers_0/worker0.pt.trace.json.gz",
            "tracelens/traces/mi300/google_owlv2-large-patch14-ensemble__1016001.json.gz"]
OPERATORS = ("cpu_op", "Operator", "Node")
failures = []


def expected(events):
    """By name: count, self and union, in nanoseconds."""
    counts, self_ns, union_ns = collections.Counter(), collections.Counter(), collections.Counter()
    threads = collections.defaultdict(list)
    for number, event in enumerate(events):
        if event.get("ph") == "X" and event.get("cat") in OPERATORS:
            counts[event["name"]] += 1
            start = int(decimal.Decimal(event["ts"]) * 1000)
            duration = int(decimal.Decimal(event["dur"]) * 1000)
            if duration > 0:
                threads[str(event["pid"]), str(event["tid"])].append((start, start + duration, number, event["name"]))
    for slices in threads.values():
        # Innermost is what began last; of what began together the shortest.
        marks = sorted([(start, 1, number) for start, end, number, name in slices] + [(end, 0, number) for start, end, number, name in slices])
        by_number = {each[2]: each for each in slices}
        active, depth, before = set(), collections.Counter(), None
        for time, begins, number in marks:
            if active and time > before:
                innermost = max(active, key=lambda each: (by_number[each][0], -by_number[each][1], each))
                self_ns[by_number[innermost][3]] += time - before
                for name in depth:
                    union_ns[name] += time - before
            before = time
            name = by_number[number][3]
            if begins:
                active.add(number)
                depth[name] += 1
            else:
                active.discard(number)
                depth[name] -= 1
                if depth[name] == 0:
                    del depth[name]
    return {name: (count, self_ns[name], union_ns[name]) for name, count in counts.items()}


def compare(path, events):
    done = subprocess.run([AACO, "trace", "report", str(path), "--json", "--top", "1000000"], capture_output=True, text=True)
    if done.returncode not in (0, 5):
        sys.exit(f"{path}: exit {done.returncode}: {done.stderr}")
    ours = {}
    for rank in json.loads(done.stdout)["operators"]:
        for each in rank["by_name"]:
            ours[each["name"]] = (each["count"], each["host_self_ns"], each["host_ns"])
    theirs = expected(events)
    for name in sorted(ours.keys() | theirs.keys()):
        if ours.get(name) != theirs.get(name):
            failures.append(f"{path.name}: {name}: {ours.get(name)}, expected {theirs.get(name)}")
    return len(theirs)


def made(seed):
    """Operators within operators on three threads; a few begin or end together, or do not nest."""
    chance = random.Random(seed)
    events = []

    def grow(thread, begin, end, depth):
        at = begin
        while depth < 6 and at < end:
            start = at + chance.choice([0, 0, 1, 7, 40])
            stop = min(end, start + chance.choice([0, 1, 5, 30, 200]))
            if start > end or chance.random() < 0.2:
                break
            events.append({"ph": "X", "cat": "cpu_op", "name": f"op {chance.randrange(12)}", "pid": 1, "tid": thread, "ts": start, "dur": stop - start})
            grow(thread, start, stop, depth + 1)
            at = stop + chance.choice([0, 1, 3])

    for thread in range(3):
        for begin in range(0, 20_000, 1_000):
            grow(thread, begin, begin + 900, 0)
    events += [{"ph": "X", "cat": "cpu_op", "name": "astride", "pid": 1, "tid": 9, "ts": 10 * i, "dur": 14} for i in range(20)]
    chance.shuffle(events)
    return events


def main():
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(5):
            path = pathlib.Path(folder) / f"made_{seed}.json"
            path.write_text(json.dumps({"traceEvents": made(seed)}))
            compared += compare(path, json.loads(path.read_text())["traceEvents"])
    recorded = [DATA / name for name in RECORDED if (DATA / name).exists()]
    for path in recorded:
        with gzip.open(path) as source:
            trace = json.load(source, parse_float=decimal.Decimal)
        compared += compare(path, trace["traceEvents"] if isinstance(trace, dict) else trace)
    print("\n".join(failures[:40]) or f"summary: {compared} operators have the time on the host that their threads' marks give; {len(recorded)} recorded traces")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
