#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bisect_for_real.py --aaco PROGRAM --output bench/results/bisect-for-real.json: `aaco guard bisect` on this repository. A scratch clone gets 24
commits on top of HEAD that change sources, comments, documents and the layout of the machine code; one of them makes the search for change points
slower. The command checks commits out with `git worktree`, builds series_time.cpp with the sources that it needs (not all of aaco: that takes
half an hour of two processors a commit) and measures. It is ended by SIGKILL once and goes on from its state. Afterwards the slow commit and the
one before it are measured in turns, to say how large the slowdown was. Needs git and the headers of fmt."""
import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from harness import environment

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMITS = 24
SLOW = 15  # commits count from 1, the first on top of HEAD
KILL_AFTER = 8  # measurements
SOURCES = ["bench/series_time.cpp", "src/base/statistics.cpp", *(f"src/verdict/series/{name}.cpp" for name in
                                                                 ("change_points", "drawn_in", "seeded_stretches", "step_evidence"))]
PROGRAM = "series_time_of_commit"
MEASURE = [f"./{PROGRAM}", "5"]
EVIDENCE = "src/verdict/series/step_evidence.cpp"


def build_command(compiler):
    return f"{compiler} -std=c++20 -O2 -DNDEBUG -DFMT_HEADER_ONLY -Isrc {' '.join(SOURCES)} -o {PROGRAM}"


def git(folder, *words):
    variables = dict(os.environ, GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
    return subprocess.run(["git", "-c", "user.name=bench", "-c", "user.email=bench@example.com", *words], cwd=folder, check=True, capture_output=True,
                          text=True, env=variables).stdout.strip()


def replaced(path, old, new):
    text = path.read_text()
    if text.count(old) != 1:
        sys.exit(f"{path}: '{old}' is there {text.count(old)} times: this script is of other sources")
    path.write_text(text.replace(old, new))


def slow_down(clone):
    """Layers of stretches closer together, by 1.28 and not by sqrt(2): what a change can lie in is narrower, and there is 40 % more to look at."""
    replaced(clone / "src/verdict/series/seeded_stretches.cpp", "length /= std::numbers::sqrt2) {", "length /= 1.28) {")


def harmless(clone, number):
    """One of five kinds of small change; none changes what is computed."""
    kind = number % 5
    if kind == 0:
        with open(clone / "docs/guard.md", "a") as file:
            file.write(f"\nA sentence of commit {number}.\n")
        return "docs: a sentence"
    if kind == 1:
        with open(clone / EVIDENCE, "a") as file:
            file.write(f"\n// A remark of commit {number}.\n")
        return "series: a remark"
    if kind == 2:  # moves all code behind it
        path = clone / EVIDENCE
        text = path.read_text()
        place = text.index("StepEvidence::StepEvidence(")
        function = f"double spare_{number}(double value);\ndouble spare_{number}(double value) {{ return value * {number} + 1; }}\n\n"
        path.write_text(text[:place] + function + text[place:])
        return "series: a function that moves the others"
    if kind == 3:
        with open(clone / "src/base/statistics.cpp", "a") as file:
            file.write(f"\nnamespace aaco {{\nint spare_statistic_{number}(int value);\nint spare_statistic_{number}(int value) {{ return value ^ {number}; }}\n}}\n")
        return "base: a function at the end"
    (clone / f"notes-{number}.txt").write_text(f"{number}\n")
    return "notes: a file"


def make_commits(clone):
    rows = [{"commit": git(clone, "rev-parse", "HEAD"), "title": "HEAD, the good one", "slow": False}]
    for number in range(1, COMMITS + 1):
        if number == SLOW:
            slow_down(clone)
            title = "series: layers of stretches closer together"
        else:
            title = harmless(clone, number)
        git(clone, "add", "-A")
        git(clone, "commit", "-q", "-m", title)
        rows.append({"commit": git(clone, "rev-parse", "HEAD"), "title": title, "slow": number >= SLOW})
    return rows


def measured_so_far(state):
    try:
        return len(json.loads(state.read_text())["measured"])
    except (OSError, ValueError):
        return 0


def search(command, state):
    """Killed once, then to its end: the answer, and what each part took."""
    start = time.monotonic()
    first = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while measured_so_far(state) < KILL_AFTER:
        if first.poll() is not None:
            sys.exit(f"the search ended with {first.returncode} before it could be killed")
        time.sleep(0.02)
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    kept = json.loads(state.read_text())["measured"]
    killed_s = time.monotonic() - start
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    rest_s = time.monotonic() - start
    if done.returncode not in (0, 4):
        sys.exit(f"the search ended with {done.returncode}: {done.stderr}")
    whole = json.loads(state.read_text())["measured"]
    return json.loads(done.stdout), {"killed_after_s": killed_s, "killed_after_measurements": len(kept), "rest_s": rest_s, "exit_code": done.returncode,
                                     "kept_what_was_measured": whole[:len(kept)] == kept}, whole


def in_turns(clone, before, after, build, pairs):
    """Processor seconds of the slow commit over those of the one before it, pair by pair."""
    trees = {}
    for name in (before, after):
        trees[name] = clone.parent / f"tree-{name[:12]}"
        git(clone, "worktree", "add", "--detach", str(trees[name]), name)
        subprocess.run(build, shell=True, cwd=trees[name], check=True)

    def value(name):
        lines = subprocess.run(MEASURE, cwd=trees[name], check=True, capture_output=True, text=True).stdout.split()
        return statistics.median(map(float, lines))
    ratios = []
    for i in range(pairs):
        order = (before, after) if i % 2 == 0 else (after, before)
        values = {name: value(name) for name in order}
        ratios.append(values[after] / values[before])
    return {"pairs": pairs, "median_ratio": statistics.median(ratios), "ratios": ratios}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aaco", required=True, type=pathlib.Path)
    parser.add_argument("--output", required=True)
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--pairs", type=int, default=10, help="of the comparison afterwards")
    asked = parser.parse_args()
    build = build_command(asked.compiler)
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        clone, state = place / "clone", place / "bisect.json"
        git(ROOT, "clone", "-q", str(ROOT), str(clone))
        rows = make_commits(clone)
        start = time.monotonic()
        subprocess.run(build, shell=True, cwd=clone, check=True)
        build_s = time.monotonic() - start
        (clone / PROGRAM).unlink()
        command = [str(asked.aaco.resolve()), "guard", "bisect", "--repository", str(clone), "--state", str(state), "--good", rows[0]["commit"],
                   "--bad", rows[-1]["commit"], "--build", build, "--json", "--quiet", "--", *MEASURE]
        answer, times, measured = search(command, state)
        left = git(clone, "worktree", "list").count("\n")
        probability = {row["commit"]: row["probability"] for row in answer["commits"]}
        for i, row in enumerate(rows):
            row["probability"] = probability.get(row["commit"])
            row["values"] = [entry["value"] for entry in measured if entry["commit"] == i]
        truth = in_turns(clone, rows[SLOW - 1]["commit"], rows[SLOW]["commit"], build, asked.pairs)
    found = next((i for i, row in enumerate(rows) if row["commit"] == answer["first_slow"]), None)
    result = {"environment": environment(str(asked.aaco)), "affinity": sorted(os.sched_getaffinity(0)), "compiler": subprocess.run(
        [asked.compiler, "--version"], capture_output=True, text=True).stdout.splitlines()[0], "built": build, "one_build_s": build_s,
        "measured": f"{' '.join(MEASURE)}: median of 5 processor times of the change points of 100,000 builds", "slow_commit": SLOW, "named_commit": found,
        "right": found == SLOW, "end": answer["end"], "change": answer["change"], "builds": answer["builds"], "measurements": answer["measurements"],
        "skipped": answer["skipped"], "checkouts_left": left, **times, "slow_over_the_one_before": truth, "commits": rows}
    pathlib.Path(asked.output).write_text(json.dumps(result, indent=1) + "\n")
    print(f"{'right' if result['right'] else 'WRONG'}: commit {found} of {COMMITS} ({answer['end']}), {answer['builds']} builds, {answer['measurements']} measurements; "
          f"in turns {100 * (truth['median_ratio'] - 1):+.1f} %")


if __name__ == "__main__":
    main()
