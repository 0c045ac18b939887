#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a build of aaco costs: `build_cost.py --output bench/results/build-cost.json` clones this checkout's HEAD, builds it with an
empty compiler cache, first what `scripts/demo` builds and then the rest, and writes wall seconds, processor seconds and sizes; with
--test it runs `scripts/test` from an empty cache too. It needs an idle machine and .deps/, as scripts/setup leaves it.
`build_cost.py --table` writes the table in CONTRIBUTING.md from the file; `--check` says whether it is up to date."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from harness import environment

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "build-cost.json"
DOCUMENT = ROOT / "CONTRIBUTING.md"
MARKED = re.compile(r"(<!-- build cost: start -->\n).*(<!-- build cost: end -->)", re.S)
HEADERS = ("src/base/json/json.h", "src/base/result.h", "src/record/rows.h")  # of ours, that many files depend on
STEP = re.compile(r"^(?:ok|skipped|FAILED) +(\S.*?) +(\d+) s +(\d+\.\d) min\b", re.M)


def timed(command, folder, variables=None, log=None):
    """Wall and processor seconds of a command; the program ends when it fails."""
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, env={**os.environ, **(variables or {})}, stdout=log, stderr=log and subprocess.STDOUT)
    _, status, used = os.wait4(process.pid, 0)
    if log is None and os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{' '.join(command)} failed")
    return dict(wall_s=time.monotonic() - began, processor_s=used.ru_utime + used.ru_stime)


def clone(folder):
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(folder)], check=True)
    (folder / ".deps").symlink_to(ROOT / ".deps")


def dependent_objects(folder):
    """Header -> how many objects are built again when it changes."""
    listed = subprocess.run(["ninja", "-C", "build", "-t", "deps"], cwd=folder, capture_output=True, text=True, check=True).stdout
    objects = re.split(r"\n(?=\S)", listed)
    return {header: sum(f"/{header}\n" in each + "\n" for each in objects) for header in HEADERS}


def unit_seconds(folder):
    """Processor seconds of the fixed source, as scripts/check_build_cost measures them."""
    read = "import runpy, os; print(runpy.run_path('scripts/check_build_cost')['unit_seconds'](3, os.cpu_count()))"
    return float(subprocess.run([sys.executable, "-c", read], cwd=folder, capture_output=True, text=True, check=True).stdout)


def measure_build(folder):
    cache = dict(CCACHE_DIR=str(folder / "cache"))
    demo = timed(["sh", "-c", "cmake --preset release && ninja -C build aaco"], folder, cache)
    program = (folder / "build/bin/aaco").stat().st_size
    rest = timed(["ninja", "-C", "build"], folder, cache)
    modules = [name for name in ("cuda", "hip") if (folder / f"build/bin/libaaco_{name}.so").exists()]
    unit_s = unit_seconds(folder)
    whole_s = demo["processor_s"] + rest["processor_s"]
    return dict(environment=environment(folder / "build/bin/aaco"), demo=demo, rest=rest, program_bytes=program, modules=modules, unit_s=unit_s,
                compilations=whole_s / unit_s, dependent_objects=dependent_objects(folder))


def measure_test(folder):
    """`scripts/test`: what it took and printed for each step, failed ones too."""
    with tempfile.TemporaryFile() as log:
        whole = timed(["scripts/test"], folder, dict(CCACHE_DIR=str(folder / "cache"), CI="true"), log)
        log.seek(0)
        printed = log.read().decode(errors="replace")
    print(printed)
    return dict(**whole, steps=[dict(step=name, wall_s=int(wall), processor_min=float(minutes)) for name, wall, minutes in STEP.findall(printed)])


def span(seconds):
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def table_of(data):
    where = data["environment"]
    built = " and ".join(data["modules"]) or "none"
    rows = [("`scripts/demo` builds, empty cache: wall time", span(data["demo"]["wall_s"])),
            ("the same: processor time", f"{data['demo']['processor_s'] / 60:.1f} min"),
            (f"the rest, with tests and modules ({built}): processor time", f"{data['rest']['processor_s'] / 60:.1f} min"),
            ("the program's size", f"{data['program_bytes'] / 1e6:.0f} MB")]
    rows += [(f"objects built when {header.removeprefix('src/')} changes", str(count)) for header, count in data["dependent_objects"].items()]
    if "test" in data:
        rows.append(("`scripts/test`, empty cache: wall time", span(data["test"]["wall_s"])))
        rows.append(("the same: processor time", f"{data['test']['processor_s'] / 60:.0f} min"))
    head = f"Measured on {where['date']}: {where['cpu']}, {where['processors']} processors.\n\n| What | Takes |\n|---|---|\n"
    return head + "".join(f"| {what} | {figure} |\n" for what, figure in rows)


def with_table(text, data):
    if not MARKED.search(text):
        sys.exit(f"{DOCUMENT.name} has no marks for the table of the build's cost")
    return MARKED.sub(lambda mark: mark[1] + table_of(data) + mark[2], text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--test", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if arguments.output:
        with tempfile.TemporaryDirectory() as folder:
            checkout = pathlib.Path(folder) / "aaco"
            clone(checkout)
            data = measure_build(checkout)
        if arguments.test:
            with tempfile.TemporaryDirectory() as folder:
                checkout = pathlib.Path(folder) / "aaco"
                clone(checkout)
                data["test"] = measure_test(checkout)
        arguments.output.write_text(json.dumps(data, indent=1) + "\n")
        print(f"For CONTRIBUTING.md, \"What the build costs\":\n| {data['environment']['date']} | {', '.join(data['modules']) or 'none'} | "
              f"{data['compilations']:.0f} | WHY |")
    if arguments.table or arguments.check:
        if not RESULT.exists():
            print(f"skipped: data not here: {RESULT.relative_to(ROOT)}")
            return 77
        text = DOCUMENT.read_text()
        updated = with_table(text, json.loads(RESULT.read_text()))
        if arguments.table:
            DOCUMENT.write_text(updated)
        elif updated != text:
            print(f"{DOCUMENT.name}: the table is not that of {RESULT.relative_to(ROOT)}: bench/build_cost.py --table")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
