#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_full_disk.py AACO: runs on a disk that becomes full at different moments. Every time the run ends with exit code 6
and one line that names the file, an earlier session stays whole, and the new bundle says that it failed. The disk is a
small tmpfs in a mount namespace of its own; where that is not allowed, only `ulimit -f` cuts the files short."""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

from running import status_of, stop_when

INSIDE = "AACO_TEST_IN_NAMESPACE"
ITERATIONS = 30000  # enough that reading them back leaves a moment to fill the disk


class Check:
    def __init__(self, aaco, folder):
        self.aaco, self.folder = aaco, folder
        self.problems, self.files = [], []
        self.environment = {**os.environ, "AACO_CACHE": str(folder / "cache"), "AACO_CONFIGS": str(folder)}
        self.earlier = folder / "earlier"
        self.start(self.earlier, iterations=20).communicate()
        self.earlier_bytes = sum(4096 + (path.lstat().st_size + 4095) // 4096 * 4096 for path in self.earlier.rglob("*"))

    def start(self, sessions, limit=None, iterations=ITERATIONS, more=("--telemetry",), **environment):
        def cut():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        command = [self.aaco, "run", "--no-roofs", "--model", "chain-tiny", "--param", "nodes=20", "--backend", "cpu", "--threads", "1", "--processes", "2",
                   "--iterations", str(iterations), "--profile", "--sessions", str(sessions), *more]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=cut if limit else None,
                                env={**self.environment, **environment})

    def run(self, *arguments):
        return subprocess.run([self.aaco, *arguments], capture_output=True, text=True, env=self.environment)

    def disk(self, size):
        return Disk(self.folder / "disk", size)

    def with_earlier_session(self, disk):
        sessions = disk / "s"
        shutil.copytree(self.earlier, sessions, symlinks=True)
        return sessions

    def judge(self, name, process, sessions, complete_is_right=False):
        """What the run must have left: the kind of file that it could not write, or None."""
        stderr = process.communicate()[1]
        lines = stderr.splitlines()
        wrong = []
        if process.returncode != 6:
            wrong.append(f"exit code {process.returncode}, not 6")
        named = re.fullmatch(r"aaco: cannot \w+ (?:folder |to )?(/\S+): (No space left on device|File too large)", lines[0]) if lines else None
        if not named or len(lines) != 2 or not lines[1].startswith("hint: "):
            wrong.append("stderr is not one line that names the file, and a hint")
        if sessions is not None:
            wrong += self.sessions_problems(sessions, complete_is_right)
        self.problems += [f"{name}: {problem}\n{stderr.rstrip()}" for problem in wrong]
        if named:
            self.files.append(pathlib.Path(named[1]).name)
            print(f"{name}: {self.files[-1]}: {named[2]}")

    def sessions_problems(self, sessions, complete_is_right):
        listed = self.run("sessions", "list", "--sessions", str(sessions), "--json")
        entries = json.loads(listed.stdout)["sessions"] if listed.returncode == 0 else []
        old = {path.parent.name for path in self.earlier.glob("*/*/session.json")}
        for entry in entries:
            if entry["session_id"] in old:
                verified = self.run("sessions", "verify", entry["path"])
                if verified.returncode != 0:
                    yield f"the earlier session is not whole: {verified.stdout}"
            elif entry["status"] not in (("complete",) if complete_is_right else ("failed", "incomplete")):
                yield f"the new session is {entry['status']}"
        if not old <= {entry["session_id"] for entry in entries}:
            yield "the earlier session is gone"
        temporaries = [str(path) for path in sessions.rglob("*.tmp*")]
        if temporaries:
            yield f"temporary files are left: {temporaries}"


class Disk:
    """A tmpfs of `size` bytes, for the time of a with block."""

    def __init__(self, path, size):
        self.path, self.size = path, size

    def __enter__(self):
        self.path.mkdir(exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.size}", "tmpfs", str(self.path)], check=True)
        return self.path

    def __exit__(self, *_):
        subprocess.run(["umount", "--lazy", str(self.path)], check=True)


def fill(disk):
    with open(disk / "balloon", "ab", buffering=0) as file:
        for size in (1 << 20, 4096):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                pass


def new_bundle(check, sessions):
    old = {path.parent.name for path in check.earlier.glob("*/*/session.json")}
    return next((path.parent for path in sessions.glob("*/*/session.json") if path.parent.name not in old), None)


def results_are_there(check, sessions):
    bundle = new_bundle(check, sessions)
    return bundle is not None and (bundle / "journal" / "result_profile_3.json").exists()


def is_complete(check, sessions):
    bundle = new_bundle(check, sessions)
    return bundle is not None and status_of(bundle) == "complete" and not (bundle / "journal").exists()


def has_report(check, sessions):
    bundle = new_bundle(check, sessions)
    return bundle is not None and (bundle / "report" / "report.html").exists()


def fill_when(check, name, reached, complete_is_right):
    """Fills the disk under a run that has come so far; the run is stopped meanwhile."""
    for _ in range(5):
        with check.disk(64 << 20) as disk:
            sessions = check.with_earlier_session(disk)
            process = check.start(sessions, more=())  # the journal of the telemetry would give space back at its end
            stopped = stop_when(process, lambda: reached(check, sessions))
            timely = stopped and not (has_report if complete_is_right else is_complete)(check, sessions)
            fill(disk)
            process.send_signal(signal.SIGCONT)
            if timely:
                check.judge(name, process, sessions, complete_is_right)
                return
            process.communicate()
    check.problems.append(f"{name}: the moment was missed five times")


def limits(check):
    for limit in (4 << 10, 100 << 10, 1 << 20):
        sessions = check.folder / f"limit{limit}"
        shutil.copytree(check.earlier, sessions, symlinks=True)
        check.judge(f"ulimit of {limit >> 10} KiB", check.start(sessions, limit - 1), sessions)


def disks(check):
    for size in (64 << 10, 1 << 20, 1792 << 10, 2560 << 10, 3 << 20):
        with check.disk(size + check.earlier_bytes) as disk:
            sessions = check.with_earlier_session(disk)
            check.judge(f"disk with {size >> 10} KiB", check.start(sessions), sessions)
    with check.disk(8 << 10) as disk:
        sessions = check.folder / "cache-sessions"
        check.judge("cache", check.start(sessions, AACO_CACHE=str(disk)), None)
        if list(disk.rglob("*.tmp*")):
            check.problems.append("cache: a temporary file is left")
    with check.disk(8 << 10) as disk:
        check.judge("temporary folder", check.start(check.folder / "t", TMPDIR=str(disk)), None)
        if list(disk.glob("aaco-*")):
            check.problems.append("temporary folder: not removed")
    fill_when(check, "disk filled before the tables", results_are_there, complete_is_right=False)
    # The recording is whole then; only the page is missing, and aaco report makes it again.
    fill_when(check, "disk filled before the report", is_complete, complete_is_right=True)


def main(aaco):
    if INSIDE not in os.environ:
        namespace = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
        with tempfile.TemporaryDirectory() as probe:
            mountable = subprocess.run([*namespace, "mount", "-t", "tmpfs", "tmpfs", probe], capture_output=True).returncode == 0
        return subprocess.run([*(namespace if mountable else []), sys.executable, "-B", __file__, aaco],
                              env={**os.environ, INSIDE: "yes" if mountable else "no"}).returncode
    with tempfile.TemporaryDirectory() as folder:
        check = Check(aaco, pathlib.Path(folder))
        limits(check)
        if os.environ[INSIDE] == "yes":
            disks(check)
        else:
            print("no mount allowed here: only ulimit -f was tried")
    print("\n".join(check.problems) or f"{len(check.files)} runs failed as they should, over {len(set(check.files))} kinds of file")
    return 1 if check.problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
