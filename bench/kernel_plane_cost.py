#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the kernel plane costs: kernel_plane_cost.cpp, its bounds, and the table of docs/measuring/kernel-plane.md. Needs root.

Bounds, of eBPF without stacks at 20,000 switches a second: programs and reader take 2 % of a processor at most, and the median turn of the observed program
is at most 1 % longer, in the median of interleaved pairs. Stacks and perf events are measured beside it, without a bound.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys

from harness import environment, interval

SHARE, LONGER, SWITCHES = 0.02, 0.01, 20_000
BEGIN, END = "<!-- kernel plane cost: begin -->\n", "<!-- kernel plane cost: end -->\n"
NAMES = {"ebpf": "`ebpf`, no stacks", "ebpf_stacks": "`ebpf`, stacks", "perf_event_open": "`perf_event_open`"}


def summary(lines):
    """By mode: the share of a processor, scaled to 20,000 switches a second, and how much longer a turn took than the bare one of the same round."""
    bare = {line["round"]: line["median_turn_ns"] for line in lines if line["mode"] == "bare"}
    modes = {}
    for mode in NAMES:
        own = [line for line in lines if line["mode"] == mode]
        per_switch = [(line.get("programs_ns", 0) + line["reader_cpu_ns"]) / line["switches"] for line in own]
        longer = [line["median_turn_ns"] / bare[line["round"]] - 1 for line in own]
        modes[mode] = dict(switches_a_second=statistics.median(line["switches"] * 1e9 / line["observed_ns"] for line in own),
                           programs_ns_a_switch=statistics.median(line["programs_ns"] / line["switches"] for line in own) if "programs_ns" in own[0] else None,
                           reader_ns_a_switch=statistics.median(line["reader_cpu_ns"] / line["switches"] for line in own),
                           share_at_20k=statistics.median(per_switch) * SWITCHES / 1e9, longer=statistics.median(longer),
                           longer_interval=interval(longer, 0.95)[1:] if len(longer) > 2 else None,
                           lost=sum(line.get("lost_spans", 0) + line.get("lost_events", 0) for line in own))
    return modes


def table(result):
    where, rows = result["environment"], []
    for mode, value in result["modes"].items():
        own = "counted in the program's time" if value["programs_ns_a_switch"] is None else f"{value['programs_ns_a_switch']:.0f} ns"
        rows.append(f"| {NAMES[mode]} | {own} | {value['reader_ns_a_switch']:.0f} ns | {100 * value['share_at_20k']:.2f} % | {100 * value['longer']:+.2f} % |\n")
    return ("| Source | Programs, a switch | Reader, a switch | Of a processor at 20,000 switches a second | Median turn |\n|---|---|---|---|---|\n" + "".join(rows)
            + f"\nBound, without stacks: {100 * SHARE:.0f} % and {100 * LONGER:.0f} %. Measured on {where['date']} at revision {where['revision']}: {where['cpu']}, "
              f"{where['processors']} processors, Linux {where['kernel']}, load {where['load'][0]:.1f} (bench/results/kernel-plane-cost.json).\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aaco", required=True)
    parser.add_argument("--kernel-plane-cost", required=True, help="build/bench/kernel_plane_cost")
    parser.add_argument("--rounds", default="30", help="each takes four seconds")
    parser.add_argument("--out", default="bench/results/kernel-plane-cost.json")
    parser.add_argument("--page", default="docs/measuring/kernel-plane.md")
    options = parser.parse_args()
    where = environment(options.aaco)
    done = subprocess.run([options.kernel_plane_cost, options.rounds], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{options.kernel_plane_cost}: exit {done.returncode}: {done.stderr}")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    result = dict(environment=where, modes=summary(lines), seconds=lines)
    with open(options.out, "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    if os.path.exists(options.page):
        page = open(options.page).read()
        open(options.page, "w").write(re.sub(re.escape(BEGIN) + ".*?" + re.escape(END), lambda _: BEGIN + table(result) + END, page, flags=re.S))
    print(table(result))
    without = result["modes"]["ebpf"]
    missed = [text for text, bad in ((f"programs and reader take {100 * without['share_at_20k']:.2f} % of a processor, more than {100 * SHARE:.0f} %",
                                      without["share_at_20k"] > SHARE),
                                     (f"the median turn is {100 * without['longer']:.2f} % longer, more than {100 * LONGER:.0f} %", without["longer"] > LONGER),
                                     (f"{without['lost']} records were lost", without["lost"] > 0)) if bad]
    for text in missed:
        print(text, file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
