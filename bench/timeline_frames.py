#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""timeline_frames.py [--aaco PROGRAM] [--output FILE]: what the timeline's page takes in a headless Chromium that renders in software, for computed traces of 10^5 and
10^7 events: until the first view is there; each frame of a zoom and a pan: between frames, our own script in it, and what that takes of a processor; our own script for
each answer; the page's heap; for both painters. The stand-in computes the views, so no time of aaco's server is in it. Beside other programs only the processor's
time says what the page costs. Needs node and what scripts/dashboard installs."""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import browser as browsers
from harness import environment

SECONDS = 2  # that a key is held
READY = "document.querySelector('.timeline[data-painter]:not([data-loading])') !== null"
RECORD = """(() => { const times = window.frameTimes = []; performance.clearMeasures();
const step = now => { times.push(now); if (times === window.frameTimes) requestAnimationFrame(step) }; requestAnimationFrame(step) })()"""
SCRIPT = "performance.getEntriesByName('{}').map(each => each.duration)"


class TracedBrowser(browsers.Browser):
    """Keeps what the browser traces of its main thread."""
    events, ended = [], False

    def hear(self, message):
        if message.get("method") == "Tracing.dataCollected":
            self.events += message["params"]["value"]
        self.ended = self.ended or message.get("method") == "Tracing.tracingComplete"
        super().hear(message)

    def trace(self):
        self.events, self.ended = [], False
        self.ask("Tracing.start", traceConfig={"includedCategories": ["devtools.timeline", "disabled-by-default-devtools.timeline"], "excludedCategories": ["*"]})

    def processor_ms(self):
        """Of our own script, by frame: what its callbacks took of a processor, however busy the machine is with others."""
        self.ask("Tracing.end")
        while not self.ended:
            self.hear(self.message())
        frames, frame = [], 0
        for event in sorted(self.events, key=lambda event: event["ts"]):
            if event["name"] == "FireAnimationFrame":
                frame += event.get("tdur", 0) / 1e3
            elif event["name"] == "Commit" and frame > 0:
                frames.append(frame)
                frame = 0
        return frames + ([frame] if frame > 0 else [])


def quantiles(values):
    if not values:
        return None
    ordered = sorted(values)
    return {"n": len(ordered), "p50": statistics.median(ordered), "p95": ordered[int(0.95 * (len(ordered) - 1))], "max": ordered[-1]}


def measure(browser, address, events, painter):
    browser.open("about:blank")
    began = time.monotonic()
    browser.open(f"{address}#/timeline/computed%20{events}?painter={painter}")
    assert browser.wait_for(READY), "no timeline"
    result = {"events": events, "painter": painter, "first_view_ms": (time.monotonic() - began) * 1e3}
    for name, keys in (("zoom", "ws"), ("pan", "da")):
        browser.press("w")
        browser.trace()
        browser.value(RECORD)
        for key in keys:
            browser.ask("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
            time.sleep(SECONDS)
            browser.ask("Input.dispatchKeyEvent", type="keyUp", key=key)
        result[f"{name}_script_processor_ms"] = quantiles(browser.processor_ms())
        times = browser.value("frameTimes")
        result[f"{name}_frame_ms"] = quantiles([later - earlier for earlier, later in zip(times, times[1:])])
        result[f"{name}_script_ms"] = quantiles(browser.value(SCRIPT.format("timeline frame")))
        answers = browser.value(SCRIPT.format("timeline answer"))
        result[f"{name}_answer_script_ms"] = quantiles(answers)
    result["heap_mb"] = browser.value("performance.memory.usedJSHeapSize") / 1e6
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aaco", type=pathlib.Path, default=ROOT / "build/bin/aaco")
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args()
    server = subprocess.Popen(["node", str(ROOT / "tests/dashboard/stand_in_server.mjs"), "0"], stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().strip()
        with tempfile.TemporaryDirectory() as folder:
            browser = TracedBrowser(browsers.program(), pathlib.Path(folder))
            browser.size(1280)
            rows = [measure(browser, address, events, painter) for events in (100_000, 10_000_000) for painter in ("webgl", "canvas")]
            browser.end()
    finally:
        server.terminate()
        server.wait()
    text = json.dumps({"environment": environment(str(options.aaco)), "measurements": rows}, indent=1) + "\n"
    if options.output:
        options.output.write_text(text)
    print(text, end="")


if __name__ == "__main__":
    sys.exit(main())
