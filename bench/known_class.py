#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often `aaco run` names the bottleneck that a workload has by construction: a confusion matrix.

What is true, and why:
  launch-bound   chains of 100 to 5,000 element-wise nodes on at most 64 elements, and products of at most 16 x 16 matrices:
                 the work of a node is some tens of nanoseconds, its dispatch some hundreds
  compute-bound  products of n x n matrices with 2 n^3 >= 3.3e7 FLOP a thread: n / 6 FLOP a byte, above the ridge of any processor
  memory-bound   element-wise chains on tensors of at least twice the last-level cache
  undetermined   element-wise chains whose tensors fill at most half of the second-level caches, of 65,536 elements and more:
                 a cache limits them, and no roof is measured for a cache, so that naming a class would be wrong
  cpu-bound      any of these while another process demands at least half of each of the run's processors
What lies between is in no row of the matrix: those points are listed with their metrics, as the sweep across a boundary.
Throttling has no row: nothing here can make a processor throttle without harm to the machine, or fake it honestly.

The truth of every row but cpu-bound also is that nobody else took the processors. So each of those runs waits for quiet, and is
kept apart as disturbed when others used more than --quiet of its processors' time: from that share on, aaco begins to count it.

A sweep runs once for each number of threads, on as many processors (the first of --pin), all pinned, aaco's own threads too.
"""
import argparse
import contextlib
import glob
import json
import multiprocessing
import os
import pathlib
import resource
import shutil
import tempfile
import time

from harness import clopper_pearson, environment, json_of

CLASSES = ("launch-bound", "cpu-bound", "memory-bound", "compute-bound", "throttling", "undetermined")
PERIOD_S = 0.010  # of a hog
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def processor_list(text):
    ranges = [part.split("-") for part in text.split(",")]
    return [processor for ends in ranges for processor in range(int(ends[0]), int(ends[-1]) + 1)]


def cache_bytes(processors, level):
    """Together, of the data caches of that level that the processors use."""
    caches = {}
    for processor in processors:
        for index in glob.glob(f"/sys/devices/system/cpu/cpu{processor}/cache/index*"):
            read = lambda name: pathlib.Path(index, name).read_text().strip()
            if read("level") == str(level) and read("type") != "Instruction":
                caches[read("shared_cpu_list")] = int(read("size").rstrip("K")) * 1024
    return sum(caches.values())


def chain(elements, nodes, processors):
    """An element-wise chain and what is true of it."""
    last_level = max(cache_bytes(processors, level) for level in (2, 3))
    truth = None
    if elements <= 64:
        truth = "launch-bound"
    elif 65536 <= elements and 8 * elements <= cache_bytes(processors, 2) / 2:  # one tensor read, one written
        truth = "undetermined"
    elif 4 * elements >= 2 * last_level > 0:
        truth = "memory-bound"
    tiny = elements <= 64
    return dict(model="chain-tiny" if tiny else "elementwise", params={"nodes" if tiny else "count": nodes, "elements": elements}, truth=truth)


def gemm(n, threads):
    truth = "launch-bound" if n <= 16 else "compute-bound" if 2 * n ** 3 >= 3.3e7 * threads else None
    return dict(model="gemm", params=dict(m=n, n=n, k=n, count=max(1, min(200, 2 ** 29 // n ** 3))), truth=truth)


def plan(threads, processors, quick):
    """The points of one number of threads. A point without truth lies at a boundary."""
    beyond = 1 << (max(cache_bytes(processors, level) for level in (2, 3)) // 2 - 1).bit_length()  # elements; twice the cache at least
    for nodes in (100, 5000) if quick else (100, 300, 1000, 5000):
        yield dict(series="nodes", x=nodes, **chain(16, nodes, processors))
    sizes = (1, 64, 65536, beyond) if quick else (1, 4, 16, 64, 256, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 17, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26, beyond)
    for elements in sizes:
        yield dict(series="elements", x=elements, **chain(elements, 1000 if elements <= 4096 else 100 if elements <= 1 << 20 else 4, processors))
    for n in (8, 64, 256, 1024) if quick else (8, 16, 32, 64, 128, 256, 512, 1024):
        yield dict(series="gemm", x=n, **gemm(n, threads))
    bases = dict(tiny=chain(16, 1000, processors), gemm=gemm(512, threads), cached=chain(1 << 16, 100, processors))
    for name, base in bases.items():
        for duty in (25, 50, 100) if quick else (0, 10, 25, 50, 75, 100):
            truth = base["truth"] if duty == 0 else "cpu-bound" if duty >= 50 else None
            yield dict(base, series=f"hog on {name}", x=duty, duty=duty / 100, truth=truth)
    for factor in (2, 4):
        if not quick:
            yield dict(gemm(512, threads), series="threads per processor", x=factor, threads=threads * factor, truth=None)


def spin(processor, duty, period_s=PERIOD_S):
    """Demands `duty` of a processor's time, in each period anew, until its parent ends (however it ends)."""
    os.sched_setaffinity(0, {processor})
    parent = os.getppid()
    while os.getppid() == parent:
        start, used = time.monotonic(), time.thread_time()
        while time.thread_time() - used < duty * period_s:
            pass
        if duty < 1:
            time.sleep(max(0.0, start + period_s - time.monotonic()))


@contextlib.contextmanager
def hogs(processors, duty):
    """One on each processor; gives their process ids."""
    started = [multiprocessing.Process(target=spin, args=(processor, duty), daemon=True) for processor in processors if duty > 0]
    for hog in started:
        hog.start()
    try:
        yield [hog.pid for hog in started]
    finally:
        for hog in started:
            hog.terminate()
            hog.join()


def busy_s(processors):
    """Time that the processors ran anything, or that the hypervisor kept from them."""
    total = 0
    for line in open("/proc/stat"):
        name, *ticks = line.split()
        if name.startswith("cpu") and name[3:].isdigit() and int(name[3:]) in processors:
            user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, ticks[:8])
            total += user + nice + system + irq + softirq + steal
    return total * TICK_S


class ForeignTime:
    """Share of the processors' time that neither this program, its finished children nor the given processes used."""

    def __init__(self, processors, pids=()):
        self.processors, self.pids = processors, pids
        self.start = self.read()

    def read(self):
        own = sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
        given = sum(int(open(f"/proc/{pid}/schedstat").read().split()[0]) for pid in self.pids) / 1e9
        return time.monotonic(), busy_s(self.processors), own, given

    def share(self):
        elapsed, busy, own, given = (after - before for after, before in zip(self.read(), self.start))
        return max(0.0, busy - own - given) / (elapsed * len(self.processors))


def wait_for_quiet(processors, limit, patience_s):
    until = time.monotonic() + patience_s
    while True:
        foreign = ForeignTime(processors)
        time.sleep(2)
        if foreign.share() <= limit or time.monotonic() > until:
            return


def measure(options, point, threads, processors, sessions):
    command = [options.aaco, "run", "--model", point["model"], "--backend", "cpu", "--threads", str(point.get("threads", threads)), "--inter-op-threads", "1",
               "--profile", "--telemetry", "--processes", str(options.processes), "--sessions", sessions, "--json"]
    command += [part for name, value in point["params"].items() for part in ("--param", f"{name}={value}")]
    if point["params"].get("elements", 0) > 1 << 24:
        command += ["--iterations", "10"]  # of some tenths of a second each
    squeezed = point["truth"] == "cpu-bound"  # by others too: no less true
    for attempt in range(1, options.attempts + 1):
        if not squeezed:
            wait_for_quiet(processors, options.quiet, options.patience)
        with hogs(processors, point.get("duty", 0)) as pids:
            foreign = ForeignTime(processors, pids)
            result = json_of(command)
            share = foreign.share()
        if squeezed or share <= options.quiet:
            break
    bottleneck = result["bottleneck"]
    latency = result["summary"]["phases"]["measure"]["p50_ns"]
    run = dict(point, threads=point.get("threads", threads), processors=processors, predicted=bottleneck["bottleneck_class"],
               right=point["truth"] and bottleneck["bottleneck_class"] == point["truth"], reason=bottleneck["reason"],
               scores={score["bottleneck_class"]: score["score"] for score in bottleneck["scores"]},
               metrics={signal["name"]: signal["value"] for signal in bottleneck["signals"]},
               p50_ns=latency["value"] if isinstance(latency, dict) else latency,
               foreign_share=share, disturbed=not squeezed and share > options.quiet, attempts=attempt, load=os.getloadavg())
    shutil.rmtree(result["bundle"])
    return run


def confusion(runs):
    """Rows of the runs whose truth is known and that nobody disturbed, with exact 95 % intervals over runs."""
    rows = {}
    for truth in CLASSES:
        row = [run for run in runs if run["truth"] == truth and not run["disturbed"]]
        counts = {name: sum(run["predicted"] == name for run in row) for name in CLASSES}
        wrong = sum(count for name, count in counts.items() if name not in (truth, "undetermined"))
        rows[truth] = dict(runs=len(row), counts=counts, right=[counts[truth], *clopper_pearson(counts[truth], len(row))],
                           wrong=[wrong, *clopper_pearson(wrong, len(row))])
    return rows


def print_matrix(matrix):
    print(f"{'true class':14}" + "".join(f"{name:>14}" for name in CLASSES) + "   right [95 %]          another class [95 %]")
    for truth, row in matrix.items():
        if row["runs"]:
            rates = "   ".join(f"{k}/{row['runs']} [{low:.2f}, {high:.2f}]" for k, low, high in (row["right"], row["wrong"]))
            print(f"{truth:14}" + "".join(f"{count:>14}" for count in row["counts"].values()) + "   " + rates)


def measured_roofs(options, threads, processors):
    """The roofs that runs of so many threads are held against, measured first unless the cache has them."""
    def known():
        with tempfile.TemporaryDirectory() as sessions:
            bundle = json_of([options.aaco, "run", "--model", "chain-tiny", "--backend", "cpu", "--threads", str(threads), "--inter-op-threads", "1",
                              "--processes", "1", "--iterations", "5", "--sessions", sessions, "--json"])["bundle"]
            return json.loads(pathlib.Path(bundle, "session.json").read_text())["facts"]["roofs"]
    roofs = known()
    if not roofs or roofs["threads"] != threads:
        print(f"measuring the roofs of {threads} threads", flush=True)
        wait_for_quiet(processors, options.quiet, options.patience)
        json_of([options.aaco, "doctor", "--measure", "--threads", str(threads), "--json"], (0, 3))
        roofs = known()
    return roofs


def join(files, output):
    parts = [json.loads(pathlib.Path(file).read_text()) for file in files]
    runs = [run for part in parts for run in part["runs"]]
    matrix = confusion(runs)
    joined = dict(parts[0], pin=sorted({processor for part in parts for processor in part["pin"]}), confusion=matrix, runs=runs)
    pathlib.Path(output).write_text(json.dumps(joined, indent=1))
    print_matrix(matrix)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aaco", default="build/bin/aaco")
    parser.add_argument("--quick", action="store_true", help="fewer points, one thread: some minutes")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each point")
    parser.add_argument("--processes", type=int, default=5, help="of each run")
    parser.add_argument("--pin", type=processor_list, default=sorted(os.sched_getaffinity(0)), metavar="CPULIST", help="processors to use, as 0-3,8; default: all")
    parser.add_argument("--threads", type=processor_list, help="numbers of threads; default: 1 and one for each processor")
    parser.add_argument("--only", default="", help="series whose name begins so")
    parser.add_argument("--quiet", type=float, default=0.05, help="share of the processors' time that others may use")
    parser.add_argument("--patience", type=float, default=120, help="seconds to wait for quiet before each run")
    parser.add_argument("--attempts", type=int, default=2, help="runs until one is not disturbed; the last is kept")
    parser.add_argument("--join", nargs="+", metavar="FILE", help="measure nothing: join these results, measured side by side on processors of their own")
    parser.add_argument("--output", required=True)
    options = parser.parse_args()
    if options.join:
        join(options.join, options.output)
        return
    numbers = options.threads or sorted({1} if options.quick else {1, len(options.pin)})
    if max(numbers) > len(options.pin):
        parser.error(f"{max(numbers)} threads need as many processors; --pin names {len(options.pin)}")
    results = dict(environment=environment(options.aaco), pin=options.pin, quick=options.quick, repeat=options.repeat, processes=options.processes,
                   quiet=options.quiet, roofs={}, confusion={}, runs=[])
    with tempfile.TemporaryDirectory() as sessions:
        for threads in numbers:
            processors = options.pin[:threads]
            os.sched_setaffinity(0, processors)  # children inherit it
            results["roofs"][threads] = measured_roofs(options, threads, processors)
            for _ in range(options.repeat):
                for point in plan(threads, processors, options.quick):
                    if not point["series"].startswith(options.only):
                        continue
                    run = measure(options, point, threads, processors, sessions)
                    results["runs"].append(run)
                    results["confusion"] = confusion(results["runs"])
                    pathlib.Path(options.output).write_text(json.dumps(results, indent=1))
                    mark = "disturbed" if run["disturbed"] else "" if run["truth"] is None else "right" if run["right"] else "NOT " + run["truth"]
                    print(f"{threads} thr  {run['series']:22}{run['x']:>10}  {run['predicted']:14}{mark:20} others {run['foreign_share']:.3f}  "
                          f"{run['p50_ns'] / 1000:.1f} us", flush=True)
    print_matrix(results["confusion"])


if __name__ == "__main__":
    main()
