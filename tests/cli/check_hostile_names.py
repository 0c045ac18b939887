#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_hostile_names.py AACO SOURCE: names that a shell, a page, a spreadsheet, a terminal or a path would take for something
else, through the commands that take or show a name: of files and folders, kernels, streams, ranks, models, hosts, branches,
labels, sessions, baselines, outputs. Nothing is executed, no file is written but where the user said, a page holds no other elements than with a
plain name, no output steers a terminal, JSON and CSV are whole, and each command ends with a documented exit code."""
import collections
import csv
import html.parser
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NAMES = [
    "--", "-rf", "--help", "a b", " a", "a ", "new\nline", "tab\there", "cr\rhere", "quo'te", 'quo"te', "$(touch pwn)", "`touch pwn`", "; touch pwn", "| touch pwn", "& touch pwn",
    "${HOME}", "~", "*", "?[a-z]", "../../x", "x" * 200, "\U0001f600", "e\u0301\u0323", "\x1b[31mred\x1b]0;title\x07", "\u009b31m", "</script><img src=x onerror=alert(1)>",
    "'\"><svg onload=alert(1)>", "%s%n%x", "{}{0}", "\\0", "\\u0000", ".hidden", "trailing.", "CON", "nul", "\u202egnp.exe", "\u2066x", "=1+2", "+cmd|' /C calc'!A0", "@SUM(1)", "'=1",
    "a,b", "a;b", "select 1; drop table x", "'; COPY (select 1) TO 'pwn.csv'; --", "http://127.0.0.1/", "javascript:alert(1)", "[x](javascript:alert(1))", "a|b", "\ufeffbom", "\x7f",
]
BYTES = [b"\xff\xfe", b"k\xff", b"k\xfe", b"\xed\xa0\x80", b"\xc3"]
STEERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")
DOCUMENTED = {0, 1, 2, 3, 4, 5, 6}


class Elements(html.parser.HTMLParser):
    """How often each element is there, and each attribute that runs a script or leads away."""

    def __init__(self, page):
        super().__init__()
        self.found = collections.Counter()
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag not in ("p", "details", "summary"):  # long texts are folded
            self.found[tag] += 1
        for name, value in attributes:
            if name.startswith("on") or name in ("src", "srcdoc", "action", "formaction") or (name == "href" and not (value or "").startswith("#")):
                self.found[f"{tag}.{name}={value}"] += 1


class Check:
    def __init__(self, aaco, root):
        self.aaco, self.root = aaco, root
        self.work = root / "deep" / "down" / "work"
        self.work.mkdir(parents=True)
        self.runs, self.problems = 0, []

    def say(self, what, command):
        self.problems.append(f"{what}: {command!r}"[:400])

    def files(self):
        return {path for path in self.root.rglob("*")}

    def run(self, *command, may_write=(), code=None):
        """Standard output. `may_write`: folders or files below which the command may write."""
        words = [os.fsencode(word) for word in command]
        before = self.files()
        done = subprocess.run([self.aaco, *words], cwd=self.work, capture_output=True, stdin=subprocess.DEVNULL, timeout=60,
                              env={**os.environ, "AACO_CACHE": str(self.root / "cache"), "NO_COLOR": "1", "AACO_CONFIGS": str(self.root / "configs")})
        self.runs += 1
        if done.returncode not in (DOCUMENTED if code is None else code):
            self.say(f"exit code {done.returncode}, {done.stderr[:200]!r}", command)
        allowed = [pathlib.Path(os.path.normpath(self.work / os.fsdecode(place))) for place in may_write] + [self.root / "cache"]
        for path in self.files() - before:
            if not any(path == place or place in path.parents or path in place.parents for place in allowed):
                self.say(f"wrote {path.relative_to(self.root)!r}", command)
        for name, stream in (("output", done.stdout), ("error", done.stderr)):
            try:
                text = stream.decode()
            except UnicodeDecodeError:
                self.say(f"the {name} is no UTF-8", command)
                continue
            if found := STEERS.search(text):
                self.say(f"the {name} steers a terminal: U+{ord(found[0]):04X}", command)
        if "--json" in command:
            try:
                json.loads(done.stdout)
            except ValueError as error:
                if done.returncode in (0, 5):
                    self.say(f"bad JSON: {error}", command)
        return done.stdout.decode(errors="replace")

    def page(self, plain, *command, **more):
        page = self.run(*command, "--format", "html", "--output", "-", **more)
        elements = Elements(page).found
        del elements["wbr"]  # where a long name may break: as many as it has signs
        if plain is not None and elements != plain:
            self.say(f"the page has other elements: {(elements - plain) + (plain - elements)}", command)
        return elements


def trace_of(names):
    """All names as kernels, streams, operators, categories, arguments, metadata."""
    events = []
    for at, name in enumerate(names):
        events += [{"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 10 * at, "dur": 5, "args": {"device": 0, "stream": 7, "correlation": at + 1, name: name}},
                   {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 10 * at - 3, "dur": 1, "args": {"correlation": at + 1}},
                   {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": 10 * at - 4, "dur": 3, "args": {"Input Dims": [[1]]}},
                   {"ph": "X", "cat": name, "name": name, "pid": 1, "tid": 2, "ts": 10 * at, "dur": 1},
                   {"ph": "M", "name": "process_name", "pid": 100 + at, "args": {"name": name}}, {"ph": "M", "name": "thread_name", "pid": 1, "tid": at, "args": {"name": name}}]
    return json.dumps({"traceEvents": events, "deviceProperties": [{"id": 0, "name": names[-1]}], names[0]: names[0], "distributedInfo": {"rank": 0, "backend": names[0]}})


def guarded(check, text, command):
    """No cell of a CSV file is a formula."""
    for row in csv.reader(io.StringIO(text)):
        for cell in row:
            core = cell.lstrip(" \n\"'")
            if len(cell) > 1 and core[:1] in tuple("=+-@\t\r") and not cell.startswith("'") and not re.fullmatch(r"[-+]?[\d.]+(e[-+]?\d+)?( ?[A-Za-z%/]+)?|-inf|-nan", cell):
                check.say(f"the cell {cell!r} is a formula", command)


def inside_traces(check):
    plain = None
    (check.work / "plain.json").write_text(trace_of([f"plain{at}" for at in range(len(NAMES))]))
    (check.work / "names.json").write_text(trace_of(NAMES))
    bad = trace_of(["@0@", "@1@", "@2@", "@3@", "@4@"]).encode()
    for at, raw in enumerate(BYTES):
        bad = bad.replace(b"@%d@" % at, raw)
    (check.work / "bytes.json").write_bytes(bad)
    plain = check.page(None, "trace", "report", "plain.json")
    check.page(plain, "trace", "report", "names.json")
    check.page(None, "trace", "report", "bytes.json")
    for file in ("names.json", "bytes.json"):
        for form in ("text", "json", "csv", "md"):
            guarded(check, check.run("trace", "report", file, "--format", form) if form == "csv" else check.run("trace", "report", file, "--format", form) and "", form)
        check.run("trace", "diff", "plain.json", file)
        guarded(check, check.run("trace", "diff", "plain.json", file, "--csv"), "diff")
        check.run("trace", "import", file, may_write=["sessions"], code={0, 5})
        guarded(check, check.run("trace", "sql", "select * from events", "--csv"), "sql")
        check.run("trace", "sql", "select name, count(*) from events group by 1")
        check.run("trace", "sql", "select * from arguments", "--json")
        for form, output in (("chrome", "o.json"), ("perfetto", "o.pftrace"), ("parquet", "o")):
            check.run("trace", "export", file, "--format", form, "--output", output, may_write=[output])
        json.loads((check.work / "o.json").read_text())
    kernels = json.loads(check.run("trace", "report", "bytes.json", "--json"))
    texts = json.dumps(kernels, ensure_ascii=False)
    if not ("k\ufffdff" in texts and "k\ufffdfe" in texts):
        check.say("two names that differ in bytes became one", ["bytes.json"])


def of_files(check, source):
    """Names as files, folders, outputs, labels, sessions, baselines."""
    trace = trace_of(["kernel", "other"])
    plain = check.page(None, "trace", "report", "small.json") if (check.work / "small.json").write_text(trace) else None
    log = (source / "fuzz/corpus/fuzz_overlap_logs/public.jsonl").read_bytes().split(b"\xff")[0]
    for at, name in enumerate([*NAMES, *(os.fsdecode(raw) for raw in BYTES)]):
        check.run(*[["overlap", "report", "--log-dir=nowhere", f"--label={name}"], ["sessions", "show", "--", name], ["trace", "sql", f"--session={name}", "select 1"],
                    ["baseline", "show", "--", name], ["run", f"--model={name}", "--no-roofs"]][at % 5], code={2})
        if "/" in name or name in (".", ".."):
            continue
        (check.work / name).mkdir()
        (check.work / name / name).write_text(trace)
        (check.work / name / "rank_00_metrics.jsonl").write_bytes(log + b"{torn")
        inner = f"./{name}/{name}"
        if at % 4 == 0:
            check.page(plain, "trace", "report", inner)
        check.run("trace", "report", *(["--json"] if at % 2 else []), "--", inner, code={0, 5})
        check.run("overlap", "report", f"--log-dir={name}", f"--label={name}", *(["--json"] if at % 2 else []), code={5})
        if at % 2:
            check.run("trace", "report", inner, f"--output={name}/out.json", "--format=json", may_write=[f"{name}/out.json"], code={0, 5})
        if at % 5 == 0 or name in ("../../x", "\x1b[31mred\x1b]0;title\x07", os.fsdecode(b"k\xff")):
            check.run("trace", "import", inner, f"--sessions={name}/kept", may_write=[f"{name}/kept"], code={0, 5})
            check.run("sessions", "list", f"--sessions={name}/kept", code={0})
            check.run("sessions", "verify", "latest", f"--sessions={name}/kept", "--json", code={0})
            check.run("trace", "sql", "select count(*) from events", f"--sessions={name}/kept", code={0})
        shutil.rmtree(check.work / name)


def of_sessions(check, source):
    """Names of models, hosts, branches and devices, as a session that somebody sent holds them."""
    bundle = sorted((source / "tests/golden/sessions/run").rglob("session.json"))[0].parent
    plain = None
    for name in ("plain", NAMES[24] + NAMES[26] + "\u202e\u009b" + "=1+2", "=cmd|' /C calc'!A0", "'\"><svg onload=alert(1)>`touch pwn`$(touch pwn)"):
        copy = check.work / "sessions" / bundle.parent.name / bundle.name
        shutil.rmtree(check.work / "sessions", ignore_errors=True)
        shutil.copytree(bundle, copy)
        for file in ("session.json", "env.json"):
            document = json.loads((copy / file).read_text())
            renamed(document, name)
            (copy / file).write_text(json.dumps(document))
        elements = check.page(None, "report", "--session", str(copy))
        plain = plain or elements
        if elements != plain:
            check.say(f"the page has other elements: {(elements - plain) + (plain - elements)}", name)
        for form in ("text", "json", "csv", "md"):
            text = check.run("report", "--session", str(copy), "--format", form, may_write=[copy])
            guarded(check, text if form == "csv" else "", f"report {name}")
        for command in (["list"], ["list", "--json"], ["show", "latest"], ["show", "latest", "--json"], ["verify", "latest"]):
            check.run("sessions", *command)
        check.run("baseline", "save", "kept", "--session", str(copy), "--force", may_write=["baselines", copy])
        check.run("baseline", "list")
        check.run("baseline", "show", "kept")


def of_tags(check):
    """A tag is printable or refused, and what is kept is shown as it is."""
    (check.work / "small.json").write_text(trace_of(["kernel", "other"]))
    kept = []
    check.run("trace", "import", "small.json", "--sessions=tagged", "--tag=plain", may_write=["tagged"], code={0})
    for name in [*NAMES, *(os.fsdecode(raw) for raw in BYTES)]:
        usable = not STEERS.search(name) and not re.search("[,\n\t]|\ufeff", name) and name == name.strip() and len(name) <= 64 and not re.search("[\udc80-\udcff]", name)
        check.run("sessions", "tag", "latest", "--sessions=tagged", f"--add={name}", may_write=["tagged"], code={0 if usable else 2})
        kept += [name] if usable else []
    text = check.run("sessions", "list", "--sessions=tagged", "--json", code={0})
    if json.loads(text)["sessions"][0]["tags"] != sorted([*kept, "plain"], key=os.fsencode):
        check.say("other tags are kept", kept)
    for command in (["list"], ["show", "latest"], ["show", "latest", "--json"], ["list", f"--tag={kept[-1]}"]):
        check.run("sessions", *command, "--sessions=tagged", code={0})
    check.run("sessions", "verify", "latest", "--sessions=tagged", code={0})
    for name in ("new\nline", "a,b", os.fsdecode(b"k\xff")):
        check.run("trace", "import", "small.json", "--sessions=untagged", f"--tag={name}", code={2})


def renamed(value, name):
    """Every text that is a name of somebody's, and no word of the program."""
    for key in list(value if isinstance(value, dict) else range(len(value))):
        member = value[key]
        if isinstance(member, (dict, list)):
            renamed(member, name)
        elif isinstance(member, str) and isinstance(key, str) and re.search(r"host|model|branch|cpu_name|device|kernel$|name$|subject|distribution|governor|commit", key) and key != "format":
            value[key] = name


def main(aaco, source):
    with tempfile.TemporaryDirectory(prefix="aaco_names_") as folder:
        check = Check(aaco, pathlib.Path(folder).resolve())
        inside_traces(check)
        of_files(check, pathlib.Path(source))
        of_sessions(check, pathlib.Path(source))
        of_tags(check)
        pwned = [str(path) for path in check.root.rglob("pwn*")]
        check.problems += [f"executed: {path}" for path in pwned]
        print("\n".join(check.problems) or f"{len(NAMES) + len(BYTES)} names through {check.runs} commands: none executed, injected, misplaced or merged")
        return 1 if check.problems else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])))
