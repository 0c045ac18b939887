#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What aaco itself takes: recording one iteration, starting up, and a session of a million iterations. Writes raw results
with their environment as JSON; bench/overhead_page.py makes the page from them."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

from harness import environment, json_of


def start_up(aaco, times):
    """Wall time of `aaco --help` in milliseconds, a fresh process each; the first is as cold as this machine's page cache is."""
    def one():
        began = time.perf_counter_ns()
        subprocess.run([aaco, "--help"], stdout=subprocess.DEVNULL, check=True)
        return (time.perf_counter_ns() - began) / 1e6
    series = [one() for _ in range(times)]
    return dict(times=times, first_ms=series[0], median_ms=statistics.median(series), worst_ms=max(series))


def long_session(aaco, iterations):
    """A run with telemetry: the peak of any of its processes, and what the bundle takes."""
    with tempfile.TemporaryDirectory() as sessions:
        command = [aaco, "run", "--model", "chain-tiny", "--param", "nodes=5", "--backend", "cpu", "--processes", "1", "--iterations", str(iterations),
                   "--telemetry", "--sessions", sessions, "--json"]
        began = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            raise SystemExit(f"{' '.join(command)}: status {status}")
        bundle = pathlib.Path(json.loads(output)["bundle"])
        # The parent's usage covers its own peak and those of the workers it waited for.
        return dict(iterations=iterations, seconds=time.monotonic() - began, peak_bytes=usage.ru_maxrss * 1024,
                    bundle_bytes=sum(path.stat().st_size for path in bundle.rglob("*") if path.is_file()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aaco", default="build/bin/aaco")
    parser.add_argument("--record-cost", default="build/bench/record_cost")
    parser.add_argument("--iterations", type=int, default=1_000_000)
    parser.add_argument("--output", required=True)
    options = parser.parse_args()
    results = dict(environment=environment(options.aaco), record=json_of([options.record_cost]), start_up=start_up(options.aaco, 50),
                   long_session=long_session(options.aaco, options.iterations))
    json.dump(results, open(options.output, "w"), indent=1)
    print(json.dumps({key: value for key, value in results.items() if key != "environment"}, indent=1))


if __name__ == "__main__":
    main()
