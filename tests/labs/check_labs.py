#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_labs.py AACO: every lab of `aaco llama lab` at nano on the CPU. Each states its question without its answer, shows its solution,
takes the right answer (exit code 0) and refuses a wrong one (1) and one that is none (2); the right answer is worked out here again from
the facts that a learner sees, or must be what is known of the step. How fast anything is is not looked at."""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

FLAGS = "--preset nano --device cpu:0 --num-steps 5 --no-check --quiet --json"
UNITS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}


def quantity(text):
    """"2.61 us" in seconds, "131.9 GFLOP/s" in FLOP/s."""
    number, unit = re.match(r"([-\d.e+]+) ?([num]?s$|[kMGT]?)", text).groups()
    return float(number) * UNITS[unit]


class Labs:
    def __init__(self, aaco, folder):
        self.aaco, self.folder = str(pathlib.Path(aaco).resolve()), folder

    def run(self, *words):
        done = subprocess.run([self.aaco, "llama", "lab", *map(str, words), *FLAGS.split()], cwd=self.folder, capture_output=True, text=True)
        return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


def facts_of(lab):
    return {fact["name"]: fact["value"] for fact in lab["facts"]}


def rows_of(lab):
    return [dict(zip(lab["table"][0], row)) for row in lab["table"][1:]]


# What a learner would answer: from what is shown, not from the solution.
def baseline(lab, folder):
    facts = facts_of(lab)
    flops = 6 * float(facts["parameters"]) * float(facts["tokens of a step"])
    return 100 * flops / quantity(facts["time of a step"]) / quantity(facts["fastest product of matrices on this device"])


def memory(lab, folder):
    one, two, _ = [float(row["peak memory"].split()[0]) for row in rows_of(lab)]
    return 2 * one - two


def bottleneck(lab, folder):
    return max(rows_of(lab), key=lambda row: sum(float(row[f"{phase} ms"].replace("-", "0")) for phase in ("forward", "backward", "optimizer")))["part"]


def profiler(lab, folder):
    """From the trace's table, as `aaco trace report` shows it."""
    training = json.loads((pathlib.Path(folder) / lab["sessions"][0] / "metrics" / "training.json").read_text())
    return training["work"]["operations"]  # of a CPU: one kernel each


def fusion(lab, folder):
    return int(facts_of(lab)["operations of a step of version 1"]) - sum(int(row["fewer"]) for row in rows_of(lab))


def flash_attention(lab, folder):
    one, two, three = [float(row["with scores in memory, MiB"]) for row in rows_of(lab)[:3]]
    return one - 3 * two + 3 * three


def first_kernel(lab, folder):
    facts = facts_of(lab)
    elements = float(facts["norms of a forward pass"]) * float(facts["rows (tokens) of each"]) * float(facts["columns of each"])
    return 2 * elements * float(facts["bytes of an element"]) / quantity(facts["all of them, alone"]) / 1e9


def kernel_tuning(lab, folder):
    return max(rows_of(lab), key=lambda row: float(row["size"]) ** 3 / float(row["time of a product, us"]))["size"]


def ultra_fusion(lab, folder):
    return facts_of(lab)["kernels of a step of version 3"]


def registers(lab, folder):
    best = max(quantity(row["multiply-adds a second"]) for row in rows_of(lab))
    return next(row["chains"] for row in rows_of(lab) if quantity(row["multiply-adds a second"]) >= 0.9 * best)


def roofline(lab, folder):
    (copy, copy_time), (product, product_time) = facts_of(lab).items()
    mebibytes, size = float(copy.split()[3]), float(product.split()[-1])
    return 2 * size**3 / quantity(product_time) / (2 * mebibytes * 2**20 / quantity(copy_time))


def regression_hunt(lab, folder):
    """By the parts whose operations changed: which fusion makes one of those."""
    changed = frozenset(row[0] for row in lab["table"][1:] if row[1] != row[2])
    known = {"optimizer optimizer": "optimizer", "forward loss": "loss", "forward rotary": "rotary", "forward attention": "attention",
             "forward residual": "norm", "forward swiglu": "gate-up", "forward products": "qkv"}
    return next(fusion for part, fusion in known.items() if part in changed)


SPEEDUPS = (5, 9, 12)  # which compare the times of two trainings
LEARNERS = [baseline, memory, bottleneck, profiler, fusion, flash_attention, first_kernel, kernel_tuning, ultra_fusion, registers, roofline, regression_hunt]


def problems_of(labs, number, learner):
    code, asked, error = labs.run(number)
    if code != 0 or error:
        yield f"exit code {code}: {error}"
        return
    if {"expected", "way", "meaning"} & set(asked) or asked["right"] is not None:
        yield "tells its answer with the question"
    kept = pathlib.Path(labs.folder) / "sessions" / "labs" / f"lab_{number:02}.json"
    answer = learner(asked, labs.folder)
    code, answered, error = labs.run(number, "--answer", answer)
    solution = labs.run(number, "--solution")[1]
    if code != 0 or not answered["right"]:
        yield f"{answer} is refused ({code}); the solution is {solution['expected']}: {solution['way']}"
    if not json.loads(kept.read_text())["solved"]:
        yield "is not kept as solved"
    if answered["facts"] != asked["facts"] or answered["table"] != asked["table"]:
        yield "measured anew between question and answer"
    if not solution["way"] or not solution["meaning"] or not solution["next"]:
        yield "does not explain itself"
    if number in SPEEDUPS and not re.search(r"Speedup[^:]*: [\d.]+ \(one process: no interval\)", solution["meaning"]):
        yield f"does not say that one process has no interval: {solution['meaning']}"
    value = solution["expected"]["value"]
    right = solution["expected"]["words"]
    if value is not None:  # just within the tolerance and just beyond it, on both sides; of a count, the next one
        step = solution["tolerance"] or 1 / abs(value)
        for share in (0.9 * step, -0.9 * step) if solution["tolerance"] else ():
            if labs.run(number, "--answer", repr(value * (1 + share)))[0] != 0:
                yield f"{value * (1 + share)} is refused, which is within the tolerance of {value}"
        wrong = [value * (1 + 1.1 * step), value * (1 - 1.1 * step), -value]
    else:
        wrong = [word for word in solution["choices"] if word not in right]
        if not wrong:
            yield "every choice is right"
    for word in wrong:
        code, refused, error = labs.run(number, "--answer", word)
        if code != 1 or refused["right"] or "expected" in refused or not refused["hint"]:
            yield f"wrong answer {word}: exit code {code}, {refused} {error}"
    code, _, error = labs.run(number, "--answer", "perhaps")
    if code != 2 or "perhaps" not in error:
        yield f"what is no answer: exit code {code}: {error}"


def as_text(labs, *words, typed=None):
    """Exit code and output of lab 2 for a reader; `typed` is what somebody types at a terminal."""
    command = [labs.aaco, "llama", "lab", "2", *words, *FLAGS.removesuffix(" --json").split()]
    if typed is None:
        done = subprocess.run(command, cwd=labs.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, cwd=labs.folder, stdin=theirs, stdout=theirs, env={**os.environ, "NO_COLOR": "1"})
    os.close(theirs)
    os.write(ours, typed.encode())
    shown = b""
    try:
        while piece := os.read(ours, 1 << 16):
            shown += piece
    except OSError:
        pass  # the last one that had the terminal has closed it
    os.close(ours)
    return process.wait(timeout=60), shown.decode()


def problems_of_text(labs):
    """What a reader of the text sees, of lab 2; at a terminal it is asked for. What a learner counts by the parameters alone is not all."""
    asked = labs.run(2)[1]
    answer, counted = f"{memory(asked, labs.folder):.0f}", f"{16 * float(facts_of(asked)['parameters']):.0f}"
    for words, typed, code, there, absent in (
            ([], None, 0, ["Question: ", f"aaco llama lab 2 {FLAGS.removesuffix(' --json')} --answer VALUE", "in bytes, within 0.1 %"], ["The way", "Right", "Wrong"]),
            (["--solution"], None, 0, [f"Solution: {answer} bytes", "The way", "On AMD (compiled, not run)"], ["--answer VALUE"]),
            (["--answer", answer], None, 0, [f"Right: {answer}", "What it means", "Try next"], ["Hint"]),
            (["--answer", counted], None, 1, [f"Wrong: {counted}", "Hint: "], ["The way", answer]),
            ([], f"{answer}\n", 0, ["Your answer: ", f"Right: {answer}"], ["Hint"]),
            ([], "39\n", 1, ["Your answer: ", "Wrong: 39"], ["The way"])):
        ended, text = as_text(labs, *words, typed=typed)
        wrong = [word for word in there if word not in text] + [word for word in absent if word in text]
        if ended != code or wrong:
            yield f"as text, {words} {typed!r}: exit code {ended}, {wrong}: {text}"


def problems_of_keeping(labs):
    """What is kept is shown again; anew is measured with --again, by another setup and by another version of the program."""
    kept = pathlib.Path(labs.folder) / "sessions" / "labs" / "lab_04.json"
    first = labs.run(4)[1]["sessions"]
    if labs.run(4)[1]["sessions"] != first:
        yield "lab 4: the same question is measured twice"
    again = labs.run(4, "--again")[1]["sessions"]
    if again == first:
        yield "lab 4: --again does not measure"
    if labs.run(4)[1]["sessions"] != again:
        yield "lab 4: what --again measured is not kept"
    other = labs.run(4, "--seed", "7")[1]["sessions"]
    if other == again:
        yield "lab 4: another seed has the answer of the first"
    document = json.loads(kept.read_text())
    kept.write_text(json.dumps({**document, "version": "0.0.1"}))
    if labs.run(4, "--seed", "7")[1]["sessions"] == other:
        yield "lab 4: what another version of the program measured is taken"
    if not json.loads(kept.read_text())["solved"]:
        yield "lab 4: is no longer solved when it is measured anew"


def other_cases(labs):
    """Cases plant different fusions, and each is found."""
    planted = set()
    for case in range(2, 6):
        _, asked, _ = labs.run(12, "--case", case)
        answer = regression_hunt(asked, labs.folder)
        code, _, _ = labs.run(12, "--case", case, "--answer", answer)
        if code != 0:
            yield f"case {case}: {answer} is refused"
        planted.add(answer)
    if len(planted) < 2:
        yield f"cases 2 to 5 all plant {planted}"


def main(aaco, *only):
    with tempfile.TemporaryDirectory() as folder:
        labs = Labs(aaco, folder)
        if only == ("cases",):
            problems = list(other_cases(labs))
        else:
            numbers = [int(number) for number in only] or range(1, len(LEARNERS) + 1)
            problems = [f"lab {number}: {problem}" for number in numbers for problem in problems_of(labs, number, LEARNERS[number - 1])]
            problems += problems_of_text(labs) if 2 in numbers else []
            problems += problems_of_keeping(labs) if 4 in numbers else []
            code, listed, error = labs.run()
            solved = [lab["lab"] for lab in listed if lab["solved"]]
            if len(listed) != len(LEARNERS) or solved != list(numbers):
                problems.append(f"the list has {len(listed)} labs, {solved} of them solved")
            for word in ("0", "13", "x", "-1"):
                code, _, error = labs.run(word)
                if code != 2:
                    problems.append(f"lab {word}: exit code {code}: {error}")
    print("\n".join(problems) or "all as they should be")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
