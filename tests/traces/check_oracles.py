#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""aaco's figures of recorded traces against independent ones: counts taken with another parser, TraceLens's own reports that
lie beside its traces, and interval arithmetic over H200 traces. Exit 77 where the data is not here.

Usage: check_oracles.py AACO REPOSITORY
"""
import collections
import csv
import decimal
import gzip
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from skipping import skip_without  # noqa: E402

AACO, REPOSITORY = sys.argv[1:3]
DATA = pathlib.Path(os.environ.get("AACO_DATA") or pathlib.Path(REPOSITORY).parent / "shared" / "data")
MI300 = "tracelens/traces/mi300/"

# Trace: events, kernels, device operations, those without a launching call, overlaps in a stream.
COUNTS = {
    "aorta/smci350-zts-gtu-c6-25_200691.1758927066581847260.pt.trace.json": (343, 20, 20, 0, 1),
    "hpctraining/MLExamples/TraceLens/event_replay_wd/replay_trace.json": (281, 29, 29, 9, 0),
    "hpctraining/MLExamples/TraceLens/fused_traces/merged_all_events.json.gz": (161676, 12381, 16287, 0, 0),
    "hpctraining/MLExamples/TraceLens/fused_traces/merged_nccl_only.json.gz": (176, 84, 84, 84, 0),
    "hta/amd_trace/mi250_minitoy_train_ROCm6_2_kineto.json.gz": (220, 14, 16, 0, 0),
    "hta/negative_queue_length_values_check/rank0.json.gz": (108936, 6080, 7747, 872, 1),
    "hta/ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz": (68692, 4350, 6095, 0, 0),
    "hta/trace_compare/base/base.json.gz": (33, 6, 18, 16, 0),
    "hta/trace_diff/control/control.json.gz": (109123, 8568, 9450, 0, 0),
    "hta/cpu_only/rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz": (30, 0, 0, 0, 0),
    "kineto/tb_plugin/samples/resnet50_num_workers_0/worker0.d3fb407.pt.trace.json.gz": (73639, 9564, 10015, 733, 0),
    "kineto/tb_plugin/samples/resnet50_num_workers_0/worker0.pt.trace.json.gz": (82276, 9538, 9927, 765, 0),
    "tracelens/traces/inference/sglang_decode/sglang_Qwen3-8B_decode.json.gz": (2058, 555, 558, 0, 0),
    "tracelens/traces/inference/xdit_flux.1_aiter_sage/profile_trace_rank_0.json.gz": (229459, 7830, 7866, 0, 0),
    "tracelens/traces/mi210/gpu_only_trace/gpu_only_trace.json.gz": (2443, 562, 562, 0, 0),
    MI300 + "Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz": (18090, 1516, 1517, 463, 0),
    MI300 + "google_owlv2-large-patch14-ensemble__1016001.json.gz": (130780, 4255, 4340, 0, 2),
    MI300 + "resnet_act_checkpoint.json.gz": (56451, 2995, 3653, 968, 0),
}

TRACELENS = ["Qwen_Qwen1.5-0.5B-Chat__1016005", "google_owlv2-large-patch14-ensemble__1016001", "facebook_timesformer-base-finetuned-k400__1016002",
             "gaunernst_bert-small-uncased__1016001", "Falconsai_nsfw_image_detection__1016002"]

LARGER = {"google_owlv2-large-patch14-ensemble__1016001": 1}  # operators of which TraceLens leaves calls out, by trace

failures = []


def check(what, holds):
    if not holds:
        failures.append(what)


def report(path, allowed=(0,)):
    done = subprocess.run([AACO, "trace", "report", str(DATA / path), "--json"], capture_output=True, text=True)
    if done.returncode not in allowed:
        sys.exit(f"{path}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def check_import():
    """What was imported says the same as its files, and SQL counts what the report counts."""
    names = [MI300 + "gaunernst_bert-small-uncased__1016001.json.gz", "kineto/tb_plugin/samples/resnet50_num_workers_0/worker0.d3fb407.pt.trace.json.gz"]
    for name in names:
        with tempfile.TemporaryDirectory() as sessions:
            done = subprocess.run([AACO, "trace", "import", str(DATA / name), "--sessions", sessions, "--json"], capture_output=True, text=True, check=True)
            session = json.loads(done.stdout)["session"]
            before, after = report(name), report(session)
            check(f"{name}: the import's report differs", before == after)
            # An import sums no device time up, so that a loss has its time there and no share of it.
            losses = [{key: value for key, value in loss.items() if key != "device_time_share"} for loss in before["losses"]]
            check(f"{name}: the import says other losses", json.loads(done.stdout)["losses"] == losses)
            done = subprocess.run([AACO, "trace", "sql", "--session", session, "--json", "SELECT count(*) AS n, sum(duration_ns) AS ns FROM events "
                                   "WHERE shape = 'slice' AND kind IN ('kernel', 'copy', 'set')"], capture_output=True, text=True, check=True)
            slices = [each for device in before["devices"] for each in device["slices"].values()]
            check(f"{name}: SQL counts otherwise", json.loads(done.stdout) == [dict(n=sum(s["count"] for s in slices), ns=sum(s["sum_ns"] for s in slices))])


def budget(device):
    return [device[name + "_ns"] for name in ("computation", "exposed_communication", "exposed_copy", "idle")]


def events_of(path):
    """With times as they are written: a float has no nanoseconds beside 10^15 microseconds."""
    with (gzip.open if path.endswith(".gz") else open)(DATA / path) as file:
        recorded = json.load(file, parse_float=decimal.Decimal)
    return recorded if isinstance(recorded, list) else recorded["traceEvents"]


def spans_by_device(path, of=lambda event: True):
    """Process -> start and end in ns of its device operations."""
    spans = collections.defaultdict(list)
    for event in events_of(path):
        if event.get("ph") == "X" and str(event.get("cat")).lower() in ("kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset") and of(event):
            start = round(event["ts"] * 1000)
            spans[event["pid"]].append((start, start + round(event["dur"] * 1000)))
    return spans


def window_and_idle(spans):
    spans = sorted(spans)
    idle, last = 0, spans[0][0]
    for start, end in spans:
        idle += max(0, start - last)
        last = max(last, end)
    return last - spans[0][0], idle


def check_counts():
    for path, expected in COUNTS.items():
        trace = report(path)
        devices = trace["devices"]
        operations = sum(sum(slices["count"] for slices in device["slices"].values()) for device in devices)
        # Copies and memory sets have names of their own in every dialect.
        copies = sum(kernel["count"] for device in devices for kernel in device["kernels"]
                     if kernel["name"].startswith(("Memcpy", "Memset", "CopyDevice", "CopyHost", "FillBuffer")))
        got = (trace["events"], operations - copies, operations, sum(device["slices_without_launch"] for device in devices),
               sum(device["overlapping_slices"] for device in devices))
        check(f"{path}: {got}, expected {expected}", got == expected)
        losses = {loss["loss"]: loss["count"] for loss in trace["losses"]}
        check(f"{path}: {losses}", (losses.get("no launch", 0), losses.get("overlap in a stream", 0)) == expected[3:])
        by_arithmetic = sorted(window_and_idle(spans) for spans in spans_by_device(path).values())
        got = sorted((device["window_ns"], device["idle_ns"]) for device in devices)
        check(f"{path}: windows and idle times {got}, by arithmetic {by_arithmetic}", got == by_arithmetic)
        for device in devices:  # whose idle time is right: what it is divided into is all of it
            check(f"{path}: the budget does not add up", sum(budget(device)) == device["window_ns"])
            check(f"{path}: idle causes do not add up to idle", sum(device["idle_causes"].values()) == device["idle_ns"])
            check(f"{path}: idle holders do not add up", sum(held["total_ns"] for held in device["idle_held_by"]) == device["idle_ns"])


def check_tracelens():
    """To 1e-6, or what its floating-point microseconds can tell: at 2.2e12 us a start and an end are off by 2^-13 us each."""
    for name in TRACELENS:
        folder = DATA / MI300 / (name + "_perf_report_csvs")
        device, = report(MI300 + name + ".json.gz")["devices"]
        slices = sum(one["count"] for one in device["slices"].values())
        near = lambda ns, ms: abs(ns / 1e6 - ms) <= max(1e-6 * ms, slices * 2 * 2 ** -13 / 1000)
        theirs = {row["type"]: float(row["time ms"]) for row in csv.DictReader(open(folder / "gpu_timeline.csv"))}
        figures = dict(computation_time=device["computation_ns"], exposed_comm_time=device["exposed_communication_ns"], exposed_memcpy_time=device["exposed_copy_ns"],
                       idle_time=device["idle_ns"], total_time=device["window_ns"], total_comm_time=device["communication_ns"], total_memcpy_time=device["copy_ns"])
        if device["slices_without_launch"]:  # which its timeline leaves out, though not its kernel summary
            all_spans, = spans_by_device(MI300 + name + ".json.gz").values()
            check(f"{name}: window and idle time", window_and_idle(all_spans) == (device["window_ns"], device["idle_ns"]))
            figures = launched_only(MI300 + name + ".json.gz")  # by the arithmetic with which aaco agrees on all of them
        for figure, ns in figures.items():
            check(f"{name}: {figure} {ns / 1e6} ms, TraceLens has {theirs[figure]}", near(ns, theirs[figure]))
        kernels = {kernel["name"]: kernel for kernel in device["kernels"]}
        total, count = {}, {}
        for row in csv.DictReader(open(folder / "kernel_summary.csv")):
            total[row["Kernel name"]] = total.get(row["Kernel name"], 0) + float(row["Kernel duration (µs)_sum"])
            count[row["Kernel name"]] = count.get(row["Kernel name"], 0) + int(float(row["Kernel duration (µs)_count"]))
        check(f"{name}: no kernel in TraceLens's summary", total)
        for kernel, us in total.items():
            mine = kernels.get(kernel)
            check(f"{name}: {kernel}: {mine and (mine['total_ns'], mine['count'])}, TraceLens has {us} us in {count[kernel]}",
                  mine and math.isclose(mine["total_ns"] / 1000, us, rel_tol=1e-6) and mine["count"] == count[kernel])


def launched_only(path):
    """Window and idle time of the device operations whose launching call is in the trace."""
    calls = {e["args"].get("correlation") for e in events_of(path) if e.get("cat") in ("cuda_runtime", "cuda_driver")}
    spans, = spans_by_device(path, lambda event: event["args"]["correlation"] in calls).values()
    window, idle = window_and_idle(spans)
    return dict(total_time=window, idle_time=idle)


def check_h200():
    """The figures of the recording's page, which takes copies for computation, to its two decimals of a millisecond."""
    for rank, span, exposed, idle, communication in ((0, 250.45, 4.89, 6.91, 43.89), (1, 250.43, 4.80, 6.97, 43.10)):
        device, = report(f"h200-recorded/fsdp2_d2048_rank{rank}.json.gz")["devices"]
        check(f"h200 rank {rank}: {device['rank']}", device["rank"] == rank)
        for what, ns, ms in (("span", device["window_ns"], span), ("idle", device["idle_ns"], idle), ("communication", device["communication_ns"], communication)):
            check(f"h200 rank {rank}: {what} {ns / 1e6:.3f} ms, expected {ms}", abs(ns / 1e6 - ms) <= 0.005)
        # Theirs also leaves out what copies hide, at most all of the copies.
        ns = device["exposed_communication_ns"]
        check(f"h200 rank {rank}: exposed {ns}", exposed - 0.005 <= ns / 1e6 <= exposed + 0.005 + (device["copy_ns"] - device["exposed_copy_ns"]) / 1e6)


def check_idle_holder():
    """The image resize on the host, within which nothing is recorded, holds owlv2's device for as long as it overlaps idle."""
    path = MI300 + "google_owlv2-large-patch14-ensemble__1016001.json.gz"
    with gzip.open(DATA / path) as file:
        events = json.load(file)["traceEvents"]
    span = lambda e: (round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000))
    idle, last = [], None
    for start, end in sorted(span(e) for e in events if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")):
        if last is not None and start > last:
            idle.append((last, start))
        last = end if last is None else max(last, end)
    resize = [span(e) for e in events if e["name"] == "<built-in function zoom_shift>"]
    overlap = sum(max(0, min(end, until) - max(start, since)) for start, end in idle for since, until in resize)
    device, = report(path)["devices"]
    held, = (held["total_ns"] for held in device["idle_held_by"] if held["name"] == "<built-in function zoom_shift>")
    check(f"owlv2: the resize holds {held} ns, by intersection {overlap}", held == overlap > 0)


def check_collectives():
    """The straggler of four ranks, counted with another parser: rank 3 begins last in all 21; and two H200 in two files."""
    ranks = {one["collective"]: one for one in report("hpctraining/MLExamples/TraceLens/fused_traces/merged_all_events.json.gz")["ranks"]}
    check(f"merged: {list(ranks)}", {name: one["compared"] for name, one in ranks.items()} == {"allreduce": 15, "broadcast": 6})
    for name, one in ranks.items():
        check(f"merged: {name}: straggler {one['straggler']}", one["straggler"] == 3 and one["ranks"][3]["last"] == one["compared"])
    medians = [round(rank["median_ns"] / 1000) for rank in ranks["allreduce"]["ranks"]]
    check(f"merged: median all-reduce of each rank {medians} us", medians == [2498, 2360, 2552, 313])
    done = subprocess.run([AACO, "trace", "report", "--json"] + [str(DATA / f"h200-recorded/fsdp2_d2048_rank{rank}.json.gz") for rank in (0, 1)],
                          capture_output=True, text=True, check=True)
    pair = {one["collective"]: one for one in json.loads(done.stdout)["ranks"]}
    check(f"h200: {list(pair)}", {name: one["compared"] for name, one in pair.items()} == {"_allgather_base": 66, "_reduce_scatter_base": 34})
    spans = {}
    for rank in (0, 1):
        with gzip.open(DATA / f"h200-recorded/fsdp2_d2048_rank{rank}.json.gz") as file:
            spans[rank] = sorted((round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000), e["args"]["Out msg nelems"] * 2) for e in json.load(file)["traceEvents"]
                                 if e.get("cat") == "kernel" and e["args"].get("Collective name") == "_allgather_base")
    both = list(zip(spans[0], spans[1]))
    skews = sorted(abs(a[0] - b[0]) for a, b in both)
    gathers = pair["_allgather_base"]
    check(f"h200: skew {gathers['median_skew_ns']}, by another parser {skews[32]}", abs(gathers["median_skew_ns"] - skews[32]) <= 2)
    bandwidth = sum(a[2] for a, _ in both) / sum(min(a[1] - a[0], b[1] - b[0]) for a, b in both) / 2
    check(f"h200: bus bandwidth {gathers['bus_bandwidth_gb_s']}, by hand {bandwidth}", math.isclose(gathers["bus_bandwidth_gb_s"], bandwidth, rel_tol=1e-5))


def check_clocks():
    """Ranks of one host agree. One whose file is moved by a second is moved back, to within the error that is stated, and its comparisons stay."""
    merged = report("hpctraining/MLExamples/TraceLens/fused_traces/merged_all_events.json.gz")["clocks"]
    check(f"merged: clocks {merged}", [clock["state"] for clock in merged] == ["reference"] + ["agrees"] * 3)
    files = [DATA / f"h200-recorded/fsdp2_d2048_rank{rank}.json.gz" for rank in (0, 1)]
    with tempfile.TemporaryDirectory() as folder:
        trace = json.load(gzip.open(files[1]))
        for event in trace["traceEvents"]:
            if "ts" in event:
                event["ts"] = round(event["ts"] + 1e6, 3)
        moved = pathlib.Path(folder) / "rank1.json"
        moved.write_text(json.dumps(trace))
        both = [json.loads(subprocess.run([AACO, "trace", "report", "--json", str(files[0]), str(second)], capture_output=True, text=True, check=True).stdout)
                for second in (files[1], moved)]
    as_recorded, shifted = (one["clocks"][1] for one in both)
    check(f"h200: clocks {as_recorded}", as_recorded["state"] == "agrees" and as_recorded["collectives"] == 100)
    check(f"h200: clocks of the moved file {shifted}", shifted["state"] == "shifted" and abs(shifted["offset_ns"] + 1e9) <= shifted["error_ns"] < 1e6)
    near = [abs(one["median_skew_ns"] - other["median_skew_ns"]) <= 2 * shifted["error_ns"] for one, other in zip(both[0]["ranks"], both[1]["ranks"])]
    check(f"h200: skews of the moved file {near}", near == [True, True])


def check_operators():
    """Device time of operators, their own and their subtrees', as TraceLens sums them over those calls of an operator that launched something."""
    for name in TRACELENS:
        work, = report(MI300 + name + ".json.gz")["operators"]
        mine = {one["name"]: one for one in work["by_name"]}
        larger = 0  # with calls that TraceLens leaves out: more of them, and more time
        rows = list(csv.DictReader(open(DATA / MI300 / (name + "_perf_report_csvs") / "ops_summary.csv")))
        check(f"{name}: no operators in TraceLens's summary", rows)
        for row in rows:
            one = mine.get(row["name"])
            near = lambda ns, us: math.isclose(ns / 1000, us, rel_tol=1e-6, abs_tol=1e-3 * one["launched"])
            theirs = float(row["total_direct_kernel_time_sum"]), float(row["total_subtree_kernel_time_sum"]), int(row["Count"])
            same = one and near(one["self_ns"], theirs[0]) and near(one["total_ns"], theirs[1])
            more = one and near(one["self_ns"], theirs[0]) and one["count"] > theirs[2] and one["total_ns"] / 1000 > theirs[1]
            larger += bool(more and not same)
            check(f"{name}: {row['name']}: {one and (one['self_ns'], one['total_ns'], one['count'], one['launched'])}, TraceLens has {theirs}", same or more)
        check(f"{name}: {larger} of {len(rows)} operators take longer than TraceLens has", larger == LARGER.get(name, 0))


def check_memory():
    """Peaks of owlv2's 13,060 marks of the device, taken with another parser."""
    device, = (one for one in report(MI300 + "google_owlv2-large-patch14-ensemble__1016001.json.gz")["memory"] if one["device_type"] == 6)
    got = tuple(device[what] for what in ("peak_bytes", "peak_reserved_bytes", "first_bytes", "last_bytes"))
    check(f"owlv2: memory {got}", got == (2808510976, 2973761536, 1018108416, 1018108416) and device["allocations"] + device["frees"] == 13060)
    check("owlv2: the timeline misses the peak", max(part["most"] for part in device["timeline"]) == device["peak_bytes"])


def main():
    if not DATA.is_dir():
        skip_without(DATA)
    check_counts()
    check_tracelens()
    check_import()
    check_h200()
    check_idle_holder()
    check_collectives()
    check_clocks()
    check_operators()
    check_memory()
    print("\n".join(failures) or f"{len(COUNTS)} traces counted, {len(TRACELENS)} as TraceLens has them")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
