#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_served_pages.py ROOT AACO [--pictures FOLDER]: pages of `aaco serve` that need the program's own answers: the hand-over of a trace to another page,
comparisons of several sessions, sweeps, ladder, overlap, and guard series. Each figure is the one of the program's JSON; axe-core finds no serious fault."""
import hashlib
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "serve"))
import browser as browsers
import page_text
import skipping
from check_dashboard import Pages, unpack
from dashboard_client import Dashboard
from page_looks import check_look

# What Perfetto's page does with messages: it answers PING, and takes {"perfetto": {"buffer", "title"}}.
VIEWER = b"""<!doctype html><title>viewer</title><script>
addEventListener('message', async (event) => {
  if (event.data === 'PING') { event.source.postMessage('PONG', event.origin); return; }
  const { buffer, title } = event.data.perfetto;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', buffer));
  const sha256 = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  await fetch('/received', { method: 'POST', body: JSON.stringify({ title, sha256, bytes: buffer.byteLength, origin: event.origin }) });
});
</script>"""


class Viewer:
    """A page of another origin that stands in for Perfetto's."""

    def __init__(self):
        viewer = self
        self.asked, self.received = 0, []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                viewer.asked += 1
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(VIEWER)

            def do_POST(self):
                viewer.received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def click(pages, text):
    """As a person does, so that the page may open a window."""
    found = f"[...document.querySelectorAll('button')].find(each => each.innerText === {json.dumps(text)})"
    pages.browser.ask("Runtime.evaluate", expression=f"{found}.click()", userGesture=True)


def check_perfetto(pages, server, trace):
    viewer = Viewer()
    pages.open(f"timeline/{trace}", ".timeline:not([data-loading]) .tl-track")
    pages.expect(pages.browser.wait_for("[...document.querySelectorAll('.tl-bar button')].some(each => each.innerText === 'Open in Perfetto' && !each.hidden)"), "perfetto: no button")
    click(pages, "Open in Perfetto")
    pages.expect("leaves this page" in pages.text("dialog[open]"), "perfetto: the dialog does not say what happens")
    pages.expect(pages.browser.value("document.querySelector('dialog[open] input').value") == "https://ui.perfetto.dev", "perfetto: another address than Perfetto's")
    pages.browser.value(f"document.querySelector('dialog[open] input').value = {json.dumps(viewer.address)}")
    pages.expect(viewer.asked == 0 and not viewer.received, "perfetto: something was sent before the click")
    click(pages, "Hand it over")
    pages.expect(pages.browser.wait_for("document.querySelector('dialog[open] [role=status]').innerText.startsWith('The other page has the trace')"), f"perfetto: {pages.text('dialog[open]')}")
    whole = server.ask(f"/api/timeline/{trace}/export?format=perfetto")[2]
    wanted = {"title": trace, "sha256": hashlib.sha256(whole).hexdigest(), "bytes": len(whole), "origin": pages.address.rstrip("/")}
    pages.browser.wait_for("new Promise(done => setTimeout(() => done(true), 300))")
    pages.expect(viewer.received == [wanted], f"perfetto: {viewer.received} in place of {wanted}")
    links = pages.browser.value("[...document.querySelectorAll('dialog[open] a')].map(link => link.getAttribute('href'))")
    pages.expect([server.ask(link)[0] for link in links] == [200, 200], f"perfetto: {links} are no downloads")
    pages.browser.ask("Page.bringToFront")  # the browser draws no page behind another
    check_look(pages, f"timeline/{trace}: dialog")
    pages.browser.value("document.querySelector('dialog[open] input').value = 'javascript:alert(1)'")
    click(pages, "Hand it over")
    pages.expect(pages.browser.wait_for("document.querySelector('dialog[open] [role=alert]') !== null") and len(viewer.received) == 1, "perfetto: an address that is none")
    pages.silent("perfetto")
    viewer.server.shutdown()


TABLE = """id => [...document.querySelectorAll(`#section-${id} tbody tr`)].map(row => [...row.cells].map(cell => cell.innerText.replaceAll('\\n', ' ').trim()))"""


def rows_of(pages, section):
    return pages.browser.value(f"({TABLE})({json.dumps(section)})")


def is_near(text, value, unit):
    """The first number of a cell, in the unit of the document."""
    number = page_text.number_of(" ".join(text.split()[:2]) if len(text.split()) > 1 and not text.split()[1].startswith("[") else text.split()[0], unit)
    return number is not None and abs(number - value) <= abs(value) * 6e-3


def charts(pages, where, count):
    drawn = pages.browser.wait_for(f"document.querySelectorAll('.report figure canvas').length === {count}", 5)
    pages.expect(drawn, f"{where}: {pages.count('.report figure canvas')} charts, not {count}")


def check_ladder(pages, sessions):
    name = sessions["training_study"][0]
    pages.open("ladder", ".report section")
    document, report = pages.answer(f"session/{name}/json"), pages.answer(f"session/{name}/report")
    pages.expect(pages.text(".headline .answer") == report["headline"]["figure"], "ladder: another answer")
    for wanted, row in zip(document["rows"], rows_of(pages, "versions"), strict=True):
        run = next(cell["run"] for cell in document["cells"] if cell["request"]["version"] == wanted["version"])
        pages.expect(row[0] == f"V{wanted['version']}", f"ladder: {row}")
        pages.expect(is_near(row[1], wanted["step_ns"]["value"], "ns"), f"ladder: step {row[1]}")
        pages.expect(row[4] == str(run["work"]["operations"]) and row[5] == "not recorded", f"ladder: {row[4:6]}")
        pages.expect(is_near(row[6], wanted["peak_bytes"], "B"), f"ladder: memory {row[6]}")
        pages.expect(is_near(row[7], run["roofline"]["step"]["of_roof"] * 100, "%"), f"ladder: {row[7]} of the roofline")
    charts(pages, "ladder", 5)
    check_look(pages, "ladder")


def check_sweeps(pages, sessions):
    name = sessions["queue_sweep"][0]
    pages.open(f"sweeps/{name}", ".report section")
    document = pages.answer(f"session/{name}/json")
    for wanted, point, row in zip(document["scaling"]["rows"], document["points"], rows_of(pages, "streams"), strict=True):
        pages.expect(row[0] == str(wanted["streams"]), f"sweeps: {row}")
        pages.expect(is_near(row[5], point["figures"]["latency"]["p50_ns"]["value"], "ns"), f"sweeps: median {row[5]}")
        pages.expect(is_near(row[4], wanted["efficiency"] * 100, "%"), f"sweeps: efficiency {row[4]}")
    charts(pages, "sweeps", 3)
    check_look(pages, "sweeps")


def check_overlap(pages, sessions):
    name = sessions["overlap"][0]
    pages.open(f"overlap/{name}", ".report section")
    ranks = pages.answer(f"session/{name}/json")["figures"]["ranks"]
    for wanted, row in zip(ranks, rows_of(pages, "exposed"), strict=True):
        pages.expect(is_near(row[3], wanted["mean"]["exposed_communication_ns"], "ns") and row[8] == str(wanted["last"]), f"overlap: {row}")
    budget = {part["name"]: part["value"] for part in pages.answer(f"session/{name}/report")["headline"]["budget"]}
    for part, member in (("computation", "computation_ns"), ("idle", "idle_ns")):
        mean = sum(rank["mean"][member] for rank in ranks) / len(ranks)
        pages.expect(abs(budget[part] - mean) <= 1e-6 * mean, f"overlap: {part} of a step is {budget[part]}, the mean over ranks {mean}")
    charts(pages, "overlap", 2)
    check_look(pages, "overlap")
    name = sessions["overlap_sweep"][0]
    pages.open(f"overlap/{name}", ".report section")
    told = next(block for section in pages.answer(f"session/{name}/report")["sections"] for block in section["blocks"] if block["kind"] == "table")
    for wanted, row in zip(told["rows"], rows_of(pages, "changes"), strict=True):
        pages.expect(row[0] == wanted[0]["value"] and is_near(row[1], wanted[1]["value"], "ns") and is_near(row[2], wanted[2]["value"], "ns"), f"overlap sweep: {row}")
    charts(pages, "overlap sweep", 2)


def check_compare(pages, sessions):
    """Three runs, the base of choice; a sweep beside them is not compared."""
    names = sorted(sessions["run"])[:3]
    pages.open("sessions", "tbody tr")
    for name in names:
        pages.browser.value(f"document.querySelector('input[aria-label=\"Compare {name}\"]').click()")
    pages.browser.value("document.querySelector('.filters a.button').click()")
    pages.expect(pages.seen(".report section") and pages.browser.value("location.hash") == "#/compare/" + "/".join(names), f"compare: {pages.browser.value('location.hash')}")
    changes = rows_of(pages, "changes")
    for name, row in zip(names[1:], changes, strict=True):
        told = pages.answer(f"diff?a={names[0]}&b={name}")["document"]
        pages.expect(row[0] == name and row[3] == told["verdict"] and row[4] == " ".join(told["reason"].split()), f"compare: {row}")
        pages.expect(told["ratio"] is None and row[2] == "not shown" or is_near(row[2], (told["ratio"] - 1) * 100, "%"), f"compare: {row[2]}, not {told['ratio']}")
    metrics = {name: {metric["title"]: metric for metric in pages.answer(f"session/{name}/report")["metrics"]} for name in names}
    pages.browser.value("document.querySelector('#section-figures .more').click()")
    figures = rows_of(pages, "figures")
    for title, *cells in figures[1:]:
        for name, cell in zip(names, cells, strict=True):
            metric = metrics[name].get(title)
            if metric is None or metric["value"] is None:
                pages.expect(metric is None or cell == metric["quality"], f"compare: {title}: {cell!r} for no value")
            elif metric["unit"] in ("ns", "%"):
                pages.expect(is_near(cell, metric["value"], metric["unit"]), f"compare: {title}: {cell!r}, not {metric['value']}")
    pages.expect(len(figures) > 10, f"compare: {len(figures)} figures")
    check_look(pages, "compare")
    click(pages, "as base")
    pages.expect(pages.browser.wait_for(f"location.hash.startsWith('#/compare/{names[1]}/{names[0]}/')"), "compare: another base cannot be chosen")
    pages.open(f"compare/{names[0]}/{sessions['queue_sweep'][0]}", ".report section")
    pages.expect(rows_of(pages, "changes")[0][3] == "not compared", "compare: a run and a sweep")
    queues = {pages.answer(f"session/{name}/json")["request"]["workload"]: name for name in sessions["queue"]}
    pages.open("compare/" + "/".join(list(queues.values())[:2]), ".report section")
    pages.expect([row[3] for row in rows_of(pages, "changes")] == ["not compared"], "compare: two workloads")
    pages.open("compare/" + "/".join(sorted(sessions["trace"])[:2]), ".report section")
    told = pages.answer("diff?a={}&b={}".format(*sorted(sessions["trace"])[:2]))["document"]["device"]
    row = rows_of(pages, "changes")[0]
    pages.expect(row[3] == "without a verdict" and is_near(row[2], 100 * (told["after"]["total_ns"] / told["before"]["total_ns"] - 1), "%"), f"compare: traces: {row}")
    pages.browser.complaints.clear()  # the answer 400, which Chromium logs


def check_units(pages, sessions):
    """Counters that the program samples have the units of its rows; a count has none."""
    named = lambda name: {track["name"]: track["unit"] for track in pages.answer(f"timeline/{name}/tracks")["tracks"] if track["type"] == "counter"}  # noqa: E731
    name, units = next((name, units) for name in sorted(sessions["run"]) if (units := named(name)))
    wanted = {"_pct": "%", "_mhz": "MHz", "_bytes": "bytes", "_ns": "ns"}
    known = [(track, unit, wanted[end]) for track, unit in units.items() for end in wanted if track.endswith(end)]
    pages.expect(known and all(unit == right for _, unit, right in known), f"units: {units}")
    pages.open(f"timeline/{name}", ".tl-track small")
    labels = pages.browser.value("Object.fromEntries([...document.querySelectorAll('.tl-track')].filter(row => row.querySelector('small')).map(row => [row.firstChild.data, row.querySelector('small').innerText]))")
    pages.expect(all(labels[track].endswith("B" if unit == "bytes" else f" {unit}") for track, unit, _ in known if track in labels and unit != "ns") and labels, f"units: {labels}")


def check_path(pages, aaco, sessions, traces):
    """The critical path is the one that the command reports, of the trace whose path has the most kinds."""
    reports = {trace: json.loads(subprocess.run([aaco, "trace", "report", next(sessions.glob(f"*/{trace}")), "--json"], capture_output=True).stdout)["critical_paths"] for trace in traces}
    trace = max(reports, key=lambda trace: len([ns for path in reports[trace] for ns in path["kinds"].values() if ns > 0]))
    told = reports[trace]
    answer = pages.answer(f"timeline/{trace}/critical-path")["paths"]
    pages.expect(len(answer) == len(told) > 0, f"critical path: {len(answer)}, the command has {len(told)}")
    for path, wanted in zip(answer, told):
        same = ("window_ns", "length_ns", "changes_of_rank", "inferred_waits")
        pages.expect({key: path[key] for key in same} == {key: wanted[key] for key in same}, f"critical path: {path} for {wanted}")
        pages.expect({f"{kind['kind']}_ns": kind["total_ns"] for kind in path["kinds"]} == wanted["kinds"], f"critical path: {path['kinds']} for {wanted['kinds']}")
        sums, columns = {}, path["segments"]
        for kind, duration in zip(columns["kind"], columns["duration"]):
            sums[path["kinds"][kind]["kind"]] = sums.get(path["kinds"][kind]["kind"], 0) + duration
        pages.expect(path["segments_ns"] == wanted["window_ns"] and all(sums.get(kind["kind"], 0) == kind["total_ns"] for kind in path["kinds"]), f"critical path: its segments have {sums}")
        for event, track in [(event, track) for event, track in zip(columns["event"], columns["track"]) if event is not None][:20]:
            pages.expect(pages.answer(f"timeline/{trace}/event/{event}")["track"] == track, f"critical path: event {event} lies on another track")
    pages.open(f"timeline/{trace}", ".tl-path strong", "?path=1")
    longest = max(answer[0]["kinds"], key=lambda kind: kind["total_ns"])["words"]
    shown = pages.text(".tl-path strong")
    length, window = shown.split(": ")[1].split(",")[0].split(" of ")
    pages.expect(is_near(length, told[0]["length_ns"], "ns") and is_near(window, told[0]["window_ns"], "ns") and f"mostly {longest}" in shown, f"critical path: {shown!r} for {told[0]}")


def check_guard(pages, aaco, history):
    pages.open("guard", ".empty")
    pages.expect("guard record" in pages.text(".empty"), "guard: no way to a first recording")
    pages.browser.complaints.clear()  # the answer 404, which Chromium logs
    for build in range(12):
        values = ",".join(f"{(100 if build < 6 else 112) + 0.1 * ((build * 7 + process) % 5):.1f}ms" for process in range(3))
        subprocess.run([aaco, "guard", "record", "--value", f"latency={values}", "--subject", "thing", "--commit", f"c{build:02}", "--history", history], check=True, capture_output=True)
    pages.open("guard", ".report section")
    told = json.loads(subprocess.run([aaco, "guard", "series", "--history", history, "--json"], check=True, capture_output=True).stdout)
    answer = pages.answer("series")["series"]
    pages.expect([{key: series[key] for key in ("series", "unit", "builds", "judged")} for series in answer] == [{key: series[key] for key in ("series", "unit", "builds", "judged")} for series in told], "guard: other series than the command's")
    for index, series in enumerate(told):
        rows = rows_of(pages, f"series-{index}")
        pages.expect(len(rows) == len(series["changes"]), f"guard: {rows}")
        for change, row in zip(series["changes"], rows):
            pages.expect(row[0] == change["build"][:12] and is_near(row[1], (change["ratio"] - 1) * 100, "%"), f"guard: {row}, not {change}")
    pages.expect(sum(len(series["changes"]) for series in told) == 1 and told[0]["changes"][0]["build"] == "c06", f"guard: {told}")
    pages.expect("1 change" in pages.text(".headline .answer"), f"guard: {pages.text('.headline .answer')}")
    charts(pages, "guard", len(told))
    check_look(pages, "guard")


def main():
    root, aaco = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    program = browsers.program()
    if program is None:
        skipping.skip("no Chromium here")
    if not (root / "dashboard/node_modules/axe-core").exists():
        skipping.skip("no packages of the dashboard here (scripts/dashboard installs them)")
    pictures = pathlib.Path(sys.argv[sys.argv.index("--pictures") + 1]) if "--pictures" in sys.argv else None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # the browser's children may still write
        sessions = pathlib.Path(folder) / "sessions"
        unpack(root, ("trace", "run", "queue_run", "training_study", "queue_sweep", "overlap_sweep"), sessions)
        browser = browsers.Browser(program, pathlib.Path(folder))
        browser.size(1280)
        try:
            history = pathlib.Path(folder) / "history"
            with Dashboard(aaco, sessions, "--history", str(history)) as server:
                pages = Pages(browser, server.url.split("?")[0], root, server.token)
                pages.pictures = pictures
                browser.open(server.url)
                recorded = {}
                for row in pages.answer("sessions")["sessions"]:
                    recorded.setdefault(row["kind"], []).append(row["name"])
                check_perfetto(pages, server, sorted(recorded["trace"])[0])
                for check in (check_ladder, check_sweeps, check_overlap, check_compare, check_units):
                    check(pages, recorded)
                    pages.silent(check.__name__)
                check_path(pages, aaco, sessions, sorted(recorded["trace"])[:4])
                check_guard(pages, aaco, history)
                pages.silent("guard")
        finally:
            browser.end()
    for problem in pages.problems:
        print(problem)
    print(f"{pages.checks} checks, {len(pages.problems)} problems")
    return 1 if pages.problems else 0


if __name__ == "__main__":
    sys.exit(main())
