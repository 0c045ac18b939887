# SPDX-License-Identifier: MIT
"""Parts of results/README.md about programs and models on a GPU: what observe_attach.py, observe_graph_names.py, gpu_telemetry.py and known_class_gpu.py wrote."""

ATTACH = """
# Joining a program that runs

A PyTorch program repeats one forward pass. `aaco observe --pid` joins it for some seconds, leaves it alone as long, and joins it again (`bench/observe_attach.py`). Steps are
medians of the program's own clock. Nothing tells how the free program drifts by itself, so that a later free span above the first one is not the library's for certain.

"""

NAMES = """
# Kernels of replayed graphs and their modules

A captured forward pass of PyTorch is replayed under `aaco observe --modules`; an eager run of the same program opens an NVTX range in each module
(`bench/observe_graph_names.py`). Both have to count the same kernels for each module.

"""

TELEMETRY = """
# Telemetry of a GPU

`aaco observe --planes telemetry` of a program that holds a matrix and sleeps, and of one that multiplies it (8192 x 8192, bf16; `bench/gpu_telemetry.py`). The energy that the
driver's counter gained stands beside the integral of the power samples.

"""


def place_line(result):
    place = result.get("environment")
    if not place:
        return "The file names neither machine nor date: the bench did not write them then."
    return f"{place['gpu'].split(',')[0]}; {place['date']}; aaco of revision {place['revision']}."


def attach_section(name, result):
    free, observed = result["free"], result["observed"]
    rows = [f"| free | {free[0]['steps']} | {free[0]['median_us']:.0f} | | | |"]
    for attached, during, after in zip(result["attachments"], observed, free[1:]):
        rows.append(f"| joined | {during['steps']} | {during['median_us']:.0f} | {attached['events']:,} | {attached['dropped']} | {attached['stopped_thread_ns'] / 1e6:.1f} |")
        rows.append(f"| free | {after['steps']} | {after['median_us']:.0f} | | | |")
    return "\n".join([f"## {name}", "", place_line(result), f"The program ({result['mode']}) ended with exit code {result['program_exit']}; its longest step took "
                      f"{result['longest_step_us'] / 1e3:.1f} ms.", "", "| | steps | median, us | events | dropped | thread stopped, ms |", "|---|---:|---:|---:|---:|---:|", *rows, ""])


def names_section(name, result):
    return "\n".join([f"## {name}", "", place_line(result), "", f"{result['modules']} modules, {result['kernels']:,} kernels in {result['steps']} steps; "
                      f"modules with another count: {len(result['different'])}.", ""])


def telemetry_section(name, result):
    rows = []
    for load, seen in result["loads"].items():
        medians, energy = seen["medians"], seen["energy"]
        rows.append(f"| {load} | {seen['samples']} | {medians['power_w']:.0f} of {medians['power_cap_w']:.0f} | {medians['core_clock_mhz']:.0f} of {medians['core_clock_target_mhz']:.0f} "
                    f"| {medians['tensor_busy_pct']:.1f} | {', '.join(seen['clock_events']) or 'none'} | {energy['counter_j']:.0f} | {energy['integral_j']:.0f} | {energy['ratio'] - 1:+.2%} |")
    return "\n".join([f"## {name}", "", place_line(result), "", "| load | samples | power, W | core clock, MHz | tensor cores busy, % | slowed by | counter, J | integral, J | differ by |",
                      "|---|---:|---:|---:|---:|---|---:|---:|---:|", *rows, ""])


def classes_section(name, result):
    rows = [f"| {run['model']} | {' '.join(f'{key}={value}' for key, value in run['params'].items())} | {run['truth']} | {run['predicted']} |" for run in result["runs"]]
    return "\n".join([f"## {name}", "", place_line(result), f"{len(result['runs'])} runs: too few for rates.", "", "| model | parameters | true class | named |", "|---|---|---|---|",
                      *rows, ""])
