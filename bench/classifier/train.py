#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains the learned classifier and says how good it is on what it has not seen.

A forest of trees, each leaf with a share of each class. Beside the recorded runs it sees rows of no class: metrics drawn one by one from all runs, so that a
tree learns where a class ends (Breiman's contrast, "Manual on setting up, using, and understanding random forests", 2002). A metric that is missing counts as
the value that speaks most against a class: at its splits the lower of both sides. So no answer becomes surer because less is known.

Held out, and never trained on in the same fold:
  families   leave-one-family-out: of each class one family of models after the other
  classes    leave-one-class-out: its runs must be abstained on
  unknown    runs of no class (cached, denormals, crowded cache)"""
import argparse
import json
import pathlib
import sys
import time

import numpy
from sklearn.ensemble import RandomForestClassifier

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from features import CLASSES, FEATURES, known_rows, vector

TREES, LEAVES, LEAST_ROWS = 100, 40, 3
CONTRAST = 1.0  # rows of no class for each row of a run
NONE = len(CLASSES)
SURE = 0.5  # of the lower bound; below it the answer is that nothing is known


def contrast(random, table, count):
    """Each metric of a row from another run: what is usual of each alone, and of no class together."""
    return numpy.stack([table[random.integers(0, len(table), count), column] for column in range(table.shape[1])], axis=1)


def trained(table, truths, seed):
    random = numpy.random.default_rng(seed)
    noise = contrast(random, table, int(CONTRAST * len(table)))
    forest = RandomForestClassifier(TREES, max_leaf_nodes=LEAVES, min_samples_leaf=LEAST_ROWS, class_weight="balanced_subsample", random_state=seed, n_jobs=1)
    x = numpy.concatenate([table, noise])
    y = numpy.concatenate([truths, numpy.full(len(noise), NONE)])
    median = numpy.nanmedian(x, axis=0)
    forest.fit(numpy.where(numpy.isnan(x), numpy.nan_to_num(median), x), y)
    return forest


def shares(forest, table):
    """The lower bound of each class's share, over what the missing metrics may be: rows x classes."""
    total = numpy.zeros((len(table), len(CLASSES) + 1))
    for estimator in forest.estimators_:
        tree = estimator.tree_
        leaf = tree.value[:, 0, :] / tree.value[:, 0, :].sum(axis=1, keepdims=True)
        of_node = numpy.zeros((tree.node_count, len(CLASSES) + 1))
        of_node[:, forest.classes_.astype(int)] = leaf

        def bound(node, rows):
            if tree.children_left[node] < 0:
                return numpy.repeat(of_node[node][None], len(rows), axis=0)
            out = numpy.empty((len(rows), len(CLASSES) + 1))
            value = table[rows, tree.feature[node]].astype(numpy.float32)
            missing, low = numpy.isnan(value), value <= tree.threshold[node]
            left, right = numpy.flatnonzero(low | missing), numpy.flatnonzero(~low)
            results = [numpy.full(out.shape, numpy.inf), numpy.full(out.shape, numpy.inf)]
            for child, which, result in ((tree.children_left[node], left, results[0]), (tree.children_right[node], right, results[1])):
                if len(which):
                    result[which] = bound(child, rows[which])
            return numpy.minimum(*results)
        total += bound(0, numpy.arange(len(table)))
    return total / len(forest.estimators_)


def f1_of(truths, answers):
    """Of each class; an abstention is no answer."""
    result = []
    for number in range(len(CLASSES)):
        right = numpy.sum((answers == number) & (truths == number))
        named, there = numpy.sum(answers == number), numpy.sum(truths == number)
        result.append(2 * right / (named + there) if named + there else float("nan"))
    return numpy.array(result)


def calibration_error(confidence, right, bins=10):
    """Expected calibration error: equal counts a bin (Naeini et al. 2015)."""
    order = numpy.argsort(confidence, kind="stable")
    return float(sum(len(part) * abs(confidence[part].mean() - right[part].mean()) for part in numpy.array_split(order, bins) if len(part)) / len(order))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", help="what collect.py wrote")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output")
    options = parser.parse_args()
    rows = [dict(row, file=file) for file in options.runs for row in json.loads(pathlib.Path(file).read_text())["rows"]]
    rows = list(known_rows(rows))
    known = [row for row in rows if row["truth"] in CLASSES and row["base"] in CLASSES]
    strange = [row for row in rows if row["truth"] not in CLASSES]
    table, unknown = (numpy.array([vector(row["metrics"]) for row in part], dtype=float) for part in (known, strange))
    truths = numpy.array([CLASSES.index(row["truth"]) for row in known])
    families = numpy.array([row["family"] for row in known])
    held = numpy.zeros((len(known), len(CLASSES) + 1))
    start = time.time()
    for family in sorted(set(families)):
        out = families == family
        held[out] = shares(trained(table[~out], truths[~out], options.seed), table[out])
    best = held[:, :NONE].argmax(axis=1)
    confidence = held[:, :NONE].max(axis=1)
    answers = numpy.where(confidence >= SURE, best, -1)
    rules = numpy.array([CLASSES.index(row["rules"]) if row["rules"] in CLASSES else -1 for row in known])
    f1, f1_answered, f1_rules = f1_of(truths, best), f1_of(truths, answers), f1_of(truths, rules)
    print(f"{len(known)} runs of known classes, {len(strange)} of none; {time.time() - start:.0f} s")
    print(f"{'class':16}{'runs':>6}{'F1 argmax':>11}{'F1 answered':>13}{'F1 rules':>10}")
    for number, name in enumerate(CLASSES):
        print(f"{name:16}{numpy.sum(truths == number):6}{f1[number]:11.3f}{f1_answered[number]:13.3f}{f1_rules[number]:10.3f}")
    print(f"macro F1: {numpy.nanmean(f1):.3f}, with abstention {numpy.nanmean(f1_answered):.3f}, rules {numpy.nanmean(f1_rules):.3f}")
    print(f"answered {numpy.mean(answers >= 0):.3f}, wrong of the answered {numpy.mean(answers[answers >= 0] != truths[answers >= 0]):.3f}; "
          f"calibration error {calibration_error(confidence, best == truths):.3f}")
    for family in sorted(set(families)):
        out = families == family
        wrong = [f"{CLASSES[t]}->{CLASSES[b]}" for t, b in zip(truths[out], best[out]) if t != b]
        print(f"  {family:20} {out.sum():4} right {numpy.mean(best[out] == truths[out]):.2f}  {dict((w, wrong.count(w)) for w in sorted(set(wrong)))}")
    forest = trained(table, truths, options.seed)
    if len(strange):
        of_none = shares(forest, unknown)[:, :NONE]
        print(f"runs of no class abstained on: {numpy.mean(of_none.max(axis=1) < SURE):.3f}")
        for name in sorted(set(row["truth"] for row in strange)):
            which = [i for i, row in enumerate(strange) if row["truth"] == name]
            named = [CLASSES[i] for i in of_none[which].argmax(axis=1)[of_none[which].max(axis=1) >= SURE]]
            print(f"  {name:15} {len(which):4} abstained {numpy.mean(of_none[which].max(axis=1) < SURE):.3f} {dict((n, named.count(n)) for n in set(named))}")
    for number, name in enumerate(CLASSES):
        out = truths == number
        least = shares(trained(table[~out], truths[~out], options.seed), table[out])[:, :NONE]
        named = [CLASSES[i] for i in least.argmax(axis=1)[least.max(axis=1) >= SURE]]
        print(f"without {name:16} abstained {numpy.mean(least.max(axis=1) < SURE):.3f} {dict((n, named.count(n)) for n in set(named))}")


if __name__ == "__main__":
    main()
