#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the host's telemetry costs: telemetry_cost.cpp, its bounds, and the table of docs/measuring/telemetry.md.

Bounds: a sample of the host takes 50 us at most (median), the sampling thread 0.1 % of a processor at 10 Hz.
"""
import argparse
import json
import os
import re
import sys

from harness import environment, json_of

SAMPLE_NS = 50_000
SHARE = 0.001
BEGIN, END = "<!-- telemetry cost: begin -->\n", "<!-- telemetry cost: end -->\n"


def table(result):
    cost, default, most = result["cost"]["host_sample"], result["cost"]["default_rate"], result["cost"]["highest_rate"]
    where = result["environment"]
    rows = [("a sample of the host, median", f"{cost['p50_ns'] / 1000:.1f} µs", f"{SAMPLE_NS / 1000:.0f} µs"),
            ("the same, 99th percentile", f"{cost['p99_ns'] / 1000:.1f} µs", ""),
            (f"share of a processor at {default['hz']:.0f} Hz", f"{100 * default['processor_share']:.3f} %", f"{100 * SHARE:.1f} %"),
            (f"share of a processor at {most['hz']:.0f} Hz", f"{100 * most['processor_share']:.2f} %", "")]
    text = "| what | measured | bound |\n|---|---|---|\n" + "".join(f"| {name} | {value} | {bound} |\n" for name, value, bound in rows)
    return text + (f"\nMeasured on {where['date']} at revision {where['revision']}: {where['cpu']}, {where['processors']} processors, load "
                   f"{where['load'][0]:.1f} (bench/results/telemetry-cost.json).\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aaco", required=True)
    parser.add_argument("--telemetry-cost", required=True, help="build/bench/telemetry_cost")
    parser.add_argument("--seconds", default="30")
    parser.add_argument("--out", default="bench/results/telemetry-cost.json")
    parser.add_argument("--page", default="docs/measuring/telemetry.md")
    options = parser.parse_args()
    where = environment(options.aaco)
    result = dict(environment=where, cost=json_of([options.telemetry_cost, options.seconds]))
    with open(options.out, "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    if os.path.exists(options.page):
        page = open(options.page).read()
        new = re.sub(re.escape(BEGIN) + ".*?" + re.escape(END), lambda _: BEGIN + table(result) + END, page, flags=re.S)
        open(options.page, "w").write(new)
    late = [name for name, bad in (("a sample of the host takes more than 50 us", result["cost"]["host_sample"]["p50_ns"] > SAMPLE_NS),
                                   ("the thread uses more than 0.1 % of a processor at 10 Hz", result["cost"]["default_rate"]["processor_share"] > SHARE))
            if bad]
    for name in late:
        print(name, file=sys.stderr)
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
