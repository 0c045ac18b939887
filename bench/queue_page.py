# SPDX-License-Identifier: MIT
"""The part of bench/results/README.md that queue_workloads.py's raw files make."""

HEAD = """
# Hardware-queue workloads

`bench/queue_workloads.py` runs every workload of `aaco queue` at its default sizes. Times are medians over fresh processes of
per-process medians, with Student's t interval; *checked* says how many operations of an iteration were held against the CPU.
*Bound* is the workload's FLOPs over the best rate that `large_gemm_only` of the same file reached: no dispatch can be faster in
that precision. The public tool's figures (p50 of its own command line on a machine of the same kind) are of its own definitions,
some of which compute less; they were not measured in the same call, so that the ratio is an indication and no verdict.

"""

# ROCm/aorta hw_queue_eval, 8 streams, 50 iterations, p50 in ms on an H200, its own command line; 2026-11-20.
PUBLIC_MS = {"hetero_kernels": 10.802, "tiny_kernel_stress": 23.366, "large_gemm_only": 169.684, "fsdp_tp": 8.532, "moe": 6.319,
             "grad_accum": 3.981, "speculative_decode": 11.794, "continuous_batch": 3.508, "rag_pipeline": 2.775,
             "async_dataload": 5.448, "graph_subgraphs": 1.009}


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


def workload_lines(runs, streams):
    rate = best_rate(runs)
    yield "| workload | single, ms [95 %] | graph, ms | threads, ms | bound, ms | public tool, ms | kernels | streams used | checked |"
    yield "|---|---|---|---|---:|---:|---:|---:|---|"
    for name in dict.fromkeys(run["workload"] for run in runs):
        mine = {run["dispatch"]: run for run in runs if run["workload"] == name and run["streams"] == streams}
        single = mine.get("single", {})
        cells = [milliseconds(p50_of(mine[mode])) if mode in mine and "failed" not in mine[mode]
                 else mine.get(mode, {}).get("failed", "not run")[:90] for mode in ("single", "graph", "threads")]
        work = single.get("work")
        bound = f"{work['flops'] / rate * 1e3:.3g}" if work and rate else ""
        check = single.get("verification")
        yield (f"| {name} | {' | '.join(cells)} | {bound} | {PUBLIC_MS.get(name, '')} | {work['kernels'] if work else ''} | "
               f"{work['used_streams'] if work else ''} | {check['checked'] if check else ''}{' of ' + str(check['operations']) if check else ''} |")


def scaling_lines(runs):
    counts = sorted({run["streams"] for run in runs})
    yield "Throughput over that with the fewest streams, one host thread:"
    yield ""
    yield "| workload | " + " | ".join(f"{count} streams" for count in counts) + " |"
    yield "|---|" + "---|" * len(counts)
    for name in dict.fromkeys(run["workload"] for run in runs):
        mine = {run["streams"]: run for run in runs if run["workload"] == name and run["dispatch"] == "single"}
        rates = [(mine.get(count, {}).get("figures") or {}).get("units_per_s") for count in counts]
        first = rates[0]
        yield f"| {name} | " + " | ".join(
            f"{rate['value'] / first['value']:.3f}" if rate and first else mine.get(count, {}).get("failed", "not run")[:60]
            for rate, count in zip(rates, counts)) + " |"


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
             f"{env['date']}. {streams} streams, fp32 (tf32 off).", "", *workload_lines(runs, streams), "", *scaling_lines(runs), ""]
    for probe in result["probes"]:
        lines += [*probe_lines(probe), ""]
    if result["not_run"]:
        lines += [f"Not run for want of time: {len(result['not_run'])} cases.", ""]
    return "\n".join(lines)
