#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutate.py AACO [--runs N] [--seed S] [--jobs N] [--only GROUP] [--case N]: the whole program on damaged files.

Each case damages a trace, a session, a result, a baseline, a configuration or a log of the tests (mutations.py), and runs a command that
reads it, under limits of time, memory and file size. What must not happen is a finding: a signal, a time-out, more memory than
the limit, exit code 70 or one that is not documented, a library's words, an error of more than two lines, JSON that Python refuses,
output that is no UTF-8 or steers a terminal, a file that is left half-written. All draws come from the seed and the case's number, so that
`--seed S --case N` runs a finding again; it leaves its folder and prints all. Exit code 1 with findings. Counts are printed."""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import mutations

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests/golden"
CORPUS = ROOT / "fuzz/corpus"
SECONDS = 20  # of a case, wall clock: a small file takes some 50 ms, and a machine may be busy
MEMORY = 600 << 20  # resident; a small file takes 60 to 200 MB, of which DuckDB has the most
ADDRESSES = 64 << 30  # DuckDB reserves more than it uses
FILE_BYTES = 256 << 20
DOCUMENTED = {0, 1, 2, 3, 4, 5, 6}
LIBRARY_WORDS = re.compile(r"\[json\.exception|terminate called|basic_string|std::|vector::|bad_alloc|what\(\)|yaml-cpp|Assertion|INTERNAL Error|stoi|stod|_M_|unexpected:")
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069]")


class Case:
    """A folder with damaged input, and the commands that read it, one after the other."""

    def __init__(self, folder, rng):
        self.folder, self.rng, self.commands, self.damage = folder, rng, [], ""


def damaged_copy(case, source, name=None):
    path = case.folder / (name or source.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(mutations.damaged(case.rng, path.name, source.read_bytes()))
    case.damage = case.damage or f"{source.relative_to(ROOT)}"
    return path.name


TRACES = sorted([*(GOLDEN / "traces").glob("*rank*.json"), *(path for kind in ("amd_smi", "csv_traces", "kineto", "nvidia_smi", "ort_profile", "perfetto", "rocprof_json",
                 "rocprofv3_json", "sqlite_traces", "export") for path in (CORPUS / f"fuzz_{kind}").iterdir())])


def trace(case):
    name = damaged_copy(case, case.rng.choice(TRACES))
    report = ["trace", "report", name]
    other = str(case.rng.choice(TRACES))
    case.commands = case.rng.choice([
        [[*report]], [[*report, "--json"]], [[*report, "--format", "csv"]], [[*report, "--csv", "figures"]],
        [[*report, "--format", "html", "--output", "out.html"]], [[*report, "--format", "md"]],
        [["trace", "import", name], ["trace", "report", "latest", "--json"], ["sessions", "verify", "latest"]],
        [["trace", "import", name, "--json"], ["trace", "sql", "select * from events", "--json"], ["sessions", "list", "--json"]],
        [["trace", "export", name, "--format", "perfetto", "--output", "out.pftrace"]], [["trace", "export", name, "--format", "chrome", "--output", "out.json"]],
        [["trace", "export", name, "--format", "parquet", "--output", "tables"]], [["trace", "diff", name, other]], [["trace", "diff", other, name, "--json"]]])


SESSIONS = sorted(path for path in (GOLDEN / "sessions").iterdir() if path.is_dir())


def session(case):
    source = case.rng.choice(SESSIONS)
    mutations.copy_of(source, case.folder / "sessions")
    bundles = sorted(path.parent for path in (case.folder / "sessions").rglob("session.json"))
    bundle = case.rng.choice(bundles)
    case.damage = f"{source.relative_to(ROOT)}: {mutations.damage_folder(case.rng, bundle)}"
    name, other = str(bundle.relative_to(case.folder)), str(case.rng.choice(bundles).relative_to(case.folder))
    report = ["report", "--session", name]
    case.commands = case.rng.choice([
        [[*report, "--format", "text"]], [[*report, "--format", "json"]], [[*report]], [[*report, "--format", "csv"]], [[*report, "--format", "md", "--plots", "--output", "out.md"]],
        [["sessions", "list"], ["sessions", "list", "--json"]], [["sessions", "show", name], ["sessions", "show", name, "--json"]],
        [["sessions", "verify", name], ["sessions", "verify", name, "--json"]], [["sessions", "prune", "--keep", "1", "--dry-run"], ["sessions", "prune", "--keep", "1", "--json"]],
        [["diff", "--baseline", other, "--session", name, "--json"]], [["diff", "--baseline", name, "--session", other]],
        [["trace", "report", name]], [["trace", "report", name, "--json"]], [["trace", "sql", "--session", name, "show tables", "--csv"]],
        [["trace", "sql", "--session", name, "select * from events", "--json"]], [["trace", "export", name, "--format", "chrome", "--output", "out.json"]],
        [["baseline", "save", "kept", "--session", name, "--baselines", "baselines"], ["baseline", "list", "--baselines", "baselines"]],
        [["llama", "roofline", "--session", name]], [["overlap", "report", "--scaling", name, "--json"]], [["queue", "compare", "--baseline", other, "--test", name]]])


def baseline(case):
    case.damage = "baseline"
    mutations.copy_of(GOLDEN / "sessions/run", case.folder / "sessions")
    damaged_copy(case, GOLDEN / "baselines/first.json", "baselines/first.json")
    newest = sorted((case.folder / "sessions").rglob("session.json"))[1].parent.relative_to(case.folder)
    case.commands = case.rng.choice([
        [["baseline", "list", "--baselines", "baselines"], ["baseline", "list", "--baselines", "baselines", "--json"]], [["baseline", "show", "first", "--baselines", "baselines"]],
        [["baseline", "show", "first", "--baselines", "baselines", "--json"]], [["diff", "--baseline", "baselines/first.json", "--session", str(newest), "--json"]],
        [["diff", "--baseline", "baselines/first.json", "--session", str(newest)]]])


def result(case):
    case.damage = "result"
    name = damaged_copy(case, GOLDEN / "traces/roofs.json")
    case.commands = [["trace", "report", str(GOLDEN / "traces/before_rank0.json"), "--roofs", name, *case.rng.choice([[], ["--json"]])]]


CONFIGS = sorted([*(ROOT / "configs").rglob("*.yaml"), *(CORPUS / "fuzz_overlap_config").iterdir(), *(CORPUS / "fuzz_registry").iterdir()])


def config(case):
    source = case.rng.choice(CONFIGS)
    if source.parent.name == "overlap" or source.parent.name == "fuzz_overlap_config":
        name = damaged_copy(case, source)
        case.commands = [["overlap", "run", "--config", name, "--dry-run", *case.rng.choice([[], ["--json"]])]]
        return
    name = damaged_copy(case, source, f"configs/{source.name}")
    case.commands = [["trace", "report", str(GOLDEN / "traces/before_rank0.json"), "--accelerator", "h100"]] if "accelerators" in name else [
        ["run", "--model", "nobody", "--no-roofs"], ["run", "--model", "mlp", "--backend", "nobody", "--no-roofs"]]


def log(case):
    case.damage = "log"
    for rank, source in enumerate(case.rng.choices(sorted((CORPUS / "fuzz_overlap_logs").iterdir()), k=case.rng.choice([1, 2]))):
        damaged_copy(case, source, f"log/rank_{rank:02}_metrics.jsonl")
    case.commands = [["overlap", "report", "--log-dir", "log", "--label", "m", *case.rng.choice([[], ["--json"]])]]


GROUPS = {"trace": (trace, 40), "session": (session, 40), "baseline": (baseline, 6), "result": (result, 3), "config": (config, 6), "log": (log, 5)}


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(aaco, command, folder):
    """(exit code or minus the signal, standard output, standard error, resident bytes, seconds, whether time was up)"""
    environment = {**os.environ, "AACO_CACHE": str(folder / ".cache"), "TMPDIR": str(folder / ".tmp"), "NO_COLOR": "1"}
    (folder / ".tmp").mkdir(exist_ok=True)
    began = time.monotonic()
    with open(folder / ".out", "w+b") as out, open(folder / ".err", "w+b") as err:
        process = subprocess.Popen([aaco, *command], cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment, preexec_fn=limited, start_new_session=True)
        late = threading.Event()

        def end():
            late.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(SECONDS, end)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return process.returncode, out.read(), err.read(), usage.ru_maxrss << 10, time.monotonic() - began, late.is_set()


def strict_json(text):
    def refuse(word):
        raise ValueError(f"{word} is no JSON")
    return json.loads(text, parse_constant=refuse)


def findings_in(command, folder, done):
    code, out, err, memory, _, late = done
    if late:
        yield "time-out"
        return
    if code < 0:
        yield f"signal {-code}"
    elif code not in DOCUMENTED:
        yield f"exit code {code}"
    if memory > MEMORY:
        yield f"memory {memory >> 20} MiB"
    try:
        out, err = out.decode(), err.decode()
    except UnicodeDecodeError as error:
        yield f"no UTF-8: {error.object[max(error.start - 20, 0):error.start + 20]!r}"
        out, err = out.decode(errors="replace"), err.decode(errors="replace")
    is_sql = command[:2] == ["trace", "sql"]  # DuckDB's reasons are part of its errors
    if words := LIBRARY_WORDS.search(err):
        if not is_sql:
            yield f"library words: {words[0]}"
    # That a session broke off is a note of its own before an error about its tables.
    lines = [line for line in err.splitlines() if not line.endswith("the SELECT sees the tables that are there")]
    if code in (2, 3, 6) and len(lines) > 2:
        yield f"an error of {len(lines)} lines"
    if code in (2, 3, 6) and not (lines and lines[0].startswith("aaco: ")):
        if not (code == 2 and out):  # an input whose parts are refused says so in its output
            yield "an error without a word"
    if found := STEERS.search(out) or STEERS.search(err):
        yield f"steers a terminal: U+{ord(found[0]):04X}"
    if code in (0, 1, 4, 5) and ("--json" in command or command[-2:] == ["--format", "json"]):
        try:
            strict_json(out)
        except ValueError as error:
            yield f"bad JSON: {error}"
    if "--output" in command:
        output = folder / command[command.index("--output") + 1]
        if code not in (0, 1, 4, 5) and output.is_file():
            yield f"{output.name} was left by an error"
        if code in (0, 5) and not output.exists():
            yield f"{output.name} is missing"
        if code in (0, 5) and output.suffix == ".json":
            try:
                strict_json(output.read_bytes())
            except ValueError as error:
                yield f"bad JSON in {output.name}: {error}"
    left = [path.name for path in folder.rglob("*") if re.search(r"\.tmp\w*$|\.partial", path.name) and path != folder / ".tmp"]
    left += [path.name for path in (folder / ".tmp").iterdir()]
    if left and code >= 0:
        yield f"left behind: {left[0]}"


def run_case(aaco, seed, number, only, keep):
    rng = random.Random(f"{seed}:{number}")
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"aaco_mutate_{number}_"))
    try:
        names = [only] if only else list(GROUPS)
        group = rng.choices(names, [GROUPS[name][1] for name in names])[0]
        case = Case(folder, rng)
        GROUPS[group][0](case)
        codes, found = [], []
        for command in case.commands:
            done = run(aaco, command, folder)
            codes.append("time-out" if done[5] else done[0])
            problems = list(findings_in(command, folder, done))
            found += [(problem, command, done[2].decode(errors="replace")[:300]) for problem in problems]
            if keep:
                print(f"$ aaco {' '.join(command)}\n{done[1].decode(errors='replace')[:4000]}{done[2].decode(errors='replace')}"
                      f"exit code {done[0]}, {done[3] >> 20} MiB, {done[4]:.2f} s; {problems or 'nothing found'}")
        return group, codes, found, case.damage
    finally:
        if keep:
            print(f"kept: {folder} ({case.damage})")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("aaco")
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", choices=list(GROUPS))
    parser.add_argument("--case", type=int, help="run this case alone, keep its folder")
    flags = parser.parse_args()
    aaco = str(pathlib.Path(flags.aaco).resolve())
    numbers = [flags.case] if flags.case is not None else range(flags.runs)
    groups, exits, kinds, commands = collections.Counter(), collections.Counter(), {}, 0
    with concurrent.futures.ThreadPoolExecutor(flags.jobs) as pool:
        running = {pool.submit(run_case, aaco, flags.seed, number, flags.only, flags.case is not None): number for number in numbers}
        for done in concurrent.futures.as_completed(running):
            group, codes, found, damage = done.result()
            groups[group] += 1
            commands += len(codes)
            exits.update(codes)
            for problem, command, error in found:
                kind = re.sub(r"\d+", "N", problem)[:60]
                kinds.setdefault((group, command[0], command[1] if command[0] in ("trace", "sessions", "baseline", "overlap") else "", kind), []).append(
                    (running[done], problem, command, damage, error))
    for kind, cases in sorted(kinds.items()):
        number, problem, command, damage, error = min(cases)
        only = f" --only {flags.only}" if flags.only else ""
        print(f"FINDING {len(cases)} times: {problem}\n  aaco {' '.join(command)}   of {damage}\n  {error.strip()[:300]!r}\n"
              f"  again: fuzz/mutate.py {flags.aaco} --seed {flags.seed}{only} --case {number}")
    print("cases: " + ", ".join(f"{count} {group}" for group, count in sorted(groups.items())))
    print("exits: " + ", ".join(f"{count} with {code}" for code, count in sorted(exits.items(), key=str)))
    count = sum(len(cases) for cases in kinds.values())
    print(f"summary: {sum(groups.values())} cases, {commands} commands, seed {flags.seed}: {count} findings of {len(kinds)} kinds")
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
