#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a first hour meets, so that none of it can go unnoticed: --quick, --duration and seconds as --iterations measure what they say, --until
stops where it should, `aaco open` opens the page, roofs are not measured on a busy machine, a diff changes neither session, a workbook opens.
check_first_hour.py AACO [PART...]"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree
import zipfile

TINY = ["chain-tiny", "--threads", "1", "--quiet"]


class FirstHour:
    def __init__(self, aaco, folder):
        self.aaco, self.folder, self.failures = aaco, folder, []

    def call(self, *words, codes=(0,), **variables):
        done = subprocess.run([self.aaco, *map(str, words)], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, "AACO_CACHE": str(self.folder / "cache"), **variables})
        self.expect(done.returncode in codes, f"{' '.join(map(str, words))}: exit {done.returncode}: {done.stderr}")
        return done

    def json(self, *words, **more):
        return json.loads(self.call(*words, "--json", **more).stdout or "{}")

    def expect(self, holds, what):
        if not holds:
            self.failures.append(what)

    def session(self, file):
        return json.loads((self.folder / "sessions/latest" / file).read_text())

    def counts(self):
        """Processes that measured, and the iterations that each was asked for."""
        request = self.session("request.json")
        roles = [process["role"] for process in self.session("session.json")["facts"]["process_facts"]]
        return roles.count("measure"), request["iterations"]


def quick(first):
    first.call("run", *TINY, "--quick")
    first.expect(first.counts() == (3, "0.5s"), f"--quick: {first.counts()}")
    first.expect(first.session("session.json")["facts"]["roofs"] is None, "--quick measured roofs")
    first.expect(not list(first.folder.glob("cache/**/*roof*")), "--quick kept roofs")


def durations(first):
    first.call("run", *TINY, "--no-roofs", "--processes", "2", "--duration", "0.5")
    first.expect(first.counts() == (2, "0.25s"), f"--duration 0.5 over 2 processes: {first.counts()}")
    first.call("run", *TINY, "--no-roofs", "--processes", "1", "--iterations", "0.2s")
    by_time = first.session("metrics/inference_summary.json")
    took_s = by_time["mean_ms"] * by_time["iterations"] / 1e3
    first.expect(by_time["iterations"] > 10 and took_s >= 0.1, f"--iterations 0.2s: {by_time['iterations']} in {took_s} s")
    # Ten iterations of this take longer than a millisecond on any machine.
    said = first.call("run", "gemm", "--threads", "1", "--quiet", "--no-roofs", "--processes", "1", "--duration", "0.001").stdout
    first.expect("note: --duration asks for 1.000 ms of measuring" in said and "10 iterations a process are the fewest" in said,
                 f"what overrules --duration is not said: {said}")


def until(first):
    loose = first.json("run", *TINY, "--no-roofs", "--iterations", "20", "--until", "50", "--processes", "3")
    first.expect(loose["until"]["reached"] and loose["until"]["reach"] <= 0.5 and 3 <= loose["until"]["processes"] <= 200, f"{loose['until']}")
    first.expect(first.counts()[0] == loose["until"]["processes"] == first.session("request.json")["processes"], "processes of --until")
    text = first.call("report", "latest", "--format", "text").stdout
    first.expect(f"interval within 50 %: reached after {loose['until']['processes']} process" in text, text[:400])
    # No spread of processes is so small, and the time is over before a fourth process of 0.5 s.
    tight = first.json("run", *TINY, "--no-roofs", "--iterations", "0.5s", "--until", "0.1%", "--processes", "3", "--duration", "1")
    first.expect(not tight["until"]["reached"] and tight["until"]["processes"] <= 2, f"{tight['until']}")
    text = first.call("report", "latest", "--format", "text").stdout
    first.expect("interval within 0.1 %: not reached in 1 s" in text, text[:400])
    queue = first.json("queue", "run", "tiny_kernel_stress", "--device", "cpu:0", "--streams", "2", "--iterations", "5", "--quiet",
                       "--until", "50%", "--processes", "3")
    first.expect(len(queue["processes"]) == queue["until"]["processes"] == queue["request"]["processes"], "processes of queue run --until")
    for words in (["run", *TINY, "--until", "0"], ["run", *TINY, "--until", "2", "--processes", "2"], ["run", *TINY, "--until", "2", "--quick"],
                  ["queue", "run", "tiny_kernel_stress", "--until", "2", "--profile", "--device", "cpu:0"]):
        first.call(*words, codes=(2,))


def opened(first):
    first.call("run", *TINY, "--no-roofs", "--iterations", "5", "--processes", "1")
    browser = first.folder / "browser"
    browser.write_text("#!/bin/sh\nprintf '%s' \"$1\" > \"$0.part\" && mv \"$0.part\" \"$0.said\"\n")
    browser.chmod(0o755)
    page = first.call("open", BROWSER=str(browser)).stdout.strip()
    said = first.folder / "browser.said"
    for _ in range(200):
        if said.exists():
            break
        time.sleep(0.05)
    first.expect(said.exists() and pathlib.Path(said.read_text()).resolve() == (first.folder / page).resolve(), f"aaco open: {page} was not opened")


def busy(first):
    """Other programs hold every processor."""
    spinners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * len(os.sched_getaffinity(0)))]
    try:
        time.sleep(0.5)
        said = first.call("run", *TINY, "--iterations", "5", "--processes", "1")
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()
    first.expect("so this machine's roofs were not measured" in said.stdout, f"a busy machine's roofs: {said.stdout} {said.stderr}")
    first.expect(first.session("session.json")["facts"]["roofs"] is None, "roofs of a busy machine were taken")


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def diff(first):
    sessions = []
    for _ in range(2):
        first.call("run", *TINY, "--no-roofs", "--iterations", "5", "--processes", "3")
        sessions.append((first.folder / "sessions/latest").resolve())
    before = [contents(session) for session in sessions]
    for form in ("text", "json", "html"):
        first.call("diff", *sessions, "--format", form, codes=(0, 1, 4))
    first.expect([contents(session) for session in sessions] == before, "a diff changed a session")
    folder = first.folder / "sessions/comparisons" / "_to_".join(session.name for session in sessions)
    first.expect({"verdict.json", "diff.json", "baseline_ref.json", "diff.html"} <= {file.name for file in folder.iterdir()}, f"{folder}")
    first.expect("Verdict" not in first.call("report", sessions[1], "--format", "text").stdout, "the report of one side has the verdict")
    first.call("sessions", "verify", sessions[1])
    for name, session in zip("ab", sessions):
        first.call("report", session, "--format", "json", "--output", f"{name}.json")
    refused = first.call("diff", "a.json", "b.json", codes=(2,)).stderr
    first.expect("a report of session" in refused and f"aaco diff {sessions[0].name} {sessions[1].name}" in refused, refused)


EVENTS = [dict(ph="X", cat="kernel", name=f"gemm_{i % 2}<&>", pid=0, tid=7, ts=i * 10, dur=5, args=dict(device=0, stream=7, correlation=i))
          for i in range(4)]


def workbook(first):
    (first.folder / "trace.json").write_text(json.dumps(dict(traceEvents=EVENTS, schemaVersion=1)))
    first.call("trace", "export", "trace.json", "--format", "xlsx", "--output", "tables.xlsx")
    again = (first.folder / "tables.xlsx").read_bytes()
    first.call("trace", "export", "trace.json", "--format", "xlsx", "--output", "tables.xlsx", "--force")
    first.expect((first.folder / "tables.xlsx").read_bytes() == again, "the same trace makes another workbook")
    space = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
    with zipfile.ZipFile(first.folder / "tables.xlsx") as archive:
        first.expect(archive.testzip() is None, "a part of the workbook is damaged")
        parts = {name: xml.etree.ElementTree.fromstring(archive.read(name)) for name in archive.namelist()}
    names = [sheet.get("name") for sheet in parts["xl/workbook.xml"].iterfind(".//m:sheet", space)]
    numbers = [int(sheet.get("sheetId")) for sheet in parts["xl/workbook.xml"].iterfind(".//m:sheet", space)]
    first.expect(names[:2] == ["contents", "columns"] and "kernel_statistics" in names, f"sheets {names}")
    sheet = parts[f"xl/worksheets/sheet{numbers[names.index('kernel_statistics')]}.xml"]
    rows = [["".join(cell.itertext()) for cell in row] for row in sheet.iterfind(".//m:row", space)]
    first.expect(len(rows) == 3 and {"gemm_0<&>", "gemm_1<&>"} <= {text for row in rows for text in row}, f"kernel_statistics: {rows}")
    listed = {row[0]: row[2] for row in ([ "".join(cell.itertext()) for cell in row] for row in
              parts[f"xl/worksheets/sheet{numbers[0]}.xml"].iterfind(".//m:row", space))}
    first.expect(listed.get("kernel_statistics") == "2", f"contents: {listed}")
    try:
        import openpyxl
    except ImportError:
        return
    book = openpyxl.load_workbook(first.folder / "tables.xlsx")
    first.expect(book.sheetnames == names and book["kernel_statistics"].max_row == 3, "openpyxl reads another workbook")


PARTS = (quick, durations, until, opened, busy, diff, workbook)


def main():
    aaco, chosen = sys.argv[1], sys.argv[2:]
    failures = []
    for part in PARTS:
        if chosen and part.__name__ not in chosen:
            continue
        with tempfile.TemporaryDirectory() as folder:
            first = FirstHour(os.path.abspath(aaco), pathlib.Path(folder))
            part(first)
            failures += [f"{part.__name__}: {failure}" for failure in first.failures]
    print("\n".join(failures) or "all of it holds")
    return 1 if failures else 0


sys.exit(main())
