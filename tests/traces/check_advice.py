#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every finding of `aaco trace report` on every recorded trace, against advice.txt beside this file: the trace, what each pattern
found could save at most, the pattern, and how we judge it. advice.txt is a record of judgement: its amounts are aaco's own, promoted,
so that a pattern that falls silent, speaks up or says another amount shows, and none is proved right by it. Amounts are proved by
BY_ARITHMETIC: patterns of some traces worked out again from the trace's events alone. Exit 77 where the data is not here.

Usage: check_advice.py AACO REPOSITORY [--promote]     --promote writes advice.txt anew, with "not judged" where a finding is new
"""
import collections
import concurrent.futures
import gzip
import json
import math
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from skipping import skip_without  # noqa: E402

AACO, REPOSITORY = sys.argv[1:3]
DATA = pathlib.Path(os.environ.get("AACO_DATA") or pathlib.Path(REPOSITORY).parent / "shared" / "data")
EXPECTED = pathlib.Path(__file__).with_name("advice.txt")
OWLV2 = "tracelens/traces/mi300/google_owlv2-large-patch14-ensemble__1016001.json.gz"
JUDGEMENTS = ("right", "fair")  # before the colon, and why behind it; what is wrong is mended


def read_expected():
    """Trace -> {pattern: (amount, judgement)}, in the order of the file."""
    traces = {}
    for line in EXPECTED.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        if not line.startswith(" "):
            findings = traces[line] = {}
            continue
        amount, name, judgement = (part.strip() for part in line.split(" | "))
        findings[name] = (amount, judgement)
    return traces


def found_in(trace):
    """(pattern -> amount, pattern -> cost in ns): of several ranks, devices or functions the largest, the amount with their number."""
    done = subprocess.run([AACO, "trace", "report", "--json", *(str(DATA / one) for one in trace.split(" + "))],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return f"exit {done.returncode}: {done.stderr.strip()}", {}
    most, costs = {}, {}
    for one in json.loads(done.stdout)["findings"]:
        saves, count = most.get(one["pattern"], (0, 0))
        most[one["pattern"]] = (max(saves, one["saves_ns"]), count + 1)
        costs[one["pattern"]] = max(costs.get(one["pattern"], 0), one["cost_ns"])
    return {name: f"{saves / 1e6:.3f} ms" + (f" ({count} times)" if count > 1 else "") for name, (saves, count) in most.items()}, costs


def events_of(trace):
    with gzip.open(DATA / trace) as file:
        recorded = json.load(file)
    return [event for event in (recorded if isinstance(recorded, list) else recorded["traceEvents"]) if event.get("ph") == "X"]


def of(events, *categories):
    return [event for event in events if str(event.get("cat")).lower() in categories]


def span(event):
    start = round(event["ts"] * 1000)
    return start, start + round(event["dur"] * 1000)


def union_ns(events):
    total, last = 0, -math.inf
    for start, end in sorted(map(span, events)):
        total += max(0, end - max(start, last))
        last = max(last, end)
    return total


def input_preparation(events):
    """Idle of 1 us and more of which the loader's frame covers half."""
    work = sorted(of(events, "kernel", "gpu_memcpy", "gpu_memset"), key=lambda event: event["ts"])
    frames = [event for event in events if event["name"] == "torch/utils/data/dataloader.py(728): __next__"]
    prepared, end = 0, work[0]["ts"]
    for event in work:
        for frame in frames:
            shared = min(event["ts"], frame["ts"] + frame["dur"]) - max(end, frame["ts"])
            prepared += shared if event["ts"] - end >= 1000 and shared >= (event["ts"] - end) / 2 else 0
        end = max(end, event["ts"] + event["dur"])
    return 1000 * prepared


def unfused_attention(events):
    """Kernels from each first product of an attention to its second one."""
    operators = {event["args"].get("External id"): event["name"] for event in of(events, "cpu_op")}
    kernels = sorted(of(events, "kernel"), key=lambda event: event["ts"])
    names = [operators.get(event["args"].get("External id")) for event in kernels]
    attention, last = 0, -1
    for place, name in enumerate(names):
        if name == "aten::_softmax" and place > last:
            first = max(i for i in range(place) if names[i] == "aten::bmm")
            last = min(i for i in range(place, len(names)) if names[i] == "aten::bmm")
            attention += sum(event["dur"] for event in kernels[first:last + 1])
    return 1000 * attention


def operators_around_calls(events):
    """Correlation -> names of the operators around its call, innermost last."""
    starts = collections.defaultdict(list)  # by thread: operators and calls, outer ones first
    for event in of(events, "cpu_op", "cuda_runtime", "cuda_driver"):
        starts[event["pid"], event["tid"]].append(event)
    around = {}
    for thread in starts.values():
        open_ones = []
        for event in sorted(thread, key=lambda event: (event["ts"], -event["dur"])):
            open_ones = [one for one in open_ones if one["ts"] + one["dur"] > event["ts"]]
            if event["cat"] == "cpu_op":
                open_ones.append(event)
            else:
                around[event["args"].get("correlation")] = [one["name"] for one in open_ones]
    return around


def layout_copies(events):
    """Kernels between channels first and last, and those of a copy_ that contiguous or reshape asked for at most three operators outside."""
    marks = ("nchwtonhwc", "nhwctonchw", "nchw2nhwc", "nhwc2nchw", "batched_transpose")
    around = operators_around_calls(events)
    total = 0
    for kernel in of(events, "kernel"):
        operators = around.get(kernel["args"].get("correlation"), [])
        asked = operators[-1:] == ["aten::copy_"] and not {"aten::contiguous", "aten::reshape"}.isdisjoint(operators[-4:-1])
        if asked or any(mark in kernel["name"].lower() for mark in marks):
            total += span(kernel)[1] - span(kernel)[0]
    return total


def pageable_copies(events):
    """Copies of 64 KiB and more to and from pageable memory, or the exposed copies where these are less."""
    copies, others = of(events, "memcpy", "gpu_memcpy"), of(events, "kernel", "memset", "gpu_memset")
    pageable = [event for event in copies if "pageable" in event["name"].lower() and event["args"].get("bytes", 0) >= 65536]
    return min(sum(end - start for start, end in map(span, pageable)), union_ns(copies + others) - union_ns(others))


def late_rank(events):
    """How long the rank that waits most is within collectives whose last rank has yet to begin; the n-th of a kind is the same on all."""
    kernels = collections.defaultdict(lambda: collections.defaultdict(list))
    for event in sorted(of(events, "kernel"), key=lambda event: event["ts"]):
        if "Collective name" in event["args"]:
            kernels[event["args"]["Collective name"]][event["args"]["rank"]].append(span(event))
    waited = collections.Counter()
    for ranks in kernels.values():
        for of_ranks in zip(*ranks.values()):
            last = max(start for start, _ in of_ranks)
            for rank, (start, end) in zip(ranks, of_ranks):
                waited[rank] += min(last, end) - start
    return max(waited.values())


SAMPLES = "kineto/tb_plugin/samples/resnet50_num_workers_0/worker0"
MI300 = "tracelens/traces/mi300/"
BY_ARITHMETIC = [
    (OWLV2, input_preparation), (OWLV2, unfused_attention), (OWLV2, layout_copies),
    (MI300 + "facebook_timesformer-base-finetuned-k400__1016002.json.gz", layout_copies),
    (MI300 + "Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", layout_copies),
    (MI300 + "resnet_act_checkpoint.json.gz", layout_copies),
    ("h200-recorded/fsdp2_d2048_rank0.json.gz", layout_copies),
    (SAMPLES + ".1623143089861.pt.trace.json.gz", pageable_copies), (SAMPLES + ".1623143566756.pt.trace.json.gz", pageable_copies),
    (SAMPLES + ".d3fb407.pt.trace.json.gz", pageable_copies), (SAMPLES + ".pt.trace.json.gz", pageable_copies),
    ("hpctraining/MLExamples/TraceLens/fused_traces/merged_all_events.json.gz", late_rank),
]


def differences_to_arithmetic(costs_of):
    failures = []
    for trace, arithmetic in BY_ARITHMETIC:
        pattern = arithmetic.__name__.replace("_", "-")
        ns, costs = arithmetic(events_of(trace)), costs_of(trace)
        # Times of the file have three decimals of a microsecond.
        if ns <= 0 or pattern not in costs or abs(costs[pattern] - ns) > 1000:
            failures.append(f"{trace}: {pattern} costs {costs.get(pattern)} ns, by arithmetic {ns:.0f} ns")
    return failures


def promote(traces, found):
    text = "".join(line + "\n" for line in EXPECTED.read_text().splitlines() if line.startswith("#"))
    for trace, findings in found.items():
        text += f"\n{trace}\n"
        for name, amount in findings.items():
            text += f"  {amount} | {name} | {traces[trace].get(name, ('', 'not judged'))[1]}\n"
    EXPECTED.write_text(text)


def main():
    if not DATA.is_dir():
        skip_without(DATA)
    traces = read_expected()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        both = dict(zip(traces, pool.map(found_in, traces)))
    found = {trace: findings for trace, (findings, _) in both.items()}
    failures = [f"{trace}: {findings}" for trace, findings in found.items() if isinstance(findings, str)]
    if "--promote" in sys.argv and not failures:
        promote(traces, found)
        return 0
    failures += differences_to_arithmetic(lambda trace: both[trace][1])
    count = 0
    for trace, findings in found.items():
        if isinstance(findings, str):
            continue
        expected = {name: amount for name, (amount, _) in traces[trace].items()}
        for name in sorted(expected.keys() | findings.keys()):
            if expected.get(name) != findings.get(name):
                failures.append(f"{trace}: {name}: {findings.get(name, 'silent')}, expected {expected.get(name, 'silence')}")
            count += 1
        failures += [f"{trace}: {name}: not judged" for name, (_, judgement) in traces[trace].items()
                     if judgement.split(":")[0] not in JUDGEMENTS]
    print(f"{count} findings in {len(traces)} traces, {len(BY_ARITHMETIC)} of them by arithmetic")
    print("\n".join(failures))
    return 1 if failures else 0


sys.exit(main())
