#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_golden.py AACO KIND...: what `aaco` prints and writes about recorded sessions and traces stays the same bytes.

Every command of cases.py runs in a new folder that holds copies of the fixtures of its kind; its exit code, stdout, stderr and the
files that it wrote are held against expected/KIND/COMMAND.txt (long texts: .xz beside it). With --promote, or with AACO_PROMOTE=1 in the environment, they
become what is expected. `--list` prints the kinds.

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

import cases

HERE = pathlib.Path(__file__).resolve().parent
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

    def files(self, name):
        return {f"{name}.txt": self.text, **{f"{name}.{part}.xz": data for part, data in self.long.items()}}


class Folder:
    """The folder that commands run in: fixtures of one kind, put back after each command."""

    def __init__(self, kind, root):
        self.root, self.work = root, root / "work"
        self.work.mkdir()
        for source, name in ((HERE / "sessions" / cases.SESSIONS_OF.get(kind, kind), "sessions"), (HERE / "baselines", "baselines"), (HERE / "traces", "traces"), (CORPUS, "corpus")):
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
        return path.parts[0] == "sessions" and str(pathlib.Path(*path.parts[:3])) not in self.sessions

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


def run(aaco, folder, steps):
    """The transcript of the commands of a line, without what is volatile."""
    environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    environment.update(HOME=str(folder.root), XDG_CACHE_HOME=str(folder.root / "cache"), LANG="C.UTF-8", TZ="UTC")
    transcript = Transcript()
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


def name_of(line):
    """A name for a file: readable, and where it is long, unlike others by a hash."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", line).strip("-").lower()
    return name if len(name) <= 80 else f"{name[:70].rstrip('-')}-{hashlib.sha256(line.encode()).hexdigest()[:8]}"


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


def check_kind(aaco, kind, promote):
    expected_in, problems, seen = HERE / "expected" / kind, [], set()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Folder(kind, pathlib.Path(temporary))
        lines = cases.lines_of(kind, [json.loads((folder.work / path / "session.json").read_bytes())["kind"] for path in folder.sessions])
        for line in lines:
            for name, got in run(aaco, folder, cases.steps_of(line, folder.sessions)).files(name_of(line)).items():
                path = expected_in / name
                if path in seen:
                    sys.exit(f"{kind}: two commands are called {path.name}")
                seen.add(path)
                if promote:
                    promoted(path, got)
                else:
                    problems += compare(path, got)
    for left in set(expected_in.glob("*")) - seen:
        if promote:
            left.unlink()
        else:
            problems.append(f"{kind}/{left.name}: nothing gives it any more")
    return problems, len(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("aaco", nargs="?")
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--promote", action="store_true", default=os.environ.get("AACO_PROMOTE") == "1")
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args()
    if given.list:
        print("\n".join(cases.KINDS))
        return 0
    failed = 0
    for kind in given.kinds or cases.KINDS:
        problems, count = check_kind(str(pathlib.Path(given.aaco).resolve()), kind, given.promote)
        failed += len(problems)
        print("\n".join(problems) or f"{kind}: {count} commands {'promoted' if given.promote else 'as expected'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
