#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every finding of `aaco trace report` on every recorded trace, against advice.txt beside this file: the trace, what each pattern
found could save at most, the pattern, and how we judge it. A pattern that falls silent, speaks up or says another amount is a
difference. Exit 77 where the data is not here.

Usage: check_advice.py AACO REPOSITORY [--promote]     --promote writes advice.txt anew, with "not judged" where a finding is new
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

AACO, REPOSITORY = sys.argv[1:3]
DATA = pathlib.Path(os.environ.get("AACO_DATA") or pathlib.Path(REPOSITORY).parent / "shared" / "data")
EXPECTED = pathlib.Path(__file__).with_name("advice.txt")
JUDGEMENTS = ("right", "right, small", "fair", "not judged")  # the word before the colon


def read_expected():
    """Trace -> {pattern and subject: (amount, judgement)}, in the order of the file."""
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
    """Amount by pattern and subject: of several ranks or devices the largest, with their number."""
    done = subprocess.run([AACO, "trace", "report", "--json", *(str(DATA / one) for one in trace.split(" + "))],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return f"exit {done.returncode}: {done.stderr.strip()}"
    most = {}
    for one in json.loads(done.stdout)["findings"]:
        name = one["pattern"] if one["subject"].isascii() and "host work" not in one["subject"] else one["pattern"] + " " + one["subject"]
        saves, count = most.get(name, (0, 0))
        most[name] = (max(saves, one["saves_ns"]), count + 1)
    return {name: f"{saves / 1e6:.3f} ms" + (f" ({count} times)" if count > 1 else "") for name, (saves, count) in most.items()}


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
                     if judgement.split(":")[0] not in JUDGEMENTS[:-1]]
    print(f"{count} findings in {len(traces)} traces")
    print("\n".join(failures))
    return 1 if failures else 0


sys.exit(main())
