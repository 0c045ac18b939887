#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes docs/measuring/learned-classifier.md from what train.py measured."""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).parent.parent.parent


def percent(share):
    return f"{100 * share:.1f} %"


def table(result):
    yield "| Limit | Runs | Answers, right of these | F1 of the likeliest | F1 of what is said | F1 beside the rules | F1 of the rules | said less rules, 95 % | Shown |"
    yield "|---|---:|---:|---:|---:|---:|---:|---|---|"
    for row in result["classes"]:
        low, high = row["better"]
        rules = [f"{row['f1_beside']:.3f}", f"{row['f1_rules_beside']:.3f}", f"{low:+.2f} to {high:+.2f}"] if row["f1_rules_beside"] is not None else ["-", "no such class", "-"]
        yield (f"| {row['name']} | {row['runs']} | {row['answers'][0]}, {row['answers'][1]} | {row['f1']:.3f} | {row['f1_answered']:.3f} | {' | '.join(rules)} | "
               f"{'yes' if row['name'] in result['shown'] else 'no'} |")
    answers, right = (sum(row["answers"][which] for row in result["classes"]) for which in (0, 1))
    yield f"| mean or sum | {result['runs']} | {answers}, {right} | {result['macro_f1']:.3f} | {result['macro_f1_answered']:.3f} | | {result['macro_f1_rules']:.3f} over all runs | | |"


def left_out(rows):
    for truth, counts in rows.items():
        reasons = ", ".join(f"{count}: {reason}" for reason, count in counts["left out"].items())
        yield f"| {truth} | {counts['recorded']} | {reasons or '-'} |"


def one_family_bound(families):
    """The most that a new family may be answered wrongly how often, at 95 %, where all of so many were answered rightly (Clopper and Pearson 1934)."""
    return 1 - 0.05 ** (1 / families)


def bound(value):
    return f"{value:.3g}" if abs(value) < 1e299 else "-"


def abstentions(groups, shown):
    for name, group in groups.items():
        if group["runs"]:
            named = ", ".join(f"{count} as {other}{'' if other in shown else ' (not shown)'}" for other, count in group["named"].items())
            yield f"| {name} | {group['runs']} | {percent(group['abstained'])} | {named or '-'} |"


def page(result):
    environment = result["environments"][0]
    shown = ", ".join(result["shown"])
    header = json.loads((ROOT / "configs" / "classifier" / "limits.trees").read_bytes().split(b"\n", 1)[0])
    chances = [chance for share, chance in header["chance"] if share >= result["least_share"]] or [header["chance"][-1][1]]
    return "\n".join(f"""# The learned classifier

Beside the [rules](../bottleneck-taxonomy.md) `aaco run` asks a forest of {result['trees']} decision trees what limits a run. It speaks of limits that
the rules have no class for, or that it knows better than they do: {shown}. Otherwise it says nothing. The answer stands in the report's section *Bottleneck*, with the metrics that it rests on;
`learned` in `metrics/bottleneck.json` also has the likeliest limit, and why nothing was said.

**What it learned from:** {result['runs']} runs whose limit is true by construction, drawn at random from {len(result['families'])} families of models, on one kind of machine ({environment['cpu']},
{result['pinned']}), recorded {' and '.join(sorted(set(one['date'] for one in result['environments'])))} with revisions {' and '.join(sorted(set(one['revision'] for one in result['environments'])))}. {result['disturbed']} more were not kept, because others took more than 5 % of their processors.
Never on a GPU: of a GPU run it says nothing. No AMD or ARM processor either.

Limits that the rules do not have:

- *movement-bound*: nodes that compute nothing (layout changes, joins, cuts, gathers) take the time
- *oversubscribed*: the run's own threads are more than its processors, and wait for each other
- *input-bound*: requests come more slowly than the model could serve them (`--load`)

## How good it is

F1 on families of models that the forest had not seen (each left out in turn). *The likeliest* counts every run. *What is said* counts a run without an
answer as missed: an answer needs a share of {result['least_share']:.2f} of the trees and a chance of {result['sure']:.2f} to be right. *Beside the rules* counts only runs whose limit the rules
have a class for, since of another limit they cannot be right. The rules are those of the revisions that recorded.

{chr(10).join(table(result))}

It answers {percent(result['answered'])} of these runs, which all have a class, and {percent(result['wrong_of_answered'])} of the answers are wrong. Expected calibration error of its
chance to be right: {result['calibration_error']:.3f} (ten bins of equal counts, calibrated on other families than it is judged by).

The chance to be right is taken as between {percent(min(chances))} and {percent(max(chances))}, whatever the share of the trees: so few of the answers on families not seen were wrong that the
runs recorded tell no finer, and {percent(max(chances))} is the most that training lets it claim. So the report gives counts. Families, not runs, are what may be new:
{len(result['families'])} that were all answered rightly would say no more than that at most {percent(one_family_bound(len(result['families'])))} of new ones are answered wrongly (95 %).

The intervals resample families. A limit of the rules is shown where its whole interval lies above zero.

## Which runs are judged

| Limit | Recorded | Left out |
|---|---:|---|
{chr(10).join(left_out(result['rows']))}

What it would say of the runs whose threads changed nothing stands below, as *without effect*: the right answer is not *oversubscribed*. Each
answer to a run of no class counts as a wrong one in the table above and in the report.

Of the rest, runs of no class and known causes upon models of no class are not learned from. Of these causes there are {result['strange_models']['runs']}: the answer is right for
{result['strange_models']['right']}, and none is given for {result['strange_models']['silent']}.

## What it does not know

Runs of no class, and runs of a class as if it had not been learned. The right answer is none.

| Limit | Runs | Without an answer | Named all the same |
|---|---:|---:|---|
{chr(10).join(abstentions(result['of_no_class'], result['shown']))}
{chr(10).join(abstentions(dict((name + ', left out', group) for name, group in result['without'].items()), result['shown']))}

What is *not shown* is counted here and is not said. Runs of tiny nodes and of cached ones meet where a node takes 3 to 4 us and its dispatch a tenth of that: both were drawn there.

## How it answers

- It sees {len(result['features'])} metrics, all ratios or times of one node or processor: {', '.join('`' + name + '`' for name in result['features'])}.
- A metric that is missing counts as the value that speaks most against each class: at each split on it the lower of both sides. So nothing becomes surer
  because less was recorded.
- Beside the runs it learned from rows of no class: metrics drawn one by one from all runs. So it knows where a class ends.
- Each class has a mark: the metric whose range over the class's runs, with a margin, leaves out most of all other runs; it has no end on a side where none of those lies. A run outside it, or without that
  metric, is not given the class. Nor is one that pauses for more of its time than the class's runs. Both were added after earlier forests had failed: one called 36 of 59 cpu-bound runs
  quota-bound where it had not learned cpu-bound, one 29 of 85 input-bound runs launch-bound or movement-bound where it had not learned input-bound.

| Limit | Mark | From | To | `pause_share` to |
|---|---|---:|---:|---:|
{chr(10).join(f"| {mark['name']} | `{mark['metric']}` | {bound(mark['least'])} | {bound(mark['most'])} | {bound(mark['most_pause']) if mark['most_pause'] < 1 else '-'} |" for mark in result['marks'])}

- What it rests on are exact Shapley values of trees, the largest four.
- `aaco` computes the trees itself: ONNX Runtime's operator neither bounds an answer over what is missing nor explains it. `configs/classifier/limits.onnx`
  ({result['onnx_bytes'] / 1000:.0f} kB) holds the same trees for others: on {result['onnx_rows']} runs with every metric the shares differ by at most {result['onnx_difference']:.1e}, and one answer takes
  {result['onnx_ms']:.3f} ms.

## Training it again

```sh
python3 -m venv venv && venv/bin/pip install scikit-learn skl2onnx onnx onnxruntime
venv/bin/python bench/classifier/collect.py --pin 1 --minutes 60 --output runs.json
venv/bin/python bench/classifier/train.py runs.json --folder configs/classifier --output bench/results/classifier.json
venv/bin/python bench/classifier/card.py
```

`collect.py` needs root for quotas. The runs that this forest learned from are `bench/results/classifier-runs-*.json.xz`.
""".split("\n"))


if __name__ == "__main__":
    text = page(json.loads((ROOT / "bench" / "results" / "classifier.json").read_text()))
    target = ROOT / "docs" / "measuring" / "learned-classifier.md"
    if "--check" in sys.argv:
        sys.exit(0 if target.read_text() == text else f"{target}: is not what card.py makes of bench/results/classifier.json")
    target.write_text(text)
