#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_dashboard.py ROOT AACO [--full] [--pictures FOLDER]: the pages of dashboard/dist in a headless Chromium, served by the stand-in, and
those of `aaco serve` from its own address: they show what the reports say, restore their state from the address, obey keys, draw each extreme, and axe-core finds no serious fault. --full
draws every kind of session, light and dark, at four widths."""
import base64
import json
import lzma
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request

import page_looks
import page_text
from picture import Picture

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "serve"))
import browser as browsers
import skipping
from dashboard_client import Dashboard

QUICK_REPORTS = ("run 1", "trace 1", "training 1")
BIG = "timeline/computed 10000000"
GOLDEN = "timeline/trace 1"


class Pages:
    """A browser at the stand-in's pages, and the problems that were seen."""

    def __init__(self, browser, address, root, token=""):
        self.browser, self.address, self.root, self.token, self.pictures, self.problems, self.checks = browser, address, root, token, None, [], 0

    def expect(self, holds, what):
        self.checks += 1
        if not holds:
            self.problems.append(what)

    def open(self, route, ready, parameters=""):
        """A fresh load; `ready`: a selector of what the page shows in the end."""
        self.browser.open("about:blank")
        self.browser.open(f"{self.address}#/{urllib.parse.quote(route)}{parameters}")
        self.expect(self.seen(ready), f"{route}{parameters}: no {ready}")

    def seen(self, selector):
        return self.browser.wait_for(f"document.querySelector({json.dumps(selector)}) !== null")

    def text(self, selector):
        return self.browser.value(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def count(self, selector):
        return self.browser.value(f"document.querySelectorAll({json.dumps(selector)}).length")

    def silent(self, where):
        self.expect(not self.browser.complaints, f"{where}: the console says {self.browser.complaints}")
        self.browser.complaints.clear()

    def answer(self, path):
        question = urllib.request.Request(self.address + "api/" + urllib.parse.quote(path, safe="/?&="), headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(question) as response:
            return json.load(response)

    def parameter(self, name):
        return self.browser.value(f"new URLSearchParams(location.hash.split('?')[1] ?? '').get({json.dumps(name)})")


def check_sessions(pages):
    pages.open("sessions", "tbody tr")
    rows = pages.answer("sessions")["sessions"]
    pages.expect(pages.count("tbody tr") == len(rows), "sessions: not a row for each")
    shown = pages.text("tbody")
    for row in rows:
        for words in (row["name"], row["kind"], row["subject"], row["headline"] or "", row["state"]):
            pages.expect(" ".join(words.split()) in " ".join(shown.split()), f"sessions: {words!r} is not shown")
    unknown = sum(row["duration_s"] is None for row in rows)
    told = pages.browser.value("[...document.querySelectorAll('tbody td.n')].filter(cell => cell.innerText === 'unknown').length")
    pages.expect(told == unknown > 0, "sessions: a length that is not known is not called so")
    pages.browser.value("(box => { box.value = 'training_study'; box.dispatchEvent(new Event('input')) })(document.querySelector('input[type=search]'))")
    wanted = sum("training_study" in json.dumps(row) for row in rows)
    pages.expect(pages.count("tbody tr") == wanted > 0, "sessions: the search does not filter")
    pages.expect(pages.parameter("q") == "training_study", "sessions: the address does not keep the search")
    pages.browser.value("document.querySelectorAll('tbody input').forEach(box => box.click())")
    target = pages.browser.value("document.querySelector('a.button[href*=diff]')?.hash ?? ''")
    pages.expect("training_study" in target, "sessions: two that are chosen cannot be compared")
    pages.open("sessions", "tbody tr", "?q=training_study")
    pages.expect(pages.count("tbody tr") == wanted, "sessions: the address does not restore the search")
    tagged = sum("nightly" in row["tags"] for row in rows)
    pages.open("sessions", "tbody tr", "?tag=nightly")
    pages.expect(pages.count("tbody tr") == tagged > 0, "sessions: a tag does not filter")
    pages.expect(pages.text("tbody tr td:last-child") == "<i>odd</i>, nightly" and pages.count("tbody i") == 0, "sessions: a tag is no text")
    pages.open("sessions", "tbody tr", "?q=NIGHTLY")
    pages.expect(pages.count("tbody tr") == tagged, "sessions: the search finds no tags")
    pages.silent("sessions")


def check_report(pages, name):
    """The same words and numbers as the report's own page (written by the program), and as its JSON."""
    pages.open(f"session/{name}", ".report section")
    report = pages.answer(f"session/{name}/report")
    pages.browser.value("document.querySelectorAll('details').forEach(fold => { fold.open = true })")
    pages.expect(pages.browser.wait_for("[...document.querySelectorAll('details')].every(fold => fold.childElementCount > 1)"), f"{name}: a fold stays empty")
    pages.browser.value("document.querySelectorAll('.table .more:not([hidden])').forEach(more => more.click())")
    headline = report["headline"]
    pages.expect(headline is None or pages.text(".headline .answer") == headline["figure"], f"{name}: the answer is not first")
    pages.expect(pages.count(".report section") == len(report["sections"]), f"{name}: sections are missing")
    shown = pages.browser.value(page_text.READ_TABLES)
    wanted = list(page_text.tables_of(report))
    pages.expect(len(shown) == len(wanted), f"{name}: {len(shown)} tables, the report has {len(wanted)}")
    for table, rows in zip(wanted, shown):
        for problem in page_text.differences(table, rows):
            pages.expect(False, f"{name}, table {table['title']!r}: {problem}")
        pages.checks += 1
    kind, number = name.split()
    for page in (pages.root / "tests/golden/cases" / kind).glob(f"report-session-{number}.file-*.html.xz"):
        missing = page_text.missing_cells(lzma.decompress(page.read_bytes()).decode(), shown)
        pages.expect(not missing, f"{name}: cells of the program's own page are not shown: {missing[:5]}")
    plots = [block for block in page_text.blocks_of(report) if block["kind"] == "plot"]
    drawn = pages.browser.value("[...document.querySelectorAll('figure')].filter(f => f.querySelector('canvas, .empty')).length")
    pages.expect(drawn == len(plots), f"{name}: {drawn} of {len(plots)} charts are drawn")
    pages.silent(name)


def check_tags(pages):
    """A session's page has the tags that the list has; each leads to those that have it too."""
    rows = [row for row in pages.answer("sessions")["sessions"] if not row["subject"].startswith("a computed trace")]
    for row in (next(row for row in rows if row["tags"]), next(row for row in rows if not row["tags"])):
        pages.open(f"session/{row['name']}", ".report section")
        shown = pages.browser.value("[...document.querySelectorAll('.title .tag')].map(tag => [tag.innerText, tag.hash])")
        wanted = [[tag, "#/sessions?" + urllib.parse.urlencode({"tag": tag})] for tag in row["tags"]]
        pages.expect(shown == wanted, f"{row['name']}: its tags are {wanted}, and the page shows {shown}")
    pages.silent("tags")


def check_sorting(pages):
    pages.open("session/trace 1", "#section-kernels table")
    column = "document.querySelectorAll('#section-kernels th').length - 1"
    pages.browser.value(f"document.querySelectorAll('#section-kernels th .sorter')[{column}].click()")
    order = pages.browser.value(f"document.querySelectorAll('#section-kernels th')[{column}].getAttribute('aria-sort')")
    values = pages.browser.value("[...document.querySelectorAll('#section-kernels tbody tr')].map(row => row.lastElementChild.innerText)")
    numbers = [page_text.number_of(value) for value in values]
    pages.expect(order == "descending" and numbers == sorted(numbers, reverse=True) and len(set(numbers)) > 2, f"a table does not sort: {values}")


def plot_box(pages):
    return pages.browser.value("(box => [box.left, box.top, box.width])(document.querySelector('.tl-plot').getBoundingClientRect())")


def check_extremes(pages, painter):
    """One event of 300 ns in 250 ms, and one high sample of a counter, are drawn: each is a pixel among 1,000."""
    pages.open(BIG, ".timeline:not([data-loading]) .tl-track", f"?painter={painter}")
    pages.browser.wait_for("document.querySelector('.timeline').dataset.painter !== undefined")
    pages.expect(pages.browser.value("document.querySelector('.timeline').dataset.painter") == painter, f"{painter}: not what draws")
    left, top, width = plot_box(pages)

    def picture():
        data = pages.browser.ask("Page.captureScreenshot", clip={"x": left, "y": top, "width": width, "height": 110, "scale": 1})["data"]
        return Picture(base64.b64decode(data))

    def tops(name):
        return pages.browser.value(f"(row => [parseFloat(row.style.top), parseFloat(row.style.height)])([...document.querySelectorAll('.tl-track')].find(row => row.firstChild.data === '{name}'))")

    spike_top, _ = tops("spike alone")
    power_top, power_height = tops("power")
    for _ in range(100):
        shot = picture()
        spike = shot.columns_unlike_ground(int(spike_top) + 6)
        high = shot.columns_unlike_ground(int(power_top) + 6)
        if spike and high:
            break
    grid = {x for x in shot.columns_unlike_ground(int(spike_top) - 3)}
    pages.expect(1 <= len([x for x in spike if x not in grid]) <= 3, f"{painter}: the lone event is drawn in columns {spike}")
    pages.expect(1 <= len([x for x in high if x not in grid]) <= 3, f"{painter}: the counter's one high sample is drawn in columns {high}")
    pages.expect(any(abs(x - width / 2) < 3 for x in spike), f"{painter}: the lone event is not in the middle: {spike} of {width}")
    pages.expect(any(abs(x - width / 4) < 3 for x in high), f"{painter}: the high sample is not at a quarter: {high} of {width}")
    pages.expect(len(shot.columns_unlike_ground(int(power_top + power_height) - 4)) > width * 0.95, f"{painter}: the counter's area is not drawn")
    pages.silent(f"{BIG} with {painter}")


def plot_bytes(pages):
    """The picture of the tracks, each in its place whatever lies above them."""
    left, top, width = plot_box(pages)
    return pages.browser.ask("Page.captureScreenshot", clip={"x": left, "y": top, "width": width, "height": 300, "scale": 1})["data"]


def check_timeline(pages):
    pages.open(GOLDEN, ".timeline:not([data-loading]) .tl-track")
    tracks = [track for track in pages.answer(GOLDEN + "/tracks")["tracks"] if track["events"] > 0]
    pages.expect(pages.count(".tl-track") == len(tracks), "timeline: a track is missing")
    pages.expect(pages.count(".tl-causes span") > 0, "timeline: no causes of idle time in the legend")
    browser = pages.browser
    browser.wait_for("new URLSearchParams(location.hash.split('?')[1]).has('from')")
    span = lambda: float(pages.parameter("to") or 0) - float(pages.parameter("from") or 0)  # noqa: E731
    before, start = span(), float(pages.parameter("from"))
    browser.press("w")
    pages.expect(browser.wait_for(f"(p => p.get('to') - p.get('from') < {before * 0.9})(new URLSearchParams(location.hash.split('?')[1]))"), "timeline: w does not zoom in")
    start = float(pages.parameter("from"))
    browser.press("d")
    pages.expect(browser.wait_for(f"new URLSearchParams(location.hash.split('?')[1]).get('from') > {start + 1}"), "timeline: d does not pan")
    browser.press("?")
    pages.expect(browser.value("document.querySelector('dialog').open"), "timeline: ? shows no help")
    browser.press("Escape")
    browser.value("document.querySelector('dialog').close()")
    browser.press("/")
    pages.expect(browser.value("document.activeElement.type") == "search", "timeline: / does not go to the search")
    browser.value("document.activeElement.value = 'nccl'")
    browser.press("Enter")
    found = pages.answer(GOLDEN + "/search?q=nccl")
    pages.expect(pages.seen(".tl-panel tbody tr") and pages.count(".tl-panel tbody tr") == found["total"] > 0, "timeline: the search does not list its matches")
    browser.value("document.querySelector('.tl-panel tbody button').click()")
    pages.expect(pages.seen(".tl-event") and pages.text(".tl-event") == found["matches"][0]["name"], "timeline: a match does not show its event")
    pages.expect(pages.parameter("event") == str(found["matches"][0]["event"]), "timeline: the address does not keep the event")
    address = browser.value("location.hash")
    browser.value("document.activeElement.blur()")
    browser.press("m")
    pages.expect(browser.wait_for("document.querySelector('.tl-panel h2').innerText.startsWith('Selection')"), "timeline: m marks nothing")
    left, top, width = plot_box(pages)
    browser.drag(left + width * 0.2, top + 60, left + width * 0.6, top + 60)
    pages.expect(browser.wait_for("document.querySelectorAll('.tl-panel .table').length === 2"), "timeline: a drag shows no statistics")
    low, high = (float(end) for end in pages.parameter("range").split(".."))
    wanted = pages.answer(f"{GOLDEN}/statistics?from={1000000 + round(low)}&to={1000000 + round(high)}&tracks=")["rows"]
    pages.expect(f"Events by name" in pages.text(".tl-panel") and wanted[0]["name"] in pages.text(".tl-panel"), "timeline: the statistics are of something else")
    browser.press("g")
    pages.expect(browser.wait_for("document.querySelector('.tl-panel h2').innerText.startsWith('Gap 1')"), "timeline: g does not go to the worst gap")
    browser.press("Escape")
    pages.expect(browser.value("document.querySelector('.tl-panel').hidden"), "timeline: Escape closes nothing")
    browser.open("about:blank")
    browser.open(pages.address + address)
    pages.expect(pages.seen(".tl-event") and pages.text(".tl-event") == found["matches"][0]["name"], "timeline: the address does not restore the event")
    pages.silent("timeline")
    browser.value("window.ask = window.fetch; window.fetch = async (path, options) => { const answer = await window.ask(path, options); "
                  "return String(path).includes('/event/') ? Response.json({...await answer.json(), duration_ns: null}) : answer; }")
    browser.value("document.querySelector('input[type=search]').focus()")
    browser.press("Enter")
    pages.expect(browser.wait_for("[...document.querySelectorAll('.tl-panel dd')].some(each => each.innerText === 'unknown')"), f"timeline: a duration that is not known: {pages.text('.tl-panel')}")
    pages.expect("0 ns" not in pages.text(".tl-panel dl"), "timeline: a duration that is not known is called 0")


def check_path(pages):
    """The key c shows and hides the critical path; the address keeps it."""
    pages.open(GOLDEN, ".timeline:not([data-loading]) .tl-track")
    pages.seen(".tl-causes span")
    plain = plot_bytes(pages)
    pages.browser.press("c")
    pages.expect(pages.seen(".tl-path p strong"), "critical path: c shows none")
    pages.expect(re.match(r"critical path of 2 ranks: \S+ \S+ of \S+ \S+, mostly \w+", pages.text(".tl-path")) is not None, f"critical path: {pages.text('.tl-path')}")
    pages.expect(pages.browser.wait_for("new URLSearchParams(location.hash.split('?')[1]).get('path') === '1'"), "critical path: not in the address")
    pages.expect(plot_bytes(pages) != plain, "critical path: nothing is drawn")
    page_looks.check_axe(pages, "critical path")
    pages.browser.press("c")
    pages.expect(pages.browser.value("document.querySelector('.tl-path').hidden"), "critical path: c does not hide it")
    pages.open(GOLDEN, ".tl-path p strong", "?path=1")
    pages.open(BIG, ".tl-path p", "?path=1")
    pages.expect(pages.browser.wait_for("document.querySelector('.tl-path').innerText.includes('no work of a device')"), f"critical path: of none: {pages.text('.tl-path')}")
    pages.silent("critical path")


def check_others(pages):
    pages.open("diff/trace 1/trace 2", ".report section")
    pages.expect(pages.seen(".stacked .timeline") and pages.browser.wait_for("document.querySelectorAll('.stacked .tl-track').length > 10"), "diff: no timelines")
    pages.expect(pages.count(".stacked .timeline") == 2, "diff: not two timelines")
    pages.open("sql/run 1", "tbody tr", "?statement=select+1")
    pages.expect(pages.count("tbody tr") == 20 and "null" in pages.text("tbody"), "SQL: the rows are not shown")
    pages.open("live", ".card")
    pages.expect("of 400 iterations" in pages.text(".card") and pages.browser.wait_for("document.querySelectorAll('.card canvas').length === 2"), "live: no progress or no charts")
    pages.silent("diff, SQL and live")
    pages.open("sql/run 1", "[role=alert]", "?statement=drop+table+events")
    pages.expect("syntax error" in pages.text("[role=alert]"), "SQL: an error is not shown")
    pages.browser.complaints.clear()  # the answer 400, which Chromium logs


def check_states(pages):
    for mode, selector, words in (("empty", ".empty", "aaco run"), ("broken", "[role=alert]", "Permission denied"), ("slow", "[role=status]", "Loading")):
        pages.browser.ask("Network.setCookie", name="stand_in", value=mode, url=pages.address)
        pages.open("sessions", f"main {selector}")
        pages.expect(words in pages.text("main"), f"{mode}: the page says {pages.text('main')!r}")
    pages.browser.ask("Network.clearBrowserCookies")
    pages.open("session/no such", "[role=alert]")
    pages.expect("aaco sessions list" in pages.text("[role=alert]"), "an error has no hint")
    pages.browser.complaints.clear()  # answers 404 and 500, which Chromium logs


ROUTES = [("sessions", "tbody tr"), ("session/run 1", ".report canvas"), (GOLDEN, ".timeline:not([data-loading]) .tl-track"),
          ("diff/trace 1/trace 2", ".stacked .tl-track"), ("sql/run 1", ".chips button"), ("live", ".card canvas")]
DARK_TOO = ("sessions", "session/run 1", GOLDEN)


def check_looks(pages, full):
    """No page is wider than the window; axe-core finds nothing serious."""
    for route, ready in ROUTES:
        for scheme in ("light", "dark") if full or route in DARK_TOO else ("light",):
            pages.browser.medium("screen", scheme)
            pages.open(route, ready)
            page_looks.check_fit(pages, route, scheme, page_looks.WIDTHS if pages.pictures or scheme == "light" else (1280,))
            page_looks.check_axe(pages, f"{route}, {scheme}")
            pages.silent(f"{route}, {scheme}")
    pages.browser.medium("screen", "light")


def unpack(root, kinds, folder):
    """Recorded sessions, as check_golden.py unpacks them."""
    for kind in kinds:
        for session in (root / "tests/golden/sessions" / kind).glob("*/*/session.json"):
            copy = folder / session.parent.relative_to(root / "tests/golden/sessions" / kind)
            shutil.copytree(session.parent, copy, symlinks=True)
            for packed in copy.rglob("*.xz"):
                packed.with_suffix("").write_bytes(lzma.decompress(packed.read_bytes()))
                packed.unlink()


def check_served(browser, root, aaco, folder):
    """The same pages, from the program: the address that it prints, reports, a timeline, SQL, a comparison."""
    unpack(root, ("trace", "run"), folder)
    with Dashboard(aaco, folder) as server:
        pages = Pages(browser, server.url.split("?")[0], root, server.token)
        browser.open("about:blank")
        browser.open(server.url)
        rows = pages.answer("sessions")["sessions"]
        pages.expect(browser.wait_for(f"document.querySelectorAll('tbody tr').length === {len(rows)}"), "served: the printed address does not list the sessions")
        traces = sorted(row["name"] for row in rows if row["kind"] == "trace")
        counts = lambda name: any(track["type"] == "counter" for track in pages.answer(f"timeline/{name}/tracks")["tracks"])  # noqa: E731
        run = next(row["name"] for row in rows if row["kind"] == "run" and counts(row["name"]))
        for name in (run, traces[0]):
            pages.open(f"session/{name}", ".report section")
            said = json.loads(subprocess.run([aaco, "report", "--session", name, "--sessions", folder, "--format", "json"], capture_output=True, check=True).stdout)
            pages.expect(pages.text(".headline .answer") == said["headline"]["figure"], f"served: {name} answers something else")
            pages.expect(pages.count(".report section") == len(said["sections"]), f"served: {name} has other sections")
        name = next(each for each in traces if "rank" in json.dumps(pages.answer(f"session/{each}/report")["title"]))
        tracks = [track for track in pages.answer(f"timeline/{name}/tracks")["tracks"] if track["events"] > 0]
        pages.open(f"timeline/{name}", ".tl-causes span")
        pages.expect(pages.count(".tl-track") == len(tracks), "served: a track is missing")
        pages.expect(browser.wait_for("document.querySelector('.timeline:not([data-loading])') !== null") and pages.text(".tl-state") == "", "served: no view of the timeline")
        pages.open(f"timeline/{run}", ".tl-track small")
        pages.expect(pages.count(".tl-track small") > 3, "served: counters are not drawn as such")
        pages.open(f"sql/{name}", "tbody tr", "?statement=select+count(*)+from+events")
        pages.open(f"diff/{traces[0]}/{traces[1]}", ".report section")
        pages.open("live", ".empty")
        pages.silent("served")
    return pages


def all_reports(root):
    for path in sorted((root / "tests/golden/cases").glob("*/report-session-*-format-json.stdout.xz")):
        yield f"{path.parent.name} {path.name.split('-')[2]}"


def main():
    root, aaco = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    full = "--full" in sys.argv
    pictures = pathlib.Path(sys.argv[sys.argv.index("--pictures") + 1]) if "--pictures" in sys.argv else None
    program, node = browsers.program(), shutil.which("node")
    if program is None:
        skipping.skip("no Chromium here")
    if node is None:
        skipping.skip("no node here")
    if not (root / "dashboard/node_modules/axe-core").exists():
        skipping.skip("no packages of the dashboard here (scripts/dashboard installs them)")
    server = subprocess.Popen([node, str(root / "tests/dashboard/stand_in_server.mjs"), "0"], stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().strip()
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # the browser's children may still write
            browser = browsers.Browser(program, pathlib.Path(folder))
            browser.size(1280)
            pages = Pages(browser, address, root)
            pages.pictures = pictures
            try:
                check_sessions(pages)
                for name in all_reports(root) if full else QUICK_REPORTS:
                    check_report(pages, name)
                check_tags(pages)
                check_sorting(pages)
                for painter in ("webgl", "canvas"):
                    check_extremes(pages, painter)
                check_timeline(pages)
                check_path(pages)
                check_others(pages)
                check_states(pages)
                check_looks(pages, full)
                served = check_served(browser, root, aaco, pathlib.Path(folder) / "sessions")
            finally:
                browser.end()
    finally:
        server.terminate()
        server.wait()
    problems = pages.problems + served.problems
    for problem in problems:
        print(problem)
    print(f"{pages.checks + served.checks} checks, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
