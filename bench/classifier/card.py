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
    yield "| Limit | Runs | F1 of the likeliest | F1 of what is said | F1 of the rules | said less rules, 95 % | Shown |"
    yield "|---|---:|---:|---:|---:|---|---|"
    for row in result["classes"]:
        low, high = row["better"]
        yield (f"| {row['name']} | {row['runs']} | {row['f1']:.3f} | {row['f1_answered']:.3f} | {row['f1_rules']:.3f} | {low:+.2f} to {high:+.2f} | "
               f"{'yes' if row['name'] in result['shown'] else 'no'} |")
    yield f"| mean | {result['runs']} | {result['macro_f1']:.3f} | {result['macro_f1_answered']:.3f} | {result['macro_f1_rules']:.3f} | | |"


def abstentions(groups):
    for name, group in groups.items():
        if group["runs"]:
            named = ", ".join(f"{count} as {other}" for other, count in group["named"].items())
            yield f"| {name} | {group['runs']} | {percent(group['abstained'])} | {named or '-'} |"


def page(result):
    environment = result["environments"][0]
    shown = ", ".join(result["shown"])
    header = json.loads((ROOT / "configs" / "classifier" / "limits.trees").read_bytes().split(b"\n", 1)[0])
    chances = [chance for share, chance in header["chance"] if share >= result["least_share"]] or [header["chance"][-1][1]]
    return "\n".join(f"""# The learned classifier

Beside the [rules](../bottleneck-taxonomy.md) `aaco run` asks a forest of {result['trees']} decision trees what limits a run. It speaks only where it knows better
than the rules do: {shown}. Otherwise it says nothing. The answer stands in the report's section *Bottleneck*, with the metrics that it rests on;
`learned` in `metrics/bottleneck.json` also has the likeliest limit, and why nothing was said.

**What it learned from:** {result['runs']} runs whose limit is true by construction, drawn at random from {len(result['families'])} families of models, on one kind of machine ({environment['cpu']},
{result['pinned']}), recorded {environment['date']}. {result['disturbed']} more runs were left out, because others took more than 5 % of their processors.
Never on a GPU: of a GPU run it says nothing. No AMD or ARM processor either.

Limits that the rules do not have:

- *movement-bound*: nodes that compute nothing (layout changes, joins, cuts, gathers) take the time
- *oversubscribed*: the run's own threads are more than its processors, and wait for each other
- *input-bound*: requests come more slowly than the model could serve them (`--load`)

## How good it is

F1 on families of models that the forest had not seen (each left out in turn). *The likeliest* counts every run. *What is said* counts a run without an
answer as missed: an answer needs a share of {result['least_share']:.2f} of the trees and a chance of {result['sure']:.2f} to be right.

{chr(10).join(table(result))}

It answers {percent(result['answered'])} of these runs, and {percent(result['wrong_of_answered'])} of the answers are wrong. Expected calibration error of its
chance to be right: {result['calibration_error']:.3f} (ten bins of equal counts, calibrated on other families than it is judged by).

The chance to be right is between {percent(min(chances))} and {percent(max(chances))}, whatever the share of the trees: so few of the answers on families not seen were wrong that the
runs recorded tell no finer. It is said only with an answer.

The intervals resample families. A class is shown where its whole interval lies above zero.

## What it does not know

Runs of no class, and runs of a class as if it had not been learned. The right answer is none.

| Limit | Runs | Without an answer | Named all the same |
|---|---:|---:|---|
{chr(10).join(abstentions(result['of_no_class']))}
{chr(10).join(abstentions(dict((name + ', left out', group) for name, group in result['without'].items())))}

## How it answers

- It sees {len(result['features'])} metrics, all ratios or times of one node or processor: {', '.join('`' + name + '`' for name in result['features'])}.
- A metric that is missing counts as the value that speaks most against each class: at each split on it the lower of both sides. So nothing becomes surer
  because less was recorded.
- Beside the runs it learned from rows of no class: metrics drawn one by one from all runs. So it knows where a class ends.
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
