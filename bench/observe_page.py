"""The section of bench/results/README.md about `aaco observe`: what bench/observe_cost.py wrote."""
import statistics

HEAD = """
# Observed programs

A training step of PyTorch (`bench/observe_step.py`), a process each, in turns: bare; under a library that asks CUPTI for kernels, copies and sets and does
nothing with them (*floor*); under `aaco observe`; under torch.profiler. Then counts and sums by kernel of the whole program from two recordings of `aaco observe` and
two of torch.profiler, each of a process of its own. Sums may differ by what torch.profiler's two do, and 0.5 %.

"""


def cost_rows(result):
    yield "| step | way | processes | median, ms | least to largest, ms | longer than bare |"
    yield "|---|---|---:|---:|---|---:|"
    for row in result["cost"]:
        for way, times in row["step_ms"].items():
            if times:
                yield (f"| {row['case']} | {way} | {len(times)} | {statistics.median(times):.2f} | {min(times):.2f} to {max(times):.2f} "
                       f"| {row['cost'][way]:.1%} |")


def right_rows(result):
    yield "| program | names | kernels, aaco | kernels, torch.profiler | names with another count | names with another sum | their share of the time |"
    yield "|---|---:|---|---|---:|---:|---:|"
    for row in result["right"]:
        counts = [f"{count:,}" for count in row["kernels"]]
        yield (f"| {row['case']} | {row['names']} | {counts[0]}, {counts[1]} | {counts[2]}, {counts[3]} | {len(row['count_differs'])} "
               f"| {len(row['sum_outside'])} | {row['sum_outside_share']:.4%} |")


def observe_section(name, result):
    place = result["environment"]
    lines = [f"## {name}", "", f"{place['gpu']}, PyTorch {place['torch']}, {place['cpus']} processors; {result['date'][:10]}; aaco of revision {result['revision']}; "
             f"{result['steps']} steps a process.", "", *cost_rows(result), "",
             *(right_rows(result) if result["right"] else ["Counts and sums were not compared in this run."]), ""]
    return "\n".join(lines)
