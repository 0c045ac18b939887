#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_figures.py REPOSITORY: the figures that our documents quote are those of the raw files they come from. A line of QUOTES for each:
document, the words with each figure in parentheses, raw file of bench/results, the values. A figure must be the value rounded as it is
written ("5.1" holds 5.065, "10.8" holds 10.839). The tour and the README show what programs wrote: each of its lines stands in a file of
bench/results/tour, in this order, with "..." for what is left out."""
import decimal
import json
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(sys.argv[1])
RESULTS = ROOT / "bench" / "results"


def rate(data, database, what, processors):
    row, = (each for each in data["database_rates"] if (each["database"], each["what"], each["processors"]) == (database, what, processors))
    return row["rows_per_s"] / 1e6


def largest_import(data):
    row = max(data["imports"], key=lambda each: each["events"])
    return row["bytes"] / 1e9, row["peak_bytes"] / 1e9, row["wall_s"]


def median_ms(data, dispatch):
    mode, = (each for each in data["modes"] if each["dispatch"] == dispatch)
    return statistics.median(pair["aaco_ns"] for pair in mode["pairs"]) / 1e6


def alarms(data):
    return *shares_of(data, "regressed"), shares_of(data, "improved")[0]


def shares_of(data, verdict):
    rates = next(each for each in data["series"] if each["slowdown_pct"] == 0)["rates"]
    return rates[verdict][0], sum(rates[name][0] for name in rates)


def extremes(data):
    ratios = [pair["ratio"] for pair in next(each for each in data["series"] if each["slowdown_pct"] == 0)["pairs"]]
    return min(ratios), max(ratios)


def covered(data):
    def percents(by, chosen):
        return [100 * row["covered"][by] for row in data["tail_coverage"] if chosen(row["between"])]
    small, large = percents("processes", lambda between: between <= 0.02), percents("processes", lambda between: between == 0.1)
    return min(small), max(small), min(large), max(large), min(percents("iterations", lambda between: between > 0))


def until(fewest, ratio):
    def figures(data):
        row = next(row for row in data["until_coverage"] if (row["fewest"], row["spread_over_target"]) == (fewest, ratio))
        return 100 * row["fixed"], 100 * row["until"], row["processes"]
    return figures


DETECTORS = ("aaco", "potts", "otava 0.8")


def mean_f1(data, name, without=""):
    return statistics.mean(row["f1"] for series, row in data["tcpd"][name]["series"].items() if series != without)


def reading(_):
    """Medians of reading Kineto traces, least and most: on the AMD EPYC, on the Intel Xeon, and by how much they are above simdjson's."""
    medians, ratios = {}, []
    for machine, names in {"amd": ["read-traces"], "intel": ["read-traces-intel-a", "read-traces-intel-b"]}.items():
        for rates in (json.loads((RESULTS / f"{name}.json").read_text())["rates"] for name in names):
            median = {(row["file"], row["what"]): statistics.median(row["all"]) for row in rates}
            plain = {file: rate for (file, what), rate in median.items() if what == "read" and (file, "simdjson, every value") in median}
            medians.setdefault(machine, []).extend(plain.values())
            ratios += [rate / median[file, "simdjson, every value"] for file, rate in plain.items()]
    return [choose(values) for values in (medians["amd"], medians["intel"], ratios) for choose in (min, max)]


N = r"(\d[\d,]*(?:\.\d+)?)"  # a figure
QUOTES = [
    ("CHANGELOG.md", f"On an H100, {N} of {N} kernels of a model whose launches name their nodes are linked, none wrongly", "node-links-h100.json",
     lambda data: (data["models"]["own_sizes"]["linked"], data["models"]["own_sizes"]["kernels"], *([] if not data["own_sizes"]["wrong"] else [-1]))),
    ("docs/observe.md", f"a replayed step of PyTorch on an H100 took {N} % longer, as under the least that CUPTI can do \\({N} %\\); under torch.profiler {N} %",
     "observe-graph-h100.json", lambda data: [100 * data["cost"][0]["cost"][way] for way in ("observed", "floor", "torch_profiler")]),
    ("docs/observe.md", f"a replayed training step of {N} ms took {N} % longer with it, {N} % with a record for each node", "observe-graph-h100.json",
     lambda data: (data["cost"][0]["median_ms"]["bare"], 100 * data["cost"][0]["cost"]["whole_graphs"], 100 * data["cost"][0]["cost"]["observed"])),
    ("docs/measuring/observe.md", f"It takes {N} ms bare, {N} ms under the least library \\(\\+{N} %\\), {N} ms under `aaco observe` \\(\\+{N} %\\), {N} ms with `--graphs whole`",
     "observe-graph-h100.json", lambda data: (data["cost"][0]["median_ms"]["bare"], data["cost"][0]["median_ms"]["floor"], 100 * data["cost"][0]["cost"]["floor"],
                                              data["cost"][0]["median_ms"]["observed"], 100 * data["cost"][0]["cost"]["observed"], data["cost"][0]["median_ms"]["whole_graphs"])),
    ("docs/measuring/observe.md", f"On an H100, {N} kernels of {N} replays were counted for the same {N} modules", "observe-graph-names-h100.json",
     lambda data: (data["kernels"], data["steps"], data["modules"])),
    ("CHANGELOG.md", f"nsys' tables {N} million rows a second on two cores where SQLite itself steps through and fetches {N} million on one, rocpd's {N} against {N}",
     "sqlite-traces.json", lambda data: [rate(data, name, what, count) for name in ("nsys", "rocpd") for what, count in (("events", 2), ("step and fetch", 1))]),
    ("docs/measuring/trace-files.md", f"events: {N} GB of JSON with {N} GB of memory in {N} s,", "import-memory-100-m-events.json", largest_import),
    ("docs/measuring/hangs.md", f"calls of a step with {N} collectives take {N} ns, {N} % of it; the thread took {N} % of a processor at twenty looks a second, which is why it makes ten; steps in turns are {N} times as long, {N} to {N}:", "watch-cost.json",
     lambda data: (data["collectives"], data["host_calls_ns"], 100 * data["host_calls_share"], 100 * data["thread_processor_share"], *(data["ratio"][key] for key in ("value", "low", "high")))),
    ("docs/tour.md", f"{N} tiny kernels take {N} ms one launch at a time. .*takes {N} ms for them", "cuda-h200-queue-bare.json",
     lambda data: (data["modes"][0]["kernels"], median_ms(data, "single"), median_ms(data, "graph"))),
    ("README.md", f"Of {N} models that {N} packages on PyPI ship, {N} ran as they were, {N} with the line that was offered, and {N} with other sizes",
     "package-models.json", lambda data: (len(data["package_models"]), len({row["package"] for row in data["package_models"]}),
                                          *(data["counts"].get(outcome, 0) for outcome in ("bare", "with the offered line", "with other sizes")))),
    ("docs/measuring/comparison.md", f"{N} of {N} sequential A/A pairs were called regressed and {N} improved", "aa-crowded-sequential.json", alarms),
    ("docs/measuring/observe.md", f"{N} ms bare, {N} ms under that least library, {N} ms under `aaco observe`, {N} ms under torch.profiler. Bare processes spread from {N} to {N} ms,",
     "observe-h100.json", lambda data: (*(data["cost"][0]["median_ms"][way] for way in ("bare", "floor", "observed", "torch_profiler")),
                                        *(choose(data["cost"][0]["step_ms"]["bare"]) for choose in (min, max)))),
    ("docs/measuring/observe.md", f"of the eager program {N} kernels of {N} names have the same count by name as in torch.profiler's trace of another process, of the captured one {N} of {N} names",
     "observe-h100.json", lambda data: [value for row in data["right"] for value in (row["kernels"][0], row["names"])]),
    ("docs/measuring/comparison.md", f"processors of another machine {N} of {N} A/A pairs", "aa-crowded-sequential-h100.json", lambda data: shares_of(data, "invalid")),
    ("docs/measuring/comparison.md", f"A/A ratios reached from {N} to {N}. With the spread as margin, {N} of {N} pairs were called regressed and {N} improved", "aa-three-at-a-time-h100.json",
     lambda data: (*extremes(data), *alarms(data))),
    ("docs/measuring/statistics.md", rf"\| 5 \| 1 % \| {N} % \| {N} % \| {N} \|", "until-coverage.json", until(5, 0.5)),
    ("docs/measuring/statistics.md", rf"\| 5 \| 2 % \| {N} % \| {N} % \| {N} \|", "until-coverage.json", until(5, 1)),
    ("docs/measuring/statistics.md", rf"\| 5 \| 4 % \| {N} % \| {N} % \| {N} \|", "until-coverage.json", until(5, 2)),
    ("docs/measuring/statistics.md", rf"\| 3 \| 4 % \| {N} % \| {N} % \| {N} \|", "until-coverage.json", until(3, 2)),
    ("docs/guard.md", f"Of TCPD {N} series of one dimension were at hand. Over all of them the mean F1 of aaco is {N}, of the Potts fit {N}, of Otava {N}:",
     "change-points.json", lambda data: (len(data["tcpd"]["aaco"]["series"]), *(mean_f1(data, name) for name in DETECTORS))),
    ("docs/guard.md", f"On uk_coal_employ, which has missing values, aaco has {N}, the Potts fit {N} and Otava {N}\\.", "change-points.json",
     lambda data: [data["tcpd"][name]["series"]["uk_coal_employ"]["f1"] for name in DETECTORS]),
    ("docs/guard.md", f"Over the other {N} aaco has {N}, the Potts fit {N} and Otava {N}\\.", "change-points.json",
     lambda data: (len(data["tcpd"]["aaco"]["series"]) - 1, *(mean_f1(data, name, "uk_coal_employ") for name in DETECTORS))),
    ("CHANGELOG.md", f"at {N} to {N} GB of text a second on an AMD EPYC and {N} to {N} on a shared Intel Xeon \\(medians\\), which is {N} to {N} times what",
     "read-traces.json", reading),
    ("docs/measuring/statistics.md", f"in {N} to {N} % of the trials; where they differ by 10 %, in {N} to {N} %. .*in as few as {N} %",
     "tail-coverage.json", covered),
]

# What a bound says of each row: document, words, raw file, whether it holds.
BOUNDS = [
    ("docs/measuring/trace-files.md", "The analyses take at most 64 bytes an event more, and 8 MiB", "analysis-memory.json",
     lambda data: all(row["peak_bytes"] <= 64 * row["events"] + 8 * 2**20 for row in data["analysis_memory"])),
    ("CHANGELOG.md", "The analyses of a trace take at most 64 bytes of memory an event, and 8 MiB, beside the trace itself", "analysis-memory.json",
     lambda data: all(row["peak_bytes"] <= 64 * row["events"] + 8 * 2**20 for row in data["analysis_memory"])),
]


def text_of(document):
    return re.sub(r"\s+", " ", (ROOT / document).read_text())


def as_written(figure, value):
    places = -decimal.Decimal(figure.replace(",", "")).as_tuple().exponent
    return f"{decimal.Decimal(value).quantize(decimal.Decimal(1).scaleb(-places), decimal.ROUND_HALF_UP):,}" if "," in figure else \
        str(decimal.Decimal(value).quantize(decimal.Decimal(1).scaleb(-places), decimal.ROUND_HALF_UP))


def quote_problems():
    for document, words, raw, values_of in QUOTES:
        data = json.loads((RESULTS / raw).read_text())
        found = re.search(words, text_of(document))
        if not found:
            yield f"{document}: no longer says {words}: correct the line in {pathlib.Path(__file__).name}"
            continue
        for figure, value in zip(found.groups(), values_of(data), strict=True):
            if as_written(figure, value) != figure:
                yield f"{document}: {figure} in \"{found.group(0)}\", but {raw} has {value}"
    for document, words, raw, holds in BOUNDS:
        if words not in text_of(document):
            yield f"{document}: no longer says \"{words}\""
        elif not holds(json.loads((RESULTS / raw).read_text())):
            yield f"{document}: \"{words}\" does not hold of {raw}"


def tour_blocks():
    """The fenced blocks of the tour and of the README, and the lines of each that shows what a command printed."""
    tour = re.search(r"<!-- tour: begin -->(.*)<!-- tour: end -->", (ROOT / "docs/tour.md").read_text(), re.S).group(1)
    readme = re.findall(r"```\n(\$ .*?)```", (ROOT / "README.md").read_text(), re.S)
    for block in [*re.findall(r"```\n(.*?)```", tour, re.S), *readme]:
        yield block.strip("\n").split("\n")


def shown_in(lines, written):
    """The first line of `lines` that `written` does not have in this order; None where it has them all."""
    at = 0
    for line in lines:
        parts = [re.escape(part) for part in line.strip().removesuffix("...").split("...")]
        pattern = re.compile(r"\s*" + ".*".join(parts) + (".*" if "..." in line else r"\s*"))
        while at < len(written) and not pattern.fullmatch(written[at]):
            at += 1
        if at == len(written):
            return line
        at += 1
    return None


def tour_problems():
    texts = {path.name: path.read_text().split("\n") for path in sorted((RESULTS / "tour").glob("*.txt"))}
    for block in tour_blocks():
        lines = [line for line in block if line.strip() not in ("", "...")]
        missing = {name: shown_in(lines, written) for name, written in texts.items()}
        if all(missing.values()):
            yield f"the block of the tour or README that begins \"{block[0]}\" is in no file of bench/results/tour; first lines not found: {missing}"


def main():
    problems = [*quote_problems(), *tour_problems()]
    print("\n".join(problems) or f"{len(QUOTES)} quotes, {len(BOUNDS)} bounds and {len(list(tour_blocks()))} blocks of the tour hold")
    return 1 if problems else 0


sys.exit(main())
