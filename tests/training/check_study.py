#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_study.py AACO: `aaco llama study` of two lengths and two versions on the CPU, beside a batch for which no memory suffices, and
of a training that diverges. Every combination must be a row; what does not fit says so and fails nothing; what diverges is failed, the
session of it keeps its losses, and the exit code is 4; the study is a session that lists, shows and verifies. Times are not looked at."""
import json
import pathlib
import subprocess
import sys
import tempfile

BRIEFLY = "--device cpu:0 --warmup 1 --no-check --quiet"
COMMON = f"--num-steps 6 {BRIEFLY}"
STUDY = f"llama study --preset nano --seq-lens 8,16 --versions 1,4 --processes 3 {COMMON} --json"
# The logits of the second batch take more than a terabyte; the vocabulary is small, since the first batch is trained.
UNFIT = f"llama study --hidden-dim 32 --num-heads 2 --num-layers 1 --vocab-size 100000 --seq-len 48 --batch-sizes 2,65536 --versions 2 --processes 1 --num-steps 1 {BRIEFLY} --json"
DIVERGING = f"llama study --preset nano --versions 1,2 --learning-rate 1e30 --processes 2 {COMMON} --json"


class Checks:
    def __init__(self, aaco, folder):
        self.aaco, self.folder, self.problems = aaco, pathlib.Path(folder), []

    def run(self, command, exit_code=0):
        done = subprocess.run([self.aaco, *command.split()], cwd=self.folder, capture_output=True, text=True)
        self.expect(done.returncode == exit_code, f"{command}: exit code {done.returncode}: {done.stderr}")
        return done.stdout

    def expect(self, holds, problem):
        if not holds:
            self.problems.append(problem)

    def document(self, bundle, name="metrics/training.json"):
        return json.loads((self.folder / bundle / name).read_text())


def check_measured(checks):
    study = json.loads(checks.run(STUDY))
    names = [row["name"] for row in study["rows"]]
    checks.expect(names == [f"nano V{version}, fp32, 4 x {length} tokens" for length in (8, 16) for version in (1, 4)], f"rows are {names}")
    for row, cell in zip(study["rows"], study["cells"]):
        checks.expect(row["outcome"] == "measured" and row["step_ns"]["value"] > 0 and row["step_ns"]["interval"], f"{row['name']}: {row}")
        checks.expect((row["speedup_over_version"] == 1) == (row["version"] == 4), f"{row['name']}: its speedup is over {row['speedup_over_version']}")
        checks.expect(checks.document(cell["bundle"]) == cell["run"], f"{row['name']}: the study holds another run than its session")
    processes = [process["pid"] for cell in study["cells"] for process in cell["run"]["processes"]]
    checks.expect(len(set(processes)) == 12, f"{len(set(processes))} processes of 12")
    turns = sorted((checks.document(cell["bundle"], "session.json")["created_utc"], index) for index, cell in enumerate(study["cells"]))
    checks.expect(len(turns) == 4, "a session is missing")
    checks.expect((checks.folder / study["bundle"] / "report" / "report.html").is_file(), "the study has no page")
    for command in ("sessions verify latest", "sessions show latest", "report --session latest --format csv", "sessions list"):
        shown = checks.run(command)
        checks.expect("training_study" in shown or "list" not in command, f"{command}: {shown}")


def check_against(checks):
    """A study against itself of before: nothing is a regression of 99 %, each pair is judged, and each way of asking gives the same."""
    before = json.loads(checks.run(f"{STUDY} --output before.json"))
    after = json.loads(checks.run(f"{STUDY} --against before.json --min-effect 99 --allow-inconclusive"))
    names = [row["name"] for row in before["rows"]]
    pairs = after["against"]["pairs"]
    checks.expect([pair["configuration"] for pair in pairs] == names, f"pairs {[pair['configuration'] for pair in pairs]}")
    checks.expect(all(pair["ratio"] > 0 and pair["verdict"] in ("equivalent", "inconclusive") for pair in pairs), f"judged {pairs}")
    sides = f"--baseline {before['bundle']} --session {after['bundle']} --min-effect 99 --allow-inconclusive"
    again = json.loads(checks.run(f"diff {sides} --json"))
    checks.expect(again == after["against"], "aaco diff says something else")
    checks.expect(checks.document(after["bundle"], "regress/verdict.json") == again, "the verdict in the session is another")
    one = f"--baseline {before['cells'][1]['bundle']} --session {after['bundle']} --min-effect 99"
    alone = json.loads(checks.run(f"diff {one} --json --allow-inconclusive --allow-different"))
    checks.expect([pair["configuration"] for pair in alone["pairs"]] == names[1:2] and len(alone["unpaired"]) == 3, f"one training against a study: {alone}")
    checks.run(f"diff {one}", exit_code=4)
    checks.run(f"diff --baseline {after['bundle']} --session {after['bundle']}", exit_code=2)
    page = checks.run(f"diff {sides} --format html --output -")
    checks.expect("<html" in page and all(name in page for name in names), "the page of a comparison lacks a configuration")
    checks.run(f"diff {sides} --drift 1")


def check_unfit(checks):
    study = json.loads(checks.run(UNFIT))
    outcomes = [row["outcome"] for row in study["rows"]]
    checks.expect(outcomes == ["measured", "did not fit"], f"outcomes are {outcomes}")
    last = study["rows"][-1]
    checks.expect(last["reason"].startswith("the training does not fit: out of memory") and last["step_ns"] is None, f"the last row is {last}")
    status = checks.document(study["cells"][-1]["bundle"], "session.json")["status"]
    checks.expect(status == "failed", f"its session is {status}")


def check_diverging(checks):
    study = json.loads(checks.run(DIVERGING, exit_code=4))
    for row, cell in zip(study["rows"], study["cells"]):
        checks.expect(row["outcome"] == "failed" and "is no number: the training diverged" in row["reason"], f"{row['name']}: {row['outcome']}: {row['reason']}")
        session = checks.document(cell["bundle"], "session.json")
        losses = checks.document(cell["bundle"])["processes"][0]["losses"]
        checks.expect(session["status"] == "failed" and "diverged" in session["status_reason"], f"its session is {session['status']}: {session['status_reason']}")
        checks.expect(len(losses) == 7 and losses[0] is not None and losses[-1] is None, f"its losses are {losses}")
        checks.run(f"report --session {cell['bundle']}")
        checks.run(f"sessions verify {cell['bundle']}")


def main(aaco):
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks(str(pathlib.Path(aaco).resolve()), folder)
        check_measured(checks)
        check_against(checks)
        check_unfit(checks)
        check_diverging(checks)
    print("\n".join(checks.problems) or "studies on the CPU: measured, not fitting, diverging")
    return 1 if checks.problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
