# SPDX-License-Identifier: MIT
"""The part of bench/results/README.md that the raw files of hardware-queue workloads make."""
import statistics

HEAD = """
# Hardware-queue workloads

`bench/queue_workloads.py` runs every workload of `aaco queue` at its default sizes. Times are medians over fresh processes of
per-process medians, with Student's t interval; *checked* says how many operations of an iteration were held against the CPU;
the outputs of concurrent iterations were those of serial ones, and the workload's own check held after the last.
*Bound* is the workload's FLOPs over the best rate that `large_gemm_only` of the same file reached: no dispatch can be faster in
that precision. The public tool's figures (p50 of its own command line on a machine of the same kind) are of its own definitions,
some of which compute less; they were not measured in the same call, so that the ratio is an indication and no verdict.

"""

# ROCm/aorta hw_queue_eval, 8 streams, 50 iterations, p50 in ms on an H200, its own command line; 2026-11-20.
PUBLIC_MS = {"hetero_kernels": 10.802, "tiny_kernel_stress": 23.366, "large_gemm_only": 169.684, "fsdp_tp": 8.532, "moe": 6.319,
             "grad_accum": 3.981, "speculative_decode": 11.794, "continuous_batch": 3.508, "rag_pipeline": 2.775,
             "async_dataload": 5.448, "graph_subgraphs": 1.009}


ANCHORS = """
# Hardware-queue workloads beside a public tool

`bench/queue_anchors.py`, 8 streams. *Same*: the arithmetic of the public tool's workload (ours runs the chosen experts only where it
says *sparse*); *made real*: ours computes what that tool's leaves out, such as reading the cache or the weights' gradients. *Bound* is
the workload's FLOPs over the rate that `large_gemm_only` reached in the same precision in the same file, plus its kernels times what
one launch from one thread takes there: what a chain of dependent launches and perfect arithmetic would take. *Target*: for
hetero_kernels and large_gemm_only the public tool's time in fp32; for the others the larger of half that time and 1.15 times the bound
in fp32, and half that time in bf16 and for the sparse experts; none where a row with the same arithmetic stands beside. The public figures are p50 of that tool's own command line in fp32 on a machine
of the same kind, not of the same call.

"""

BARE = """
# tiny_kernel_stress beside a bare loop

`bench/queue_bare_loop.py`: pairs of fresh processes, one after the other in alternating order; `bench/queue_bare_loop.cu` issues the
same kernels in the same order and mode with nothing of aaco around them. *Ratio* is aaco's median iteration over the bare loop's, the
geometric mean over the pairs with a 95 % interval (Student's t on the logarithm).

"""

LIMITS = """
# Hardware queues, where their number is known

`bench/queue_limit.py`: `aaco queue probe` under each CUDA_DEVICE_MAX_CONNECTIONS, which is the right answer for *queues* (busy streams
before the kernel of one more waits). *Map*: how many queues 16 streams seem to be on when they are probed in pairs.

"""

OPERANDS = """
# Matrix products of zeros and of random numbers

`bench/gemm_operands.py`: bf16, 8192 x 8192, sustained (400 products), in turns. Zeros flip no bits, so that a device that is held back by
its power limit computes faster: a rate without its operands says little. *Bare*: cuBLASLt's first choice on one stream with nothing of
aaco around it; *after a rest*: its first ten.

"""

TIMES = """
# Commands of `aaco queue` on a CPU

`bench/queue_cpu_times.py`: wall time of each command as it is written, in fresh processes with checks, at the sizes that a CPU has by default. *Iteration*:
the median over a run's processes.

"""


def with_interval(figure, divisor):
    text = f"{figure['value'] / divisor:,.3f}"
    interval = figure.get("interval")
    return f"{text} [{interval['low'] / divisor:,.3f}, {interval['high'] / divisor:,.3f}]" if interval else text


def milliseconds(estimate):
    return with_interval(estimate, 1e6) if estimate else "no data"


def p50_of(run):
    return (run.get("figures", {}).get("latency") or {}).get("p50_ns")


def best_rate(runs):
    rates = [run["figures"]["flops_per_s"]["value"] for run in runs
             if run["workload"] == "large_gemm_only" and run.get("figures", {}).get("flops_per_s")]
    return max(rates) if rates else None


def check_text(check):
    if check is None:
        return ""
    return check["failed"][:90] if "failed" in check else f"{check['verification']['checked']} of {check['verification']['operations']}"


def workload_lines(runs, streams, checks):
    rate = best_rate(runs)
    yield "| workload | single, ms [95 %] | graph, ms | threads, ms | bound, ms | public tool, ms | operations | streams used | checked |"
    yield "|---|---|---|---|---:|---:|---:|---:|---|"
    for name in dict.fromkeys(run["workload"] for run in runs):
        mine = {run["dispatch"]: run for run in runs if run["workload"] == name and run["streams"] == streams}
        single = mine.get("single", {})
        cells = [milliseconds(p50_of(mine[mode])) if mode in mine and "failed" not in mine[mode]
                 else mine.get(mode, {}).get("failed", "not run")[:90] for mode in ("single", "graph", "threads")]
        work = single.get("work")
        bound = f"{work['flops'] / rate * 1e3:.3g}" if work and rate else ""
        yield (f"| {name} | {' | '.join(cells)} | {bound} | {PUBLIC_MS.get(name, '')} | {work['kernels'] if work else ''} | "
               f"{work['used_streams'] if work else ''} | {check_text(checks.get(name))} |")


def host_ns_per_kernel(run):
    return run["figures"]["dispatch_ns"]["value"] / run["work"]["kernels"]


def overlaps(run, first):
    """Whether the 95 % intervals of their throughput do; not so where one has none."""
    ranges = [one["figures"]["units_per_s"]["interval"] for one in (run, first)]
    return all(ranges) and ranges[0]["high"] >= ranges[1]["low"]


def fall_explained(run, first):
    """Why throughput is more than 5 % below that with the fewest streams, from what both runs measured."""
    if overlaps(run, first):
        return "not beyond what processes differ by: the intervals overlap"
    figures = run["figures"]
    share = figures["dispatch_ns"]["value"] / figures["iteration_ns"]["value"]
    if run["work"]["kernels"] > 2 * first["work"]["kernels"] and run["work"]["flops"] < 1.01 * first["work"]["flops"]:
        return (f"the same work in {run['work']['kernels']:,} operations instead of {first['work']['kernels']:,}; enqueueing takes "
                f"{share:.0%} of an iteration")
    if share > 0.9:
        return (f"the host: enqueueing takes {share:.0%} of an iteration, {host_ns_per_kernel(run) / 1e3:.1f} us a kernel "
                f"({host_ns_per_kernel(first) / 1e3:.1f} with the fewest)")
    return f"the device: enqueueing takes only {share:.0%} of an iteration; not explained further"


def scaling_lines(runs):
    counts = sorted({run["streams"] for run in runs})
    yield "Throughput over that with the fewest streams, one host thread:"
    yield ""
    yield "| workload | " + " | ".join(f"{count} streams" for count in counts) + " |"
    yield "|---|" + "---|" * len(counts)
    falls = []
    for name in dict.fromkeys(run["workload"] for run in runs):
        mine = {run["streams"]: run for run in runs if run["workload"] == name and run["dispatch"] == "single"}
        rates = [(mine.get(count, {}).get("figures") or {}).get("units_per_s") for count in counts]
        first = rates[0]
        yield f"| {name} | " + " | ".join(
            f"{rate['value'] / first['value']:.3f}" if rate and first else mine.get(count, {}).get("failed", "not run")[:60]
            for rate, count in zip(rates, counts)) + " |"
        falls += [f"- {name}, {count} streams: {fall_explained(mine[count], mine[counts[0]])}."
                  for rate, count in zip(rates, counts) if rate and first and rate["value"] < 0.95 * first["value"]]
    if falls:
        yield ""
        yield "Where it falls by more than 5 %:"
        yield ""
        yield from falls


def probe_lines(probe):
    if "failed" in probe:
        yield f"Probes: {probe['failed']}"
        return
    yield f"Controlled experiments, {probe['request']['streams']} streams, {probe['request']['processes']} processes:"
    yield ""
    yield "| figure | us [95 %] | quality |"
    yield "|---|---|---|"
    for title, figure in (("gap on one stream", probe["independent_switch"]["one_stream_gap"]),
                          ("independent switch, cost", probe["independent_switch"]["cost"]),
                          ("the same by the wall clock", probe["independent_switch"]["wall_cost"]),
                          ("event hand-off, cost", probe["hand_off"]["cost"]),
                          ("the same by the wall clock", probe["hand_off"]["wall_cost"]),
                          *((f"launch per kernel, {one['threads']} threads", one["per_kernel"]) for one in probe["launches"]
                            if not one["synchronised"]),
                          ("gain by priority", probe["priority"]["effect"])):
        text = "no data" if figure.get("value") is None else with_interval(figure, 1e3)
        yield f"| {title} | {text} | {figure.get('quality', '')} |"
    queues = probe["queue_map"].get("queues")
    yield ""
    yield f"{probe['queue_map']['streams']} streams use {queues if queues else 'an unknown number of'} hardware queues."
    yield f"Wall clock and time stamps: independent: {probe['independent_switch']['agreement']}; hand-off: {probe['hand_off']['agreement']}."


def queue_section(name, result):
    env = result["environment"]
    runs = result["runs"]
    streams = min(run["streams"] for run in runs)
    lines = [f"## {name}", "", f"{result['device']}: {env['gpu']}; host {env['cpu']}, {env['processors']} processors; aaco {env['aaco']}; "
             f"{env['date']}. fp32 (tf32 off).", ""]
    if {run["dispatch"] for run in runs} != {"single"}:
        lines += [f"{streams} streams:", "", *workload_lines(runs, streams, {one["workload"]: one for one in result.get("checks", [])}), ""]
    lines += [*scaling_lines(runs), ""]
    for probe in result["probes"]:
        lines += [*probe_lines(probe), ""]
    for remark in result.get("remarks", []):
        lines += [remark, ""]
    if result["not_run"]:
        lines += [f"Not run for want of time: {len(result['not_run'])} cases.", ""]
    return "\n".join(lines)


def anchor_target(case, bound_ms, compared_as):
    """None where the workload with the public tool's arithmetic has a row of its own, which is the one to compare."""
    public = PUBLIC_MS[case["workload"]]
    if case["as"] == "made real" and "same" in compared_as:
        return None
    if case["workload"] in ("hetero_kernels", "large_gemm_only"):
        return public if case["dtype"] == "fp32" else None
    half = public / 2
    return half if case["dtype"] == "bf16" or case["as"] == "sparse" else max(half, 1.15 * bound_ms)


def anchor_lines(result):
    launch = result["launch_ns"]["value"]
    rates = {case["dtype"]: case["figures"]["flops_per_s"]["value"] for case in result["anchors"]
             if case["workload"] == "large_gemm_only" and case["dispatch"] == "single" and "figures" in case}
    yield (f"One launch {launch / 1e3:.2f} us; " + ", ".join(f"{dtype} {rate / 1e12:.1f} TFLOP/s" for dtype, rate in rates.items()) + ".")
    yield ""
    yield "| workload | as | precision | single, ms [95 %] | graph, ms | bound, ms | target, ms | met | public tool, ms |"
    yield "|---|---|---|---|---|---:|---:|---|---:|"
    cases = {(case["workload"], case["as"], case["dtype"], case["dispatch"]): case for case in result["anchors"]}
    for (workload, compared_as, dtype, dispatch), case in cases.items():
        if dispatch != "single" or "failed" in case:
            if dispatch == "single":
                yield f"| {workload} | {compared_as} | {dtype} | {case['failed'][:90]} | | | | | |"
            continue
        graph = cases.get((workload, compared_as, dtype, "graph"), {})
        bound = case["work"]["flops"] / rates[dtype] * 1e3 + case["work"]["kernels"] * launch / 1e6
        target = anchor_target(case, bound, {other for name, other, *_ in cases if name == workload})
        mine = [p50_of(one)["value"] / 1e6 for one in (case, graph) if p50_of(one)]
        met = "" if target is None else "yes" if mine[0] <= target else "as a graph" if min(mine) <= target else "no"
        yield (f"| {workload} | {compared_as} | {dtype} | {milliseconds(p50_of(case))} | "
               f"{milliseconds(p50_of(graph)) if 'failed' not in graph else 'cannot be one'} | {bound:.3g} | "
               f"{'' if target is None else f'{target:.3g}'} | {met} | {PUBLIC_MS[workload]} |")


def about_line(result):
    env = result["environment"]
    return f"{env['gpu']}; host {env['cpu']}, {env['processors']} processors; aaco {env['aaco']}; {env['date']}."


def anchors_section(name, result):
    return "\n".join([f"## {name}", "", about_line(result), "", *anchor_lines(result), ""])


def bare_section(name, result):
    lines = [f"## {name}", "", about_line(result), f"{result['bare_loop']['streams']} streams.", "",
             "| dispatch | kernels | pairs | bare p50, us | aaco p50, us | aaco, us a kernel | ratio [95 %] |", "|---|---:|---:|---:|---:|---:|---|"]
    for mode in result["modes"]:
        bare, aaco = (sorted(pair[side] for pair in mode["pairs"])[len(mode["pairs"]) // 2] / 1e3 for side in ("bare_ns", "aaco_ns"))
        low, high = mode["ratio_95"]
        lines.append(f"| {mode['dispatch']} | {mode['kernels']:,} | {len(mode['pairs'])} | {bare:,.1f} | {aaco:,.1f} | {aaco / mode['kernels']:.3f} | "
                     f"{mode['ratio']:.4f} [{low:.4f}, {high:.4f}] |")
    return "\n".join(lines) + "\n"


def limits_section(name, result):
    lines = [f"## {name}", "", about_line(result), "", "| CUDA_DEVICE_MAX_CONNECTIONS | queues | map |", "|---|---:|---|"]
    for one in result["queue_limits"]:
        limit, pairs = one["queue_limit"], one["queue_map"]
        lines.append(f"| {one['connections'] or 'not set'} | {limit['queues'] or limit['reason']} | "
                     f"{pairs['queues'] or pairs['reason']} |")
    return "\n".join(lines) + "\n"


def times_section(name, result):
    lines = [f"## {name}", "", about_line(result), "", "| command | wall, s | iteration, ms | sizes |", "|---|---:|---:|---|"]
    for one in result["queue_commands"]:
        sizes = ", ".join(f"{key}={value}" for key, value in one.get("parameters", {}).items())
        lines.append(f"| `{one['command']}` | {one['wall_s']:.1f} | {one.get('iteration_ms', '')} | {sizes} |")
    return "\n".join(lines) + "\n"


def operands_section(name, result):
    columns = {"first_tflops": "bare, after a rest", "tflops": "bare", "aaco_1": "aaco, 1 stream", "aaco_8": "aaco, 8 streams"}
    lines = [f"## {name}", "", about_line(result) + " TFLOP/s, the median of the turns and all of them.", "",
             "| operands | " + " | ".join(columns.values()) + " |", "|---|" + "---|" * len(columns)]
    for operands in ("random", "zeros"):
        turns = [one for one in result["gemm_operands"] if one["operands"] == operands]
        cells = [sorted(one[key] for one in turns) for key in columns]
        lines.append(f"| {operands} | " + " | ".join(f"{statistics.median(cell):.0f} ({', '.join(f'{value:.0f}' for value in cell)})" for cell in cells) + " |")
    return "\n".join(lines) + "\n"
