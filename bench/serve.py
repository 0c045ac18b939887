#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""serve.py --aaco PROGRAM --output bench/results/serve.json [--events 100000 1000000 10000000]: what aaco serve takes for a made trace of so many events:
the index of its timeline (time, size beside the events' size), a picture of one track and of all (the server's own time, and until the answer is there), search,
sums, the worst gaps, SQL, the server's memory, and an answer beside 100 connections that say nothing. The largest needs some 4 GB of disk (--folder)."""
import argparse
import json
import pathlib
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "serve"))
from dashboard_client import Dashboard
from made_trace import write_trace
from harness import environment

WIDTH = 1920
VIEWS = 60  # of each width of the window
SHARES = (1, 0.1, 0.01, 0.001)


def quantiles(values):
    ordered = sorted(values)
    return {"n": len(ordered), "p50": statistics.median(ordered), "p95": ordered[int(0.95 * (len(ordered) - 1))], "max": ordered[-1]}


def timed(ask):
    start = time.perf_counter()
    answer = ask()
    return answer, (time.perf_counter() - start) * 1e3


def views_of(server, name, tracks, start, end, numbers):
    """By share of the time that is seen: the server's own time for boxes and stream, until the answer is there, its bytes."""
    connection = server.connection()
    rows = []
    for share in SHARES:
        own, stream, wall, size = [], [], [], []
        for _ in range(VIEWS):
            length = max(int((end - start) * share), 1000)
            first = start + int(numbers.random() * (end - start - length + 1))
            path = f"/api/timeline/{name}/view?from={first}&to={first + length}&width={WIDTH}&tracks={','.join(map(str, tracks))}"
            (status, headers, body), took = timed(lambda: server.ask(path, connection=connection))
            assert status == 200, body
            boxes, encoded = map(float, re.findall(r"dur=([\d.]+)", headers["Server-Timing"]))
            own.append(boxes)
            stream.append(encoded)
            wall.append(took)
            size.append(len(body))
        rows.append({"share": share, "boxes_ms": quantiles(own), "stream_ms": quantiles(stream), "answer_ms": quantiles(wall), "bytes": quantiles(size)})
    return rows


def measure(aaco, events, folder):
    trace = folder / "trace.json"
    write_trace(trace, events)
    imported, import_ms = timed(lambda: subprocess.run([aaco, "trace", "import", trace, "--sessions", folder / "sessions", "--json", "--memory", "8GiB"],
                                                       capture_output=True, text=True, check=True))
    session = pathlib.Path(json.loads(imported.stdout)["session"])
    trace.unlink()
    index = folder / "timed.index"
    built = json.loads(subprocess.run([aaco, "answer", "timeline", json.dumps([str(session), str(index), "bench"])], capture_output=True, text=True, check=True).stdout)
    index.unlink()
    numbers = random.Random(events)
    row = {"events": events, "import_ms": import_ms, "index": built, "index_share_of_events": built["bytes"] / built["event_bytes"]}
    with Dashboard(aaco, folder / "sessions") as server:
        name = session.name
        tracks, row["first_tracks_ms"] = timed(lambda: server.json(f"/api/timeline/{name}/tracks"))
        again, row["tracks_ms"] = timed(lambda: server.json(f"/api/timeline/{name}/tracks"))
        assert again == tracks
        start, end = int(tracks["start_ns"]), int(tracks["end_ns"])
        row["tracks"] = [{"name": track["name"], "events": track["events"], "views": views_of(server, name, [track["id"]], start, end, numbers)}
                         for track in tracks["tracks"]]
        row["all_tracks"] = views_of(server, name, [track["id"] for track in tracks["tracks"]], start, end, numbers)
        for what, path in (("search", "search?q=softmax"), ("statistics", "statistics"), ("gaps", "gaps"), ("event", "event/5")):
            row[f"{what}_ms"] = quantiles([timed(lambda: server.json(f"/api/timeline/{name}/{path}"))[1] for _ in range(5)])
        statement = "SELECT name, count(*), sum(duration_ns) FROM events WHERE kind = 'kernel' GROUP BY name ORDER BY 3 DESC"
        row["sql_ms"] = quantiles([timed(lambda: server.sql(name, statement))[1] for _ in range(3)])
        silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(100)]
        row["about_beside_100_silent_ms"] = quantiles([timed(lambda: server.json("/api/about"))[1] for _ in range(50)])
        for connection in silent:
            connection.close()
        row["server_resident_bytes"] = server.resident_bytes()
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aaco", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--events", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--folder", help="where traces and sessions lie meanwhile")
    flags = parser.parse_args()
    rows = []
    for events in flags.events:
        with tempfile.TemporaryDirectory(dir=flags.folder) as folder:
            rows.append(measure(str(pathlib.Path(flags.aaco).resolve()), events, pathlib.Path(folder)))
        last = rows[-1]
        print(f"{events} events: index {last['index']['bytes'] / 1e6:.1f} MB, {100 * last['index_share_of_events']:.1f} % of the events, "
              f"built in {last['index']['build_ns'] / 1e9:.2f} s; whole picture {last['all_tracks'][0]['answer_ms']['p95']:.2f} ms at p95; "
              f"server {last['server_resident_bytes'] / 1e6:.0f} MB")
    pathlib.Path(flags.output).write_text(json.dumps({"environment": environment(str(flags.aaco)), "width": WIDTH, "serve": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
