#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`aaco trace diff` of pairs of recorded traces: its causes add up to what another parser makes of the two, a trace does not differ
from itself, and A against B is B against A negated. Exit 77 where the data is not here.

Usage: check_diff.py AACO REPOSITORY
"""
import csv
import gzip
import io
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from skipping import skip_without  # noqa: E402

AACO, REPOSITORY = sys.argv[1:3]
DATA = pathlib.Path(os.environ.get("AACO_DATA") or pathlib.Path(REPOSITORY).parent / "shared" / "data")
RESNET = "kineto/tb_plugin/samples/resnet50_num_workers_0/"
PAIRS = [("h200-recorded/fsdp2_d2048_rank0.json.gz", "h200-recorded/fsdp2_d2048_rank1.json.gz"),
         (RESNET + "worker0.1623143089861.pt.trace.json.gz", RESNET + "worker0.1623143566756.pt.trace.json.gz"),
         ("tracelens/traces/mi300/google_owlv2-large-patch14-ensemble__1016001.json.gz",
          "tracelens/traces/mi300/Falconsai_nsfw_image_detection__1016002.json.gz"),
         ("hta/trace_compare/base/base.json.gz", "hta/trace_compare/test/test.json.gz")]

failures = []


def check(what, holds):
    if not holds:
        failures.append(what)


def diff(before, after, form="--json"):
    done = subprocess.run([AACO, "trace", "diff", str(DATA / before), str(DATA / after), form], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{before}, {after}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def device_work(path):
    """Number and sum of durations of what ran on the device, by name."""
    with gzip.open(DATA / path) as file:
        root = json.load(file)
    work = {}
    for event in root["traceEvents"]:
        if event.get("cat") in ("kernel", "Kernel", "gpu_memcpy", "Memcpy", "gpu_memset", "Memset") and event["ph"] == "X":
            count, total = work.get(event["name"], (0, 0))
            work[event["name"]] = count + 1, total + round(event["dur"] * 1000)
    return work


def causes(rows, sign):
    return {(row["name"], row["path"], row["shapes"]): (sign * row["change_ns"], sign * row["by_count_ns"], sign * row["by_time_ns"]) for row in rows}


def check_pair(before, after):
    there, back, same = json.loads(diff(before, after)), json.loads(diff(after, before)), json.loads(diff(before, before))
    mine = dict(before={}, after={})
    for row in there["kernels"]:
        for side, work in mine.items():
            if row[side]["count"]:
                count, total = work.get(row["name"], (0, 0))
                work[row["name"]] = count + row[side]["count"], total + row[side]["total_ns"]
    work = device_work(before), device_work(after)
    check(f"{before}: not what another parser counts", mine["before"] == work[0])
    check(f"{after}: not what another parser counts", mine["after"] == work[1])
    change = sum(total for _, total in work[1].values()) - sum(total for _, total in work[0].values())
    for of in ("kernels", "operators"):
        check(f"{before}: {of}: the causes do not add up", sum(row["change_ns"] for row in there[of]) == change == there["change_ns"])
        check(f"{before}: {of}: count and time do not add up", all(row["by_count_ns"] + row["by_time_ns"] == row["change_ns"] for row in there[of]))
        check(f"{before}: {of}: not negated", causes(there[of], 1) == causes(back[of], -1))
        check(f"{before}: {of}: differs from itself", all(change == (0, 0, 0) for change in causes(same[of], 1).values()) and same[of])
        states = {(0, 1): "new", (1, 0): "vanished", (1, 1): "both"}
        check(f"{before}: {of}: new or vanished", all(row["state"] == states[row["before"]["count"] > 0, row["after"]["count"] > 0] for row in there[of]))
    rows = list(csv.DictReader(io.StringIO(diff(before, after, "--csv"))))
    check(f"{before}: CSV", [int(row["change_ns"]) for row in rows] == [row["change_ns"] for row in there["kernels"] + there["operators"]])


if __name__ == "__main__":
    if not DATA.is_dir():
        skip_without(DATA)
    for pair in PAIRS:
        check_pair(*pair)
    print("\n".join(failures) or f"{len(PAIRS)} pairs hold")
    sys.exit(bool(failures))
