#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_golden.py AACO [KIND | KIND/CASE.txt]...: what `aaco` prints and writes about recorded sessions and traces stays the same bytes.

A case is one file, cases/KIND/CASE.txt. It names its sessions, a folder of sessions/ (or none), and then has for each command what it
gave: exit code, stdout, stderr, and behind the last command the files that were written. The commands run one after another in a new
folder that holds copies of the fixtures. A long text is compressed beside the case (CASE.PART.xz). With --promote, or with
AACO_PROMOTE=1 in the environment, what the commands give becomes what is expected. A new case is its sessions and commands alone:

    sessions: run
    $ aaco report --session sessions/DATE/ID --format text

What differs from one run to the next is made the same by how a command is called (relative paths, files of a set age, empty cache,
few environment variables). What is left is replaced, on both sides, by the rules of VOLATILE, and by nothing else."""
import argparse
import difflib
import hashlib
import json
import lzma
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CASES = HERE / "cases"
CORPUS = HERE.parent.parent / "fuzz" / "corpus"
OLD_NS = 1_600_000_000_000_000_000  # an age of files that `sessions prune` takes for old on any day
INLINE_BYTES = 16_000  # a longer text lies beside the transcript, compressed
PASSED_ON = ("PATH", "AACO_DUCKDB_LIBRARY", "AACO_ORT_LIBRARY", "AACO_CONFIGS", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS")

# pattern, what stands for it, why it cannot be the same
VOLATILE = [
    (rb"sessions/\d{4}-\d\d-\d\d/\d{8}_\d{6}_[0-9a-f]{6}(?=[^/0-9a-f]|$)", b"sessions/<new session>", "an import names its session by the time and at random", "import"),
    (rb'"(read|write)_ns": \d+', rb'"\1_ns": <time>', "an import and an export say how long they took", "import export"),
    (rb"(read|written) in [0-9.]+ [num]?s\b", rb"\1 in <time>", "the same as text", "import export"),
    (rb'"saved_utc": ?"[^"]*"', b'"saved_utc": "<now>"', "a baseline says when it was saved", "save"),
    (rb'"session_path": ?"[^"]*"', b'"session_path": "<absolute path>"', "a baseline names its session by the absolute path", "save"),
]


def same_each_time(text, words):
    for pattern, stand_in, _why, commands in VOLATILE:
        if set(commands.split()) & set(words[:2]):
            text = re.sub(pattern, stand_in, text)
    return text


def is_text(data):
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in data


class Transcript:
    """What a command gave: text as it is, with its length so that no byte is lost, long text in files of its own, and of what is
    binary the hash."""

    def __init__(self):
        self.text, self.long = b"", {}

    def add(self, name, data):
        head = f"{name}: {len(data)} bytes"
        if not is_text(data):
            self.text += f"{head}, sha256 {hashlib.sha256(data).hexdigest()}\n".encode()
        elif len(data) > INLINE_BYTES:
            self.text += f"{head}, in a file of its own\n".encode()
            self.long[re.sub(r"[^A-Za-z0-9.]+", "-", name)] = data
        else:
            self.text += f"{head}\n".encode() + data + (b"" if not data or data.endswith(b"\n") else b"\n")

    def files(self, case):
        return {case: self.text, **{case.with_suffix(f".{part}.xz"): data for part, data in self.long.items()}}


class Folder:
    """The folder that commands run in: the fixtures, put back after each case."""

    def __init__(self, sessions, root):
        self.root, self.work = root, root / "work"
        self.work.mkdir()
        for source, name in ((HERE / "sessions" / sessions, "sessions"), (HERE / "baselines", "baselines"), (HERE / "traces", "traces"), (CORPUS, "corpus")):
            if source.exists():
                shutil.copytree(source, self.work / name, symlinks=True)
        for packed in self.work.rglob("*.xz"):
            packed.with_suffix("").write_bytes(lzma.decompress(packed.read_bytes()))
            packed.unlink()
        for path in self.work.rglob("*"):
            os.utime(path, ns=(OLD_NS, OLD_NS), follow_symlinks=False)
        self.sessions = sorted(str(path.parent.relative_to(self.work)) for path in self.work.glob("sessions/*/*/session.json"))
        self.contents = self.files()

    def files(self):
        return {path.relative_to(self.work): path.read_bytes() for path in sorted(self.work.rglob("*")) if path.is_file() and not path.is_symlink()}

    def is_of_new_session(self, path):
        """Of a session that an import has just made: what it holds is asked for by SQL."""
        return path.parts[0] == "sessions" and path.parts[1] != "comparisons" and str(pathlib.Path(*path.parts[:3])) not in self.sessions

    def put_back(self, now):
        for path in [path for path in now if path not in self.contents]:
            (self.work / path).unlink()
        for path, data in self.contents.items():
            if now.get(path) != data:
                (self.work / path).parent.mkdir(parents=True, exist_ok=True)
                (self.work / path).write_bytes(data)
                os.utime(self.work / path, ns=(OLD_NS, OLD_NS))
        (self.work / "sessions" / "latest").unlink(missing_ok=True)
        for path in sorted(self.work.rglob("*"), reverse=True):
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()


# What a transcript says of an output: its bytes follow unless a comma does.
OUTPUT = re.compile(rb"(?:stdout|stderr|file .*): (\d+) bytes(,.*)?")


def read_case(path):
    """The sessions and the commands, each as its words, of a case."""
    data = path.read_bytes()
    head, _, data = data.partition(b"\n")
    if not head.startswith(b"sessions: "):
        sys.exit(f"{path}: the first line names no sessions")
    steps = []
    while data:
        line, _, data = data.partition(b"\n")
        output = OUTPUT.fullmatch(line)
        if output and not output[2]:
            data = data[int(output[1]):].removeprefix(b"" if data[:int(output[1])].endswith(b"\n") else b"\n")
        elif line.startswith(b"$ aaco "):
            steps.append(shlex.split(line.decode())[2:])
        elif not output and not line.startswith(b"exit code "):
            sys.exit(f"{path}: neither a command nor what one gave: {line.decode(errors='replace')[:80]}")
    return head.removeprefix(b"sessions: ").decode(), steps


def run(aaco, folder, sessions, steps):
    """The transcript of the commands of a case, without what is volatile."""
    environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    environment.update(HOME=str(folder.root), XDG_CACHE_HOME=str(folder.root / "cache"), LANG="C.UTF-8", TZ="UTC")
    transcript = Transcript()
    transcript.text += f"sessions: {sessions}\n".encode()
    for words in steps:
        done = subprocess.run([aaco, *words], cwd=folder.work, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
        transcript.text += f"$ aaco {shlex.join(words)}\nexit code {done.returncode}\n".encode()
        transcript.add("stdout", same_each_time(done.stdout, words))
        if done.stderr:
            transcript.add("stderr", same_each_time(done.stderr, words))
    now = folder.files()
    for path, data in sorted(now.items()):
        if folder.contents.get(path) != data and not folder.is_of_new_session(path):
            transcript.add(f"file {path}", same_each_time(data, steps[-1]))
    folder.put_back(now)
    return transcript


def first_difference(name, expected, got):
    lines = difflib.unified_diff(expected.decode(errors="replace").splitlines(), got.decode(errors="replace").splitlines(), "expected", "got", lineterm="", n=1)
    return f"{name}\n" + "\n".join(f"    {line[:300]}" for line in list(lines)[:20])


def read(path):
    return lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()


def compare(path, got):
    if not path.exists():
        yield f"{path.parent.name}/{path.name}: is not expected: --promote, where it is meant"
    elif read(path) != got:
        yield first_difference(f"{path.parent.name}/{path.name}", read(path), got)


def promoted(path, got):
    """Written only where it changed, so that git sees nothing else."""
    if not path.exists() or read(path) != got:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(lzma.compress(got, preset=9) if path.suffix == ".xz" else got)


def check(aaco, cases, promote):
    """What differs, of cases of one kind."""
    problems, seen, folders = [], set(), {}
    with tempfile.TemporaryDirectory() as temporary:
        for case in cases:
            sessions, steps = read_case(case)
            if sessions not in folders:
                root = pathlib.Path(temporary) / sessions
                root.mkdir()
                folders[sessions] = Folder(sessions, root)
            for path, got in run(aaco, folders[sessions], sessions, steps).files(case).items():
                seen.add(path)
                if promote:
                    promoted(path, got)
                else:
                    problems += compare(path, got)
    longs = {path: path.with_name(path.name.partition(".")[0] + ".txt") for path in cases[0].parent.glob("*.xz")}
    for left in {path for path, case in longs.items() if case in cases or not case.exists()} - seen:
        if promote:
            left.unlink()
        else:
            problems.append(f"{left.parent.name}/{left.name}: nothing gives it any more")
    return problems


def cases_of(name):
    path = CASES / name
    found = [path] if path.suffix == ".txt" and path.exists() else sorted(path.glob("*.txt"))
    if not found:
        sys.exit(f"{name}: there is no such kind or case in {CASES}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("aaco")
    parser.add_argument("names", nargs="*", metavar="KIND | KIND/CASE.txt")
    parser.add_argument("--promote", action="store_true", default=os.environ.get("AACO_PROMOTE") == "1")
    given = parser.parse_args()
    failed = 0
    for name in given.names or sorted(path.name for path in CASES.iterdir()):
        cases = cases_of(name)
        problems = check(str(pathlib.Path(given.aaco).resolve()), cases, given.promote)
        failed += len(problems)
        print("\n".join(problems) or f"{name}: {len(cases)} cases {'promoted' if given.promote else 'as expected'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
