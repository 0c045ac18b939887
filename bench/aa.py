#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Error rates of `aaco diff`: A/A pairs (nothing changed) and A/B pairs with an injected slowdown.

A pair is two sessions of the built-in chain-tiny, recorded one after the other (or, with --interleaved, by `diff --rerun`).
A slowdown of x % is x % more nodes in the chain: the same operators, more of them. Rates carry exact (Clopper-Pearson) 95 %
intervals. With --lanes, as many pairs at a time as processors are named, each pinned to its own. --save-drift keeps the 95 %
quantile of |ratio - 1| over the A/A pairs as this machine's drift, which `aaco diff` then widens sequential comparisons by.
"""
import argparse
import json
import math
import pathlib
import tempfile
import time

from harness import clopper_pearson, environment, in_lanes, json_of

VERDICTS = ("regressed", "improved", "equivalent", "inconclusive", "invalid")


def pair(options, lane, nodes):
    pinned = ["taskset", "-c", lane] if lane else []  # what aaco does besides measuring stays in its lane too
    with tempfile.TemporaryDirectory() as sessions:
        def run(count):
            return json_of(pinned + [options.aaco, "run", "--model", "chain-tiny", "--param", f"nodes={count}", "--backend", "cpu", "--threads", "1",
                            "--processes", str(options.processes), "--iterations", str(options.iterations), "--sessions", sessions, "--json"]
                           + (["--pin", lane] if lane else []))["bundle"]
        a, b = run(options.nodes), run(nodes)
        command = pinned + [options.aaco, "diff", "--baseline", a, "--session", b, "--sessions", sessions, "--json", "--allow-different"]
        verdict = json_of(command + (["--rerun"] if options.interleaved else []), (0, 1, 4))
    return dict(verdict=verdict["verdict"], ratio=verdict.get("ratio"), power_point_pct=verdict.get("minimum_detectable_pct"), lane=lane)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aaco", default="build/bin/aaco")
    parser.add_argument("--pairs", type=int, default=300, help="A/A pairs")
    parser.add_argument("--slowdowns", default="1,2,3,5,10", help="percent; empty for none")
    parser.add_argument("--slowdown-pairs", type=int, default=40)
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=5000)
    parser.add_argument("--nodes", type=int, default=200)
    parser.add_argument("--interleaved", action="store_true")
    parser.add_argument("--lanes", default="", metavar="CPU,CPU,...", help="processors that measure a pair each at the same time; default: one, not pinned")
    parser.add_argument("--save-drift", metavar="FILE", help="drift.json of the cache folder")
    parser.add_argument("--output", required=True)
    options = parser.parse_args()
    results = dict(interleaved=options.interleaved, processes=options.processes, iterations=options.iterations, nodes=options.nodes,
                   environment=environment(options.aaco), series=[])
    plan = [(0, options.pairs)] + [(float(s), options.slowdown_pairs) for s in options.slowdowns.split(",") if s]
    for slowdown, count in plan:
        slower = round(options.nodes * (1 + slowdown / 100))
        pairs = in_lanes(options.lanes.split(","), count, lambda _, lane: pair(options, lane, slower))
        rates = {v: [sum(p["verdict"] == v for p in pairs)] for v in VERDICTS}
        for v in VERDICTS:
            rates[v] += list(clopper_pearson(rates[v][0], len(pairs)))
        able = [p for p in pairs if isinstance(p["power_point_pct"], (int, float)) and 0 < p["power_point_pct"] <= slowdown]
        found = sum(p["verdict"] == "regressed" for p in able)
        results["series"].append(dict(slowdown_pct=slowdown, pairs=pairs, rates=rates,
                                      at_stated_power=dict(pairs=len(able), regressed=[found, *clopper_pearson(found, len(able))])))
        pathlib.Path(options.output).write_text(json.dumps(results, indent=1))
        print(f"{slowdown:4.0f} %: " + ", ".join(f"{v} {rates[v][0]}/{len(pairs)} [{rates[v][1]:.3f}, {rates[v][2]:.3f}]" for v in VERDICTS) +
              f"; at their stated power {found}/{len(able)}", flush=True)
    if options.save_drift:
        ratios = sorted(abs(p["ratio"] - 1) for p in results["series"][0]["pairs"] if p["ratio"])
        drift = dict(drift_pct=100 * ratios[min(len(ratios) - 1, math.ceil(0.95 * len(ratios)) - 1)], pairs=len(ratios),
                     measured_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), cpu_model=results["environment"]["cpu"])
        pathlib.Path(options.save_drift).write_text(json.dumps(drift))


if __name__ == "__main__":
    main()
