#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bisect_simulation.py --program build/bench/bisect_simulation --output bench/results/bisect-simulation.json: how often `aaco guard bisect` names
the right one of 128 commits at +3 %, and with how many builds, in 1,000 searches each. Noise: the logarithms of the ratios of A/A pairs in
aa-sequential.json and aa-interleaved.json. It is that of a whole pair, as the program has them: both ends before the search, and in it a commit
beside the good one. Each pair draws anew: a level that a build has by itself, as of its memory layout, is not in those pairs."""
import argparse
import json
import math
import pathlib
import statistics
import tempfile

from harness import json_of

RESULTS = pathlib.Path(__file__).parent / "results"


def recorded_noise(name):
    series = json.loads((RESULTS / name).read_text())["series"]
    return [math.log(pair["ratio"]) for part in series if part["slowdown_pct"] == 0 for pair in part["pairs"] if pair["ratio"]]


def interval(right, count):
    """Wilson, 95 %."""
    z, share = 1.96, right / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return [middle - half, middle + half]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--searches", type=int, default=1000)
    asked = parser.parse_args()
    rows = []
    for name in ("aa-sequential.json", "aa-interleaved.json"):
        noise = recorded_noise(name)
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("\n".join(map(repr, noise)))
            file.flush()
            searches = json_of([asked.program, file.name, "128", "0.03", str(asked.searches), "1"])["searches"]
        right = sum(first == answer for first, answer, *_ in searches)
        rows.append({"noise": name, "noise_sigma": statistics.pstdev(noise), "noise_values": len(noise), "commits": 128, "change": 0.03,
                     "right": right, "of": len(searches), "share_interval": interval(right, len(searches)),
                     "not_shown": sum(answer == 0 for _, answer, *_ in searches),
                     "certain_and_wrong": sum(first != answer and probability >= 0.998 for first, answer, probability, *_ in searches),
                     "builds": {"mean": statistics.mean(s[3] for s in searches), "most": max(s[3] for s in searches)},
                     "measurements": {"mean": statistics.mean(s[4] for s in searches), "most": max(s[4] for s in searches)},
                     "runs": {"mean": statistics.mean(s[5] for s in searches), "most": max(s[5] for s in searches)},
                     "columns": ["first slow", "answer", "probability", "builds", "measurements", "runs"], "searches": searches})
        print({key: value for key, value in rows[-1].items() if key != "searches"})
    pathlib.Path(asked.output).write_text(json.dumps({"rows": rows}) + "\n")


if __name__ == "__main__":
    main()
