#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often `aaco guard check` is wrong, from real processes.

For each model one session of many fresh processes is the pool. bench/guard_decisions draws checks from it: pairs of processes that ran one after the other,
one of each at random for the test side. With no slowdown every "regressed" and every "improved" is a false alarm; with 3 % (each time of the test side times
1.03) every check that is not "regressed" is a miss. Beside them live checks: `aaco guard check --against COPY -- ORIGINAL`, two copies of one program, measured
as a user would. Rates carry exact (Clopper-Pearson) 95 % intervals.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile
import time

from harness import clopper_pearson, environment, json_of

MODELS = {"chain-tiny": ["--param", "nodes=200", "--iterations", "1000"], 
          "elementwise": ["--param", "elements=65536", "--param", "count=20", "--iterations", "500"],
          "gemm": ["--param", "m=128", "--param", "n=128", "--param", "k=128", "--param", "count=8", "--iterations", "500"]}
BUDGET_S, MOST_PAIRS = 300, 120  # of `aaco guard check`


def pool_of(options, model, flags, folder):
    """The pool's file, and how many pairs a check measures at most: as many as fit into its budget at the pace of these processes."""
    start = time.monotonic()
    bundle = json_of([options.aaco, "run", "--model", model, *flags, "--backend", "cpu", "--threads", "1", "--processes", str(options.processes),
                      "--sessions", folder, "--json", "--quiet"])["bundle"]
    most_pairs = min(MOST_PAIRS, int(BUDGET_S * options.processes / (2 * (time.monotonic() - start))))
    baselines = pathlib.Path(folder) / "baselines"
    subprocess.run([options.aaco, "baseline", "save", model, "--session", bundle, "--sessions", folder, "--baselines", str(baselines), "--force"], check=True, capture_output=True)
    return baselines / f"{model}.json", most_pairs


def rates_of(counts, checks):
    return {verdict: [counts.get(verdict, 0), *clopper_pearson(counts.get(verdict, 0), checks)] for verdict in ("regressed", "improved", "equivalent", "inconclusive", "invalid")}


def drawn(options, pool, most_pairs, slowdown):
    result = json_of([options.decisions, str(pool), str(options.checks), str(slowdown), "1", str(most_pairs)])
    return dict(slowdown=slowdown, checks=result["checks"], processes=result["processes"], mean_pairs=result["mean_pairs"], rates=rates_of(result["verdicts"], result["checks"]))


def live(options, folder):
    counts, checks = {}, []
    copies = []
    for name in ("a", "b"):
        path = pathlib.Path(folder) / name / "spin"
        path.parent.mkdir()
        path.write_text("#!/usr/bin/env python3\nx = 1\nfor i in range(400000):\n    x = x * 3 % 1000003\n")
        path.chmod(0o755)
        copies.append(str(path))
    for _ in range(options.live):
        answer = json_of([options.aaco, "guard", "check", "--budget", options.budget, "--json", "--quiet", "--against", copies[0], "--", copies[1]], (0, 1, 4))
        counts[answer["verdict"]] = counts.get(answer["verdict"], 0) + 1
        checks.append(dict(verdict=answer["verdict"], pairs=answer["pairs"], seconds=answer["seconds"], ratio=answer["samples"][0]["ratio"]))
        copies.reverse()
    return dict(checks=checks, rates=rates_of(counts, options.live))


def print_row(name, entry, checks):
    rate = {verdict: f"{count[0]} [{100 * count[1]:.2g}, {100 * count[2]:.2g} %]" for verdict, count in entry["rates"].items()}
    print(f"{name:32} checks {checks}: " + ", ".join(f"{verdict} {text}" for verdict, text in rate.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aaco", default="build/bin/aaco")
    parser.add_argument("--decisions", default="build/bench/guard_decisions")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--processes", type=int, default=300, help="real processes of each model")
    parser.add_argument("--checks", type=int, default=1000, help="drawn, for each model and slowdown")
    parser.add_argument("--slowdowns", default="0,0.03")
    parser.add_argument("--live", type=int, default=60, help="checks of two copies of a program")
    parser.add_argument("--budget", default="2m", help="of each live check")
    parser.add_argument("--output", required=True)
    options = parser.parse_args()
    results = dict(environment=environment(options.aaco), processes=options.processes, drawn=[])
    with tempfile.TemporaryDirectory() as folder:
        models = list(filter(None, options.models.split(",")))
        pools = {model: pool_of(options, model, MODELS[model], folder) for model in models}  # all before any is drawn from, which takes a processor
        for model, (pool, most_pairs) in pools.items():
            sample = json.loads(pool.read_text())["sample"]
            results.setdefault("pools", {})[model] = dict(process_medians_ns=sample["process_medians_ns"], others_share=sample.get("others_share"), most_pairs=most_pairs)
            for slowdown in options.slowdowns.split(","):
                entry = dict(model=model, **drawn(options, pool, most_pairs, float(slowdown)))
                results["drawn"].append(entry)
                print_row(f"{model} {100 * float(slowdown):g} %, at most {most_pairs} pairs, mean {entry['mean_pairs']:.1f}", entry, entry["checks"])
        if options.live:
            results["live"] = live(options, folder)
            print_row("live, the same program", results["live"], options.live)
    pathlib.Path(options.output).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
