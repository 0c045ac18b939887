#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_live_keys.py AACO: what commands that measure print with --json keeps its keys, types, units, kinds and its exit code; the
values differ from run to run and are not looked at. Expected is expected/live/COMMAND.txt; --promote, or AACO_PROMOTE=1, writes it.

Each line is a path into the document and the types seen there; [] is any element of a list. A value may be null on one machine and
measured on another, and a list may be empty there: then what is below it is not compared. Where a path stands for several values, the
null may be the only integer among numbers: then the integer may be there or not. LEFT_OUT lists what depends on the moment.

The lockbox, in a session or as a report's section, stands under the path "environment" in one form: a fact is a "fact" whatever its
type ("no limit" may stand for a number), and "not available: why" and "none" are null. Members of NAMED_BY_THE_MACHINE are all *:
which there are is each machine's own.

A report's paragraph stands under the path "paragraph": a report has one where there is something to say, which is a matter of the
moment."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

EXPECTED = pathlib.Path(__file__).resolve().parent / "expected" / "live"
ONE_THREAD = "--backend cpu --threads 1 --inter-op-threads 1 --processes 2 --iterations 3 --warmup 0 --no-roofs"
LLAMA = "--param layers=1 --param hidden=32 --param heads=2 --param kv_heads=1 --param vocabulary=50 --tokens 6,3"
QUEUE = "--device cpu --iterations 4 --warmup 1 --processes 3 --sessions queues"
TINY = "--param tensor_size=64 --param ops_per_stream=5"
TRAIN = "--preset nano --device cpu:0 --num-steps 3 --warmup 1 --processes 1 --no-check --sessions trainings"
SHARDED = ("--device cpu:0,cpu:1 --override model.kind=llama model.vocab_size=64 model.model_dim=32 model.num_heads=4 model.num_layers=2 "
           "model.mlp_hidden_dim=64 dataset.sequence_length=16 training.batch_size=2 training.max_steps=4 training.mixed_precision=fp32 "
           "training.unmeasured_steps=1 scheduler.warmup_steps=0 scheduler.total_steps=0 training.output_dir=artifacts")
# Name, words, exit code is in the file. Each finds what those before have made; {first} and so on are its sessions.
COMMANDS = {
    "run": f"run --model chain-tiny --param nodes=6 {ONE_THREAD} --profile --telemetry",
    "run-again": f"run --model chain-tiny --param nodes=6 {ONE_THREAD} --profile",
    "run-tokens": f"run --model tiny-llama {ONE_THREAD} {LLAMA}",
    "sweep": f"sweep --model chain-tiny --param nodes=6 {ONE_THREAD} --batch 1,2",
    "sessions-list": "sessions list",
    "sessions-show": "sessions show {run0}",
    "sessions-verify": "sessions verify {run0}",
    "sessions-prune": "sessions prune --keep 10 --dry-run",
    "report-run": "report --session {run0} --format json",
    "report-sweep": "report --session {sweep0} --format json",
    "diff": "diff --baseline {run0} --session {run1}",
    "baseline-save": "baseline save first --session {run0}",
    "baseline-show": "baseline show first",
    "baseline-list": "baseline list",
    "queue-list": "queue list",
    "queue-run": f"queue run tiny_kernel_stress --streams 2 {QUEUE} {TINY}",
    "queue-run-profile": f"queue run tiny_kernel_stress --streams 2 {QUEUE} {TINY} --profile",
    "queue-run-failed": "queue run no_such_workload --device cpu",
    "queue-sweep": f"queue sweep large_gemm_only --streams 1,2 {QUEUE} --param size=32",
    "queue-probe": "queue probe --device cpu --streams 2 --processes 1 --sessions queues",
    "queue-profile": f"queue profile tiny_kernel_stress --streams 2 {QUEUE} {TINY}",
    "queue-compare": "queue compare --baseline {queue0} --test {queue1} --allow-inconclusive --threshold 0.99",
    "report-queue": "report --session {queue1} --format json",
    "report-queue-sweep": "report --session {queue_sweep0} --format json",
    "report-queue-probe": "report --session {queue_probe0} --format json",
    "trace-report-queue": "trace report {queue1}",
    "llama-list": "llama list",
    "llama-run": f"llama run {TRAIN} --profile",
    "llama-compare": f"llama compare --versions 1,4 {TRAIN}",
    "llama-study": f"llama study --versions 1,4 {TRAIN}",
    "report-training-study": "report --session {training_study0} --format json",
    "llama-roofline": "llama roofline --session {training0} --sessions trainings",
    "report-training": "report --session {training0} --format json",
    "overlap-keys": "overlap keys",
    "overlap-dry-run": f"overlap run {SHARDED} --dry-run",
    "overlap-run": f"overlap run {SHARDED} --no-check --sessions overlaps --gate min_overlap_ratio=1",
    "overlap-report": "overlap report --log-dir artifacts --label a",
    "overlap-scaling": "overlap report --scaling {overlap0}",
    "overlap-copy": "overlap copy --device cpu:0 --matrix-size 16 --copy-mb 0.1 --iterations 2 --cold-iters 1 --processes 1 --sessions copies",
    "report-copy-overlap": "report --session {copy_overlap0} --format json",
    "overlap-sweep": f"overlap sweep {SHARDED} --processes 1 --sweep fsdp.prefetch_depth=2 --sessions sweeps",
    "report-overlap-sweep": "report --session {overlap_sweep0} --format json",
    "devices": "devices",
    "doctor": "doctor",
}
NAMING = ("unit", "kind")  # members whose value is part of what is promised
# Maps of the lockbox whose keys are not this program's, and whose names they are.
NAMED_BY_THE_MACHINE = {
    "variables": "of environment variables",
    "kernel.vulnerabilities": "of what the kernel knows to be wrong with this processor",
    "cpu.caches": "of this processor's caches",
    "gpus": "of cards, by number, each with what its vendor tells",
}
# Path, why it is not the same on each machine and at each moment.
LEFT_OUT = [
    (r".*\.top_evidence\..*", "which signals speak loudest is a matter of the moment"),
    (r".*\.learned\.evidence\..*", "and what the learned classifier names"),
    (r"(.*\.)?offenders\..*\.kind", "and so is what took most of the time"),
    (r"figures\.ranks\.\[\]\.idle_by_cause\..*", "which causes of idle time there were"),
    (r"sections\..*\.blocks\..*\.(interval|unit|reason|detail|tone)(\..*)?", "which cells of a report have a value"),
    (r"sections\..*\.annotations\..*", "and what stands out in its plots"),
    (r"critical_paths\..*\.kind", "and what the host waited for"),
    (r"file_bytes\.report/plots/telemetry-.*", "whether the run lasted for two samples"),
]


def nested(facts):
    """{"ulimits · nice": "0"}, as a report's facts are, as {"ulimits": {"nice": "0"}}."""
    tree = {}
    for name, value in facts.items():
        *above, last = name.split(" · ")
        place = tree
        for part in above:
            place = place.setdefault(part, {})
        place[last] = value
    return tree


def lockbox_of_report(section):
    """The lockbox as the session holds it, from a report's section: facts of its own, and folded blocks of facts."""
    lockbox = {}

    def told(facts):
        return nested({name: cell["value"] for name, cell in facts.items()})

    for block in section["blocks"]:
        inner = block["blocks"] if block["kind"] == "folded" else [block]
        for facts in inner:
            lockbox.update({block["title"]: told(facts["facts"])} if block["kind"] == "folded" else told(facts["facts"]))
    return lockbox


def shape_lockbox(value, path, paths):
    """`path` is below the lockbox."""
    kinds = paths.setdefault(f"environment.{path}" if path else "environment", set())
    if value in ({}, [], None, "none") or isinstance(value, str) and value.startswith("not available: "):
        kinds.add("null")
    elif isinstance(value, dict) or isinstance(value, list) and isinstance(value[0], dict):
        kinds.add("object")
        for key, member in value.items() if isinstance(value, dict) else enumerate(value):
            if path in NAMED_BY_THE_MACHINE:
                paths.setdefault(f"environment.{path}.*", set()).add("fact")
            else:
                shape_lockbox(member, f"{path}.{key}" if path else key, paths)
    else:
        kinds.add("fact")


def shape(value, path, paths):
    """The types at each path, by name; `true` and `false` are one type."""
    if isinstance(value, dict) and {"captured_at", "variables"} <= value.keys():
        return shape_lockbox(value, "", paths)
    if isinstance(value, dict) and value.get("id") == "environment":
        return shape_lockbox(lockbox_of_report(value), "", paths)
    if isinstance(value, dict) and value.get("kind") == "paragraph":
        path = "paragraph"
    if any(re.fullmatch(pattern, path) for pattern, _why in LEFT_OUT):
        return
    kinds = paths.setdefault(path, set())
    if isinstance(value, dict):
        kinds.add("object")
        for key, member in value.items():
            shape(member, f"{path}.{key}" if path else key, paths)
    elif isinstance(value, list):
        kinds.add("list" if value else "empty")
        for member in value:
            shape(member, f"{path}.[]" if path else "[]", paths)
    elif isinstance(value, str) and path.rsplit(".", 1)[-1] in NAMING:
        kinds.add(json.dumps(value))
    else:
        kinds.add({bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}[type(value)])


def open_above(path, paths):
    """Whether something above the path is null or an empty list there, so that nothing is known of what lies below; or there is
    no paragraph."""
    if path.split(".")[0] == "paragraph":
        return "paragraph" not in paths
    parts = path.split(".")
    return any({"null", "empty"} & paths.get(".".join(parts[:end]), set()) for end in range(len(parts)))


def differences(expected, got):
    for path in sorted(expected.keys() | got.keys()):
        if path not in got:
            if not open_above(path, got):
                yield f"{path} is gone"
        elif path not in expected:
            if not open_above(path, expected):
                yield f"{path} is new"
        else:
            one, two = (kinds[path] - {"null", "empty", "list"} for kinds in (expected, got))
            unknown = "null" in expected[path] and one <= two or "null" in got[path] and two <= one
            if one and two and one != two and not unknown:
                yield f"{path}: {', '.join(sorted(two))}, not {', '.join(sorted(one))}"


def text_of(code, paths):
    return f"exit code {code}\n" + "".join(f"{path or 'document'}: {', '.join(sorted(kinds))}\n" for path, kinds in sorted(paths.items()))


def parse(text):
    first, *lines = text.splitlines()
    paths = {}
    for line in lines:
        path, _, kinds = line.rpartition(": ")
        paths["" if path == "document" else path] = set(kinds.split(", "))
    return int(first.rsplit(" ", 1)[1]), paths


def sessions(folder):
    """By name of kind and number, oldest first."""
    found = sorted(folder.glob("*/*/*/session.json"), key=lambda path: path.stat().st_ctime_ns)
    counts, names = {}, {}
    for path in sorted(found, key=lambda path: json.loads(path.read_text())["t0_wall_ns"]):
        kind = json.loads(path.read_text())["kind"]
        names[f"{kind}{counts.get(kind, 0)}"] = str(path.parent.relative_to(folder))
        counts[kind] = counts.get(kind, 0) + 1
    return names


def check(aaco, folder, name, promote):
    words = [word.format(**sessions(folder)) for word in shlex.split(COMMANDS[name])]
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "HOME": str(folder)}
    done = subprocess.run([aaco, *words, "--json"], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    paths = {}
    if done.stdout:
        shape(json.loads(done.stdout), "", paths)
    path = EXPECTED / f"{name}.txt"
    if promote:
        EXPECTED.mkdir(parents=True, exist_ok=True)
        path.write_text(text_of(done.returncode, paths))
        return
    code, expected = parse(path.read_text())
    if code != done.returncode:
        yield f"exit code {done.returncode}, not {code}: {done.stderr.strip()}"
    yield from differences(expected, paths)


def main(aaco, *flags):
    promote = "--promote" in flags or os.environ.get("AACO_PROMOTE") == "1"
    aaco, problems = str(pathlib.Path(aaco).resolve()), []
    with tempfile.TemporaryDirectory() as temporary:
        for name in COMMANDS:
            problems += [f"{name}: {problem}" for problem in check(aaco, pathlib.Path(temporary), name, promote)]
    print("\n".join(problems) or f"{len(COMMANDS)} commands {'promoted' if promote else 'with the keys that are expected'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
