#!/usr/bin/env python3
"""Runs that did other work are not compared as if they had done the same, and runs of the same work are, however they were
named: weights outside the model file, values of inputs, options.  check_identity.py AACO"""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from tiny_onnx import FLOAT, _bytes, _number, node, value


def weighted(location):
    """y = x * w, where w lies outside."""
    entry = _bytes(13, _bytes(1, "location") + _bytes(2, location))
    weights = _number(1, 4) + _number(2, FLOAT) + _bytes(8, "w") + entry + _number(14, 1)
    graph = _bytes(1, node("Mul", ["x", "w"], ["y"])) + _bytes(2, "tiny") + _bytes(5, weights)
    graph += _bytes(11, value("x", (1, 4))) + _bytes(12, value("y", (1, 4)))
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, _bytes(1, "") + _number(2, 17))


def npy(values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': (1, {len(values)}), }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}f", *values)


def tensor_proto(values):
    return _number(1, 1) + _number(1, len(values)) + _number(2, FLOAT) + _bytes(9, struct.pack(f"<{len(values)}f", *values))


class Machine:
    def __init__(self, aaco, folder):
        self.aaco, self.folder, self.failures = aaco, folder, []
        self.environment = {**os.environ, "AACO_CACHE": str(folder / "cache")}

    def call(self, *words, **variables):
        done = subprocess.run([self.aaco, *map(str, words)], cwd=self.folder, capture_output=True, text=True, env={**self.environment, **variables})
        return done

    def run(self, model, *words, **variables):
        done = self.call("run", model, *words, "--processes", 3, "--iterations", 5, "--warmup", 1, "--no-roofs", "--json", **variables)
        if done.returncode != 0:
            raise SystemExit(f"run {model} {words}: {done.stderr}")
        return json.loads(done.stdout)["bundle"]

    def expect(self, what, baseline, test, differs=None):
        """`differs`: words of the reason; None where the two are the same work."""
        done = self.call("diff", "--baseline", baseline, "--session", test, "--quiet", "--allow-inconclusive")
        invalid = done.stdout.startswith("not comparable")
        if differs is None and invalid or differs is not None and (not invalid or done.returncode != 4 or differs not in done.stdout):
            self.failures.append(f"{what}: exit code {done.returncode}: {done.stdout[:400]}{done.stderr}")
        if differs is not None:
            asked = self.call("diff", "--baseline", baseline, "--session", test, "--quiet", "--allow-inconclusive", "--allow-different")
            if asked.stdout.startswith("invalid") or differs not in asked.stdout:
                self.failures.append(f"{what}, allowed: {asked.stdout[:400]}{asked.stderr}")


def main(aaco):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        machine = Machine(aaco, folder)
        for place, location in (("a", "sub/w.bin"), ("b", "sub/w.bin"), ("copy", "sub/w.bin")):
            (folder / place / "sub").mkdir(parents=True)
            (folder / place / "model.onnx").write_bytes(weighted(location))
            (folder / place / location).write_bytes(struct.pack("<4f", 1, 2, 3, 5 if place == "b" else 4))
        (folder / "copy/model.onnx").rename(folder / "copy/renamed.onnx")
        links = folder / "links"
        (links / "sub").mkdir(parents=True)
        os.symlink("../a/model.onnx", links / "model.onnx")
        os.symlink("../../a/sub/w.bin", links / "sub/w.bin")
        for name, values in (("one", (1, 2, 3, 4)), ("other", (1, 2, 3, 5))):
            (folder / f"{name}.npy").write_bytes(npy(values))
            (folder / f"{name}.pb").write_bytes(tensor_proto(values))

        a = machine.run("a/model.onnx")
        machine.expect("other weights", a, machine.run("b/model.onnx"), "weights sub/w.bin")
        machine.expect("a copy under another name", a, machine.run("copy/renamed.onnx"))
        machine.expect("links to it", a, machine.run("links/model.onnx"))
        machine.expect("another seed", a, machine.run("a/model.onnx", "--seed", 3), "input x")
        of_npy = machine.run("a/model.onnx", "--input", "x=one.npy")
        machine.expect("values of a file", a, of_npy, "input x")
        machine.expect("the same values, another format and seed", of_npy, machine.run("a/model.onnx", "--input", "x=one.pb", "--seed", 3))
        machine.expect("other values", of_npy, machine.run("a/model.onnx", "--input", "x=other.npy"), "input x")
        spinning, prepacking = ["--option", "session.intra_op.allow_spinning=0"], ["--option", "session.disable_prepacking=1"]
        both = machine.run("a/model.onnx", *spinning, *prepacking)
        machine.expect("an option", a, both, "option session.disable_prepacking default / 1")
        machine.expect("options in another order", both, machine.run("a/model.onnx", *prepacking, *spinning))
        machine.expect("a default that is written out", a, machine.run("a/model.onnx", "--option", "session.set_denormal_as_zero=0", "--option", "use_arena=1"))
        machine.expect("a backend by its provider's name", a, machine.run("a/model.onnx", "--backend", "CPUExecutionProvider"))
        machine.expect("a variable that is an option", a, machine.run("a/model.onnx", ORT_DISABLE_FUSED_ATTENTION="1"), "variable ORT_DISABLE_FUSED_ATTENTION absent / 1")

        machine.call("baseline", "save", "--session", a, "--baselines", "baselines", "kept")
        b = machine.run("b/model.onnx")
        machine.expect("a baseline file", "baselines/kept.json", b, "weights sub/w.bin")
        document = json.loads((folder / "baselines/kept.json").read_text())
        del document["sample"]["configuration"]["work"]
        (folder / "baselines/older.json").write_text(json.dumps(document))
        older = machine.call("diff", "--baseline", "baselines/older.json", "--session", b, "--quiet", "--allow-inconclusive").stdout
        if older.startswith("not comparable") or "not recorded by the baseline: weights outside" not in older or "Same hardware" in older:
            machine.failures.append(f"a baseline of an older version: {older}")

        shutil.copy(folder / "b/sub/w.bin", folder / "a/sub/w.bin")
        again = machine.call("diff", "--baseline", a, "--session", of_npy, "--rerun", "--quiet", "--allow-different")
        if "what ran again is not the baseline that was recorded" not in again.stderr:
            machine.failures.append(f"a rerun of other weights, allowed: {again.stderr}")
        refused = machine.call("diff", "--baseline", a, "--session", of_npy, "--rerun", "--quiet")
        if refused.returncode != 4 or "weights sub/w.bin" not in refused.stderr:
            machine.failures.append(f"a rerun of other weights: exit code {refused.returncode}: {refused.stderr}")
        for failure in machine.failures:
            print(failure)
        return 1 if machine.failures else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
