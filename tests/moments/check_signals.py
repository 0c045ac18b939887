#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_signals.py AACO [--full]: SIGTERM, SIGHUP and Ctrl-C at several moments of every command that works for long. It ends with exit
code 130 and one line, within 2 s: of processor time, and with five times as much on the clock, since the machine may be loaded.
Nothing half-written stays, no temporary file, and its sessions folder still lists, reports and verifies. Without --full the
inputs are smaller and the moments fewer."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from after import problems_in_sessions, temporaries_in
from long_commands import LONG, is_endless, long_place, moments_of

PROCESSOR_SECONDS, WALL_SECONDS = 2.0, 10.0
SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


def processor_seconds(pid):
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")  # and that of children it has waited for


def interrupt(place, words, out, number, after):
    """The end of the command: exit code, stderr, processor time and time since the signal."""
    temporary = out / "tmp"
    temporary.mkdir()
    errors = open(out / "stderr", "w+", encoding="utf-8")
    process = subprocess.Popen(words, cwd=place.folder, env={**place.environment, "TMPDIR": str(temporary)}, stdout=subprocess.DEVNULL, stderr=errors)
    time.sleep(after)
    used, began = processor_seconds(process.pid), time.monotonic()
    os.kill(process.pid, number)  # not send_signal(), which would wait for one that has ended
    killer_at = began + 4 * WALL_SECONDS
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        if time.monotonic() > killer_at:
            process.kill()
            killer_at += 1000
        time.sleep(0.005)
    seconds = time.monotonic() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    errors.seek(0)
    return process.returncode, errors.read(), usage.ru_utime + usage.ru_stime - used, seconds


def problems_of(place, out, end):
    code, stderr, processor, seconds = end
    if code != 130 or [line for line in stderr.splitlines() if line.startswith("aaco: ")] != ["aaco: interrupted"]:
        yield f"exit code {code}, stderr {stderr[-300:]!r}"
    if processor > PROCESSOR_SECONDS or seconds > WALL_SECONDS:
        yield f"it took {processor:.1f} s of processor time, {seconds:.1f} s in all"
    made = [path.name for path in out.iterdir() if path.name not in ("tmp", "stderr") and not path.name.startswith("20") and path.name != "latest"]
    if code == 130 and made:
        yield f"left an output: {made}"
    yield from temporaries_in(out)
    yield from problems_in_sessions(place, out)


def main(aaco, *options):
    full = "--full" in options
    only = [option.removeprefix("--only=") for option in options if option.startswith("--only=")]
    problems, sent, early = [], 0, 0
    longest = [0.0, 0.0]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        place = long_place(aaco, folder, full)
        for index, name in enumerate(name for name in LONG if not only or name in only):
            endless = is_endless(name)
            for turn, after in enumerate(moments_of(place, name, full)):
                for number in SIGNALS if full else [SIGNALS[(index + turn) % len(SIGNALS)]]:
                    out = pathlib.Path(tempfile.mkdtemp(dir=folder))
                    end = interrupt(place, place.line(name, out), out, number, after)
                    sent += 1
                    if not endless and end[0] != 130:  # it was over before, or is just being so
                        early += 1
                        if end[0] not in (0, 5):
                            problems.append(f"{name}, {number.name} after {after:.2f} s: exit code {end[0]}, stderr {end[1][-300:]!r}")
                    else:
                        longest = [max(longest[0], end[2]), max(longest[1], end[3])]
                        problems += [f"{name}, {number.name} after {after:.2f} s: {problem}" for problem in problems_of(place, out, end)]
                    shutil.rmtree(out)
    print("\n".join(problems + [f"{sent} signals, {early} of them after the end; at most {longest[0]:.1f} s of processor time and {longest[1]:.1f} s "
                                f"to the end; {len(problems)} problems"]))
    return 1 if problems or early == sent else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
