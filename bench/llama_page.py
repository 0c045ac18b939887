# SPDX-License-Identifier: MIT
"""The part of bench/results/README.md that the raw files of the training ladder make."""

import re
import statistics

HEAD = """
# The training ladder

`bench/llama_ladder.py`: `aaco llama compare`, the four versions' processes in turns; *step* is the median over processes of the mean wall
time of a step, waited for each, with a 95 % interval; *over the first* the median of process by process ratios. *Beside* is version 4
with gradients of weights and updates on a stream beside the backward pass, *deterministic* with no algorithm of a product chosen by timing. Every row passed all gates before it was timed. *Parts*: of
version 4, each alone, FLOPs and ideal bytes over its time. *The reference's words*: what another program printed that trains the same
model on the same device, before and after.

*Missing*, and why:

- Each part at most 1.3 times its bound: measured (below), and held by no test. Most parts lie above, and what each of them loses is not known.
- A roofline of each kernel: the device's records tell a kernel's time and not the bytes that it moved, which take the vendor's counters. Parts and modules
  have one (`aaco llama roofline`).
- A SwiGLU fused into the epilogue of its product: the library has no such epilogue, and no product of our own for warpgroups is built. What it could
  save at most is the time of SwiGLU alone (below). Version 4 is version 3 as one captured graph: it fuses nothing more.
- Multiprocessors that communication takes, and the size from which copy engines win: records do not say on which multiprocessors a kernel's blocks ran, and
  no raw file here has gathers by copy engines on GPUs.

"""


# What version 4 is to take of the reference's time, first and then; both were set on an H200, where the reference takes so many ms.
TARGETS = {("small", "bf16"): (1.6, 1.4, 2.49), ("medium", "bf16"): (19.5, 17.5, 24.35), ("small", "fp32"): (10, 9, 11.3)}
MOST_KERNELS = 180      # of a step, small in bf16
MOST_ATTENTION_MS = 2.7  # of a step, medium in bf16
MOST_MIB = 6500          # medium in bf16


def reference_ms(result, preset, precision):
    """The median of what the reference printed for a case, before and after."""
    wanted = rf"\b{preset} {precision}\w* .*?([0-9.]+) ms/step"
    found = [re.search(wanted, line) for line in result["reference_before"] + result["reference_after"]]
    times = [float(match.group(1)) for match in found if match]
    return statistics.median(times) if times else None


def target_row(what, value, limit, digits=2):
    return f"| {what} | {value:.{digits}f} | {limit:.{digits}f} | {'met' if value <= limit else 'missed'} |\n"


def targets_of(result):
    rows = ""
    for case in result["llama_ladder"]:
        name = (case["preset"], case["precision"])
        version4 = case["ladder"]["versions"][-1]
        reference = reference_ms(result, *name)
        if reference is not None and name in TARGETS:
            first, then, of = TARGETS[name]
            share = version4["step_ns"]["value"] / 1e6 / reference
            label = f"{name[0]}, {name[1]}: V4's step over the reference's ({version4['step_ns']['value'] / 1e6:.2f} over {reference:.2f} ms)"
            rows += target_row(label, share, first / of) + target_row(label + ", then", share, then / of)
        activity = case["runs"][3]["activity"]
        if name == ("small", "bf16"):
            rows += target_row("small, bf16: kernels of a V4 step", activity["kernels"] / activity["steps"], MOST_KERNELS, 0)
        if name == ("medium", "bf16"):
            attention = sum(part["alone_ns"] for part in case["runs"][3]["figures"]["parts"] if part["part"] == "attention")
            rows += target_row("medium, bf16: attention, forward and backward, ms", attention / 1e6, MOST_ATTENTION_MS)
            rows += target_row("medium, bf16: peak memory, MiB", version4["peak_bytes"] / 2**20, MOST_MIB, 0)
    return "\n| target | found | at most | |\n|---|---:|---:|---|\n" + rows if rows else ""


def with_interval(estimate, scale, digits):
    if estimate is None:
        return "no data"
    text = f"{estimate['value'] * scale:.{digits}f}"
    interval = estimate.get("interval")
    return text + (f" [{interval['low'] * scale:.{digits}f}, {interval['high'] * scale:.{digits}f}]" if interval else "")


def row_of(name, row, run):
    gates = run["gates"]
    activity = run["activity"]
    return (f"| {name} | {with_interval(row['step_ns'], 1e-6, 3)} | {with_interval(row['speedup'], 1, 3)} | "
            f"{100 * row['mfu']:.1f} | {row['operations']} | {activity['kernels'] / activity['steps']:.0f} | "
            f"{activity['launches'] / activity['steps']:.0f} | {100 * activity['busy_ratio']:.1f} | {row['peak_bytes'] / 2**20:,.0f} | "
            f"{sum(gate['passed'] is True for gate in gates)} of {len(gates)} | "
            f"{'alike' if run['figures']['same_losses'] else 'differ'} |\n")


MOST_OF_BOUND = 1.3
LEAST_SHARE = 0.05  # of the parts' sum: less is a launch


def bounds_of(run):
    """How many parts of a step come near what the measured roofs allow, and what SwiGLU takes alone."""
    parts = run.get("roofline", {}).get("parts", [])
    least = LEAST_SHARE * sum(part["alone_ns"] or 0 for part in parts)
    known = [part for part in parts if part["of_roof"] and part["alone_ns"] >= least]
    near = sum(1 / part["of_roof"] <= MOST_OF_BOUND for part in known)
    swiglu = sum(part["alone_ns"] or 0 for part in run["figures"]["parts"] if part["part"] == "swiglu")
    worst = min(known, key=lambda part: part["of_roof"], default=None)
    return (f"\nOf {len(known)} parts of V4 that are 5 % of their sum and more {near} take at most {MOST_OF_BOUND} times what the measured roofs allow; the farthest, {worst['part']} of the "
            f"{worst['phase']} pass, {1 / worst['of_roof']:.1f} times. SwiGLU alone: {swiglu / 1e6:.3f} ms of a step.\n" if known else "")


def energy_of(runs):
    """Why there are no joules, where there are none."""
    without = [run for run in runs if run["figures"]["energy"]["joules_per_step"] is None]
    if not without:
        return ""
    reason = without[0]["figures"]["energy"]["unavailable"] or "power was not sampled"
    return f"\n{len(without)} of {len(runs)} runs have no joules: {reason}.\n"


def parts_of(run):
    text = "| phase | part | operations | alone, us | TFLOP/s | TB/s |\n|---|---|---:|---:|---:|---:|\n"
    for part in run["figures"]["parts"]:
        known = [value is not None for value in (part["alone_ns"], part["flops_per_s"], part["bytes_per_s"])]
        alone, flops, moved = (f"{value:.{digits}f}" if there else "no data" for there, value, digits in zip(
            known, [(part["alone_ns"] or 0) / 1e3, (part["flops_per_s"] or 0) / 1e12, (part["bytes_per_s"] or 0) / 1e12], (1, 2, 2)))
        text += f"| {part['phase']} | {part['part']} | {part['operations']} | {alone} | {flops} | {moved} |\n"
    return text


def behind_of(measured):
    if not measured:
        return ""
    steps = {}
    for run in measured["runs"]:
        steps.setdefault(run["behind"], []).append(run["step_ns"]["value"] / 1e6)
    none = statistics.median(steps["none"])
    text = (f"\n{measured['case'].replace(':', ', ')}: V4 with what may begin while the kernel before it ends (programmatic dependent launch): all, none, or "
            "one operation alone; one process each, the step in ms and what is saved of none's.\n\n| begins early | step, ms | saved, us |\n|---|---|---:|\n")
    for name, times in steps.items():
        saved = "" if name == "none" else f"{1e3 * (none - statistics.median(times)):.0f}"
        text += f"| {name} | {', '.join(f'{time:.3f}' for time in times)} | {saved} |\n"
    return text


def ladder_section(name, result):
    environment = result["environment"]
    text = f"## {name}\n\n{environment['gpu']}; {environment['cpu']}; {environment['date']}.\n" + targets_of(result)
    for case in result["llama_ladder"]:
        text += (f"\n### {case['preset']}, {case['precision']}\n\n| version | step, ms | over the first | MFU, % | operations | kernels a step | "
                 "host calls a step | device busy, % | peak memory, MiB | gates | losses of all processes, bit by bit |\n|---|---|---|---:|---:|---:|---:|---:|---:|---|---|\n")
        rows = case["ladder"]["versions"]
        for row, run in zip(rows, case["runs"]):
            text += row_of(f"V{row['version']}", row, run)
        others = case["beside"]["versions"] + case.get("deterministic", {"versions": []})["versions"]
        for row, run in zip(others, case["runs"][len(rows):]):
            name = "beside" if run["request"]["enable"] else "deterministic"
            text += row_of(f"V{row['version']}, {name}", row, run)
        roof = case["runs"][3]["roof"]
        text += (f"\nThe fastest product of random {case['precision']} matrices: {roof['flops_per_s'] / 1e12:.1f} TFLOP/s, "
                 f"{roof['size']} x {roof['size']}.\n" + energy_of(case["runs"]) + bounds_of(case["runs"][3]) + "\n" + parts_of(case["runs"][3]))
    text += behind_of(result.get("launches_behind"))
    for when in ("before", "after"):
        if result[f"reference_{when}"]:
            text += f"\nThe reference's words, {when}:\n\n" + "".join(f"    {line}\n" for line in result[f"reference_{when}"])
    return text
