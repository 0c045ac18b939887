#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""serve_hostile.py --aaco BUILD/bin/aaco [--requests N]: hostile requests against `aaco serve` with a session open, over two connections at a time: paths,
queries, cookies, hosts, bodies, and bytes that are no HTTP. The server has to answer all of them (what is no HTTP by closing), with no status of 5xx but 503
and 507, to end well, and to hold no more memory and files than before."""
import argparse
import collections
import json
import pathlib
import random
import socket
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "serve"))
from check_serve import import_trace
from dashboard_client import Dashboard

BATCH = 48
PIECES = ["api", "session", "timeline", "sql", "live", "diff", "about", "sessions", "report", "json", "files", "tracks", "view", "event", "search", "statistics", "gaps",
          "..", ".", "", "%2e%2e", "%2f", "%00", "%", "%zz", "%ff", "a" * 300, "\\", "~", "etc", "passwd", "assets", "app.js", "index.html", "-1", "99999999999999999999", "x"]
VALUES = ["", "0", "-1", "1", "5", "9e9", "nan", "9223372036854775807", "-9223372036854775808", "18446744073709551616", "1,2,3", ",", "1,", "%00", "%2", "+", "a b".replace(" ", "+"),
          "%f0%9f%92%a9", "*" * 500, "' OR 1=1--", "../..", "\"", "<script>"]
KEYS = ["from", "to", "width", "tracks", "q", "limit", "a", "b", "token", "generation", "x"]
HOSTS = ["localhost", "127.0.0.1", "[::1]", "localhost:80", "evil.example", "localhost.evil.example", "localhost:99999999", "", "a" * 200, "localhost, evil.example", "::1", "\"localhost\""]
BODIES = ["", "{}", "[]", "null", "{", "{\"statement\":5}", "{\"session\":\"..\",\"statement\":\"select 1\"}", "{\"session\":NAME,\"statement\":\"\"}",
          "{\"session\":NAME,\"statement\":\"select 1\",\"limit\":-1}", "{\"session\":NAME,\"statement\":\"select\\u0000 1\"}", "[" * 3000, "\"" + "x" * 20000 + "\"", "{\"a\":1e999}",
          "{\"session\":[],\"statement\":{}}", "\ufffd"]


def path(numbers, name):
    steps = [numbers.choice([*PIECES, name, name]) for _ in range(numbers.randint(1, 5))]
    if numbers.random() < 0.6:  # deep into the routes
        steps = ["api", numbers.choice(["timeline", "session"]), name, *steps[:2]]
    query = "&".join(f"{numbers.choice(KEYS)}{numbers.choice(['=', '=', '=', '', '=='])}{numbers.choice(VALUES)}" for _ in range(numbers.randint(0, 4)))
    return ("/" + "/".join(steps) + (("?" + query) if query else "")).replace(" ", "%20")


def well_formed(numbers, name, server):
    method = numbers.choice(["GET"] * 8 + ["POST", "POST", "DELETE", "PUT", "OPTIONS", "BREW"])
    target = numbers.choice(["", "", "", "http://localhost", "http://evil.example", "http://"]) + path(numbers, name) if numbers.random() < 0.1 else path(numbers, name)
    if method == "POST" and numbers.random() < 0.7:
        target = "/api/sql"
    target = target.replace("api/live", "api/liv")  # a stream that does not end
    lines = [f"{method} {target} HTTP/1.1", f"Host: {'localhost' if numbers.random() < 0.8 else numbers.choice(HOSTS)}"]
    who = numbers.random()
    if who < 0.75:
        lines.append(f"Authorization: Bearer {server.token}")
    elif who < 0.9:
        lines.append("Cookie: " + numbers.choice([f"aaco_token_{server.port}={server.token}", f"aaco_token_{server.port}=", f"aaco_token_{server.port}", ";;;=,", "a=b; " * 60, f"x{server.token}",
                                                   f"aaco_token_{server.port}={server.token}x"]))
    if numbers.random() < 0.1:
        lines.append("Origin: " + numbers.choice(["http://localhost", "null", "http://evil.example", "", "https://localhost"]))
    body = numbers.choice(BODIES).replace("NAME", json.dumps(name)) if method in ("POST", "PUT") else ""
    lines.append(f"Content-Length: {len(body.encode())}")
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


def broken(numbers, name, server):
    text = bytearray(well_formed(numbers, name, server))
    for _ in range(numbers.randint(1, 12)):
        at = numbers.randrange(len(text))
        change = numbers.random()
        if change < 0.5:
            text[at] = numbers.randrange(256)
        elif change < 0.75:
            del text[at:at + numbers.randint(1, 20)]
            text = text or bytearray(b"x")
        else:
            text[at:at] = numbers.choice([b"\r\n", b"\0", b"\r\nContent-Length: 99999999999999999999", b"\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", b"X" * 9000,
                                          b"\r\nExpect: 100-continue"])
    return bytes(text)


def statuses_of(answers):
    """Each answer's status, as far as the text goes."""
    at = 0
    while (end := answers.find(b"\r\n\r\n", at)) >= 0:
        header = answers[at:end].decode("latin-1")
        yield int(header[9:12])
        length = [line for line in header.split("\r\n") if line.lower().startswith("content-length:")]
        at = end + 4 + (int(length[0].split(":")[1]) if length else 0)


def ask_all(seed, requests, name, server, told, problems):
    numbers = random.Random(seed)
    done = 0
    while done < requests and not problems:
        size = min(BATCH, requests - done)
        batch = [well_formed(numbers, name, server) for _ in range(size - 1)] + [broken(numbers, name, server)]
        answers = b""
        with socket.create_connection(("127.0.0.1", server.port), timeout=120) as connection:
            try:
                sender = threading.Thread(target=lambda: connection.sendall(b"".join(batch)) or connection.shutdown(socket.SHUT_WR))
                sender.start()
                while piece := connection.recv(1 << 18):
                    answers += piece
                sender.join()
            except ConnectionResetError:
                told["reset"] += 1
            except OSError as error:
                problems.append(f"{error} after {len(answers)} B")
        statuses = list(statuses_of(answers))
        if len(statuses) < size - 1 and 400 not in statuses[-1:]:
            problems.append(f"{len(statuses)} answers to {size} requests; the last {statuses[-1:]}: {answers[-300:]}")
        for status in statuses:
            told[status] += 1
            if status >= 500 and status not in (503, 507):
                problems.append(f"status {status}: {answers[-2000:]}")
        done += size
        told["requests"] += size


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aaco", required=True)
    parser.add_argument("--requests", type=int, default=1_000_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        name = import_trace(str(pathlib.Path(arguments.aaco).resolve()), folder)
        with Dashboard(pathlib.Path(arguments.aaco).resolve(), folder / "sessions") as server:
            server.json(f"/api/timeline/{name}/tracks")
            files = len(list(pathlib.Path(f"/proc/{server.process.pid}/fd").iterdir()))
            told, problems = collections.Counter(), []
            ask_all(0, min(20_000, arguments.requests // 10), name, server, collections.Counter(), problems)  # what it keeps, it has then
            before, start = server.resident_bytes(), time.monotonic()
            threads = [threading.Thread(target=ask_all, args=(seed, arguments.requests // 2, name, server, told, problems)) for seed in (1, 2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            took = time.monotonic() - start
            time.sleep(3)  # connections that are being closed
            about = server.json("/api/about")
            grown = server.resident_bytes() - before
            left = len(list(pathlib.Path(f"/proc/{server.process.pid}/fd").iterdir())) - files
        problems += [] if about["sessions"] == 1 else [f"about: {about}"]
        problems += [f"{left} more files are open"] if left > 4 else []
        problems += [f"memory grew by {grown / 2**20:.1f} MiB"] if grown > 16 << 20 else []
    print(json.dumps({"requests": told.pop("requests"), "seconds": round(took, 1), "memory_grew_bytes": grown, "files_left": left,
                      "answers": {str(key): told[key] for key in sorted(told, key=str)}, "problems": problems[:5]}, indent=1))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
