#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast traces are read: build/bench/read_traces over each file, compressed and not, and the program as a user starts it:
`aaco trace report` and `aaco trace import` with their wall time and peak memory. Files are any in Chrome's format, .json.gz."""
import argparse
import gzip
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

from harness import environment


def program(command, times):
    """Wall seconds of each run, and the peak of all."""
    walls, peak = [], 0
    for _ in range(times):
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        walls.append(time.perf_counter() - began)
        peak = max(peak, usage.ru_maxrss * 1024)
        if status != 0:
            raise SystemExit(f"{' '.join(map(str, command))}: status {status}")
    return dict(median_s=statistics.median(walls), best_s=min(walls), all_s=walls, peak_bytes=peak)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aaco", default="build/bin/aaco")
    parser.add_argument("--bench", default="build/bench/read_traces")
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--output", required=True)
    parser.add_argument("files", nargs="+", metavar="FILE.json.gz")
    options = parser.parse_args()
    rates, programs = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file in map(pathlib.Path, options.files):
            plain = folder / file.name.removesuffix(".gz")
            with gzip.open(file) as source, open(plain, "wb") as target:
                shutil.copyfileobj(source, target)
            lines = subprocess.run([options.bench, str(options.times), plain, file], capture_output=True, text=True, check=True).stdout
            rates += [json.loads(line) for line in lines.splitlines()]
            for what, words in (("report", ["report"]), ("import", ["import", "--sessions", folder / "sessions"])):
                programs.append(dict(program([options.aaco, "trace", *words, plain], options.times), what=what, file=plain.name, bytes=plain.stat().st_size))
            shutil.rmtree(folder / "sessions")
            plain.unlink()
    results = dict(environment=environment(options.aaco), rates=rates, programs=programs)
    json.dump(results, open(options.output, "w"), indent=1)
    for one in rates:
        print(f"{one['file'][:40]:40} {one['what']:22} {one['gb_per_s']:.3f} GB/s")
    for one in programs:
        print(f"{one['file'][:40]:40} {one['what']:22} {one['median_s']:.3f} s, {one['peak_bytes'] / one['bytes']:.2f} of the file")


if __name__ == "__main__":
    main()
