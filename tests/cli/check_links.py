#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Launch links, impossible times and launches without records, on small traces that are ours; each right value was worked out by
hand. Usage: check_links.py AACO"""
import json
import pathlib
import subprocess
import sys
import tempfile

AACO = sys.argv[1]


def call(ts, correlation, pid=100, name="cudaLaunchKernel", dur=2, tid=100):
    return dict(ph="X", cat="cuda_runtime", name=name, pid=pid, tid=tid, ts=ts, dur=dur, args=dict(correlation=correlation))


def op(ts, name, pid=100, dur=10, cat="cpu_op", tid=100):
    return dict(ph="X", cat=cat, name=name, pid=pid, tid=tid, ts=ts, dur=dur, args={})


def kernel(ts, correlation, dur=10, pid=0, name="k", stream=7, device=0):
    return dict(ph="X", cat="kernel", name=name, pid=pid, tid=stream, ts=ts, dur=dur,
                args=dict(device=device, stream=stream, correlation=correlation))


def steady(count=10, start=1_000_000, step=20, delay=8):
    events = []
    for i in range(count):
        at = start + step * i
        events += [op(at - 1, "aten::mul", dur=4), call(at, i + 1), kernel(at + delay, i + 1)]
    return events


def report(folder, events, **header):
    path = pathlib.Path(folder) / "trace.json"
    path.write_text(json.dumps(dict(header, traceEvents=events)))
    done = subprocess.run([AACO, "trace", "report", str(path), "--json"], capture_output=True, text=True)
    text = subprocess.run([AACO, "trace", "report", str(path)], capture_output=True, text=True).stdout
    said = json.loads(done.stdout)
    losses = {each["loss"]: each["count"] for each in said["losses"]}
    devices = [(each["rank"], each["window_ns"], each["computation_ns"]) for each in said["devices"]]
    launched = {each["name"]: each["launched"] for rank in said["operators"] for each in rank["by_name"]}
    return done.returncode, losses, devices, launched, said, text


def median(device):
    return device["launches"]["delay"]["median_ns"] if device["launches"]["count"] else None


def no_idle_advice(said):
    return not any(each["subject"].startswith("idle") for each in said["offenders"])


CASES = []


def case(check):
    CASES.append(check)
    return check


def merged_ranks(mark):
    events = []
    for rank, name in ((0, "mm"), (1, "add")):
        for i in range(5):
            at = 1_000_000 + 1000 * rank + 200 * i
            pid, lane = mark(rank, 500), mark(rank, 0)
            events += [op(at - 10, f"aten::{name}", pid, 8), call(at - 9, 10 + i, pid, dur=3), kernel(at, 10 + i, 100, lane)]
    return events


@case
def ranks_in_one_file(folder):
    for mark in (lambda rank, pid: f"[TP{rank:02}] {pid}", lambda rank, pid: f"rank{rank} {pid}", lambda rank, pid: f"{pid} [rank {rank}]",
                 lambda rank, pid: f"[TP{rank:02}-DP00-PP00] {pid}"):
        code, losses, devices, launched, said, text = report(folder, merged_ranks(mark), distributedInfo=dict(rank=0, world_size=2))
        assert (code, losses) == (0, {}), losses
        assert devices == [(0, 900_000, 500_000), (1, 900_000, 500_000)], devices
        assert [median(each) for each in said["devices"]] == [6_000, 6_000]
        assert launched == {"aten::mm": 5, "aten::add": 5}, launched
        assert "in no figure here" not in text


@case
def processes_that_nothing_tells_apart(folder):
    # Two processes used the same ids, and the lane does not say whose kernels it holds.
    events = [call(0, 1, 100), call(5, 1, 200), kernel(20, 1), kernel(40, 1), call(100, 2, 100), kernel(110, 2, 20)]
    code, losses, devices, launched, said, text = report(folder, events)
    assert (code, losses) == (0, {"ambiguous launch": 2}), losses
    assert said["devices"][0]["slices_with_ambiguous_launch"] == 2 and median(said["devices"][0]) == 8_000
    assert "ambiguous launch: 20.00 us of the recorded device time, 50.00 %" in text, text


@case
def an_id_that_comes_again(folder):
    events = []
    for i in range(6):
        events += [op(100 * i, f"aten::op{i}"), call(100 * i + 2, 1, name="hipLaunchKernel", dur=3), kernel(100 * i + 10, 1, 20)]
    code, losses, devices, launched, said, text = report(folder, events)
    assert (code, losses, median(said["devices"][0])) == (0, {}, 5_000), losses
    assert launched == {f"aten::op{i}": 1 for i in range(6)}, launched


@case
def an_id_of_zero(folder):
    events = []
    for i in range(4):
        at = 1_000_000 + 1000 * i
        events += [op(at, "aten::mm", dur=20), call(at + 2, 10 + i), kernel(at + 10, 10 + i, 300),
                   call(at + 32, 20 + i, name="hipExtLaunchKernel"), kernel(at + 320, 0, 200, name="ncclDevKernel_Generic", stream=3)]
    events += [op(1_003_900, "aten::item", dur=100), call(1_003_905, 0, name="hipStreamSynchronize", dur=90)]
    code, losses, devices, launched, said, text = report(folder, events)
    assert (code, losses) == (0, {"no launch": 4}), losses
    assert launched["aten::mm"] == 4 and launched.get("aten::item", 0) == 0, launched
    assert median(said["devices"][0]) == 6_000


@case
def kernels_at_zero(folder):
    events = steady() + [kernel(0, 50 + i, 0, name="volta_gemm") for i in range(3)] + [call(1_000_300 + i, 50 + i, dur=1) for i in range(3)]
    code, losses, devices, launched, said, text = report(folder, events)
    assert code == 5 and losses["impossible time"] == 3 and "launch without a record" not in losses, losses
    assert devices == [(None, 190_000, 100_000)], devices
    assert said["devices"][0]["idle_is_upper_bound"] and no_idle_advice(said)


@case
def a_length_that_overflowed(folder):
    events = steady()
    events[2]["dur"] = 1_600_000
    code, losses, devices, launched, said, text = report(folder, events)
    assert code == 5 and losses == {"impossible time": 1}, losses
    assert devices == [(None, 170_000, 90_000)], devices
    assert "impossible time: 1.600 s of the recorded device time, 99.99 %" in text, text


@case
def a_kernel_nine_years_late(folder):
    events = steady()
    events[5]["ts"] = 3e14
    code, losses, devices, launched, said, text = report(folder, events)
    assert code == 5 and losses == {"impossible time": 1}, losses
    assert devices == [(None, 190_000, 90_000)], devices


@case
def what_is_possible(folder):
    code, losses, devices, launched, said, text = report(folder, steady(start=0, delay=0))  # the trace starts at 0
    assert (code, losses, devices) == (0, {}, [(None, 190_000, 100_000)]), (losses, devices)
    events = [call(0, 1, name="cudaGraphLaunch")] + [kernel(10, 1, 100)] + [kernel(12 + 5 * i, 1, 4) for i in range(9)]
    code, losses, devices, launched, said, text = report(folder, events)  # a graph's branches
    assert (code, losses, devices) == (0, {"overlap in a stream": 9}, [(None, 100_000, 100_000)]), (losses, devices)


@case
def kernels_before_their_calls(folder):
    events = []
    for i in range(8):
        at = 1_005_000 + 200 * i
        events += [op(at, "aten::mm", dur=20), call(at + 5, i + 1, dur=10), kernel(at - 995, i + 1, 50)]
    code, losses, devices, launched, said, text = report(folder, events)
    assert (code, losses) == (0, {"start before launch": 8}), losses
    assert devices == [(None, 1_450_000, 400_000)], devices  # their time counts
    assert said["devices"][0]["launches"]["count"] == 0 and no_idle_advice(said)
    assert "the clocks of host and device disagree, and no advice rests on when the host launched" in text, text


@case
def kernels_that_left_no_record(folder):
    events = []
    for i in range(32):
        at = 1_000_000 + 1000 * i
        events += [op(at, f"ProfilerStep#{i}", dur=1000, cat="user_annotation"), op(at + 10, "aten::mm", dur=20),
                   call(at + 15, 1000 + i, name="hipLaunchKernel", dur=5)]
        events += [kernel(at + 100, 1000 + i, 800)] if i in (0, 31) else []
    code, losses, devices, launched, said, text = report(folder, events)
    device = said["devices"][0]
    assert (code, losses) == (0, {"launch without a record": 30}), losses
    assert device["idle_is_upper_bound"] and not device["idle_carries_advice"] and no_idle_advice(said)
    assert device["kernel_launches"]["launches"] == 32 and device["kernel_launches"]["without_record"] == 30
    assert device["kernel_launches"]["steps"][0] == dict(step="ProfilerStep#1", launches=1, without_record=1)
    assert "idle (upper bound)" in text and "30 of 32 launches of kernels left no record (ProfilerStep#1 1 of 1" in text, text


@case
def launches_that_need_no_record(folder):
    events = steady()
    events += [call(1_000_210, 30, name="cudaStreamBeginCapture"), call(1_000_220, 31), call(1_000_230, 32, name="cudaStreamEndCapture")]
    code, losses, devices, launched, said, text = report(folder, events + [op(1_000_900, "later")])
    assert (code, losses) == (0, {}), losses  # captured
    code, losses, devices, launched, said, text = report(folder, steady() + [call(1_000_190, 31)])
    assert (code, losses) == (0, {}), losses  # it may have run after the recording stopped
    code, losses, devices, launched, said, text = report(folder, steady() + [call(1_000_190, 31), op(1_000_900, "later")])
    assert (code, losses) == (0, {"launch without a record": 1}), losses


@case
def advice_above_its_window_or_of_nothing(folder):
    events = [kernel(10, 1, 300, name="gemm"), kernel(10, 2, 200, name="gemm", stream=8), kernel(310, 3, 0, name="nothing")]
    code, losses, devices, launched, said, text = report(folder, events)
    assert said["offenders"], "no advice"
    for each in said["offenders"]:
        assert 0 < each["stake_ns"] <= 300_000 and each["share"] <= 1, each


def main():
    failures = []
    for check in CASES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(folder)
            except (AssertionError, KeyError, IndexError, ValueError) as error:
                failures.append(f"{check.__name__}: line {error.__traceback__.tb_next.tb_lineno}: {type(error).__name__} {error}")
    print("\n".join(failures) or f"{len(CASES)} kinds hold")
    sys.exit(bool(failures))


main()
