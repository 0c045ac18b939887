#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""monitor_soak.py AACO [SECONDS]: an hour of aaco monitor under a churn of 1,000 processes a minute, scraped each second. Prints memory, files, processor
time and the time of a scrape; exit code 1 where memory grew by over 2 MiB after the first tenth, files grew, or a scrape took over 50 ms in the median."""
import json
import re
import signal
import statistics
import subprocess
import sys
import time
import urllib.request

PROCESSES_A_SECOND = 1000 / 60


def churn(second, started):
    wanted = int(second * PROCESSES_A_SECOND)
    children = [subprocess.Popen(["/bin/true"]) for _ in range(wanted - started)]
    for child in children:
        child.wait()
    return wanted


def main(aaco, seconds="3600"):
    seconds = float(seconds)
    monitor = subprocess.Popen([aaco, "monitor", "--port", "0", "--json"], stdout=subprocess.PIPE, text=True)
    url = json.loads(monitor.stdout.readline())["url"]
    points, start, started = [], time.monotonic(), 0
    while time.monotonic() - start < seconds:
        started = churn(time.monotonic() - start, started)
        before = time.monotonic()
        text = urllib.request.urlopen(url, timeout=30).read().decode()
        took = time.monotonic() - before
        value = {name: float(number) for name, number in re.findall(r"^(process_\w+) (\S+)$", text, re.M)}
        points.append((value["process_resident_memory_bytes"], value["process_open_fds"], value["process_cpu_seconds_total"], took))
        time.sleep(max(0, 1 - took))
    monitor.send_signal(signal.SIGTERM)
    ended = monitor.wait(timeout=30)
    early, late = points[len(points) // 10], points[-1]
    scrapes = sorted(point[3] for point in points)
    grown = late[0] - early[0]
    share = (late[2] - early[2]) / (seconds * 0.9)
    print(f"{seconds:.0f} s, {started} processes, {len(points)} scrapes: memory {early[0] / 2**20:.2f} MiB to {late[0] / 2**20:.2f} MiB, files {early[1]:.0f} to "
          f"{late[1]:.0f}, {100 * share:.3f} % of a processor, scrape median {1000 * statistics.median(scrapes):.1f} ms, most {1000 * scrapes[-1]:.1f} ms")
    return 0 if ended == 0 and grown <= 2 * 2**20 and late[1] <= early[1] + 2 and statistics.median(scrapes) <= 0.05 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
