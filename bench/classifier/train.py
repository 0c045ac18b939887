#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains the learned classifier and says how good it is on what it has not seen.

A forest of trees, each leaf with a share of each class. Beside the recorded runs it sees rows of no class: metrics drawn one by one from all runs, so that a
tree learns where a class ends (Breiman's contrast, "Manual on setting up, using, and understanding random forests", 2002). A metric that is missing counts as
the value that speaks most against a class: at its splits the lower of both sides. So no answer becomes surer because less is known.

Held out, and never trained on in the same fold:
  families   leave-one-family-out: of each class one family of models after the other
  classes    leave-one-class-out: its runs must be abstained on
  unknown    runs of no class (cached, denormals, crowded cache)

Beside the forest each class has a mark: the metric whose range over the class's runs leaves out most of all other runs (of quota-bound the time that the
quota stopped the run). A run outside that range, or without that metric, is never given the class: a forest that has not seen a limit calls it by its neighbour.
Nor is one that pauses for longer than the class's runs: what a run seldom does is not its limit."""
import argparse
import hashlib
import json
import lzma
import pathlib
import struct
import sys
import time

import numpy
import onnxruntime
from skl2onnx import convert_sklearn
from skl2onnx.common.data_types import FloatTensorType
from sklearn.ensemble import RandomForestClassifier
from sklearn.isotonic import IsotonicRegression

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from features import CLASSES, FEATURES, NO_EFFECT, OF_RULES, vector, with_reasons

TREES, LEAVES, LEAST_ROWS, COPIES = 100, 40, 6, 4
CONTRAST = 1.0  # rows of no class for each row of a run
NONE = len(CLASSES)
SURE = 0.8  # the least chance to be right; below it the answer is that nothing is known
LEAST_SHARE = 0.5  # of the forest, whatever the chance: what is unlike every run has a small share, and no chance is known of it; so no other answer has more
MOST_CHANCE = 0.99
MARK_MARGIN = 0.15  # on either side, of the range and its distance to the next run of another class; at most half that distance
UNBOUNDED = 1e300
MARK_MISSING = 0.05  # of a class's runs may lack its mark
PAUSE = FEATURES.index("pause_share")
ASKED_FOR = FEATURES.index("threads_per_processor")  # no mark: it says how the run was started, and not what came of that
MOST_PAUSE, PAUSE_MARGIN = 0.1, 0.15  # of the time; the margin is above the most of a class's runs


def contrast(random, table, count):
    """Each metric of a row from another run: what is usual of each alone, and of no class together."""
    return numpy.stack([table[random.integers(0, len(table), count), column] for column in range(table.shape[1])], axis=1)


def filled(random, table):
    """Each row COPIES times, a missing metric drawn anew from the other runs' each time: both sides of a split on it learn the row."""
    out = numpy.repeat(table, COPIES, axis=0)
    for column in range(table.shape[1]):
        there = table[~numpy.isnan(table[:, column]), column]
        missing = numpy.isnan(out[:, column])
        out[missing, column] = random.choice(there, missing.sum()) if len(there) else 0
    return out


def trained(table, truths, seed):
    random = numpy.random.default_rng(seed)
    rows = filled(random, table)
    noise = contrast(random, rows, int(CONTRAST * len(rows)))
    forest = RandomForestClassifier(TREES, max_features=0.3, max_leaf_nodes=LEAVES, min_samples_leaf=LEAST_ROWS, class_weight="balanced_subsample", random_state=seed, n_jobs=1)
    forest.fit(numpy.concatenate([rows, noise]), numpy.concatenate([numpy.repeat(truths, COPIES), numpy.full(len(noise), NONE)]))
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


def range_apart(own, others):
    """The range of a class's values with a margin, unbounded on a side where no run of another class lies, and the share of the others outside."""
    least, most = numpy.nanmin(own), numpy.nanmax(own)

    def margin(gap):  # to the next run of another class; without one there is no end
        return min(gap / 2, MARK_MARGIN * (most - least + gap)) if numpy.isfinite(gap) else UNBOUNDED
    low = least - margin(least - max(others[others < least], default=-numpy.inf))
    high = most + margin(min(others[others > most], default=numpy.inf) - most)
    return low, high, float(numpy.mean(~((others >= low) & (others <= high))))


def marks_of(table, truths):
    """Of each class that has runs: the metric that marks it, and the share of pauses, each with its least and most value."""
    marks = [None] * NONE
    for number in sorted(set(truths)):
        own, others = table[truths == number], table[truths != number]
        columns = [column for column in range(table.shape[1]) if column != ASKED_FOR and numpy.isnan(own[:, column]).mean() <= MARK_MISSING]
        ranges = {column: range_apart(own[:, column], others[:, column]) for column in columns}
        best = max(columns, key=lambda column: ranges[column][2])
        most_pause = max(MOST_PAUSE, float(numpy.nanmax(own[:, PAUSE])) + PAUSE_MARGIN)
        marks[number] = [[best, float(ranges[best][0]), float(ranges[best][1])], [PAUSE, -UNBOUNDED, most_pause]]
    return marks


def bear_marks(table, answers, marks):
    """Whether each row has the marks of its answer."""
    return numpy.array([marks[answer] is not None and all(least <= row[column] <= most for column, least, most in marks[answer]) for row, answer in zip(table, answers)], dtype=bool)


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


def read_runs(files):
    runs = []
    for file in files:
        data = pathlib.Path(file).read_bytes()
        runs.append(dict(json.loads(lzma.decompress(data) if file.endswith(".xz") else data), file=file))
    return runs


def chance_of(confidence, right):
    """How often an answer of such a confidence is right: isotonic, and never quite sure."""
    fit = IsotonicRegression(y_min=0, y_max=MOST_CHANCE, out_of_bounds="clip").fit(confidence, right)
    return fit, [[round(float(x), 6), round(float(y), 6)] for x, y in zip(fit.X_thresholds_, fit.y_thresholds_)]


class HeldOut:
    """Answers on families of models that the forest had not seen, their confidences calibrated on families of yet others."""

    def __init__(self, table, truths, families, seed):
        self.truths, self.families = truths, families
        held = numpy.zeros((len(truths), NONE + 1))
        marked = numpy.zeros(len(truths), dtype=bool)
        for family in sorted(set(families)):
            out = families == family
            held[out] = shares(trained(table[~out], truths[~out], seed), table[out])
            marked[out] = bear_marks(table[out], held[out][:, :NONE].argmax(axis=1), marks_of(table[~out], truths[~out]))
        self.best, self.share = held[:, :NONE].argmax(axis=1), held[:, :NONE].max(axis=1)
        self.right = self.best == truths
        self.chance = numpy.zeros(len(truths))
        for family in sorted(set(families)):
            out = families == family
            self.chance[out] = chance_of(self.share[~out], self.right[~out])[0].predict(self.share[out])
        self.answers = numpy.where((self.chance >= SURE) & (self.share >= LEAST_SHARE) & marked, self.best, -1)


def f1_beside(truths, answers):
    """As f1_of(); of a class of the rules over the runs whose limit they have a class for, since they cannot be right about another one."""
    comparable = numpy.array([CLASSES[truth] in OF_RULES for truth in truths])
    return numpy.where([name in OF_RULES for name in CLASSES], f1_of(truths[comparable], answers[comparable]), f1_of(truths, answers))


def better_than(answers, rules, truths, families, seed, rounds=2000):
    """Of each class: f1_beside() less that of the rules, with a 95 % interval over resampled families."""
    random = numpy.random.default_rng(seed)
    names = sorted(set(families))
    rows_of = {name: numpy.flatnonzero(families == name) for name in names}
    differences = []
    for _ in range(rounds):
        rows = numpy.concatenate([rows_of[name] for name in random.choice(names, len(names))])
        there = numpy.isin(numpy.arange(NONE), truths[rows])
        difference = numpy.nan_to_num(f1_beside(truths[rows], answers[rows])) - numpy.nan_to_num(f1_beside(truths[rows], rules[rows]))
        differences.append(numpy.where(there, difference, numpy.nan))
    return numpy.nanquantile(differences, [0.025, 0.975], axis=0)


def preorder(tree, classes):
    """Nodes with the left side right behind, and leaves, as src/analysis/learned/forest.h reads them."""
    nodes, leaves = [], []

    def add(at):
        number = len(nodes)
        nodes.append(None)
        cover = float(tree.weighted_n_node_samples[at])
        if tree.children_left[at] < 0:
            share = numpy.zeros(NONE + 1)
            share[classes.astype(int)] = tree.value[at, 0] / tree.value[at, 0].sum()
            nodes[number] = (-1, len(leaves), 0.0, cover)
            leaves.append(share)
            return
        add(tree.children_left[at])
        right = len(nodes)
        add(tree.children_right[at])
        # A float that separates the same doubles: values are compared as floats.
        threshold = numpy.float32(tree.threshold[at])
        if threshold > tree.threshold[at]:
            threshold = numpy.nextafter(threshold, numpy.float32(-numpy.inf))
        nodes[number] = (int(tree.feature[at]), right - number, float(threshold), cover)
    add(0)
    return nodes, leaves


def export(forest, folder, facts):
    trees = [preorder(estimator.tree_, forest.classes_) for estimator in forest.estimators_]
    header = dict(features=FEATURES, classes=CLASSES, nodes=[len(nodes) for nodes, _ in trees], leaves=[len(leaves) for _, leaves in trees], **facts)
    data = json.dumps(header, separators=(",", ":")).encode() + b"\n"
    data += b"".join(struct.pack("<hHff", *node) for nodes, _ in trees for node in nodes)
    data += b"".join(numpy.asarray(leaf, dtype="<f4").tobytes() for _, leaves in trees for leaf in leaves)
    (folder / "limits.trees").write_bytes(data)
    onnx = convert_sklearn(forest, initial_types=[("metrics", FloatTensorType([None, len(FEATURES)]))], options={"zipmap": False}, target_opset={"": 17, "ai.onnx.ml": 3})
    (folder / "limits.onnx").write_bytes(onnx.SerializeToString())
    return len(data), (folder / "limits.onnx").stat().st_size


def by_onnx_runtime(folder, table, expected):
    """The largest difference to the shares that we compute, on rows without missing metrics; and the median milliseconds of one row."""
    session = onnxruntime.InferenceSession(str(folder / "limits.onnx"), providers=["CPUExecutionProvider"])
    full = ~numpy.isnan(table).any(axis=1)
    answer = session.run(None, {"metrics": table[full].astype(numpy.float32)})[1]
    times = []
    for row in table[full][:200].astype(numpy.float32):
        start = time.perf_counter()
        session.run(None, {"metrics": row[None]})
        times.append(1e3 * (time.perf_counter() - start))
    return float(numpy.abs(answer - expected[full]).max()), float(numpy.median(times)), int(full.sum())


def said_of(forest, table, chance, marks):
    """The class that is said of each row; -1 where nothing is."""
    if not len(table):
        return numpy.zeros(0, dtype=int)
    least = shares(forest, table)
    best, share = least[:, :NONE].argmax(axis=1), least[:, :NONE].max(axis=1)
    return numpy.where((chance.predict(share) >= SURE) & (share >= LEAST_SHARE) & bear_marks(table, best, marks), best, -1)


def abstained(forest, table, chance, marks):
    said = said_of(forest, table, chance, marks)
    named = [CLASSES[number] for number in said if number >= 0]
    return dict(runs=len(said), abstained=float(numpy.mean(said < 0)) if len(said) else None, named={name: named.count(name) for name in sorted(set(named))})


def counts_of(rows):
    """Of each limit: how many runs were recorded, and how many are judged and how many not, by reason."""
    counts = {}
    for row, reason in rows:
        of_truth = counts.setdefault(row["truth"], {"recorded": 0, "left out": {}})
        of_truth["recorded"] += 1
        if reason:
            of_truth["left out"][reason] = of_truth["left out"].get(reason, 0) + 1
    return dict(sorted(counts.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", help="what collect.py wrote")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=pathlib.Path, help="of limits.trees and limits.onnx")
    parser.add_argument("--output", help="what was measured of them")
    options = parser.parse_args()
    runs = read_runs(options.runs)
    reasons = with_reasons(dict(row, file=run["file"], revision=run["environment"]["revision"]) for run in runs for row in run["rows"])
    rows = [row for row, reason in reasons if not reason]
    known = [row for row in rows if row["truth"] in CLASSES and row["base"] in CLASSES]
    strange = [row for row in rows if row["truth"] not in CLASSES] + [dict(row, truth="oversubscribed without effect") for row, reason in reasons if reason in NO_EFFECT]
    strange_models = [row for row in rows if row["truth"] in CLASSES and row["base"] not in CLASSES]  # a known cause upon a model of no class
    table, unknown, new = (numpy.array([vector(row["metrics"]) for row in part], dtype=float).reshape(-1, len(FEATURES)) for part in (known, strange, strange_models))
    truths = numpy.array([CLASSES.index(row["truth"]) for row in known])
    families = numpy.array([row["family"] for row in known])
    rules = numpy.array([CLASSES.index(row["rules"]) if row["rules"] in CLASSES else -1 for row in known])
    held = HeldOut(table, truths, families, options.seed)
    f1, f1_answered, f1_rules = f1_of(truths, held.best), f1_of(truths, held.answers), f1_of(truths, rules)
    beside, beside_rules = f1_beside(truths, held.answers), f1_beside(truths, rules)
    low, high = better_than(held.answers, rules, truths, families, options.seed)
    shown = [name for number, name in enumerate(CLASSES) if low[number] > 0]
    answered = held.answers >= 0
    fit, chance = chance_of(held.share, held.right)
    forest, marks = trained(table, truths, options.seed), marks_of(table, truths)
    judged = [[int(numpy.sum(held.answers == number)), int(numpy.sum((held.answers == number) & held.right))] for number in range(NONE)]
    said = said_of(forest, new, fit, marks)
    of_no_class = {name: abstained(forest, unknown[[row["truth"] == name for row in strange]], fit, marks) for name in sorted({row["truth"] for row in strange})}
    for group in of_no_class.values():  # said there, an answer is wrong
        for name, count in group["named"].items():
            judged[CLASSES.index(name)][0] += count
    result = dict(environments=[run["environment"] for run in runs], pinned=", ".join(sorted({f"{len(run['pin'])} of {run['environment']['processors']} processors" for run in runs})), seed=options.seed, trees=TREES, features=FEATURES,
                  least_share=LEAST_SHARE, runs=len(known), disturbed=sum(run["disturbed"] for run in runs), families=sorted(set(families)), sure=SURE, shown=shown,
                  macro_f1=float(f1.mean()), macro_f1_answered=float(f1_answered.mean()), macro_f1_rules=float(f1_rules.mean()),
                  answered=float(answered.mean()), wrong_of_answered=float((held.answers[answered] != truths[answered]).mean()),
                  calibration_error=calibration_error(held.chance, held.right),
                  classes=[dict(name=name, runs=int((truths == number).sum()), f1=float(f1[number]), f1_answered=float(f1_answered[number]), f1_rules=float(f1_rules[number]),
                                f1_beside=float(beside[number]), f1_rules_beside=float(beside_rules[number]) if name in OF_RULES else None, answers=judged[number],
                                better=[float(low[number]), float(high[number])]) for number, name in enumerate(CLASSES)],
                  confusion=[[int(((truths == truth) & (held.answers == answer)).sum()) for answer in (*range(NONE), -1)] for truth in range(NONE)],
                  rows=counts_of(reasons),
                  strange_models=dict(runs=len(new), right=int(sum(CLASSES[number] == row["truth"] for number, row in zip(said, strange_models) if number >= 0)), silent=int(numpy.sum(said < 0))),
                  of_no_class=of_no_class,
                  marks=[dict(name=CLASSES[number], metric=FEATURES[column], least=least, most=most, most_pause=pause[2]) for number, ((column, least, most), pause) in enumerate(marks)],
                  without={})
    for number, name in enumerate(CLASSES):  # as if the class were not known
        out = truths == number
        result["without"][name] = abstained(trained(table[~out], truths[~out], options.seed), table[out], fit, marks_of(table[~out], truths[~out]))
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        result["trees_bytes"], result["onnx_bytes"] = export(forest, options.folder, dict(shown=shown, sure=SURE, least_share=LEAST_SHARE, chance=chance, judged=judged, marks=marks))
        result["sha256"] = {name: hashlib.sha256((options.folder / name).read_bytes()).hexdigest() for name in ("limits.trees", "limits.onnx")}
        result["onnx_difference"], result["onnx_ms"], result["onnx_rows"] = by_onnx_runtime(options.folder, table, shares(forest, table))
    print_result(result)
    if options.output:
        pathlib.Path(options.output).write_text(json.dumps(result, indent=1) + "\n")


def print_result(result):
    print(f"{result['runs']} runs, {len(result['families'])} families; F1 on families not seen:")
    print(f"{'class':16}{'runs':>6}{'likeliest':>11}{'answered':>10}{'rules':>8}   answered less rules, where both know the limit [95 %]")
    for row in result["classes"]:
        print(f"{row['name']:16}{row['runs']:6}{row['f1']:11.3f}{row['f1_answered']:10.3f}{row['f1_rules']:8.3f}   {row['better'][0]:+.3f} to {row['better'][1]:+.3f}"
              f"{'  shown' if row['name'] in result['shown'] else ''}")
    print(f"{'mean':22}{result['macro_f1']:11.3f}{result['macro_f1_answered']:10.3f}{result['macro_f1_rules']:8.3f}")
    print(f"answered {100 * result['answered']:.1f} %, of these wrong {100 * result['wrong_of_answered']:.1f} %; calibration error {result['calibration_error']:.3f}")
    models = result["strange_models"]
    print(f"known causes upon models of no class: {models['runs']}, right {models['right']}, nothing said of {models['silent']}")
    for truth, counts in result["rows"].items():
        print(f"recorded: {truth}: {counts['recorded']}, left out {counts['left out']}")
    for what, groups in (("of no class", result["of_no_class"]), ("class left out", result["without"])):
        for name, group in groups.items():
            if group["runs"]:
                print(f"{what}: {name}: abstained on {100 * group['abstained']:.1f} % of {group['runs']}, named {group['named']}")
    for key in ("trees_bytes", "onnx_bytes", "onnx_difference", "onnx_ms", "onnx_rows"):
        if key in result:
            print(f"{key} {result[key]}")


if __name__ == "__main__":
    main()
