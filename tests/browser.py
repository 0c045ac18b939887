# SPDX-License-Identifier: MIT
"""A headless Chromium for tests, driven through its pipe. No package is needed."""
import base64
import json
import os
import shutil
import subprocess
import sys
import time


def program():
    """The browser's path; None where there is none."""
    return shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")


class Browser:
    """Chromium by its pipe: messages of JSON, each ended by a zero byte."""

    def __init__(self, program, folder):
        to_read, self.send_to = os.pipe()
        self.read_from, to_write = os.pipe()

        def hand_over():
            os.dup2(to_read, 3)
            os.dup2(to_write, 4)

        os.set_inheritable(to_read, True)
        os.set_inheritable(to_write, True)
        words = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={folder}/profile",
                 "--disable-dev-shm-usage", "--disable-features=BackForwardCache", "about:blank"]
        self.process = subprocess.Popen(words, preexec_fn=hand_over, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.count, self.pending, self.session = 0, b"", None
        self.complaints = []  # what pages wrote to the console as an error, exceptions, and requests that failed
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")

    def message(self):
        while b"\0" not in self.pending:
            data = os.read(self.read_from, 1 << 20)
            if not data:
                sys.exit("the browser ended")
            self.pending += data
        text, _, self.pending = self.pending.partition(b"\0")
        return json.loads(text)

    def hear(self, message):
        parameters = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description") or details["text"])
        elif message.get("method") == "Runtime.consoleAPICalled" and parameters["type"] == "error":
            self.complaints.append(" ".join(str(each.get("value", each.get("description"))) for each in parameters["args"]))
        elif message.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.complaints.append(f"{parameters['entry']['text']} {parameters['entry'].get('url', '')}")

    def ask(self, method, **parameters):
        self.count += 1
        request = {"id": self.count, "method": method, "params": parameters, **({"sessionId": self.session} if self.session else {})}
        os.write(self.send_to, json.dumps(request).encode() + b"\0")
        while True:
            answer = self.message()
            self.hear(answer)
            if answer.get("id") == self.count:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, address):
        self.ask("Page.navigate", url=address)
        while self.value("document.readyState") != "complete":
            pass

    def value(self, expression):
        """What it evaluates to; a promise is waited for."""
        return self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)["result"].get("value")

    def wait_for(self, expression, seconds=20):
        """Until it is true; False when that does not happen."""
        end = time.monotonic() + seconds
        while not self.value(expression):
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    def press(self, key):
        text = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, **(text if kind == "keyDown" else {}))

    def mouse(self, kind, x, y, **more):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, x0, y0, x1, y1):
        self.mouse("mousePressed", x0, y0, button="left", clickCount=1)
        for step in range(1, 6):
            self.mouse("mouseMoved", x0 + (x1 - x0) * step / 5, y0 + (y1 - y0) * step / 5, button="left", buttons=1)
        self.mouse("mouseReleased", x1, y1, button="left", clickCount=1)

    def size(self, width, height=1000):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def medium(self, medium, scheme):
        self.ask("Emulation.setEmulatedMedia", media=medium, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path, whole=False):
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", captureBeyondViewport=whole)["data"]))

    def end(self):
        self.process.terminate()
        self.process.wait()
