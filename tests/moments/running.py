# SPDX-License-Identifier: MIT
"""What a run is doing at a moment, seen from outside."""
import json
import pathlib
import signal
import time


def workers_of(folder, role=""):
    """Ids of worker processes whose plan lies in `folder`, of one role or of all."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"worker" in words and any(str(folder).encode() in word for word in words) and (not role or role.encode() in words):
            found.append(entry.name)
    return found


def status_of(bundle):
    return json.loads((bundle / "session.json").read_text())["status"]


def stop_when(process, condition):
    """Stops the process at the moment that `condition()` holds; False where it ended before."""
    while process.poll() is None:
        if condition():
            process.send_signal(signal.SIGSTOP)
            return True
        time.sleep(0.002)
    return False
