# SPDX-License-Identifier: MIT
"""The part of bench/results/README.md that the raw files of sharded trainings make."""

import re
import statistics

HEAD = """
# Sharded trainings

`bench/overlap_gpus.py`: `aaco overlap run` of configurations in configs/overlap, a process for each GPU. *Step* is the wall time of a step in
processes that nothing records; all else is of steps that others recorded, from the devices' own records: exposed communication of a step, the
mean over ranks; of communication, the part that was hidden; the share of the ideal speed-up, (serial - overlapped) / (serial - longest), with
serial each alone at its fastest; *tax*: what kernels took longer beside communication than alone. The models' heads are their embeddings,
so that they have fewer parameters than the reference's of the same width, and as many FLOPs. *The reference's words*: what another program
printed on the same devices, before and after. torch-ranking-2-h100.txt is what `bench/torch_ranking.py` printed behind it: the ranking transformer
of default.yaml by PyTorch's FSDP2.

"""

# What a step is to take at most, ms, first and then, on two H100; of the smaller ones a single figure.
# llama_888m over what the reference takes, first and then: 98 and 90 of 109.5 ms.
MOST_OF_REFERENCE = (98 / 109.5, 90 / 109.5)
STEP_MS = {"llama_888m": (98, 90), "llama_103m": (4,), "default": (2.5,)}
MOST_EXPOSED_MS = 1
MOST_TAX_MS = 1
LEAST_SHARE = 0.85


def verdict(holds):
    return "met" if holds else "missed"


def row_of(case):
    run = case["run"]
    figures = run["figures"]
    means = [rank["mean"] for rank in figures["ranks"]]
    exposed = sum(mean["exposed_communication_ns"] for mean in means) / len(means) / 1e6
    share = figures["speedup"]["share"] if figures["speedup"] else None
    tax = figures["contention_tax_ns"]
    return dict(step=run["tokens"] / run["tokens_per_s"] * 1e3, exposed=exposed, share=share, tax=None if tax is None else tax / 1e6)


def reference_ms(result):
    """The median of what the reference printed for its 953 M model."""
    found = [re.search(r" d2048c .* comp=True: ([0-9.]+) ms/step", line) for line in result["reference_before"] + result["reference_after"]]
    return statistics.median(float(match.group(1)) for match in found if match) if any(found) else None


def number(value, digits=2):
    return "no data" if value is None else f"{value:.{digits}f}"


def overlap_section(name, result):
    env = result["environment"]
    gpu = (env.get("gpus") or [env.get("gpu", "")])[0]
    lines = [f"## {name}", "", f"{result['devices']}: {gpu}; {env['cpu']}; {env['date']}.", "", "| target | found | | |", "|---|---:|---:|---|"]
    table = ["| configuration | ranks | mode | parameters | step, ms | tokens/s | exposed, ms | share of the ideal, % | tax, ms | gates |",
             "|---|---:|---|---:|---:|---:|---:|---:|---:|---|"]
    for case in result["overlap_runs"]:
        run, row = case["run"], row_of(case)
        label = case["config"] + (f" ({case['overrides']})" if case["overrides"] else "")
        passed = sum(gate["passed"] for gate in run["gates"])
        table.append(f"| {label} | {len(run['ranks'])} | {run['mode']} | {run['parameters']:,} | {row['step']:.2f} | {run['tokens_per_s']:,.0f} | "
                     f"{row['exposed']:.2f} | {number(None if row['share'] is None else row['share'] * 100, 0)} | {number(row['tax'])} | "
                     f"{passed} of {len(run['gates'])} |")
        for limit in STEP_MS.get(case["config"], ()):
            lines.append(f"| {label}: step, ms | {row['step']:.2f} | at most {limit} | {verdict(row['step'] <= limit)} |")
        if case["config"] == "llama_888m":
            reference = reference_ms(result)
            for limit in MOST_OF_REFERENCE if reference else ():
                lines.append(f"| {label}: of the reference's {reference:.2f} ms | {row['step'] / reference:.3f} | at most {limit:.3f} | "
                             f"{verdict(row['step'] / reference <= limit)} |")
            lines.append(f"| {label}: exposed communication, ms | {row['exposed']:.2f} | under {MOST_EXPOSED_MS} | {verdict(row['exposed'] < MOST_EXPOSED_MS)} |")
            if row["tax"] is not None:
                lines.append(f"| {label}: contention tax, ms | {row['tax']:.2f} | under {MOST_TAX_MS} | {verdict(row['tax'] < MOST_TAX_MS)} |")
            if row["share"] is not None:
                lines.append(f"| {label}: share of the ideal speed-up | {row['share']:.2f} | at least {LEAST_SHARE} | {verdict(row['share'] >= LEAST_SHARE)} |")
    lines += ["", *table, ""]
    for when in ("before", "after"):
        words = result[f"reference_{when}"]
        if words:
            lines += [f"The reference's words, {when}:", "", *["    " + line for line in words], ""]
    return "\n".join(lines) + "\n"
