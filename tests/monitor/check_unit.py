#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_unit.py AACO GPU_FOLDER SOURCE: systemd takes the unit of aaco monitor without a complaint, with the program where it is here."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import skipping  # noqa: E402

INSTALLED = "/usr/bin/aaco"


def complaints(text):
    with tempfile.TemporaryDirectory() as folder:
        unit = pathlib.Path(folder) / "aaco-monitor.service"
        unit.write_text(text)
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, timeout=60)
    own = [line for line in done.stderr.splitlines() if "aaco-monitor" in line]
    return own if done.returncode == 0 or own else [done.stderr]


def main(aaco, _gpu_folder, source):
    if shutil.which("systemd-analyze") is None:
        skipping.skip("no systemd-analyze here")
    unit = (pathlib.Path(source) / "configs/monitor/aaco-monitor.service").read_text()
    assert unit.count(INSTALLED) == 1, unit
    unit = unit.replace(INSTALLED, str(pathlib.Path(aaco).resolve()))
    assert complaints(unit.replace("DynamicUser=yes", "DynamicUsers=yes")), "a key that systemd does not know is told"
    found = complaints(unit)
    assert not found, found
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
