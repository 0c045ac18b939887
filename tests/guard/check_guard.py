#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_guard.py AACO SOURCE: aaco guard as a whole: record, check against a recording and against a program, values, sessions of every kind, gates, exit
codes; what it writes for CI systems, held to their schemas; and its history as pyarrow reads it."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import skipping  # noqa: E402

try:
    import jsonschema
    import pyarrow.dataset
    import pyarrow.parquet
    import xmlschema
except ImportError as error:
    skipping.skip(f"{error.name} is not installed (scripts/setup --tools)")

# Processes that sleep: what they take does not depend on how fast or how busy the machine is, as far as 20 % can tell.
SLOW, FAST = "0.070", "0.025"
# Where the sides are not measured in turns a busy machine blurs more.
LONG, SHORT = "0.150", "0.010"


class TooBusy(Exception):
    """Others held so much of the machine that aaco gives no verdict on a command: right, and nothing that this test can tell."""


class Place:
    def __init__(self, aaco, folder):
        self.aaco, self.folder = aaco, pathlib.Path(folder)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "CI_"))}
        self.environment["AACO_CACHE"] = str(self.folder / "cache")
        self.is_crowded = False  # on purpose

    def guard(self, *words, expect=0, **variables):
        run = subprocess.run([self.aaco, "guard", *words], cwd=self.folder, env={**self.environment, **variables}, capture_output=True, text=True, timeout=120)
        if not self.is_crowded and "crowded: other programs held" in run.stdout + run.stderr:
            raise TooBusy
        assert expect in (run.returncode, None), (words, run.returncode, run.stdout, run.stderr)
        return run

    def json(self, *words, expect=0, **variables):
        # Before "--": what follows belongs to the command.
        quiet = ["--json"] + (["--quiet"] if words[0] != "report" else [])
        return json.loads(self.guard(words[0], *quiet, *words[1:], expect=expect, **variables).stdout)

    def check_again(self, *words, seconds):
        """A check that measures both sides again, and how many sessions it made. A machine too slow for the budget gets five times as much, as aaco advises then."""
        for budget in (seconds, 5 * seconds):
            before = self.guard_sessions()
            answer = self.json("check", *words, "--budget", f"{budget}s", expect=None)
            if answer["not_measured_again"] != "the budget is over":
                break
        return answer, self.guard_sessions() - before

    def guard_sessions(self):
        run = subprocess.run([self.aaco, "sessions", "list", "--tag", "guard", "--json"], cwd=self.folder, env=self.environment, check=True, capture_output=True, text=True)
        return len(json.loads(run.stdout)["sessions"])

    def program(self, name, seconds):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\nexec sleep {seconds}\n")
        path.chmod(0o755)
        return str(path)


def against_a_program(place):
    old, same, new = place.program("old/bench", FAST), place.program("same/bench", FAST), place.program("new/bench", SLOW)
    slower = place.json("check", "--min-effect", "20", "--budget", "60s", "--against", old, "--", new, expect=1)
    sample = slower["samples"][0]
    assert slower["verdict"] == "regressed" and slower["subject"] == "bench" and slower["measured_again"], slower
    assert slower["pairs"] >= 5 and sample["interleaved"] and 1.5 < sample["ratio"] < 4, slower
    assert "time without a processor changed most" in sample["cause"], sample
    assert place.json("check", "--min-effect", "20", "--budget", "60s", "--against", new, "--", old)["verdict"] == "improved"
    equal = place.json("check", "--min-effect", "20", "--budget", "60s", "--against", same, "--", old)
    assert equal["verdict"] == "equivalent" and equal["exit_code"] == 0, equal
    short = place.json("check", "--budget", "1s", "--against", place.program("long/bench", "0.4"), "--", place.program("long2/bench", "0.4"), expect=4)
    assert short["verdict"] == "inconclusive", short


def in_a_crowd(place):
    """Where others keep every processor busy, twice the time is no verdict, and a limit that is missed is open."""
    place.is_crowded = True
    gates = place.folder / "gates.yaml"
    gates.write_text("gates:\n  - {figure: median, at_most: 1ms}\n")
    sides = ["--against", place.program("old/bench", FAST), "--", place.program("new/bench", SLOW)]
    crowd = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())]
    try:
        words = ["--record", "--history", "crowd", "--budget", "3s", "--gates", str(gates), "--gitlab", "crowd.json"]
        run = place.guard("check", "--json", "--quiet", *words, *sides, expect=4)
        # Processes of 25 ms: none of them alone is long enough to tell of a crowd, all of them are.
        kept = place.json("record", "--history", "crowd", "--processes", "20", "--", place.program("short/bench", FAST))
    finally:
        for hog in crowd:
            hog.kill()
            hog.wait()
    answer = json.loads(run.stdout)
    assert answer["verdict"] == "invalid" and "crowded: other programs held" in answer["headline"], answer
    assert answer["samples"][0]["reason"].startswith("crowded: other programs held"), answer
    gate, = answer["gates"]
    assert gate["open"] and not gate["passed"] and "crowded: other programs held" in gate["value_text"], gate
    assert {issue["check_name"] for issue in json.loads((place.folder / "crowd.json").read_text())} == {"aaco-guard-invalid"}
    assert "warning: the recording will be no baseline: crowded: other programs held" in run.stderr, run.stderr
    assert not kept["valid"] and kept["reason"].startswith("crowded: other programs held"), kept
    line, = (line for line in place.json("report", "--history", "crowd") if line["figure"] == "median")
    assert line["recordings"] == 2 and line["valid"] == 0, line


def against_a_recording(place):
    first = place.program("v1/job", FAST)
    none = place.json("check", "--history", "h", "--processes", "3", "--", first, expect=4)
    assert "no baseline of job" in none["no_baseline"], none
    kept = place.json("record", "--history", "h", "--processes", "5", "--commit", "aaa", "--", first)
    assert kept["subject"] == "job" and kept["valid"] and kept["values"] >= 5, kept
    # Its program is still there and another one: both sides are measured again.
    again = place.json("check", "--history", "h", "--processes", "5", "--min-effect", "20", "--budget", "60s", "--", place.program("v2/job", SLOW), expect=1)
    assert again["measured_again"] and again["baseline"]["commit"] == "aaa", again
    # The same program with another argument: nothing can be measured again.
    open_ = place.json("check", "--history", "h", "--processes", "7", "--subject", "job", "--", "sleep", SLOW, expect=1)
    assert open_["measured_again"], open_
    place.guard("record", "--history", "h2", "--processes", "7", "--subject", "job", "--", "sleep", SHORT)
    unconfirmed = place.json("check", "--history", "h2", "--processes", "7", "--subject", "job", "--", "sleep", LONG, expect=4)
    assert "is the program of both sides" in unconfirmed["not_measured_again"], unconfirmed
    counted = place.json("check", "--history", "h2", "--processes", "7", "--subject", "job", "--accept-unconfirmed", "--", "sleep", LONG, expect=None)
    if counted["verdict"] in ("invalid", "inconclusive"):
        assert "too noisy" in counted["samples"][0]["reason"], counted
        print("too busy a machine to compare what ran apart: the rest of this check is left out")
        return
    assert counted["exit_code"] == 1, counted
    assert counted["samples"][0]["clock_reason"], "a command that is compared with its recording alone is judged by its clock too"
    # What regressed does not become the baseline; what did not is kept.
    before = place.json("report", "--history", "h2")
    place.json("check", "--history", "h2", "--processes", "7", "--subject", "job", "--accept-unconfirmed", "--record", "--", "sleep", LONG, expect=1)
    assert place.json("report", "--history", "h2") == before
    place.json("check", "--history", "h2", "--processes", "7", "--subject", "job", "--record", "--", "sleep", "0.003", expect=None)
    assert place.json("report", "--history", "h2")[0]["recordings"] == 2


def values(place):
    words = ["--history", "v", "--subject", "service"]
    place.guard("record", *words, "--value", "p99=10.0ms,10.1ms,9.9ms,10.05ms", "--rate", "requests=800,801,799,800", GITHUB_SHA="c0ffee")
    listed = place.json("report", *words)
    assert {(line["name"], line["figure"], line["unit"], line["commit"]) for line in listed} == {("p99", "value", "ns", "c0ffee"), ("requests", "rate", "", "c0ffee")}, listed
    slower = ["--value", "p99=20.0ms,20.1ms,19.9ms,20.05ms", "--rate", "requests=400,401,399,400"]
    assert place.json("check", *words, *slower, expect=4)["samples"][0]["ratio"] > 1.9
    # A slowdown that nobody could confirm is no next baseline either.
    run = place.guard("check", *words, *slower, "--record", expect=4)
    assert "not recorded: a slower state" in run.stderr and place.json("report", *words) == listed, run.stderr
    judged = place.json("check", *words, *slower, "--accept-unconfirmed", expect=1)
    assert [sample["verdict"] for sample in judged["samples"]] == ["regressed", "regressed"], judged
    gates = place.folder / "gates.yaml"
    gates.write_text("gates:\n  - {figure: value, name: p99, at_most: 12ms}\n  - {figure: rate, at_least: 700}\n")
    place.json("check", *words, "--value", "p99=10.0ms,10.1ms,9.9ms", "--rate", "requests=800,800,800", "--gates", str(gates), expect=4)
    failed = place.json("check", *words, *slower, "--gates", str(gates), expect=1)
    assert [gate["passed"] for gate in failed["gates"]] == [False, False], failed
    gates.write_text("gates:\n  - {figure: p99, at_most: 12ms}\n  - {figure: p99, at_most: 9ms}\n")
    alone = place.json("check", "--history", "nobody", "--value", "p99=1ms,1ms,1ms", "--rate", "requests=800,800,800", "--gates", str(gates), expect=4)
    assert alone["verdict"] == "inconclusive" and alone["no_baseline"] and alone["gates"][0]["passed"], alone
    named = place.json("check", *words, "--value", "p99=10.0ms,10.1ms,9.9ms", "--rate", "requests=800,800,800", "--gates", str(gates), expect=1)
    assert [gate["passed"] for gate in named["gates"]] == [True, False], named
    text = place.guard("check", *words, *slower, expect=4).stdout
    row = next(line for line in text.splitlines() if line.startswith("requests"))
    assert re.search(r" 80[0-9.]* +40[0-9.]* +-(49|50)", row) and " ms" not in row, row
    gates.write_text("gates:\n  - {figure: p99, at_most: 12ms, subject: other}\n  - {figure: rate, at_least: 700, subject: other}\n")
    run = place.guard("check", *words, *slower, "--gates", str(gates), expect=4)
    assert f"none of the 2 gates of {gates} is for subject service" in run.stderr, run.stderr
    gates.write_text("gates:\n  - {figure: p98, at_most: 12ms}\n")
    assert "gates.yaml:2: p98 is no figure" in place.guard("check", *words, *slower, "--gates", str(gates), expect=2).stderr


def sessions(place, source):
    """Each kind of session that can be compared can be kept; the others say why not."""
    kept = 0
    for folder in sorted((source / "tests" / "golden" / "sessions").iterdir()):
        session = min(path.parent for path in folder.rglob("session.json"))
        words = ["--history", f"s/{folder.name}", "--session", str(session), "--json"]
        run = subprocess.run([place.aaco, "guard", "record", *words], cwd=place.folder, env=place.environment, capture_output=True, text=True, timeout=60)
        if run.returncode == 0:
            answer = json.loads(run.stdout)
            assert answer["values"] > 0 if answer["valid"] else answer["reason"], answer
            kept += 1 if answer["valid"] else 0
            assert folder.name != "trace" or (answer["valid"] and answer["values"] > 3), answer  # its budget and its kernels
            alone = place.json("check", *words[:-1], expect=4)
            assert "is itself the only recording of" in alone["no_baseline"], alone
            if folder.name == "trace":
                slow_down(place, f"s/{folder.name}", 3, session="another")
                slower = place.json("check", *words[:-1], expect=4)
                assert "a trace does not hold the command that it is of" in slower["not_measured_again"], slower
                # It is of two devices, and of one launch.
                assert {(sample["baseline_processes"], sample["test_processes"]) for sample in slower["samples"]} == {(1, 1)}, slower
        else:
            assert run.returncode == 2 and "are not compared" in run.stderr, (session, run.returncode, run.stderr)
    assert kept >= 9, kept


def a_model_again(place):
    """A session that the recording does not decide is run again beside the recorded one."""
    def run(nodes):
        words = ["run", "--model", "chain-tiny", "--param", f"nodes={nodes}", "--backend", "cpu", "--threads", "1", "--processes", "3", "--iterations", "100", "--json", "--quiet"]
        subprocess.run([place.aaco, *words], cwd=place.folder, env=place.environment, check=True, capture_output=True, timeout=120)
    run(20)
    place.guard("record", "--session", "latest")
    run(20)
    newest = os.readlink(place.folder / "sessions" / "latest")
    again, sessions = place.check_again("--session", "latest", seconds=8)
    assert again["measured_again"] and again["pairs"] >= 3 and again["pairs"] % 3 == 0 and again["samples"][0]["interleaved"], again
    assert os.readlink(place.folder / "sessions" / "latest") == newest, "what the guard measured became the newest session"
    assert sessions == 2 * again["pairs"] // 3, (sessions, again)
    assert again["exit_code"] in (0, 4), again
    run(60)
    other = place.json("check", "--session", "latest", "--budget", "8s", expect=4)
    assert other["verdict"] == "invalid" and "did not measure the same thing" in other["samples"][0]["reason"], other


def other_kinds_again(place):
    """Sessions of queue and llama are run again, in turns; not where the baseline had other software, which both sides would have now."""
    queue = ["queue", "run", "tiny_kernel_stress", "--device", "cpu:0", "--streams", "2", "--iterations", "5", "--processes", "3"]
    llama = ["llama", "run", "--preset", "nano", "--device", "cpu:0", "--num-steps", "3", "--warmup", "1", "--no-telemetry", "--processes", "3"]
    for name, words in (("queue", queue), ("llama", llama)):
        def run():
            subprocess.run([place.aaco, *words, "--quiet"], cwd=place.folder, env=place.environment, check=True, capture_output=True, timeout=120)
        history = ["--history", name]
        run()
        place.guard("record", *history, "--session", "latest")
        # A queue's time is one per unit of work, and three iterations have no 99th percentile.
        place.guard("series", *history, "--figure", {"queue": "time_per_unit", "llama": "median"}[name])
        place.guard("series", *history, "--figure", {"queue": "median", "llama": "p99"}[name], expect=2)
        # A slower one whose times are known: what differs is what the recording says.
        slow_down(place, name, 3)
        run()
        again, _ = place.check_again(*history, "--session", "latest", seconds=8)
        assert again["measured_again"] and again["pairs"] >= 3 and again["pairs"] % 3 == 0 and again["samples"][0]["interleaved"], again
        assert again["exit_code"] in (0, 4) and again["samples"][0]["verdict"] != "invalid", again
        slow_down(place, name, 1, program="other")
        other = place.json("check", *history, "--session", "latest", expect=4)
        assert not other["measured_again"] and "another build of aaco" in other["not_measured_again"], other
        slow_down(place, name, 1, memory="0.001 GiB")
        elsewhere = place.json("check", *history, "--session", "latest", expect=4)
        assert elsewhere["verdict"] == "invalid" and not elsewhere["measured_again"], elsewhere
        assert "not measured on the same machine (baseline / test): memory.total" in elsewhere["samples"][0]["reason"], elsewhere


def sweeps_and_launches_again(place, source):
    """A sweep's members are run again beside the recorded ones, each judged; a sharded training a launch at a time."""
    config = ["--config", str(source / "configs" / "overlap" / "llama_nano.yaml"), "--device", "cpu:0,cpu:1", "--override", f"training.output_dir={place.folder}/out"]
    sweep = ["queue", "sweep", "tiny_kernel_stress", "--device", "cpu:0", "--streams", "1,2", "--iterations", "5", "--processes", "3"]
    launch = ["overlap", "run", *config, "--override", "training.max_steps=6"]
    overlap_sweep = ["overlap", "sweep", *config, "--override", "training.max_steps=6", "--sweep", "fsdp.prefetch_depth=1", "--processes", "2"]
    for name, words, samples, each in (("sweep", sweep, 2, 3), ("launch", launch, 1, 1), ("overlap_sweep", overlap_sweep, 2, 1)):
        def run():
            subprocess.run([place.aaco, *words, "--quiet"], cwd=place.folder, env=place.environment, check=True, capture_output=True, timeout=120)
        run()
        place.guard("record", "--history", name, "--session", "latest")
        run()
        slow_down(place, name, 3)
        again, _ = place.check_again("--history", name, "--session", "latest", seconds=6)
        assert again["measured_again"] and again["pairs"] >= each and again["pairs"] % each == 0, again
        assert len(again["samples"]) == samples and again["exit_code"] in (0, 4) and not again["not_measured_again"], again
        assert all(sample["verdict"] != "invalid" for sample in again["samples"]), again
        if name == "sweep":
            # Cut short: what the baseline has besides is not silently left out.
            subprocess.run([place.aaco, *("1" if word == "1,2" else word for word in words), "--quiet"], cwd=place.folder, env=place.environment, check=True, capture_output=True, timeout=120)
            short = place.json("check", "--history", name, "--session", "latest", "--budget", "2s", expect=4)
            assert sum(sample["reason"].startswith("only in the baseline: ") for sample in short["samples"]) == 1, short


def slow_down(place, history, factor, program=None, session=None, memory=None):
    """Writes the only recording of a history anew: its times divided, so that the next one is slower; or of another program, session or machine."""
    folder = place.folder / history
    part, = (folder / "records").rglob("*.parquet")
    table = pyarrow.parquet.read_table(part)
    sample = json.loads(table.column("sample")[0].as_py())
    for named in sample.get("samples", [sample]):
        named["process_medians_ns"] = [value / factor for value in named["process_medians_ns"]]
        named.pop("processes", None)
    if program is not None:
        sample["aaco_sha256"] = program
    if memory is not None:
        sample["environment"]["memory"]["total"] = memory
    for column, text in (("sample", json.dumps(sample)), *([("session_id", session)] if session else [])):
        index = table.schema.get_field_index(column)
        table = table.set_column(index, table.schema.field(index), pyarrow.array([text], table.schema.field(index).type))
    part.unlink()
    pyarrow.parquet.write_table(table, part.with_name("part-edited.parquet"))  # without a checksum: its bytes are others now


def ci_files(place):
    old, new = place.program("old/bench", FAST), place.program("new/bench", SLOW)
    summary = place.folder / "summary.md"
    summary.write_text("before\n")
    files = ["--junit", "g.xml", "--markdown", "g.md", "--gitlab", "g.json", "--sarif", "g.sarif", "--github"]
    run = place.guard("check", "--min-effect", "20", "--against", old, *files, "--", new, expect=1, GITHUB_STEP_SUMMARY=str(summary))
    assert re.search(r"^::error title=bench regressed::\+", run.stdout, re.M), run.stdout
    text = summary.read_text()
    assert text.startswith("before\n### ") and "slower" in text and "o" in text, text
    schemas = HERE / "schemas"
    junit = xmlschema.XMLSchema(schemas / "junit.xsd")
    gitlab = json.loads((schemas / "gitlab-code-quality.json").read_text())
    sarif = json.loads((schemas / "sarif.json").read_text())

    def validate():
        junit.validate(place.folder / "g.xml")
        jsonschema.validate(json.loads((place.folder / "g.json").read_text()), gitlab)
        jsonschema.validate(json.loads((place.folder / "g.sarif").read_text()), sarif)
        return (place.folder / "g.xml").read_text(), json.loads((place.folder / "g.json").read_text()), json.loads((place.folder / "g.sarif").read_text())

    xml, quality, results = validate()
    assert 'failures="1"' in xml and "<failure" in xml and len(quality) == 1 and len(results["runs"][0]["results"]) == 1
    first = quality[0]["fingerprint"]
    markdown = (place.folder / "g.md").read_text()
    assert len(markdown.splitlines()) < 20 and "bench" in markdown.splitlines()[0] and "&#91;" in markdown, markdown
    # Nothing changed for the worse: nothing to report.
    place.guard("check", "--min-effect", "20", "--against", new, *files, "--", old)
    xml, quality, results = validate()
    assert 'failures="0"' in xml and 'errors="0"' in xml and quality == [] and results["runs"][0]["results"] == []
    # Without a baseline the answer is open, which is an error and no failure.
    place.guard("check", "--history", "none", "--processes", "3", *files, "--", old, expect=4)
    xml, quality, results = validate()
    assert 'errors="1"' in xml and quality[0]["fingerprint"] != first and results["runs"][0]["results"][0]["level"] == "warning"
    # Nor do gates that hold make a success of it.
    gates = place.folder / "gates.yaml"
    gates.write_text("gates:\n  - {figure: value, at_most: 12ms}\n")
    place.guard("check", "--history", "none", "--value", "p=1ms,1ms,1ms", "--gates", str(gates), *files, expect=4)
    xml, quality, results = validate()
    assert 'tests="2"' in xml and 'errors="1"' in xml and len(quality) == 1 and len(results["runs"][0]["results"]) == 1, xml
    # Standard output is the JSON's alone.
    run = place.guard("check", "--json", "--quiet", "--history", "none", "--value", "p=1ms,1ms,1ms", "--github", expect=4)
    assert json.loads(run.stdout)["verdict"] == "inconclusive" and re.search(r"^::warning title=", run.stderr, re.M), run
    # Names that others chose.
    place.guard("check", "--history", "none", "--subject", "<a&\"b\">\x01\n::error::x", "--value", "<i>\n&=1ms", *files, expect=4)
    validate()


def history(place):
    for i in range(10):
        place.guard("record", "--history", "p", "--subject", f"s{i % 2}", "--value", f"x={i + 1}ms", "--quiet")
    for table, rows in (("values", 10), ("records", 10)):
        data = pyarrow.dataset.dataset(place.folder / "p" / table, format="parquet", partitioning="hive").to_table()
        assert data.num_rows == rows, (table, data.num_rows)
        types = {str(field.type) for field in data.schema}
        assert types <= {"int64", "double", "string"} or types <= {"int64", "double", "string", "dictionary<values=string, indices=int32, ordered=0>"}, data.schema
        assert set(data.column("subject").to_pylist()) == {"s0", "s1"}
    parts = list((place.folder / "p" / "values").rglob("*.parquet"))
    assert len(parts) == 10, parts  # five of a month: merged from eight on
    assert not list((place.folder / "p" / "journal").iterdir())


def damaged_history(place):
    """A file that cannot be read costs its own recordings: check, record, report and series go on and name it."""
    for level in ("10ms,10ms,10ms,10ms,10ms", "20ms,20ms,20ms,20ms,20ms"):
        place.guard("record", "--value", f"p={level}", "--commit", level[:2] * 5)
    newest = max((place.folder / "guard" / "records").rglob("*.parquet"), key=lambda path: path.stat().st_mtime_ns)
    newest.write_bytes(newest.read_bytes()[:100])
    run = place.guard("check", "--value", "p=10ms,10ms,10ms,10ms,10ms", "--github")
    assert "equivalent" in run.stdout and "baseline 1010101010" in run.stdout, run.stdout
    for line in ("warning: ", "::warning title=history::"):
        assert re.search(f"^{line}.*{newest.name}.*move it out of the history", run.stdout, re.M), run.stdout
    line, = place.json("report", expect=5)
    assert line["recordings"] == 1 and line["commit"] == "1010101010", line
    damaged = max((place.folder / "guard" / "values").rglob("*.parquet"), key=lambda path: path.stat().st_mtime_ns)
    damaged.write_bytes(b"PAR1")
    for words in (["report"], ["series"]):
        run = place.guard(*words, expect=5)
        for file in (damaged, newest):
            assert re.search(f"^warning: .*{file.name}.*move it out of the history", run.stderr, re.M), run.stderr
    place.guard("record", "--value", "p=10ms")
    for path in (place.folder / "guard" / "records").rglob("*.parquet"):
        path.write_bytes(b"")
    none = place.json("check", "--value", "p=10ms,10ms,10ms", expect=4)
    assert "no baseline" in none["no_baseline"] and "4 files of the history cannot be read" in none["no_baseline"] and len(none["damaged"]) == 4, none
    # A damaged entry of the journal is set aside, and named for as long as it is there.
    (place.folder / "guard" / "journal" / "x.json").write_text("no recording")
    for _ in range(2):
        run = place.guard("record", "--value", "p=10ms")
        assert re.search(r"^warning: .*x\.json\.damaged: .*move it out of the history", run.stderr, re.M), run.stderr
    assert "x.json.damaged" in place.guard("report", expect=5).stderr


def apart(place):
    """Subjects whose folders would have one name are two subjects."""
    for subject, level in (("a/b", "10ms"), ("a-b", "90ms")):
        place.guard("record", "--subject", subject, "--value", f"p={level},{level},{level}", "--commit", subject)
    for subject in ("a/b", "a-b"):
        line, = place.json("report", "--subject", subject)
        assert line["recordings"] == 1 and line["commit"] == subject, line
        assert place.json("check", "--subject", subject, "--value", "p=10ms,10ms,10ms", expect=None)["baseline"]["commit"] == subject
        # What is printed is taken too.
        printed = line["subject"]
        assert place.json("report", "--subject", printed) == [line], printed
        assert printed in place.guard("series", "--subject", printed).stdout
        (place.folder / "gates.yaml").write_text(f"gates:\n  - {{figure: value, name: p, at_most: 50ms, subject: {printed}}}\n")
        words = ["--subject", subject, "--value", "p=10ms,10ms,10ms", "--gates", "gates.yaml"]
        assert [gate["passed"] for gate in place.json("check", *words, expect=None)["gates"]] == [True], printed


def no_history(place):
    """What only reads makes no history of a name that was mistyped, and says that there is none."""
    told = "typo: there is no history of the guard"
    for words in (["report"], ["series"], ["series", "--subject", "x"]):
        run = place.guard(words[0], "--history", "typo", *words[1:], expect=2)
        assert told in run.stderr and "aaco guard record starts one; --history DIR names another" in run.stderr, run.stderr
    for words in (["--value", "p=1ms,1ms,1ms"], ["--processes", "3", "--", "true"]):
        run = place.guard("check", "--history", "typo", *words, expect=4)
        assert f"{told}: aaco guard record starts one" in run.stdout, run.stdout
    assert not (place.folder / "typo").exists()
    assert "/proc/none" in place.guard("check", "--record", "--history", "/proc/none", "--value", "x=1", expect=2).stderr
    place.guard("check", "--record", "--history", "new", "--value", "p=1ms,1ms,1ms", expect=4)
    assert place.json("report", "--history", "new")[0]["recordings"] == 1
    # Where a recording cannot be kept the answer is not lost.
    (place.folder / "full" / "journal").mkdir(parents=True)
    (place.folder / "full" / "values").write_text("no folder")
    run = place.guard("check", "--record", "--history", "full", "--value", "p=1ms,1ms,1ms", "--junit", "full.xml", expect=2)
    assert "no baseline of" in run.stdout and "full/values" in run.stderr, (run.stdout, run.stderr)
    assert "no baseline of" in (place.folder / "full.xml").read_text()


def refusals(place):
    for words, text in [
        (["check"], "nothing is named"),
        (["check", "--session", "latest", "--value", "x=1"], "several things"),
        (["check", "--value", "x"], "not NAME=NUMBER"),
        (["check", "--value", "p=-5ms"], "--value p=-5ms: '-5ms' is not above zero"),
        (["check", "--rate", "p=5ms"], "--rate p=5ms: '5ms' is no number"),
        (["check", "--value", "p=5ms,5"], "durations and numbers without a unit are mixed"),
        (["check", "--budget", "0", "--value", "x=1"], "--budget 0"),
        (["check", "--against", "x", "--value", "x=1"], "--against is for a command"),
        (["record", "--", "false"], "ended with exit code 1"),
        (["record", "--", "sh", "-c", "echo first >&2; echo the last line >&2; exit 3"], "exit code 3: the last line"),
        (["record", "--", "no-such-program-here"], "No such file"),
        (["record", "--history", "/proc/none", "--value", "x=1"], "/proc/none"),
        (["check", "--gates", "none.yaml", "--value", "x=1"], "none.yaml"),
    ]:
        run = place.guard(*words, expect=2)
        assert text in run.stderr and "\n" in run.stderr, (words, run.stderr)


def other_work(place):
    """What was measured another way is invalid, never faster or slower."""
    place.guard("record", "--value", "p=10ms,10ms,10ms,10ms,10ms")
    for words in (["--value", "p=10,10,10,10,10"], ["--rate", "p=14,14,14,14,14"]):
        answer = place.json("check", *words, "--accept-unconfirmed", expect=4)
        assert answer["verdict"] == "invalid" and "unit" in answer["samples"][0]["reason"], answer
    for words, row in ((["--value", "p=10,10,10"], r"10\.00 ms +10 "), (["--rate", "p=14,14,14"], r"10\.00 ms +14 ")):
        text = place.guard("check", *words, expect=4).stdout
        assert re.search(f"^p +median +{row}", text, re.M), text
    place.guard("record", "--history", "plain", "--value", "p=10,10,10,10,10", "--rate", "r=14,14,14,14,14.01")
    plain = ["--history", "plain", "--value", "p=10,10,10,10,10,10,90", "--rate", "r=14,14,14,14,14,14.01,2"]
    text = place.guard("check", *plain, expect=None).stdout
    assert "is odd: 90, the others 10 to 10;" in text and "is odd: 2, the others 14 to 14.01;" in text, text
    side, = place.json("check", "--history", "plain", "--value", "p=10ms,10ms,10ms", expect=4)["samples"][:1]
    assert (side["baseline"], side["baseline_ns"], side["baseline_kind"], side["test_ns"]) == (10, None, "number", 1e7), side
    assert "is given twice" in place.guard("check", "--value", "p=1ms", "--value", "p=2ms", expect=2).stderr
    missing = place.json("check", "--value", "q=10ms,10ms,10ms,10ms,10ms", expect=4)
    assert {sample["reason"] for sample in missing["samples"]} == {"only in the baseline: p", "only in the test: q"}, missing
    program = place.program("bench", SHORT)
    pathlib.Path(program).write_text('#!/bin/sh\nexec sleep "$1"\n')
    place.guard("record", "--", program, LONG)
    other = place.json("check", "--accept-unconfirmed", "--", program, SHORT, expect=4)
    assert other["verdict"] == "invalid" and "argument 1" in other["samples"][0]["reason"], other
    assert "--allow-different" not in other["headline"], other


def main():
    aaco, source = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    checks = [against_a_program, in_a_crowd, against_a_recording, values, lambda place: sessions(place, source), a_model_again, other_kinds_again, lambda place: sweeps_and_launches_again(place, source), ci_files, history, other_work, damaged_history, apart, no_history, refusals]
    for check in checks:
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(Place(os.path.abspath(aaco), folder))
            except TooBusy:
                print("too busy a machine to time commands: the rest of this check is left out")
    print(f"summary: {len(checks)} checks")


if __name__ == "__main__":
    main()
