#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_growth.py AACO: whatever a trace, a model or a folder of sessions has many of, twice as many take at most two and a half times
the processor time, start-up apart. And what is refused for its size is refused at once."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import grown_inputs
import tiny_onnx

MOST = 2.5
LEAST_S = 0.05  # below that a clock tells nothing
LIMIT_S = 60
TRACE, RANKS, MODEL, SESSIONS, DOCUMENT = 5_000, 2_500, 12_000, 200, 10_000
DEEP, DEVICES = 12, 20_000


class Program:
    def __init__(self, aaco, folder):
        self.aaco, self.folder = aaco, folder
        self.start_s = min(self.processor_s(["trace", "report", str(folder / "none")])[0] for _ in range(3))

    def processor_s(self, words):
        """Of the command and of what it started, with what it said."""
        with tempfile.TemporaryFile() as said:
            done = subprocess.Popen([self.aaco, *map(str, words)], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=said)
            _, status, used = os.wait4(done.pid, 0)
            done.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            return used.ru_utime + used.ru_stime, done.returncode, said.read().decode(errors="replace")

    def growth(self, words_of):
        """How often the smaller one's time the larger one takes, the better of a few; `words_of(twice)`."""
        best = float("inf")
        for _ in range(3):
            times = [max(self.processor_s(words_of(twice))[0] - self.start_s, LEAST_S) for twice in (False, True)]
            best = min(best, times[1] / times[0])
            if best <= MOST:
                break
        return best


def grows(program, what, words_of):
    ratio = program.growth(words_of)
    return [] if ratio <= MOST else [f"{what}: twice as many take {ratio:.1f} times as long"]


def inputs(program, write, size):
    folder = program.folder / "inputs"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return write(folder, size), write(folder, 2 * size)


def traces(program):
    many = {**grown_inputs.TRACES, **grown_inputs.TABLES, "files": grown_inputs.files}
    for what, write in many.items():
        size = 300 if what == "files" else RANKS if "rank" in what else TRACE
        pair = inputs(program, write, size)
        yield from grows(program, f"trace report, {what}", lambda twice: ["trace", "report", pair[twice]])
        if what not in grown_inputs.EVERY_COMMAND:
            continue
        out = program.folder / "out"
        yield from grows(program, f"trace report as a page, {what}",
                         lambda twice: ["trace", "report", pair[twice], "--format", "html", "--output", out])
        yield from grows(program, f"trace diff, {what}", lambda twice: ["trace", "diff", pair[twice], pair[twice]])
        yield from grows(program, f"trace import, {what}", lambda twice: ["trace", "import", pair[twice], "--sessions", program.folder / "imported"])
        for form in ("perfetto", "chrome"):
            yield from grows(program, f"trace export to {form}, {what}",
                             lambda twice: ["trace", "export", pair[twice], "--force", "--format", form, "--output", out])


def reading(model):
    """Reads the model's graph, and runs nothing: there is no runtime."""
    return ["run", model, "--no-roofs", "--ort-library", "/nonexistent"]


def models(program):
    for what, write in grown_inputs.MODELS.items():
        pair = inputs(program, write, DEEP if what == "depth" else MODEL)
        yield from grows(program, f"run, {what}", lambda twice: reading(pair[twice]))


def documents(program):
    pair = inputs(program, grown_inputs.log_of_streams, DOCUMENT)
    yield from grows(program, "overlap report, keys of an object", lambda twice: ["overlap", "report", "--label", "m", "--log-dir", pair[twice]])


def sessions(program):
    trace = grown_inputs.TRACES["devices"](program.folder, 1)
    kept = program.folder / "kept"
    subprocess.run([program.aaco, "trace", "import", trace, "--sessions", kept], check=True, capture_output=True)
    (bundle,) = [path.parent for path in kept.rglob("session.json") if not path.parent.is_symlink()]
    folders = []
    for count in (SESSIONS, 2 * SESSIONS):
        folders.append(program.folder / f"sessions{count}")
        for i in range(count):
            copy = folders[-1] / bundle.relative_to(kept).parent / f"{bundle.name[:-6]}{i:06x}"
            shutil.copytree(bundle, copy)
            document = (copy / "session.json").read_text()
            (copy / "session.json").write_text(document.replace(bundle.name, copy.name))
    for words in (["sessions", "list"], ["sessions", "prune", "--keep", "1", "--dry-run"], ["sessions", "show", f"{bundle.name[:-6]}000001"]):
        yield from grows(program, " ".join(words[:2]), lambda twice: [*words, "--sessions", folders[twice]])


def at_once(program):
    """What must not take a second: so much processor time is a second on a machine with nothing else to do."""
    devices = grown_inputs.TRACES["devices"](program.folder, DEVICES)
    took, code, said = program.processor_s(["trace", "report", devices])
    if code != 0 or took > 3:
        yield f"{DEVICES} devices: {took:.1f} s, exit code {code} {said}"
    node = tiny_onnx._bytes(1, tiny_onnx.node("Relu", ["x"], ["y"]))
    graph = node * 1_000_000 + tiny_onnx.graph([], [tiny_onnx.value("x", (1, 4))], [tiny_onnx.value("y", (1, 4))])
    large = program.folder / "large.onnx"
    large.write_bytes(tiny_onnx._number(1, 8) + tiny_onnx._bytes(7, graph) + tiny_onnx._bytes(8, tiny_onnx._bytes(1, "") + tiny_onnx._number(2, 17)))
    took, code, said = program.processor_s(["run", large, "--no-roofs"])
    if code != 2 or took > 3 or "more than 500,000 nodes" not in said:
        yield f"1,000,000 nodes: {took:.1f} s, exit code {code}: {said}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = Program(os.path.abspath(sys.argv[1]), pathlib.Path(folder))
        problems = [problem for check in (traces, models, documents, sessions, at_once) for problem in check(program)]
    print("\n".join(problems) or "all grows in proportion")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
