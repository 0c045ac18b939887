#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_served_pages.py ROOT AACO [--pictures FOLDER]: pages of `aaco serve` that need the program's own answers: the hand-over of a trace to another page,
comparisons of several sessions, sweeps, ladder, overlap, and guard series. Each figure is the one of the program's JSON; axe-core finds no serious fault."""
import hashlib
import http.server
import json
import pathlib
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "serve"))
import browser as browsers
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


def main():
    root, aaco = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    program = browsers.program()
    if program is None:
        skipping.skip("no Chromium here")
    if not (root / "dashboard/node_modules/axe-core").exists():
        skipping.skip("no packages of the dashboard here (scripts/dashboard installs them)")
    pictures = pathlib.Path(sys.argv[sys.argv.index("--pictures") + 1]) if "--pictures" in sys.argv else None
    with tempfile.TemporaryDirectory() as folder:
        sessions = pathlib.Path(folder) / "sessions"
        unpack(root, ("trace", "run", "training_study", "queue_sweep", "overlap_sweep"), sessions)
        browser = browsers.Browser(program, pathlib.Path(folder))
        browser.size(1280)
        try:
            with Dashboard(aaco, sessions) as server:
                pages = Pages(browser, server.url.split("?")[0], root, server.token)
                pages.pictures = pictures
                browser.open(server.url)
                traces = sorted(row["name"] for row in pages.answer("sessions")["sessions"] if row["kind"] == "trace")
                check_perfetto(pages, server, traces[0])
        finally:
            browser.end()
    for problem in pages.problems:
        print(problem)
    print(f"{pages.checks} checks, {len(pages.problems)} problems")
    return 1 if pages.problems else 0


if __name__ == "__main__":
    sys.exit(main())
