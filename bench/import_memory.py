#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `aaco trace import` takes of the memory and of the time: peak resident memory beside the uncompressed size of recorded files, and
of generated Kineto traces (--events N...), half of whose events are kernels and half their launches; of these the stored tables are
checked too. A generated file of 100 million events is 14 GB, and as much again is needed beside it (--folder)."""
import argparse
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from harness import environment, json_of

NAMES = 300


def generate(path, events):
    with open(path, "w") as file:
        file.write('{"schemaVersion":1,"deviceProperties":[],"traceEvents":[\n')
        for first in range(0, events // 2, 10_000):
            lines = []
            for i in range(first, min(first + 10_000, events // 2)):
                begin = 1000 + 10 * i
                lines.append(f'{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":7,"ts":{begin}.000,"dur":3.5,'
                             f'"args":{{"correlation":{i + 1}}}}}')
                lines.append(f'{{"ph":"X","cat":"kernel","name":"k{i % NAMES}","pid":0,"tid":{7 + i % 4},"ts":{begin + 5}.000,"dur":7.25,'
                             f'"args":{{"device":0,"stream":{7 + i % 4},"correlation":{i + 1}}}}}')
            file.write((",\n" if first else "") + ",\n".join(lines))
        file.write("\n]}\n")


def expected(events):
    """What the tables of a generated trace add up to."""
    half = events // 2
    return dict(events=events, kernels=half, arguments=4 * half, start_us=half * 2_005 + 2 * 10 * (half * (half - 1) // 2),
                duration_ns=half * 10_750, correlations=half * (half + 1), names=min(half, NAMES) + 1,
                argument_integers=half * (half + 1) + sum(7 + i % 4 for i in range(half)))


STORED = """SELECT (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM events WHERE kind = 'kernel') AS kernels,
(SELECT count(*) FROM arguments) AS arguments, (SELECT sum(start_ns // 1000) FROM events) AS start_us,
(SELECT sum(duration_ns) FROM events) AS duration_ns, (SELECT sum(correlation) FROM events) AS correlations,
(SELECT count(DISTINCT name) FROM events) AS names, (SELECT sum("integer") FROM arguments) AS argument_integers"""


def uncompressed_bytes(path):
    if path.suffix != ".gz":
        return path.stat().st_size
    with gzip.open(path) as source:
        return sum(len(piece) for piece in iter(lambda: source.read(1 << 20), b""))


def measure(aaco, path, sessions, more):
    began = time.perf_counter()
    process = subprocess.Popen([aaco, "trace", "import", path, "--sessions", sessions, "--json", *more], stdout=subprocess.PIPE)
    printed = json.loads(process.stdout.read())
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 5):
        sys.exit(f"{path}: exit {os.waitstatus_to_exitcode(status)}")
    stored = sum(file.stat().st_size for file in pathlib.Path(printed["session"]).rglob("*") if file.is_file())
    return dict(events=printed["events"], no_analyses=printed.get("no_analyses"), wall_s=time.perf_counter() - began,
                cpu_s=usage.ru_utime + usage.ru_stime, read_s=printed["read_ns"] / 1e9, write_s=printed["write_ns"] / 1e9,
                peak_bytes=usage.ru_maxrss * 1024, stored_bytes=stored), printed["session"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aaco", default="build/bin/aaco")
    parser.add_argument("--folder", default=None, help="where the generated files and the sessions go")
    parser.add_argument("--events", type=int, nargs="*", default=[])
    parser.add_argument("--memory", nargs="*", default=[None], help="as of `aaco trace import`, for the generated files")
    parser.add_argument("--output", required=True)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    results = []

    def add(what, path, size, memory, check):
        sessions = path.parent / "sessions" if check else folder / "sessions"
        more = [] if memory is None else ["--memory", memory]
        one, session = measure(options.aaco, path, sessions, more)
        one.update(file=what, bytes=size, memory=memory)
        if check:
            stored = json_of([options.aaco, "trace", "sql", "--session", session, "--json", STORED])[0]
            one["as_expected"] = stored == check
            if stored != check:
                print(f"{what}: stored {stored}, expected {check}", file=sys.stderr)
        shutil.rmtree(sessions)
        results.append(one)
        print(f"{what[-60:]:60} {size / 1e6:9.2f} MB  {one['events']:10} events  peak {one['peak_bytes'] / 1e6:7.1f} MB "
              f"{one['wall_s']:7.2f} s {one['cpu_s'] / max(one['events'], 1) * 1e6:6.2f} us an event", flush=True)

    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = pathlib.Path(name)
        for events in options.events:
            path = folder / "generated.json"
            generate(path, events)
            for memory in options.memory:
                add(f"generated, {events} events", path, path.stat().st_size, memory, expected(events))
            path.unlink()
        for file in options.files:
            add(file.name, file, uncompressed_bytes(file), None, None)
    json.dump(dict(environment=environment(options.aaco), imports=results), open(options.output, "w"), indent=1)


if __name__ == "__main__":
    main()
