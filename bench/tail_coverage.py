#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tail_coverage.py --output bench/results/tail-coverage.json: how often the interval of a pooled tail quantile covers that quantile of all
processes. Processes are log-normal about 1; iterations are log-normal (3 %), or so with 2 % outliers. *processes*: as aaco has it, about
the pooled quantile by Student's t on the logarithms of the processes' own. *iterations*: by order statistics of all. Needs numpy and scipy."""
import argparse
import json
import math
import time

import numpy
import scipy.stats


def iterations(random, shape, outliers):
    values = numpy.exp(random.normal(0, 0.03, shape))
    return numpy.where(random.random(shape) < 0.02, values * (1 + random.exponential(1, shape)), values) if outliers else values


def coverage(random, processes, count, q, between, outliers, trials):
    everybody = numpy.exp(random.normal(0, between, 4000))[:, None] * iterations(random, (4000, 500), outliers)
    truth = numpy.quantile(everybody, q)
    half_t = scipy.stats.t.ppf(0.975, processes - 1) / math.sqrt(processes)
    covered = dict(processes=0, iterations=0)
    for _ in range(trials):
        values = numpy.exp(random.normal(0, between, processes))[:, None] * iterations(random, (processes, count), outliers)
        own = numpy.log(numpy.quantile(values, q, axis=1))
        covered["processes"] += abs(math.log(truth / numpy.quantile(values, q))) <= half_t * own.std(ddof=1)
        ordered = numpy.sort(values.ravel())
        low, high = scipy.stats.binom.ppf([0.025, 0.975], len(ordered), q).astype(int)
        covered["iterations"] += ordered[max(low - 1, 0)] <= truth <= ordered[min(high, len(ordered) - 1)]
    return {by: int(number) / trials for by, number in covered.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", required=True)
    options = parser.parse_args()
    random = numpy.random.default_rng(options.seed)
    needed = {0.90: 29, 0.95: 59, 0.99: 299}  # iterations of a process for a quantile of its own
    rows = [dict(processes=processes, iterations=count, quantile=q, between=between, outliers=outliers,
                 covered=coverage(random, processes, count, q, between, outliers, options.trials))
            for processes in (3, 5, 10) for count in (60, 300, 2000) for q in needed if count >= needed[q]
            for between in (0.0, 0.02, 0.1) for outliers in (False, True)]
    with open(options.output, "w") as file:
        json.dump(dict(date=time.strftime("%Y-%m-%d", time.gmtime()), trials=options.trials, seed=options.seed, tail_coverage=rows), file, indent=1)


main()
