#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`aaco observe --modules` and `--torch-ops` on a Python program whose device is the double of CUPTI: with a double of PyTorch, and with
PyTorch itself where AACO_TEST_TORCH names a Python that has it, or this one has.

check_python_hook.py AACO LIBRARIES"""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

AACO, LIBRARIES = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
HERE = pathlib.Path(__file__).resolve().parent
FAILURES = []


def expect(what, got, wanted):
    if got != wanted:
        FAILURES.append(f"{what}: {got!r}, not {wanted!r}")


def environment(path):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AACO_OBSERVE", "CUDA_", "NVTX_", "PYTHON"))}
    return {**kept, "LD_LIBRARY_PATH": LIBRARIES, "PYTHONPATH": ":".join(str(part) for part in path), "PYTHONDONTWRITEBYTECODE": "1"}


def observed(python, words, flags=("--modules",), path=()):
    """Exit code, output, errors, places of replayed kernels in their order, the document."""
    folder = tempfile.mkdtemp(dir=ROOT)
    command = [AACO, "observe", "--quiet", "--sessions", folder, *flags, "--", python, str(HERE / "torch_program.py"), LIBRARIES, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, env=environment(path))
    session = pathlib.Path(folder, "latest")
    rows = subprocess.run([AACO, "trace", "sql", "--session", str(session), "--json",
                           "SELECT e.name, a.text AS place FROM events e LEFT JOIN arguments a ON a.event = e.event AND a.key = 'captured in' "
                           "WHERE e.kind = 'kernel' ORDER BY e.start_ns"], capture_output=True, text=True, timeout=60)
    rows = json.loads(rows.stdout) if rows.returncode == 0 else []
    document = session / "metrics" / "observation.json"
    return (done.returncode, done.stdout, done.stderr, [row["place"] for row in rows if row["name"] == "replayed"],
            json.loads(document.read_text()) if document.exists() else {})


def capture_begin_asleep(python, path, flags):
    """The name of what begins a capture in a Python under --dormant: the hook's own, or PyTorch's."""
    command = [AACO, "observe", "--dormant", *flags, "--", python, "-c", "import torch; print(torch.cuda.CUDAGraph.capture_begin.__qualname__)"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, env=environment(path))
    return done.stdout.strip() or done.stderr


MODULES = ["first.attention", "first", "second.attention", "second"]


def check(python, path, real):
    what = "PyTorch" if real else "the double of PyTorch"
    code, out, err, places, document = observed(python, ["modules"], path=path)
    expect(f"modules, {what}", (code, out, places), (0, "done\n", MODULES))
    if not document:
        print(err)
        return
    work = document["processes"][0]["graph_work"]
    expect(f"counts, {what}", [work[key] for key in ("named", "unseen", "captures", "compiled_captures", "operators_ns")], [4, 0, 1, 0, 0])
    expect(f"its time is counted, {what}", work["modules_ns"] > 0, True)
    expect(f"the answer names modules, {what}", "second.attention" in err, True)
    *_, places, document = observed(python, ["modules"], flags=(), path=path)
    expect(f"without the flag, {what}", places, [None] * 4)
    *_, places, document = observed(python, ["compiled"], path=path)
    expect(f"compiled, {what}", (places, document["processes"][0]["graph_work"]["compiled_captures"]), ([None], 1))
    if not real:
        for flags, name in ((("--modules",), "name_captures.<locals>.capture_begin"), ((), "CUDAGraph.capture_begin")):
            expect(f"captures are watched while it sleeps, {flags}", capture_begin_asleep(python, path, flags), name)
        code, out, err, _, document = observed(python, ["profiler"], path=path)
        expect("torch.profiler", (code, len(document["processes"][0]["gaps"]), document["processes"][0]["other_since_ns"]), (0, 1, None))
        other = pathlib.Path(tempfile.mkdtemp(dir=ROOT))
        (other / "sitecustomize.py").write_text("import sys\nprint('theirs', len([p for p in sys.path if 'aaco_python_hook' in p]))\n")
        code, out, err, places, _ = observed(python, ["modules"], path=[other, *path])
        expect("another sitecustomize", (code, out, places), (0, "theirs 0\ndone\n", MODULES))
        return
    code, out, err, _, document = observed(python, ["cpu_profiler"], path=path)
    expect("torch.profiler of the processor", (code, out, document["processes"][0]["gaps"]), (0, "done\n", []))
    code, out, err, places, _ = observed(python, ["backward"], path=path)
    expect("backward", (code, places), (0, ["Outer", "inner", "Outer", None, None, "Outer (backward)", "inner (backward)", "Outer (backward)"]))
    code, out, err, places, document = observed(python, ["operators"], flags=("--torch-ops",), path=path)
    expect("operators", (code, places), (0, ["Scaled / aaco_test::launch"]))
    expect("cost of operators", document["processes"][0]["graph_work"]["operators_ns"] > 0, True)


def python_with_torch():
    python = os.environ.get("AACO_TEST_TORCH")
    return python or (sys.executable if importlib.util.find_spec("torch") is not None else None)


with tempfile.TemporaryDirectory() as ROOT:
    check(sys.executable, [HERE / "torch_double"], real=False)
    torch_python = python_with_torch()
    if torch_python is not None:
        check(torch_python, [], real=True)
    print("with PyTorch itself" if torch_python is not None else "PyTorch itself: skipped, there is none (AACO_TEST_TORCH)")
print("\n".join(FAILURES))
sys.exit(1 if FAILURES else 0)
