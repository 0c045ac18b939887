#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""change_points.py --aaco PROGRAM --data FOLDER --output bench/results/change-points.json [--otava PYTHON]: the change points of `aaco guard
series`, of Apache Otava and of a Potts fit, on the series of SAP (FOLDER/sap-small-2021) and of TCPD (FOLDER/tcpd). The series themselves stay
where they are: results hold places and counts alone. `--otava`: a Python that has apache-otava.

SAP: each build is the median of its values. *labelled*: a change point within 10 builds of the label. *clean*: the 20 series without a label,
any change point is an alarm. *injected*: values of a clean series from one build on times 1.02, 1.05, 1.10, at ten places from 10 % to 90 % of the
series; a hit is a change point within 10 builds (within 5 is counted too). The count of hits among 20 is given for each place; their median
counts, its interval is that of the median's order statistics.
TCPD: F1 with a margin of 5 and place 0 counted, over annotators, as van den Burg and Williams (2020) define it, of series with one dimension.
Noise: simulated series without a change; alarms of `aaco guard series --min-effect 0`.
The Potts fit: least sum of distances from medians plus a penalty a level, the penalty chosen by BIC, steps below 1 % left out. Needs numpy."""
import argparse
import bisect
import csv
import json
import math
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

from harness import environment, json_of

FACTORS = (1.02, 1.05, 1.10)
PLACES = numpy.linspace(0.1, 0.9, 10)
NEAR = (5, 10)

# Run by a Python that has apache-otava: reads series, writes their change points.
OTAVA = """import json, sys
from otava.analysis import compute_change_points
answers = []
for values in json.load(sys.stdin):
    points = compute_change_points(values, window_len=50, max_pvalue=0.001, min_magnitude=0.0)[0]
    answers.append([int(point.index) for point in points])
print(json.dumps(answers))
"""


def aaco_changes(aaco, values, *words):
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write("build,value\n" + "".join(f"{i},{value!r}\n" for i, value in enumerate(map(float, values))))
        file.flush()
        return [change["index"] for change in json_of([aaco, "guard", "series", "--file", file.name, "--json", *words])[0]["changes"]]


def potts_costs(values):
    """cost[i][j]: the sum of distances from the median of values[i..j]."""
    count = len(values)
    cost = numpy.zeros((count, count))
    for i in range(count):
        low, high, low_sum, high_sum = [], [], 0.0, 0.0
        for j in range(i, count):
            value = values[j]
            if low and value < low[-1]:
                bisect.insort(low, value)
                low_sum += value
            else:
                bisect.insort(high, value)
                high_sum += value
            while len(low) > len(high):
                high.insert(0, low.pop())
                low_sum -= high[0]
                high_sum += high[0]
            while len(high) > len(low) + 1:
                low.append(high.pop(0))
                low_sum += low[-1]
                high_sum -= low[-1]
            cost[i, j] = high_sum - low_sum - (high[0] if len(high) > len(low) else 0)
    return cost


def potts_changes(values):
    values = [float(value) for value in values]
    count = len(values)
    cost = potts_costs(values)
    noise = max(cost[0, count - 1] / count, 1e-300)
    best, places = math.inf, []
    for penalty in noise * numpy.geomspace(0.5, 3 * count, 25):
        least, last = numpy.zeros(count + 1), numpy.zeros(count + 1, int)
        least[0] = -penalty
        for end in range(1, count + 1):
            total = least[:end] + cost[:end, end - 1] + penalty
            last[end] = int(total.argmin())
            least[end] = total[last[end]]
        cuts, end = [], count
        while end > 0:
            cuts.insert(0, last[end])
            end = last[end]
        error = sum(cost[a, b - 1] for a, b in zip(cuts, cuts[1:] + [count]))
        score = count * math.log(max(error / count, 1e-3 * noise)) + 2 * len(cuts) * math.log(count)
        if score < best:
            best, places = score, cuts
    ends = places + [count]
    levels = [statistics.median(values[a:b]) for a, b in zip(ends, ends[1:])]
    return [int(place) for place, before, after in zip(places[1:], levels, levels[1:]) if abs(after - before) >= 0.01 * abs(before)]


def sap_series(folder):
    """Name, type, medians of builds, and the labelled build (none: clean)."""
    details = {}
    for line in (folder / "metadata" / "dataset_details.csv").read_text().splitlines()[1:]:
        kind, name, label = line.split(";")
        details[name] = (kind.strip(), int(label))
    for path in sorted((folder / "data").glob("*.csv")):
        builds, build_of_row = {}, {}
        for row in list(csv.reader(path.open()))[1:]:
            builds.setdefault(int(row[1]), []).append(float(row[2]))
            build_of_row[int(row[0])] = int(row[1])
        order = sorted(builds)
        kind, label = details[path.name]
        yield path.stem, kind, [statistics.median(builds[build]) for build in order], order.index(build_of_row[label]) + 1 if label else None


def sap(folder, detect):
    """`detect`: change points of a list of series."""
    series = list(sap_series(folder))
    jobs, asked = [], []
    for name, kind, values, label in series:
        jobs.append((name, kind, label, None, None))
        asked.append(values)
        if label is None:
            for factor in FACTORS:
                for number, share in enumerate(PLACES):
                    place = int(round(share * len(values)))
                    jobs.append((name, kind, place, factor, number))
                    asked.append(values[:place] + [value * factor for value in values[place:]])
    labelled, alarmed, hits = {}, {}, {(factor, near): [0] * len(PLACES) for factor in FACTORS for near in NEAR}
    for (name, kind, place, factor, number), found in zip(jobs, detect(asked)):
        if factor is None and place is None:
            alarmed[name] = found
        elif factor is None:
            labelled[name] = {"label": place, "changes": found, "hit": any(abs(change - place) <= 10 for change in found)}
        else:
            for near in NEAR:
                hits[factor, near][number] += any(abs(change - place) <= near for change in found)
    injected = []
    for (factor, near), counts in hits.items():
        order = sorted(counts)
        # Order statistics 2 and 9 of 10 hold the median with 97.9 %.
        injected.append({"factor": factor, "within_builds": near, "hits_by_place": counts, "median": statistics.median(order), "interval": [order[1], order[8]]})
    return {"labelled_hits": sum(row["hit"] for row in labelled.values()), "labelled": labelled,
            "clean_alarmed": sum(bool(found) for found in alarmed.values()), "clean": alarmed, "injected": injected}


def true_positives(truth, guesses):
    left, count = set(guesses), 0
    for place in sorted(truth):
        near = min(((abs(place - guess), guess) for guess in left if abs(place - guess) <= 5), default=None)
        if near:
            count += 1
            left.discard(near[1])
    return count


def f1(annotations, guesses):
    guesses = set(guesses) | {0}
    truths = [set(places) | {0} for places in annotations.values()]
    precision = true_positives(set().union(*truths), guesses) / len(guesses)
    recall = statistics.mean(true_positives(truth, guesses) / len(truth) for truth in truths)
    return 2 * precision * recall / (precision + recall)


def tcpd(folder, detect):
    annotations = json.loads((folder / "annotations.json").read_text())
    names, asked, indices = [], [], []
    for path in sorted((folder / "datasets").glob("*/*.json")):
        data = json.loads(path.read_text())
        if data.get("n_dim") == 1 and data["name"] in annotations:
            values = data["series"][0]["raw"]
            indices.append([i for i, value in enumerate(values) if value is not None])
            asked.append([float(values[i]) for i in indices[-1]])
            names.append(data["name"])
    rows = {}
    for name, known, found in zip(names, indices, detect(asked)):
        places = [known[place] for place in found]
        rows[name] = {"changes": places, "f1": f1(annotations[name], places), "f1_of_none": f1(annotations[name], [])}
    return {"series": rows, "mean_f1": statistics.mean(row["f1"] for row in rows.values()), "mean_f1_of_none": statistics.mean(row["f1_of_none"] for row in rows.values())}


def correlated(random, count, share):
    values = random.normal(0, 1, count)
    for i in range(1, count):
        values[i] += share * values[i - 1]
    return values


NOISE = {
    "normal": lambda r, n: r.normal(0, 1, n),
    "heavy tails (t, 2 degrees)": lambda r, n: r.standard_t(2, n),
    "log-normal": lambda r, n: numpy.exp(r.normal(0, 1, n)),
    "two modes, 30 %": lambda r, n: (r.random(n) < 0.3) * 10 + r.normal(0, 1, n),
    "two modes, 50 %": lambda r, n: (r.random(n) < 0.5) * 10 + r.normal(0, 1, n),
    "a mode that stays 3 builds": lambda r, n: (numpy.cumsum(r.random(n) < 0.3) % 2) * 5 + r.normal(0, 1, n),
    "spikes, 5 %": lambda r, n: r.normal(0, 1, n) + (r.random(n) < 0.05) * 30,
    "one spike": lambda r, n: r.normal(0, 1, n) + (numpy.arange(n) == r.integers(n)) * 100,
    "rounded": lambda r, n: numpy.round(r.normal(0, 0.6, n)),
    "correlated, 0.3": lambda r, n: correlated(r, n, 0.3),
    "correlated, 0.9": lambda r, n: correlated(r, n, 0.9),
    "random walk": lambda r, n: numpy.cumsum(r.normal(0, 1, n)),
    "random walk under noise": lambda r, n: numpy.cumsum(r.normal(0, 0.2, n)) + r.normal(0, 1, n),
    "slope": lambda r, n: numpy.linspace(0, 10, n) + r.normal(0, 1, n),
    "growing noise": lambda r, n: r.normal(0, 1, n) * numpy.linspace(1, 5, n),
}


def noise(aaco, series):
    random = numpy.random.default_rng(1)
    rows = []
    for kind, draw in NOISE.items():
        for count in (30, 100, 400):
            alarms = sum(bool(aaco_changes(aaco, 1000 + draw(random, count), "--min-effect", "0")) for _ in range(series))
            rows.append({"kind": kind, "builds": count, "series": series, "alarms": alarms})
    return rows


def size(aaco, runs=3):
    """100,000 builds: the whole command, its reading of the file included, against a file of ten builds."""
    random = numpy.random.default_rng(1)
    rows = []
    for name, values in (("one step", random.normal(100, 1, 100_000) * (1 + 0.02 * (numpy.arange(100_000) >= 50_000))),
                         ("5,000 levels", random.normal(100, 1, 100_000) + numpy.repeat(random.normal(0, 5, 5000), 20)), ("ten builds", numpy.full(10, 100.0))):
        answers, walls, users = [], [], []
        for _ in range(runs):
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, time.monotonic()
            answers.append(aaco_changes(aaco, values))
            walls.append(time.monotonic() - start)
            users.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
        rows.append({"series": name, "changes": len(answers[0]), "same_each_time": all(answer == answers[0] for answer in answers), "wall_s": walls, "user_s": users})
    return rows


def otava_changes(python, series):
    done = subprocess.run([python, "-c", OTAVA], input=json.dumps([list(map(float, values)) for values in series]), capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aaco", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--otava")
    parser.add_argument("--noise-series", type=int, default=100)
    parser.add_argument("--output", required=True)
    asked = parser.parse_args()
    detectors = {"aaco": lambda series: [aaco_changes(asked.aaco, values) for values in series], "potts": lambda series: [potts_changes(values) for values in series]}
    if asked.otava:
        detectors["otava 0.8"] = lambda series: otava_changes(asked.otava, series)
    result = {"environment": environment(asked.aaco), "size": size(asked.aaco), "noise": noise(asked.aaco, asked.noise_series), "sap": {}, "tcpd": {}}
    for name, detect in detectors.items():
        result["sap"][name] = sap(asked.data / "sap-small-2021", detect)
        result["tcpd"][name] = tcpd(asked.data / "tcpd", detect)
        row = result["sap"][name]
        print(name, "labelled", row["labelled_hits"], "alarmed", row["clean_alarmed"],
              [(part["factor"], part["within_builds"], part["median"], part["interval"]) for part in row["injected"]], "TCPD", round(result["tcpd"][name]["mean_f1"], 3), flush=True)
        pathlib.Path(asked.output).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
