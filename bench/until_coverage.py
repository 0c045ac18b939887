#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""until_coverage.py --output bench/results/until-coverage.json: how often the interval of a run that stopped by --until covers the median of
all processes. Medians of processes are log-normal. *fixed*: the fewest processes, never more. *until*: processes are added until both ends of
the interval are within the target of the figure, as engine/until_rule.h has it, at most 200. Needs numpy and scipy."""
import argparse
import json
import math
import time

import numpy
import scipy.stats

MOST = 200


def interval(logarithms, half_t):
    """Low, high and figure, as logarithms: estimate_over_processes of base/statistics.cpp."""
    mean, half, middle = logarithms.mean(), half_t * logarithms.std(ddof=1), numpy.median(logarithms)
    return min(mean - half, middle), max(mean + half, middle), middle


def run(random, spread, target, fewest, half_t):
    """Whether the interval covers, of how many processes, and whether the target was reached; the same of the fewest alone."""
    logarithms = random.normal(0, spread, MOST)
    count = fewest
    while True:
        low, high, middle = interval(logarithms[:count], half_t[count])
        reached = max(math.expm1(high - middle), -math.expm1(low - middle)) <= target
        if reached or count == MOST:
            break
        count += 1
    first_low, first_high, _ = interval(logarithms[:fewest], half_t[fewest])
    return low <= 0 <= high, count, reached, first_low <= 0 <= first_high


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", required=True)
    options = parser.parse_args()
    random = numpy.random.default_rng(options.seed)
    half_t = [0] * 3 + [scipy.stats.t.ppf(0.975, n - 1) / math.sqrt(n) for n in range(3, MOST + 1)]
    target = 0.02
    rows = []
    for fewest in (3, 5, 8):
        for ratio in (0.25, 0.5, 1, 2, 3):
            covered, counts, reached, fixed = zip(*(run(random, ratio * target, target, fewest, half_t) for _ in range(options.trials)))
            rows.append(dict(fewest=fewest, spread_over_target=ratio, until=numpy.mean(covered), fixed=numpy.mean(fixed),
                             processes=numpy.mean(counts), reached=numpy.mean(reached)))
            print("{fewest} {spread_over_target:5} fixed {fixed:.3f} until {until:.3f} processes {processes:.1f}".format(**rows[-1]))
    with open(options.output, "w") as file:
        json.dump(dict(date=time.strftime("%Y-%m-%d", time.gmtime()), trials=options.trials, seed=options.seed, until_coverage=rows), file,
                  indent=1, default=float)


main()
