#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_index.py AACO: the kept index of a timeline. One that is damaged, of an older format or of another session is built again, never shown. Where the
disk is full the server says so, leaves nothing half-written, and answers when there is room; that needs a tmpfs in a mount namespace of its own."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "moments"))
from check_full_disk import Disk, fill
from check_serve import import_trace
from dashboard_client import Dashboard

INSIDE = "AACO_TEST_IN_NAMESPACE"
EVENTS = 40_000


def path_of(sessions, name):
    return next(sessions.glob(f"*/{name}"))


def picture(server, name):
    """Tracks, what is drawn, and the sums of all."""
    return (server.json(f"/api/timeline/{name}/tracks"), server.ask(f"/api/timeline/{name}/view?width=500")[2], server.json(f"/api/timeline/{name}/statistics"))


def changed(index, at):
    content = bytearray(index.read_bytes())
    content[at] ^= 1
    return bytes(content)


def distrust(aaco, folder):
    sessions = folder / "sessions"
    name, other = import_trace(aaco, folder), import_trace(aaco, folder, seed=2)
    index = path_of(sessions, name) / "report" / "timeline.index"
    with Dashboard(aaco, sessions) as server:
        right, others = picture(server, name), picture(server, other)
    assert right != others
    whole = index.read_bytes()
    foreign = (path_of(sessions, other) / "report" / "timeline.index").read_bytes()
    damages = {"a bit of a slice": changed(index, 100), "a bit of the middle": changed(index, len(whole) // 2), "a bit of the end": changed(index, -30), "cut": whole[:-1],
               "half": whole[:len(whole) // 2], "nothing": b"", "no index": b"\0" * len(whole), "an older format": whole[:-1] + b"1", "another session's": foreign}
    for name_of_damage, content in damages.items():
        index.write_bytes(content)
        with Dashboard(aaco, sessions) as server:
            assert picture(server, name) == right, name_of_damage
        assert index.read_bytes() == whole, name_of_damage
    with Dashboard(aaco, sessions) as server:
        assert picture(server, name) == right
        beside = index.with_name("beside")
        beside.write_bytes(foreign)
        beside.rename(index)  # while the server has it open
        assert picture(server, name) == right and index.read_bytes() == whole
        index.write_bytes(b"")
        assert picture(server, name) == right and index.read_bytes() == whole
    return len(damages)


def full_disk(aaco, folder):
    name = import_trace(aaco, folder, EVENTS)
    with Disk(folder / "disk", 64 << 20) as disk:
        shutil.copytree(folder / "sessions", disk / "s", symlinks=True)
        shutil.rmtree(path_of(disk / "s", name) / "report", ignore_errors=True)
        before = sorted((disk / "s").rglob("*"))
        with Dashboard(aaco, disk / "s") as server:
            fill(disk)
            answer = server.json(f"/api/timeline/{name}/tracks", 507)
            assert "No space left on device" in answer["error"] and "timeline.index" in answer["error"] and answer["hint"], answer
            left = [path for path in sorted((disk / "s").rglob("*")) if path not in before]
            assert [path.name for path in left] in ([], ["report"]), left
            assert server.json("/api/sessions")["sessions"][0]["name"] == name
            (disk / "balloon").unlink()
            assert server.json(f"/api/timeline/{name}/tracks")["events"] > EVENTS - 10
            assert (path_of(disk / "s", name) / "report" / "timeline.index").exists()


def main(aaco):
    aaco = str(pathlib.Path(aaco).resolve())
    if INSIDE not in os.environ:
        unshare = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
        with tempfile.TemporaryDirectory() as probe:
            mountable = subprocess.run([*unshare, "mount", "-t", "tmpfs", "tmpfs", probe], capture_output=True, check=False).returncode == 0
        return subprocess.run([*(unshare if mountable else []), sys.executable, "-B", __file__, aaco], env={**os.environ, INSIDE: "yes" if mountable else "no"}, check=False).returncode
    with tempfile.TemporaryDirectory() as folder:
        count = distrust(aaco, pathlib.Path(folder))
    if os.environ[INSIDE] == "yes":
        with tempfile.TemporaryDirectory() as folder:
            full_disk(aaco, pathlib.Path(folder))
    print(f"index: {count} damaged files built again; " + ("a full disk is said, and nothing is left" if os.environ[INSIDE] == "yes" else "no mount allowed here: no full disk was tried"))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
