# SPDX-License-Identifier: MIT
"""The part of bench/results/README.md that the raw files of sharded trainings make."""

import re
import statistics

HEAD = """
# Sharded trainings

`bench/overlap_gpus.py`: `aaco overlap run` of configurations in configs/overlap, a process for each GPU. *Step* is the wall time of a step in
processes that nothing records; all else is of steps that others recorded, from the devices' own records: exposed communication of a step, the
mean over ranks; of communication, the part that was hidden; the share of the ideal speed-up, (serial - overlapped) / (serial - longest), with
serial each alone at its fastest; *tax*: what kernels took longer beside communication than alone. The heads of llama_103m and llama_888m are their
embeddings, so that they are other models than the targets', and met none of them; llama_149m and llama_953m are the targets'. Where files say that steps as they are and
one by one were recorded in turns, a share or a tax that is *no data* has its reason under the table; in overlap-2-h100.json they were recorded one behind the other. *The reference's words*: what another program
printed on the same devices, before and after. torch-ranking-2-h100.txt is what `bench/torch_ranking.py` printed behind it: the ranking transformer
of default.yaml by PyTorch's FSDP2.

"""

# What a step is to take at most, ms, first and then, on two H100; of the smaller ones a single figure.
# llama_953m over what the reference takes, first and then: 98 and 90 of 109.5 ms.
MOST_OF_REFERENCE = (98 / 109.5, 90 / 109.5)
STEP_MS = {"llama_953m": (98, 90), "llama_149m": (4,), "default": (2.5,)}
TIED = {"llama_888m": "llama_953m", "llama_103m": "llama_149m"}  # whose target it is
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
    reasons = []
    for case in result["overlap_runs"]:
        run, row = case["run"], row_of(case)
        label = case["config"] + (f" ({case['overrides']})" if case["overrides"] else "")
        passed = sum(gate["passed"] is True for gate in run["gates"])
        table.append(f"| {label} | {len(run['ranks'])} | {run['mode']} | {run['parameters']:,} | {row['step']:.2f} | {run['tokens_per_s']:,.0f} | "
                     f"{row['exposed']:.2f} | {number(None if row['share'] is None else row['share'] * 100, 0)} | {number(row['tax'])} | "
                     f"{passed} of {len(run['gates'])} |")
        for limit in STEP_MS.get(case["config"], ()):
            lines.append(f"| {label}: step, ms | {row['step']:.2f} | at most {limit} | {verdict(row['step'] <= limit)} |")
        if case["config"] in TIED:
            of = TIED[case["config"]]
            lines += [f"| {label}: step, ms | {row['step']:.2f} | at most {limit}, of {of} | missed: another model |" for limit in STEP_MS[of]]
        if case["config"] == "llama_953m":
            reference = reference_ms(result)
            for limit in MOST_OF_REFERENCE if reference else ():
                lines.append(f"| {label}: of the reference's {reference:.2f} ms | {row['step'] / reference:.3f} | at most {limit:.3f} | "
                             f"{verdict(row['step'] / reference <= limit)} |")
        if case["config"] in ("llama_888m", "llama_953m"):
            lines.append(f"| {label}: exposed communication, ms | {row['exposed']:.2f} | under {MOST_EXPOSED_MS} | {verdict(row['exposed'] < MOST_EXPOSED_MS)} |")
            if row["tax"] is not None:
                lines.append(f"| {label}: contention tax, ms | {row['tax']:.2f} | under {MOST_TAX_MS} | {verdict(row['tax'] < MOST_TAX_MS)} |")
            if row["share"] is not None:
                lines.append(f"| {label}: share of the ideal speed-up | {row['share']:.2f} | at least {LEAST_SHARE} | {verdict(row['share'] >= LEAST_SHARE)} |")
        figures = run["figures"]
        for what, why in (("share", (figures["speedup"] or {}).get("no_share")), ("tax", figures.get("no_contention_tax"))):
            reasons += [f"- {label}, no {what}: {why}."] if why else []
    lines += ["", *table, "", *reasons, *([""] if reasons else [])]
    for when in ("before", "after"):
        words = result[f"reference_{when}"]
        if words:
            lines += [f"The reference's words, {when}:", "", *["    " + line for line in words], ""]
    return "\n".join(lines) + "\n"


PAIRS = """
# LLaMAs beside PyTorch's FSDP2

`bench/overlap_pairs.py`: `aaco overlap run` and `bench/torch_llama.py` (FSDP2, bf16 with fp32 reduction, layers compiled where it says so) train the same
shapes on the same devices, in turns. A step is waited for on both sides; the reference's steps back to back, which its host needs to hide its launches, are a figure of
their own, and the ratio is against the smaller of both. There is none of models that differ, nor without steps back to back.

"""


def back_to_back(result, config):
    found = [one["back_to_back_ms"] for one in result["references"] if one["config"] == config and "back_to_back_ms" in one]
    return f"{statistics.mean(found):.2f}" if found else "not measured"


def why_no_ratio(result, ratio):
    if ratio["aaco_over_reference"] is None:
        return "none: the models differ"
    return "none: a step that is waited for hides no launches" if back_to_back(result, ratio["config"]) == "not measured" else ""


def pairs_section(name, result):
    env = result["environment"]
    lines = [f"## {name}", "", f"{result['devices']}: {env['gpu'].splitlines()[0]}; {env['cpu']}; {env['date']}; revision {result['revision']}.", "",
             "| configuration | parameters | aaco, step, ms | reference, step waited for, ms | back to back, ms | ratio |", "|---|---:|---:|---:|---:|---:|"]
    for ratio in result["ratios"]:
        waited = [one["step_p50_ms"] for one in result["references"] if one["config"] == ratio["config"]]
        quotient = ratio["aaco_over_reference"]
        lines.append(f"| {ratio['config']} | {', '.join(f'{size:,}' for size in ratio['parameters'])} | {ratio['aaco_ms']:.2f} | {statistics.mean(waited):.2f} | "
                     f"{back_to_back(result, ratio['config'])} | {why_no_ratio(result, ratio) or f'{quotient:.3f}'} |")
    return "\n".join(lines) + "\n"


FAULTS = """
# Faults of a rank

`bench/hang_faults.py`: every fault of `aaco overlap run --inject`, in rank 1, and what the run said of it, captured as a graph and not; then what must
be no alarm.

"""


def faults_section(name, result):
    env = result["environment"]
    lines = [f"## {name}", "", f"{result['devices']}: {env['gpu'].splitlines()[0]}; {env['cpu']}; {env['date']}; revision {result['revision']}; {result['config']}, at a "
             f"limit of {result['limit_s']} s; {result['lanes']} runs at a time.", "", "| fault | captured | said | right |", "|---|---|---|---|"]
    for one in result["faults"] + result["no_alarms"]:
        what = one["inject"] or one["overrides"][0]
        lines.append(f"| {what} | {'yes' if one['captured'] else 'no'} | {one['said'] or 'nothing'} | {'yes' if one['right'] else '**no**'} |")
    return "\n".join(lines) + "\n"
