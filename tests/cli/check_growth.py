#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_growth.py AACO: whatever a trace, a model or a folder of sessions has many of, four times as many take at most six and a quarter times the processor
time, start-up apart. (In proportion would be four times, with the square sixteen; a shared machine's speed varies by a factor of two from
one second to the next.) And what is refused for its size is refused at once."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import grown_inputs
import tiny_onnx

MORE, MOST = 4, 6.25
LEAST_S = 0.02  # below that a clock tells nothing
TRIES = 6
TRACE, RANKS, MODEL, SESSIONS, DOCUMENT = 2_500, 1_250, 6_000, 100, 5_000
FILES, DEEP, DEVICES = 300, 11, 20_000


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
        """How often the smaller one's time the larger one takes. Others can only add to a time, so each one's least of some tries counts."""
        least = [float("inf")] * 2
        for _ in range(TRIES):
            least = [min(least[larger], max(self.processor_s(words_of(larger))[0] - self.start_s, LEAST_S)) for larger in (False, True)]
            if least[1] <= MOST * least[0]:
                break
        return least[1] / least[0]


def grows(program, what, words_of):
    ratio = program.growth(words_of)
    return [] if ratio <= MOST else [f"{what}: {MORE} times as many take {ratio:.1f} times as long"]


def inputs(program, write, size):
    folder = program.folder / "inputs"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return write(folder, size), write(folder, MORE * size)


def traces(program):
    many = {**grown_inputs.TRACES, **grown_inputs.TABLES, "files": grown_inputs.files}
    for what, write in many.items():
        size = FILES if what == "files" else RANKS if "rank" in what else TRACE
        pair = inputs(program, write, size)
        yield from grows(program, f"trace report, {what}", lambda larger: ["trace", "report", pair[larger]])
        if what not in grown_inputs.EVERY_COMMAND:
            continue
        out = program.folder / "out"
        yield from grows(program, f"trace report as a page, {what}",
                         lambda larger: ["trace", "report", pair[larger], "--format", "html", "--output", out])
        yield from grows(program, f"trace diff, {what}", lambda larger: ["trace", "diff", pair[larger], pair[larger]])
        yield from grows(program, f"trace import, {what}", lambda larger: ["trace", "import", pair[larger], "--sessions", program.folder / "imported"])
        for form in ("perfetto", "chrome"):
            yield from grows(program, f"trace export to {form}, {what}",
                             lambda larger: ["trace", "export", pair[larger], "--force", "--format", form, "--output", out])


def reading(model):
    """Reads the model's graph, and runs nothing: there is no runtime."""
    return ["run", model, "--no-roofs", "--ort-library", "/nonexistent"]


def models(program):
    for what, write in grown_inputs.MODELS.items():
        pair = inputs(program, write, DEEP if what == "depth" else MODEL)
        yield from grows(program, f"run, {what}", lambda larger: reading(pair[larger]))


def documents(program):
    pair = inputs(program, grown_inputs.log_of_streams, DOCUMENT)
    yield from grows(program, "overlap report, keys of an object", lambda larger: ["overlap", "report", "--label", "m", "--log-dir", pair[larger]])


def sessions(program):
    trace = grown_inputs.TRACES["devices"](program.folder, 1)
    kept = program.folder / "kept"
    subprocess.run([program.aaco, "trace", "import", trace, "--sessions", kept], check=True, capture_output=True)
    (bundle,) = [path.parent for path in kept.rglob("session.json") if not path.parent.is_symlink()]
    folders = []
    for count in (SESSIONS, MORE * SESSIONS):
        folders.append(program.folder / f"sessions{count}")
        for i in range(count):
            copy = folders[-1] / bundle.relative_to(kept).parent / f"{bundle.name[:-6]}{i:06x}"
            shutil.copytree(bundle, copy)
            document = (copy / "session.json").read_text()
            (copy / "session.json").write_text(document.replace(bundle.name, copy.name))
    for words in (["sessions", "list"], ["sessions", "prune", "--keep", "1", "--dry-run"], ["sessions", "show", f"{bundle.name[:-6]}000001"]):
        yield from grows(program, " ".join(words[:2]), lambda larger: [*words, "--sessions", folders[larger]])


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
