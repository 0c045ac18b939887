#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every finding of `aaco trace report` on every recorded trace, against advice.txt beside this file: the trace, what each pattern
found could save at most, the pattern, and how we judge it. A pattern that falls silent, speaks up or says another amount is a
difference. Two of them are worked out again from the trace's events alone. Exit 77 where the data is not here.

Usage: check_advice.py AACO REPOSITORY [--promote]     --promote writes advice.txt anew, with "not judged" where a finding is new
"""
import concurrent.futures
import gzip
import json
import os
import pathlib
import subprocess
import sys

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
    """Amount by pattern: of several ranks, devices or functions the largest, with their number."""
    done = subprocess.run([AACO, "trace", "report", "--json", *(str(DATA / one) for one in trace.split(" + "))],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return f"exit {done.returncode}: {done.stderr.strip()}"
    most = {}
    for one in json.loads(done.stdout)["findings"]:
        saves, count = most.get(one["pattern"], (0, 0))
        most[one["pattern"]] = (max(saves, one["saves_ns"]), count + 1)
    return {name: f"{saves / 1e6:.3f} ms" + (f" ({count} times)" if count > 1 else "") for name, (saves, count) in most.items()}


def owlv2_by_arithmetic():
    """What two patterns should find on that trace, from its events alone: idle under the loader, and kernels from each first product of an
    attention to its second one."""
    with gzip.open(DATA / OWLV2) as file:
        events = [event for event in json.load(file)["traceEvents"] if event.get("ph") == "X"]
    work = sorted((event for event in events if event["cat"] in ("kernel", "gpu_memcpy", "gpu_memset")), key=lambda event: event["ts"])
    frames = [event for event in events if event["name"] == "torch/utils/data/dataloader.py(728): __next__"]
    prepared, end = 0, work[0]["ts"]
    for event in work:
        for frame in frames:
            shared = min(event["ts"], frame["ts"] + frame["dur"]) - max(end, frame["ts"])
            prepared += shared if event["ts"] - end >= 1000 and shared >= (event["ts"] - end) / 2 else 0
        end = max(end, event["ts"] + event["dur"])
    operators = {event["args"].get("External id"): event["name"] for event in events if event["cat"] == "cpu_op"}
    kernels = [event for event in work if event["cat"] == "kernel"]
    names = [operators.get(event["args"].get("External id")) for event in kernels]
    attention, last = 0, -1
    for place, name in enumerate(names):
        if name == "aten::_softmax" and place > last:
            first = max(i for i in range(place) if names[i] == "aten::bmm")
            last = min(i for i in range(place, len(names)) if names[i] == "aten::bmm")
            attention += sum(event["dur"] for event in kernels[first:last + 1])
    return {"input-preparation": 1000 * prepared, "unfused-attention": 1000 * attention}


def owlv2_failures():
    done = subprocess.run([AACO, "trace", "report", "--json", str(DATA / OWLV2)], capture_output=True, text=True, check=True)
    found = {one["pattern"]: one["cost_ns"] for one in json.loads(done.stdout)["findings"]}
    return [f"{OWLV2}: {pattern} costs {found.get(pattern)} ns, by arithmetic {ns:.0f} ns"
            for pattern, ns in owlv2_by_arithmetic().items() if abs(found.get(pattern, 0) - ns) > 1000]  # times of the file have three decimals of a microsecond


def promote(traces, found):
    text = "".join(line + "\n" for line in EXPECTED.read_text().splitlines() if line.startswith("#"))
    for trace, findings in found.items():
        text += f"\n{trace}\n"
        for name, amount in findings.items():
            text += f"  {amount} | {name} | {traces[trace].get(name, ('', 'not judged'))[1]}\n"
    EXPECTED.write_text(text)


def main():
    if not DATA.is_dir():
        print(f"skipped: no recorded traces in {DATA}")
        return 77
    traces = read_expected()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = dict(zip(traces, pool.map(found_in, traces)))
    failures = [f"{trace}: {findings}" for trace, findings in found.items() if isinstance(findings, str)]
    if "--promote" in sys.argv and not failures:
        promote(traces, found)
        return 0
    failures += owlv2_failures()
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
    print(f"{count} findings in {len(traces)} traces")
    print("\n".join(failures))
    return 1 if failures else 0


sys.exit(main())
