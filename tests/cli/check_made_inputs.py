#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_made_inputs.py AACO REPOSITORY: values that aaco makes for inputs are what the model needs, and the line that a refusal
offers runs. Models of our own, then those of the reports in AACO_DATA where they are."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import tiny_onnx as onnx  # noqa: E402

FLAGS = ["--backend", "cpu", "--processes", "1", "--iterations", "1", "--warmup", "0", "--no-roofs", "--threads", "1"]
# Refused for other reasons than open sizes and values, with no line to offer.
REFUSED = ("10_", "16_", "16b", "17b", "25_dup", "31", "22b")
INT64, INT32 = onnx.INT64, onnx.INT32


def gather(indices_shape, element=INT64, axis=0, name="ids"):
    return onnx.model([onnx.node("Gather", ["table", name], ["y"], attributes=[onnx.integer("axis", axis)])],
                      [onnx.value(name, indices_shape, element)], [onnx.value("y", None)], initialisers=[onnx.floats("table", [500, 8])])


def sized(op_type, inputs, size, data=(4, 6), outputs=("y",), initialisers=(), result=onnx.FLOAT):
    """A node whose operand `size` is an input of int64."""
    ports = [onnx.value("x", list(data))] if "x" in inputs else []
    return onnx.model([onnx.node(op_type, inputs, list(outputs))], ports + [onnx.value("n", size, INT64)],
                      [onnx.value(outputs[0], None, result)], initialisers=initialisers)


def loop():
    body = onnx.graph([onnx.node("Identity", ["go"], ["goes"]), onnx.node("Relu", ["a"], ["b"])],
                      [onnx.value("i", [], INT64), onnx.value("go", [], 9), onnx.value("a", [4])],
                      [onnx.value("goes", [], 9), onnx.value("b", [4])])
    return onnx.model([onnx.node("Loop", ["n", "", "x"], ["y"], attributes=[onnx.graph_attribute("body", body)])],
                      [onnx.value("n", [], INT64), onnx.value("x", [4])], [onnx.value("y", [4])])


def mask_of_lengths():
    """The usual mask of valid steps: as many steps as the longest sequence has."""
    nodes = [onnx.node("ReduceMax", ["lengths"], ["longest"], attributes=[onnx.integer("keepdims", 0)]),
             onnx.node("Range", ["zero", "longest", "one"], ["steps"]), onnx.node("Unsqueeze", ["lengths", "axis"], ["column"]),
             onnx.node("Less", ["steps", "column"], ["valid"]), onnx.node("Cast", ["valid"], ["keep"], attributes=[onnx.integer("to", 1)]),
             onnx.node("Mul", ["x", "keep"], ["y"])]
    return onnx.model(nodes, [onnx.value("x", ["batch", "frames"]), onnx.value("lengths", ["batch"], INT64)],
                      [onnx.value("y", None)],
                      initialisers=[onnx.integers("zero", [], [0]), onnx.integers("one", [], [1]), onnx.integers("axis", [1], [1])])


def cache():
    return onnx.model([onnx.node("Concat", ["past", "x"], ["present"], attributes=[onnx.integer("axis", 1)]),
                       onnx.node("Add", ["present", "mask"], ["y"])],
                      [onnx.value("past", ["batch", "past_length"]), onnx.value("x", ["batch", "length"]),
                       onnx.value("mask", ["batch", "past_length + length"])], [onnx.value("y", None)])


def at_most(steps):
    """Positions of a table that ends: 128, the first example, is too long."""
    nodes = [onnx.node("Shape", ["x"], ["s"]), onnx.node("Slice", ["table", "zero", "s"], ["p"]), onnx.node("Add", ["x", "p"], ["y"])]
    return onnx.model(nodes, [onnx.value("x", ["length"])], [onnx.value("y", None)],
                      initialisers=[onnx.floats("table", [steps]), onnx.integers("zero", [1], [0])])


# Each: the model, flags, what the refusal asks for (none: it runs as it is), and values that the inputs then have.
CASES = {
    "index": (gather([64]), [], None, {"ids": "uniform integers from 0 to 499"}),
    "index_axis": (gather([64], axis=1), [], None, {"ids": "uniform integers from 0 to 7"}),
    "index_int32": (gather(["batch", 64], INT32), ["--batch", "2"], None, {"ids": "uniform integers from 0 to 499"}),
    "index_position": (gather([1, 600], name="position_ids"), [], None,
                       {"position_ids": "0, 1, 2, ... along the last axis, again from 0 after 499"}),
    "index_given": (gather([3]), ["--input", "ids=1,2,499"], None, {"ids": "1,2,499"}),
    "top_k": (sized("TopK", ["x", "n"], [1], (4, 1000), ("y", "i")), [], "the number of elements of TopK", {"n": "10"}),
    "tile": (sized("Tile", ["x", "n"], [2]), [], "the repeats of Tile", {"n": "1"}),
    "reshape": (sized("Reshape", ["x", "n"], [2]), [], "the shape of Reshape", {"n": "4,6"}),
    "reshape_flat": (sized("Reshape", ["x", "n"], [1]), [], "the shape of Reshape", {"n": "-1"}),
    "expand": (sized("Expand", ["x", "n"], [3]), [], "the shape of Expand", {"n": "1,4,6"}),
    "filled": (sized("ConstantOfShape", ["n"], [2]), [], "the shape of ConstantOfShape", {"n": "4"}),
    "pad": (sized("Pad", ["x", "n"], [4]), [], "the padding of Pad", {"n": "1"}),
    "resize": (sized("Resize", ["x", "", "", "n"], [4], (1, 3, 16, 16)), [], "the output's sizes of Resize", {"n": "1,3,32,32"}),
    "slice_end": (sized("Slice", ["x", "from", "n"], [1], initialisers=[onnx.integers("from", [1], [0])]), [], "the ends of Slice", {"n": "4"}),
    "range": (sized("Range", ["zero", "n", "one"], [], initialisers=[onnx.integers("zero", [], [0]), onnx.integers("one", [], [1])],
                    result=INT64), [], "the limit of Range", {"n": "10"}),
    "one_hot": (onnx.model([onnx.node("OneHot", ["i", "n", "v"], ["y"])], [onnx.value("n", [], INT64)], [onnx.value("y", None)],
                           initialisers=[onnx.integers("i", [2], [0, 1]), onnx.floats("v", [2])]), [], "the depth of OneHot", {"n": "10"}),
    "loop": (loop(), [], "the number of iterations of Loop", {"n": "10"}),
    "lengths": (mask_of_lengths(), ["--dim", "frames=40"], None, {"lengths": "40"}),
    "lengths_and_sizes": (mask_of_lengths(), [], r"x \[1, frames\]", {"lengths": "128"}),
    "expression": (cache(), [], "past_length", {}),
    "table_ends": (at_most(50), [], r"x \[length\]", {}),
    "unknown_rank": (onnx.model([onnx.node("Relu", ["x"], ["y"])], [onnx.value("x", None)], [onnx.value("y", None)]), [],
                     "x of unknown rank", {}),
    "nodes_and_edges": (onnx.model([onnx.node("Gather", ["x", "edges"], ["y"])],
                                   [onnx.value("x", ["num_nodes", 8]), onnx.value("edges", [2, "num_edges"], INT64)], [onnx.value("y", None)]),
                        [], r"x \[num_nodes, 8\], edges \[2, num_edges\]", {"edges": "uniform integers from 0 to 127"}),
}


def run(aaco, model, flags, folder):
    return subprocess.run([aaco, "run", str(model), *FLAGS, "--sessions", str(folder / "s"), *flags], capture_output=True, text=True, cwd=folder)


def offered(done):
    """The command line that the hint offers, as words."""
    line = re.search(r"^hint: (.*) \((?:the sizes are|the values are|sizes and values are) examples", done.stderr, re.M)
    return shlex.split(line.group(1)) if line else None


def run_offered(aaco, done, folder, flags=()):
    words = offered(done)
    return words and subprocess.run([aaco, *words[1:], *flags], capture_output=True, text=True, cwd=folder)


def check_case(aaco, name, folder):
    model, flags, asked, values = CASES[name]
    file = folder / f"{name}.onnx"
    file.write_bytes(model)
    done = run(aaco, file, [*flags, "--json"], folder)
    if asked:
        if done.returncode != 2 or not re.search(asked, done.stderr):
            return f"not asked for: {done.returncode} {done.stderr}"
        refusal = done.stderr
        done = run_offered(aaco, done, folder)
        if done is None or done.returncode != 0:
            return f"the offered line does not run: {refusal} {done and done.stderr}"
    if done.returncode != 0:
        return f"{done.returncode}: {done.stderr}"
    made = {each["name"]: each for each in json.loads(done.stdout)["inputs"]}
    wrong = [f"{each}: {made[each]['values']}" for each, text in values.items() if made[each]["values"] != text]
    return "; ".join(wrong)


def check_words(aaco, folder):
    """What is said, and where: stdout and every report have the same."""
    file = folder / "words.onnx"
    file.write_bytes(gather([64]))
    done = run(aaco, file, [], folder)
    line = "uniform integers from 0 to 499, they index 500 rows of table (Gather Gather_y)"
    yield line in done.stdout, f"stdout lacks {line!r}: {done.stdout}"
    for form in ("text", "html", "md", "json"):
        report = subprocess.run([aaco, "report", str(folder / "s" / "latest"), "--format", form, "--output", str(folder / f"report.{form}")],
                                capture_output=True, text=True)
        written = folder / f"report.{form}"
        text = (written.read_text() if written.is_file() else report.stdout).replace("<wbr/>", "")  # where a page may break a name
        yield "made by aaco: they index 500 rows of table" in text, f"the report in {form} does not say it: {report.stderr} {text[:200]}"
    file.write_bytes(sized("TopK", ["x", "n"], [1], (4, 1000), ("y", "i")))
    done = run(aaco, file, ["--input", "n=0"], folder)
    yield "warning: nodes made results without elements" in done.stdout, f"an empty result without a word: {done.stdout}"
    done = run(aaco, file, ["--input", "n=2000"], folder)
    yield done.returncode == 2 and "aaco made" not in done.stderr, f"a given value is not ours: {done.stderr}"
    file.write_bytes(onnx.model([onnx.node("Pow", ["ids", "two"], ["i"]), onnx.node("Add", ["i", "far"], ["j"]), onnx.node("Gather", ["table", "j"], ["y"])],
                                [onnx.value("ids", [4], INT64)], [onnx.value("y", None)],
                                initialisers=[onnx.floats("table", [500]), onnx.integers("two", [], [2]), onnx.integers("far", [], [600])]))
    done = run(aaco, file, [], folder)
    yield done.returncode == 2 and "aaco made the values of ids (uniform integers from 0 to 1" in done.stderr, f"our value is not blamed: {done.stderr}"
    file.write_bytes(onnx.relu((1, "length")))
    done = run(aaco, file, ["--dim", "length=0"], folder)
    yield "warning: an input without elements: x [1,0]" in done.stdout, f"a size of 0 without a word: {done.stdout} {done.stderr}"


def check_reported(aaco, folder, data):
    """Every model of the reports runs as it is, or the line that it offers does."""
    for model in sorted(data.glob("*.onnx")):
        done = run(aaco, model, [], folder)
        if done.returncode in (0, 4) or model.name.startswith(REFUSED):
            continue
        again = run_offered(aaco, done, folder)
        if again is None or again.returncode not in (0, 4):
            yield f"{model.name}: {done.stderr} {again and again.stderr}"


def main(aaco, repository):
    failures = []
    data = pathlib.Path(os.environ.get("AACO_DATA") or pathlib.Path(repository).parent / "shared" / "data") / "reported" / "models"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for case in CASES:
            problem = check_case(aaco, case, folder)
            failures += [f"{case}: {problem}"] if problem else []
        failures += [said for good, said in check_words(aaco, folder) if not good]
        if data.is_dir():
            failures += check_reported(aaco, folder, data)
        else:
            print(f"models of the reports are not here: {data}")
    print("\n".join(failures) or "made inputs are what models need, and offered lines run")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
