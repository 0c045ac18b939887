#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_serve.py AACO SOURCE CHECK: aaco serve as a whole. access: who is refused; pages: sessions, reports, files, a comparison; timeline: the picture
equals the table; sql: what a statement cannot do, trace_sql: aaco trace sql likewise; live: a run that goes on, and is killed; robust: clients
that misbehave, sessions that go; mcp: the same for assistants; export: the bytes of the command."""
import io
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from dashboard_client import Dashboard
from made_trace import SPIKE_US, write_trace
import tiny_onnx

EVENTS = 4000
RUN = ("--backend cpu --warmup 0 --threads 1 --inter-op-threads 1 --no-roofs --quiet").split()


def import_file(aaco, folder, file):
    run = subprocess.run([aaco, "trace", "import", file, "--sessions", "sessions", "--json"], cwd=folder, capture_output=True, text=True, check=True)
    return pathlib.Path(json.loads(run.stdout)["session"]).name


def import_trace(aaco, folder, events=EVENTS, seed=1):
    time.sleep(1.1)  # names of sessions tell seconds, and the newest comes first
    write_trace(folder / "trace.json", events, seed)
    return import_file(aaco, folder, "trace.json")


def import_graph_launch(aaco, folder, kernels):
    """A call that starts so many kernels."""
    call = {"correlation": 5, "graph": "decoder"}
    events = [{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "python"}},
              {"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "pid": 1, "tid": 1, "ts": 0, "dur": 5, "args": call}]
    for i in range(kernels):
        work = {"device": 0, "stream": 7, "correlation": 5}
        events.append({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 10 + i, "dur": 0.5, "args": work})
    (folder / "graph.json").write_text(json.dumps({"traceEvents": events}))
    return import_file(aaco, folder, "graph.json")


def record_run(aaco, folder, *more):
    (folder / "relu.onnx").write_bytes(tiny_onnx.relu())
    subprocess.run([aaco, "run", "--model", "relu.onnx", *RUN, "--processes", "2", "--iterations", "5", "--sessions", "sessions", *more], cwd=folder, check=True, capture_output=True)


def access(aaco, folder):
    (folder / "sessions").mkdir()
    with Dashboard(aaco, folder / "sessions") as server:
        def status(path="/", **headers):
            return server.ask(path, token=False, **headers)[0]
        assert status() == status("/api/sessions") == status("/?token=0123") == 401
        code, headers, _ = server.ask(f"/?token={server.token}", token=False)
        cookie = headers["Set-Cookie"]
        assert code == 303 and headers["Location"] == "/" and "HttpOnly" in cookie and "SameSite=Strict" in cookie, headers
        code, headers, body = server.ask("/", token=False, Cookie=cookie.split(";")[0])
        assert code == 200 and b"<html" in body and headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self';"), headers
        assert "unsafe" not in headers["Content-Security-Policy"]
        for asset in set(re.findall(rb'(?:src|href)="(/assets/[^"]+)"', body)):
            assert server.ask(asset.decode())[0] == 200, asset
        assert status(Cookie=cookie.split(";")[0], Host="evil.example") == 421
        assert status(Cookie=cookie.split(";")[0], Origin="http://evil.example") == 403
        assert server.json("/api/about")["sessions"] == 0 and server.json("/api/sessions") == {"sessions": [], "skipped": []}
        for code, refused in ((413, b"POST /api/sql HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\n" + bytes(500_000)), (400, b"\x16\x03\x01 no HTTP\r\n\r\n"),
                              (400, b"GET /api/about HTTP/1.1\r\n\r\n"), (431, b"GET /api/about HTTP/1.1\r\nX: " + b"x" * 20_000 + b"\r\n\r\n")):
            answer = server.raw(refused)
            assert answer.startswith(b"HTTP/1.1 %d " % code) and b"Content-Security-Policy" in answer, answer
            assert set(json.loads(answer.partition(b"\r\n\r\n")[2])) == {"error", "hint"}, answer
        assert server.ask("/", method="POST", body="x")[0] == 405 and server.ask("/api/sessions", method="PUT")[0] == 405
    refused = subprocess.run([aaco, "serve", "--sessions", folder / "sessions", "--host", "0.0.0.0"], capture_output=True, text=True, timeout=30)
    assert refused.returncode == 2 and "--token-file" in refused.stderr, refused
    missing = subprocess.run([aaco, "serve", "--sessions", folder / "no"], capture_output=True, text=True, timeout=30)
    assert missing.returncode == 2 and "hint:" in missing.stderr, missing
    (folder / "token").write_text("0123456789abcdef\n")
    with Dashboard(aaco, folder / "sessions", "--host", "0.0.0.0", "--token-file", str(folder / "token")) as server:
        assert server.token == "0123456789abcdef" and server.ask("/api/about", Host="node-3:1")[0] == 200
        assert server.ask("/api/about", token=False, Host="node-3:1")[0] == 401
    print("access: token, cookie, Host and Origin; another address needs a token")


def pages(aaco, folder):
    record_run(aaco, folder)
    record_run(aaco, folder, "--tag", "nightly", "--tag=<b>1</b>", "-t", "nightly")
    trace = import_trace(aaco, folder)
    with Dashboard(aaco, folder / "sessions") as server:
        sessions = server.json("/api/sessions")["sessions"]
        assert [session["kind"] for session in sessions] == ["trace", "run", "run"] and sessions[0]["name"] == trace, sessions
        assert sessions[1]["headline"].startswith("median ") and sessions[1]["state"] == "complete" and sessions[1]["bytes"] > 0
        assert [session["tags"] for session in sessions] == [[], ["<b>1</b>", "nightly"], []], sessions
        subprocess.run([aaco, "sessions", "tag", trace, "--add", "good", "--sessions", "sessions"], cwd=folder, check=True, capture_output=True)
        start = time.monotonic()
        while server.json("/api/sessions")["sessions"][0]["tags"] != ["good"]:  # listed again within a second
            assert time.monotonic() - start < 20
            time.sleep(0.1)
        for session in sessions:
            path = folder / "sessions" / session["path"]
            told = subprocess.run([aaco, "report", path, "--format", "json"], capture_output=True, check=True)
            assert server.json(f"/api/session/{session['name']}/report") == json.loads(told.stdout), session
            files = {file["path"]: file["bytes"] for file in server.json(f"/api/session/{session['name']}/files")}
            assert files["session.json"] == (path / "session.json").stat().st_size
            assert server.json(f"/api/session/{session['name']}/json")
        first, second = sessions[2]["name"], sessions[1]["name"]
        start = time.monotonic()
        answer = server.json(f"/api/diff?a={first}&b={second}")
        took = time.monotonic() - start
        start = time.monotonic()
        assert server.json(f"/api/diff?a={first}&b={second}") == answer and time.monotonic() - start < max(took, 0.1)
        told = subprocess.run([aaco, "diff", first, second, "--json", "--sessions", "sessions"], cwd=folder, capture_output=True, text=True)
        assert answer["document"] == json.loads(told.stdout)
        assert answer["report"]["sections"]
        assert server.json(f"/api/diff?a={trace}&b={trace}")["document"]
        server.json(f"/api/diff?a={first}", 400)
        assert "is an imported trace" in server.json(f"/api/diff?a={first}&b={trace}", 400)["error"]
        server.json("/api/session/none/report", 404)
        iterations, = (folder / "sessions" / sessions[2]["path"]).rglob("inference_iters.parquet")
        iterations.write_bytes(iterations.read_bytes()[:-100])
        assert "inference_iters.parquet" in server.json(f"/api/timeline/{first}/tracks", 400)["error"]
    print(f"pages: {len(sessions)} sessions, reports as the command prints them")


def timeline(aaco, folder):
    graph = import_graph_launch(aaco, folder, 300)
    name = import_trace(aaco, folder)
    with Dashboard(aaco, folder / "sessions") as server:
        tracks = server.json(f"/api/timeline/{name}/tracks")
        start, end = int(tracks["start_ns"]), int(tracks["end_ns"])
        numbers = {track["name"]: track["id"] for track in tracks["tracks"]}
        types = {track["name"]: track["type"] for track in tracks["tracks"]}
        assert types["stream 7"] == "slices" and types["power watts"] == "counter", types
        assert {"stream 7", "stream 8", "idle"} <= set(numbers), numbers
        told = server.sql(name, "SELECT count(*), min(start_ns), max(start_ns + duration_ns) FROM events WHERE shape IN ('slice', 'counter')")["rows"][0]
        assert start == told[1] and end == told[2], (tracks, told)
        by_name = server.sql(name, "SELECT name, count(*), sum(duration_ns) FROM events WHERE kind = 'kernel' GROUP BY name ORDER BY 3 DESC, 1")["rows"]
        streams = f"{numbers['stream 7']},{numbers['stream 8']}"
        rows = server.json(f"/api/timeline/{name}/statistics?tracks={streams}")["rows"]
        assert [[row["name"], row["count"], row["total_ns"]] for row in rows] == by_name, (rows[:3], by_name[:3])
        assert server.json(f"/api/timeline/{name}/statistics?tracks={streams},{streams}")["rows"] == rows, "a track that is named twice counts twice"
        busy = server.json(f"/api/timeline/{name}/statistics?tracks={numbers['stream 7']}&from={start}&to={end}")["busy"][0]
        assert 0 < busy["share"] <= 1
        found = server.json(f"/api/timeline/{name}/search?q=SOFTMAX_&limit=3")
        count = server.sql(name, "SELECT count(*) FROM events WHERE name LIKE '%softmax\\_%' ESCAPE '\\'")["rows"][0][0]
        assert found["total"] == count and len(found["matches"]) == 3 and found["truncated"], (found, count)
        match = found["matches"][0]
        event = server.json(f"/api/timeline/{name}/event/{match['event']}")
        assert event["start_ns"] == match["start_ns"] and event["arguments"]["stream"] in (7, 8) and len(event["flows"]) == 1, event
        assert server.json(f"/api/timeline/{name}/event/{event['flows'][0]['to']}")["name"] == "cudaLaunchKernel"
        unlinked = [row for row, in server.sql(name, "SELECT event FROM events WHERE correlation = 0")["rows"]]
        assert len(unlinked) == 2, unlinked
        for row in unlinked:
            assert not server.json(f"/api/timeline/{name}/event/{row}")["flows"], "correlation 0 means that there is none"
        call = server.sql(graph, "SELECT event FROM events WHERE name = 'cudaGraphLaunch'")["rows"][0][0]
        launch = server.json(f"/api/timeline/{graph}/event/{call}")
        assert len(launch["flows"]) == 200 and launch["flows_truncated"] and not event["flows_truncated"], launch
        assert launch["arguments"]["graph"] == "decoder", launch
        gaps = server.json(f"/api/timeline/{name}/gaps?limit=5")["gaps"]
        assert len(gaps) == 5 and all(int(a["duration_ns"]) >= int(b["duration_ns"]) for a, b in zip(gaps, gaps[1:])) and gaps[0]["cause"]
        assert server.json(f"/api/timeline/{name}/event/{gaps[0]['event']}")["idle_cause"]["cause"] == gaps[0]["cause"]
        paths = server.json(f"/api/timeline/{name}/critical-path")["paths"]
        parts = server.sql(name, "SELECT count(*), sum(duration_ns) FROM critical_path_parts GROUP BY path ORDER BY path")["rows"]
        assert [[path["parts_in_all"], path["segments_ns"]] for path in paths] == parts, parts
        assert paths[0]["segments_in_all"] > paths[0]["parts_in_all"], "two operators of one name without a pause are one part and two segments"
        for bad in ("view?from=0&to=0&width=10", "view?width=0", "view?width=10&tracks=99", "view?from=x&width=10", "search", "event/x", "event/999999", "nothing"):
            assert server.ask(f"/api/timeline/{name}/{bad}")[0] in (400, 404), bad
        try:
            import pyarrow
        except ImportError:
            print("timeline: tables and picture agree; the stream was not read, pyarrow is not here")
            return
        for width in (1, 100, 8000):
            status, headers, body = server.ask(f"/api/timeline/{name}/view?from={start}&to={end + 1}&width={width}&tracks={streams}")
            assert status == 200 and headers["Content-Type"] == "application/vnd.apache.arrow.stream"
            table = pyarrow.ipc.open_stream(io.BytesIO(body)).read_all()
            table.validate(full=True)
            boxes = table.to_pydict()
            assert sum(boxes["count"]) == sum(row[1] for row in by_name), width
            assert max(boxes["longest"]) == SPIKE_US * 1000, width  # the longest is drawn, however small the picture
            names = json.loads(table.schema.metadata[b"names"])
            assert all(names[number].startswith("kernel_") for number in boxes["name"])
        body = server.ask(f"/api/timeline/{name}/view?from={start}&to={end + 1}&width=50&tracks={numbers['power watts']}")[2]
        boxes = pyarrow.ipc.open_stream(io.BytesIO(body)).read_all().to_pydict()
        told = server.sql(name, "SELECT min(real), max(real) FROM arguments WHERE key = 'watts'")["rows"][0]
        assert [min(boxes["value_min"]), max(boxes["value_max"])] == told and set(boxes["event"]) == {None}
    print("timeline: tables and picture agree, and pyarrow reads it")


def sql(aaco, folder):
    name = import_trace(aaco, folder)
    (folder / "secret.csv").write_text("a\n1\n")
    with Dashboard(aaco, folder / "sessions") as server:
        answer = server.sql(name, "SELECT kind, count(*) AS n FROM events GROUP BY kind ORDER BY n DESC, kind", limit=2)
        assert answer["columns"] == [{"name": "kind", "type": "text"}, {"name": "n", "type": "integer"}] and answer["truncated"] and len(answer["rows"]) == 2
        for statement in (f"COPY (SELECT 1) TO '{folder}/made.csv'", f"ATTACH '{folder}/made.db'", "INSTALL httpfs", "LOAD httpfs",
                          "SELECT * FROM read_csv('/etc/passwd')", f"SELECT * FROM read_csv('{folder}/secret.csv')", "SELECT * FROM read_text('/proc/self/environ')",
                          f"SELECT * FROM read_parquet('{folder}/sessions/*/*/trace/../../../../secret.csv')", "SELECT * FROM glob('/etc/*')",
                          "SET memory_limit = '1TB'", "PRAGMA database_list", "CREATE TABLE x AS SELECT 1", "SELECT 1; SELECT 2", "SELECT getenv('HOME')", "",
                          "SELECT * FROM 'http://127.0.0.1/x.parquet'"):
            status, _, body = server.ask("/api/sql", method="POST", body=json.dumps({"session": name, "statement": statement}))
            assert status in (400, 503, 507) and json.loads(body)["error"], (statement, status, body)
        assert not list(folder.glob("made*"))
        endless = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t"
        ended = []
        asking = threading.Thread(target=lambda: ended.append(server.sql(name, endless, expect=499, id="a b")))
        asking.start()
        start = time.monotonic()
        while server.ask("/api/sql/a%20b", method="DELETE")[0] != 200:
            assert time.monotonic() - start < 30
            time.sleep(0.05)
        asking.join(timeout=30)
        assert ended and "cancelled" in ended[0]["error"], ended
        huge = "SELECT list(x) FROM (SELECT repeat('x', 1000) || range AS x FROM range(100000000))"
        status = server.ask("/api/sql", method="POST", body=json.dumps({"session": name, "statement": huge}))[0]
        assert status in (400, 507), status
        assert server.sql(name, "SELECT 1 AS a")["rows"] == [[1]]

        def ready():
            """The process that waits for a statement, when there is one."""
            start = time.monotonic()
            while time.monotonic() - start < 30:
                for child in pathlib.Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split():
                    if b"\0ready\0" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes():
                        return int(child)
                time.sleep(0.05)
            raise AssertionError("no process waits for a statement")
        first = ready()
        assert server.sql(name, "SELECT 2 AS a")["rows"] == [[2]] and ready() != first  # it answered, and ended
        assert server.ask("/api/sql", method="POST", body=json.dumps({"session": name, "statement": "SELECT * FROM read_csv('/etc/passwd')"}))[0] == 400
        waiting = ready()
        os.kill(waiting, signal.SIGKILL)
        while pathlib.Path(f"/proc/{waiting}/stat").read_text().rsplit(")")[1].split()[0] != "Z":
            time.sleep(0.01)
        assert server.sql(name, "SELECT 3 AS a")["rows"] == [[3]]
    print("sql: statements read their session and nothing else; endless ones are cancelled")


def trace_sql(aaco, folder):
    """The same child of `aaco trace sql`: its links lead nowhere else, it has no other calls; --allow-files reads and writes nothing."""
    name = import_trace(aaco, folder)
    session = next((folder / "sessions").glob(f"*/{name}"))
    (folder / "secret.csv").write_text("a\n1\n")
    (session / "link.csv").symlink_to(folder / "secret.csv")

    def ask(statement, *flags):
        return subprocess.run([aaco, "trace", "sql", statement, "--session", session, "--csv", *flags], capture_output=True, text=True, timeout=60)
    told = ask("SELECT count(*) FROM events")
    assert told.returncode == 0 and int(told.stdout.split()[1]) > EVENTS - 10, told
    assert ask("SELECT * FROM read_csv('/etc/passwd')").returncode == 2
    allowed = ask(f"SELECT a FROM read_csv('{folder}/secret.csv')", "--allow-files")
    assert allowed.returncode == 0 and allowed.stdout.split() == ["a", "1"], allowed
    assert ask(f"SELECT a FROM read_csv('{session}/link.csv')").returncode == 2
    endless = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t"
    for flags in ([], ["--allow-files"]):
        run = subprocess.Popen([aaco, "trace", "sql", endless, "--session", session, *flags], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        start = time.monotonic()
        status, limits = "", ""
        while "Seccomp:\t2" not in status:
            assert time.monotonic() - start < 30 and run.poll() is None, (run.poll(), status)
            time.sleep(0.05)
            for child in pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split():
                status, limits = pathlib.Path(f"/proc/{child}/status").read_text(), pathlib.Path(f"/proc/{child}/limits").read_text()
        assert "NoNewPrivs:\t1" in status and re.search(r"Max data size +2147483648 +2147483648", limits), (status, limits)
        run.send_signal(signal.SIGINT)
        assert run.wait(timeout=30) == 130
    print("trace_sql: the child of aaco trace sql is confined")


def told_of_sessions(stream, seconds):
    """What the live stream tells of single sessions from now on, for so long."""
    end, name = time.monotonic() + seconds, ""
    while time.monotonic() < end and (line := stream.readline().decode()):
        if line.startswith("event: "):
            name = line[7:].strip()
        elif line.startswith("data: ") and name == "session":
            yield json.loads(line[6:])


def on_another_machine(server, bundle, cache):
    """A session whose process is of another boot, which goes on writing: its timeline follows, and lies outside the bundle."""
    document, beside = bundle / "session.json", bundle / "session.new"
    here = document.read_text()
    beside.write_text(json.dumps({**json.loads(here), "boot_id": "another machine's"}))
    beside.rename(document)
    start = time.monotonic()
    while (first := server.json(f"/api/timeline/{bundle.name}/tracks"))["growing"]:  # listed again within a second
        assert time.monotonic() - start < 20
        time.sleep(0.1)
    while int(server.json(f"/api/timeline/{bundle.name}/tracks")["end_ns"]) == int(first["end_ns"]):
        assert time.monotonic() - start < 90, "its timeline stays as it was first seen"
        time.sleep(0.5)
    assert not list(bundle.glob("report/timeline*")) and list(cache.glob("timelines/*.index"))
    beside.write_text(here)
    beside.rename(document)


def live(aaco, folder):
    record_run(aaco, folder)
    with Dashboard(aaco, folder / "sessions", environment={**os.environ, "AACO_CACHE": str(folder / "cache")}) as server:
        command = [aaco, "run", "--model", "chain-tiny", "--param", "nodes=200", *RUN, "--iterations", "20000000", "--processes", "1", "--sessions", "sessions"]
        run = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        connection = server.connection()
        connection.request("GET", "/api/live", headers={"Authorization": f"Bearer {server.token}"})
        stream = connection.getresponse()
        assert stream.getheader("Content-Type") == "text/event-stream"
        seen = []
        for event in told_of_sessions(stream, 60):
            if event["progress"]["iterations"] > 0:
                seen.append((time.monotonic(), event))
            if len(seen) == 3:
                break
        assert len(seen) == 3, seen
        counts = [event["progress"]["iterations"] for _, event in seen]
        assert counts[0] < counts[1] < counts[2] and seen[2][0] - seen[0][0] > 0.75, (counts, seen[2][0] - seen[0][0])
        assert seen[2][1]["state"] == "running" and len(seen[2][1]["series"][0]["y"]) > 100
        running = seen[2][1]["name"]
        asked_ns = time.monotonic_ns()
        first = server.json(f"/api/timeline/{running}/tracks")
        behind_ms = (asked_ns - int(first["end_ns"])) / 1e6
        track = next(track["id"] for track in first["tracks"] if track["name"] == "iterations")
        sums = server.json(f"/api/timeline/{running}/statistics?tracks={track}")["rows"]
        assert first["growing"] and first["events"] > 100 and sum(row["count"] for row in sums) == first["tracks"][track]["events"], first
        assert server.ask(f"/api/timeline/{running}/view?width=100")[0] == 200 and server.json(f"/api/timeline/{running}/event/0")["name"].startswith("iteration ")
        time.sleep(1.1)
        assert int(server.json(f"/api/timeline/{running}/tracks")["end_ns"]) > int(first["end_ns"])
        assert not list(next((folder / "sessions").glob(f"*/{running}")).glob("report/timeline*")) and not list((folder / "cache").rglob("growing*"))
        bundle = next((folder / "sessions").glob(f"*/{running}"))
        on_another_machine(server, bundle, folder / "cache")
        for state in ("incomplete", "running"):  # its process could not be seen, and then it could
            assert next((event for event in told_of_sessions(stream, 60) if event["state"] == state), None), state
        run.send_signal(signal.SIGKILL)
        run.wait()
        start = time.monotonic()
        while [session["state"] for session in server.json("/api/sessions")["sessions"] if session["name"] == running] != ["incomplete"]:
            assert time.monotonic() - start < 20, "it was killed"
            time.sleep(0.2)
        last = next((event for event in told_of_sessions(stream, 20) if event["state"] != "running"), None)
        assert last and last["name"] == running and last["state"] == "incomplete" and last["progress"]["iterations"] >= counts[2], last
        assert server.json(f"/api/session/{running}/report")["sections"]
        connection.close()
    print(f"live: {counts[2]} iterations seen of a run that was then killed; its timeline was {behind_ms:.0f} ms behind")


def export(aaco, folder):
    """The bytes of `aaco trace export`, streamed; nothing of them stays on the disk."""
    name = import_trace(aaco, folder, events=40_000)
    (folder / "temporary").mkdir()
    with Dashboard(aaco, folder / "sessions", environment={**os.environ, "TMPDIR": str(folder / "temporary")}) as server:
        formats = server.json("/api/about")["exports"]
        assert formats == ["chrome", "perfetto"], formats
        for form in formats:
            told = folder / f"told.{form}"
            subprocess.run([aaco, "trace", "export", next((folder / "sessions").glob(f"*/{name}")), "--format", form, "--output", told], cwd=folder, check=True, capture_output=True)
            before = server.resident_bytes()
            status, headers, body = server.ask(f"/api/timeline/{name}/export?format={form}")
            assert status == 200 and body == told.read_bytes(), (status, len(body), told.stat().st_size)
            assert len(body) > 1_000_000 and server.resident_bytes() - before < 8_000_000, "it is streamed"
            assert headers["Content-Disposition"].startswith(f'attachment; filename="{name}.') and headers["Aaco-Left-Out"] == "0", headers
            assert not list((folder / "temporary").iterdir()), "the file is removed"
        for bad in ("", "?format=xlsx", "?format=../x"):
            server.json(f"/api/timeline/{name}/export{bad}", 400)
        server.json("/api/timeline/none/export?format=perfetto", 404)
    print(f"export: {formats}, {len(body)} bytes as the command writes them")


def robust(aaco, folder):
    name = import_trace(aaco, folder)
    gone = import_trace(aaco, folder, seed=2)
    with Dashboard(aaco, folder / "sessions") as server:
        server.json(f"/api/timeline/{gone}/tracks")
        half_open = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(100)]
        slow = []
        for _ in range(50):
            reader = socket.create_connection(("127.0.0.1", server.port))
            reader.sendall(f"GET /api/session/{name}/report HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\n\r\n".encode())
            slow.append(reader)
        start = time.monotonic()
        assert server.json("/api/about")["sessions"] == 2
        waited = time.monotonic() - start
        numbers = random.Random(4)
        connection = server.connection()
        for _ in range(3000):
            path = "/api/" + "".join(numbers.choice(["session/", "timeline/", name, "/view", "?from=", "%2e%2e/", "..", "//", "%00", "%", "&to=9", "\x7f", "1e99", "-1"])
                                     for _ in range(numbers.randint(1, 6)))
            try:
                status = server.ask(path.replace("\x7f", "%7f"), connection=connection)[0]
                assert status < 500 or status == 503, (path, status)
            except (ConnectionError, OSError):
                connection = server.connection()
        for _ in range(300):
            body = bytes(numbers.randrange(256) for _ in range(numbers.randint(0, 40)))
            status = server.ask("/api/sql", method="POST", body=body, connection=connection)[0]
            assert status == 400, (body, status)
        for opened in half_open + slow:
            opened.close()
        shutil.rmtree(next((folder / "sessions").glob(f"*/{gone}")))
        for path in ("tracks", "view?width=100", "gaps"):
            assert server.ask(f"/api/timeline/{gone}/{path}")[0] == 404, path
        assert server.json(f"/api/timeline/{name}/tracks")["tracks"]
        shutil.rmtree(folder / "sessions")
        start = time.monotonic()
        while server.ask("/api/sessions")[0] != 400:  # listed again within a second
            assert time.monotonic() - start < 20
            time.sleep(0.1)
        assert server.ask("/")[0] == 200
    print(f"robust: an answer after {waited * 1e3:.0f} ms beside 150 that say or read nothing")


def mcp(aaco, folder):
    record_run(aaco, folder)
    trace = import_trace(aaco, folder)
    run = subprocess.Popen([aaco, "mcp", "--sessions", folder / "sessions"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    number = 0

    def ask(method, **parameters):
        nonlocal number
        number += 1
        run.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}) + "\n")
        run.stdin.flush()
        line = run.stdout.readline()
        assert len(line) < 200_000
        answer = json.loads(line)
        assert answer["id"] == number
        return answer

    def call(tool, **arguments):
        result = ask("tools/call", name=tool, arguments=arguments)["result"]
        assert not result["isError"], result
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        return result["structuredContent"]

    assert ask("initialize", protocolVersion="2025-03-26", capabilities={}, clientInfo={"name": "t", "version": "1"})["result"]["protocolVersion"] == "2025-03-26"
    run.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    tools = ask("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in tools] == ["list_sessions", "summary", "offenders", "diff", "sql"]
    assert call("list_sessions")["sessions"][0]["name"] == trace and len(call("list_sessions", kind="run")["sessions"]) == 1
    subprocess.run([aaco, "sessions", "tag", trace, "--add", "nightly", "--sessions", folder / "sessions"], check=True, capture_output=True)
    time.sleep(1.1)  # listed again within a second
    assert [session["tags"] for session in call("list_sessions", tag="nightly")["sessions"]] == [["nightly"]] and not call("list_sessions", tag="nigh")["sessions"]
    assert call("summary", session="latest")["headline"]["figure"]
    assert call("offenders", session=trace)["offenders"]
    assert call("diff", before=trace, after=trace)["document"]
    assert call("sql", session=trace, statement="SELECT count(*) AS n FROM events", limit=5)["rows"][0][0] > EVENTS - 10
    large = call("sql", session=trace, statement="SELECT * FROM events", limit=1000)
    assert large["truncated"] and len(json.dumps(large)) < 60_000
    assert ask("tools/call", name="sql", arguments={"session": trace, "statement": "SELECT * FROM read_csv('/etc/passwd')"})["result"]["isError"]
    assert ask("tools/call", name="sql", arguments={"session": "../..", "statement": "SELECT 1"})["result"]["isError"]
    assert ask("tools/call", name="none")["result"]["isError"] and ask("none")["error"]["code"] == -32601
    for limit in (-1, "5", 1.5):
        assert "limit" in ask("tools/call", name="sql", arguments={"session": trace, "statement": "SELECT 1", "limit": limit})["result"]["content"][0]["text"]
    assert call("sql", session=trace, statement="SELECT * FROM events", limit=10**18)["truncated"]
    run.stdin.write("no json\n" + "x" * (20 << 20) + "\n")
    run.stdin.flush()
    assert [json.loads(run.stdout.readline())["error"]["code"] for _ in range(2)] == [-32700, -32600]
    peak = int(re.search(r"VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{run.pid}/status").read_text()).group(1))
    assert peak < 64 << 10, peak  # nothing of a line of 20 MiB is kept
    assert call("list_sessions")["sessions"]
    run.stdin.close()
    assert run.wait(timeout=30) == 0, run.stderr.read()
    print("mcp: five tools, answers of bounded size")


def documented(aaco, folder, source):
    """Each path of docs/serve.md answers, and each figure that it names is the one of the code."""
    page = (source / "docs" / "serve.md").read_text()
    rows = re.findall(r"^\| `(GET|POST|DELETE) (/api\S*?)` \| ", page, re.M)
    assert len(rows) == 18, rows
    name = import_trace(aaco, folder)
    with Dashboard(aaco, folder / "sessions", "--history", str(folder / "history")) as server:
        assert "guard record" in server.json("/api/series", 404)["hint"]
        subprocess.run([aaco, "guard", "record", "--value", "latency=1ms,2ms,3ms", "--subject", "thing", "--history", folder / "history"], check=True, capture_output=True)
        for method, path in rows:
            for word, value in {"NAME": name, "from=NS": "from=0", "to=NS": "to=9999", "PIXELS": "9", "ROW": "1", "TEXT": "mm", "FORMAT": "perfetto"}.items():
                path = path.replace(word, value)
            if path == "/api/live":
                connection = server.connection()
                connection.request("GET", path, headers={"Authorization": f"Bearer {server.token}"})
                assert connection.getresponse().status == 200
                connection.close()
                continue
            body = json.dumps({"session": name, "statement": "SELECT 1"}) if method == "POST" else None
            status, _, answer = server.ask(path, method=method, body=body)
            assert status == (404 if method == "DELETE" else 200), (method, path, status, answer[:300])
            assert b"there is nothing" not in answer, path
    help_text = subprocess.run([aaco, "serve", "--help"], capture_output=True, text=True, check=True).stdout
    for flag in set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page)) - {"--format", "--tag", "--timeout"}:
        assert flag in help_text, flag
    print(f"documented: {len(rows)} paths")


def main(aaco, source, *checks):
    for check in checks:
        with tempfile.TemporaryDirectory() as folder:
            more = [pathlib.Path(source)] if check == "documented" else []
            globals()[check](str(pathlib.Path(aaco).resolve()), pathlib.Path(folder), *more)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
