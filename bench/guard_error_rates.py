#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often `aaco guard check` is wrong, from real processes.

For each model one session of many fresh processes is the pool. bench/guard_decisions draws checks from it: pairs of processes that ran one after the other,
one of each at random for the test side. With no slowdown every "regressed" and every "improved" is a false alarm; with 3 % (each time of the test side times
1.03) every check that is not "regressed" is a miss. Beside them live checks: `aaco guard check --against COPY -- ORIGINAL`, two copies of one program, measured
as a user would. Rates carry exact (Clopper-Pearson) 95 % intervals.

--record FOLDER only records the pools, and --pools FOLDER draws from them: drawing takes longer than recording, and needs no quiet machine.
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
BUDGET_S, MOST_PAIRS = 300, 500  # of `aaco guard check`


def record_pool(options, model, flags, folder):
    """Writes the pool's file, and says how many pairs a check measures at most: as many as fit into its budget at the pace of these processes."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as sessions:
        bundle = json_of([options.aaco, "run", "--model", model, *flags, "--backend", "cpu", "--threads", "1", "--processes", str(options.processes),
                          "--sessions", sessions, "--json", "--quiet"])["bundle"]
        seconds = time.monotonic() - start
        subprocess.run([options.aaco, "baseline", "save", model, "--session", bundle, "--sessions", sessions, "--baselines", str(folder), "--force"], check=True, capture_output=True)
    return dict(most_pairs=min(MOST_PAIRS, int(BUDGET_S * options.processes / (2 * seconds))), seconds=seconds)


def record_pools(options, folder):
    """All before any is drawn from, which takes a processor."""
    folder.mkdir(parents=True, exist_ok=True)
    pools = {model: record_pool(options, model, MODELS[model], folder) for model in filter(None, options.models.split(","))}
    (folder / "pools.json").write_text(json.dumps(dict(environment=environment(options.aaco), processes=options.processes, pools=pools)))


def rates_of(counts, checks):
    return {verdict: [counts.get(verdict, 0), *clopper_pearson(counts.get(verdict, 0), checks)] for verdict in ("regressed", "improved", "equivalent", "inconclusive", "invalid")}


def drawn(options, pool, most_pairs, slowdown):
    result = json_of([options.decisions, str(pool), str(options.checks), str(slowdown), "1", str(most_pairs)])
    return dict(slowdown=slowdown, checks=result["checks"], processes=result["processes"], mean_pairs=result["mean_pairs"], rates=rates_of(result["verdicts"], result["checks"]))


def add_live(options, folder, results):
    """Written after each check: what was measured stays, however it ends."""
    counts, checks = {}, []
    copies = []
    for name in ("a", "b"):
        path = pathlib.Path(folder) / name / "spin"
        path.parent.mkdir()
        path.write_text("#!/usr/bin/env python3\nx = 1\nfor i in range(400000):\n    x = x * 3 % 1000003\n")
        path.chmod(0o755)
        copies.append(str(path))
    for number in range(1, options.live + 1):
        answer = json_of([options.aaco, "guard", "check", "--budget", options.budget, "--json", "--quiet", "--against", copies[0], "--", copies[1]], (0, 1, 4))
        counts[answer["verdict"]] = counts.get(answer["verdict"], 0) + 1
        checks.append(dict(verdict=answer["verdict"], pairs=answer["pairs"], seconds=answer["seconds"], ratio=answer["samples"][0]["ratio"]))
        copies.reverse()
        results["live"] = dict(checks=checks, rates=rates_of(counts, number))
        write(options, results)


def write(options, results):
    if options.output:
        pathlib.Path(options.output).write_text(json.dumps(results, indent=1) + "\n")


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
    parser.add_argument("--record", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--pools", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--output")
    options = parser.parse_args()
    if options.record:
        return record_pools(options, options.record)
    with tempfile.TemporaryDirectory() as folder:
        pools = options.pools or pathlib.Path(folder) / "pools"
        if not options.pools:
            record_pools(options, pools)
        recorded = json.loads((pools / "pools.json").read_text())
        results = dict(environment=recorded["environment"], processes=recorded["processes"], pools={}, drawn=[])
        for model, facts in recorded["pools"].items():
            pool, most_pairs = pools / f"{model}.json", facts["most_pairs"]
            sample = json.loads(pool.read_text())["sample"]
            results["pools"][model] = dict(process_medians_ns=sample["process_medians_ns"], others_share=sample.get("others_share"), most_pairs=most_pairs)
            for slowdown in options.slowdowns.split(","):
                entry = dict(model=model, **drawn(options, pool, most_pairs, float(slowdown)))
                results["drawn"].append(entry)
                print_row(f"{model} {100 * float(slowdown):g} %, at most {most_pairs} pairs, mean {entry['mean_pairs']:.1f}", entry, entry["checks"])
        if options.live:
            add_live(options, folder, results)
            print_row("live, the same program", results["live"], options.live)
    write(options, results)


if __name__ == "__main__":
    main()
