#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_written_files.py AACO: nothing is written over what is read, whatever it is called, and nothing through links that somebody else
laid: of guessable names, of a received session, of a foreign repository. The user's own links keep working."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import tiny_onnx

RUN = "run MODEL --backend cpu --processes 2 --iterations 5 --warmup 0 --no-roofs --quiet".split()
LOG = json.dumps(dict(global_step=1, loss=2.0, profile=dict(total_ms=3.0, overlap=dict(per_stream_ms=dict(compute=2.0, communication=1.0)))))
CONFIG = "training:\n  max_steps: 2\n"
ROOFS = json.dumps(dict(flops_per_s=dict(fp32=1e12), bytes_per_s=1e11))
CSV = ('"Kind","Agent_Id","Queue_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp",'
       '"Private_Segment_Size","Group_Segment_Size","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"\n'
       '"KERNEL_DISPATCH","Agent 1",1,7,1,1,"k",1,1000,1010,0,0,64,1,1,64,1,1\n')


def trace(name):
    return json.dumps(dict(traceEvents=[
        dict(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", pid=1, tid=1, ts=0, dur=1, args=dict(correlation=1)),
        dict(ph="X", cat="kernel", name=name, pid=0, tid=7, ts=5, dur=9, args=dict(device=0, stream=7, correlation=1))]))


class Place:
    """A folder with one input of each kind."""

    def __init__(self, aaco, folder):
        self.aaco, self.folder, self.problems, self.count = aaco, folder, [], 0
        files = {"a.json": trace("a"), "b.json": trace("b"), "kernel_statistics.csv": CSV, "roofs.json": ROOFS, "config.yaml": CONFIG,
                 "log/rank_0_metrics.jsonl": LOG + "\n"}
        for name, text in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)
        (folder / "ok.onnx").write_bytes(tiny_onnx.relu())
        self.model = self.session(*[word.replace("MODEL", "ok.onnx") for word in RUN])
        self.other = self.session(*[word.replace("MODEL", "ok.onnx") for word in RUN])
        self.trace = self.session("trace", "import", "a.json")
        self.run("baseline", "save", folder / "baseline.json", "--session", self.other)

    def run(self, *words, codes=(0,), environment=None, cwd=None):
        self.count += 1
        done = subprocess.run([self.aaco, *map(str, words)], cwd=cwd or self.folder, capture_output=True, text=True,
                              env=environment and {**os.environ, **environment})
        if codes and done.returncode not in codes:
            self.problems.append(f"{' '.join(map(str, words))}: exit code {done.returncode}: {done.stderr.strip()[-300:]}")
        return done

    def session(self, *words):
        self.run(*words, "--sessions", self.folder / "sessions")
        return (self.folder / "sessions" / "latest").resolve()

    def expect(self, what, true):
        if not true:
            self.problems.append(what)


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()}


def aliases(path, folder):
    """Other names of a file, and how they are removed."""
    hard, soft = folder / "hard_link", folder / "symbolic_link"
    os.link(path, hard)
    soft.symlink_to(path)
    yield from (path, hard, soft, path.parent / ".." / path.parent.name / path.name)
    hard.unlink()
    soft.unlink()


# Command and inputs; each input in turn is what the flag that writes names. Flags of other commands take no file to read.
def writers(place):
    table = next(place.trace.rglob("*.parquet"))
    recorded = place.model / "session.json"
    for form in ("text", "csv"):
        yield ["trace", "report", "a.json", "--format", form, "--output"], ["a.json"]
    yield ["trace", "report", "a.json", "b.json", "--roofs", "roofs.json", "--output"], ["a.json", "b.json", "roofs.json"]
    yield ["trace", "report", place.trace, "--output"], [table]
    for form in ("chrome", "perfetto"):
        yield ["trace", "export", "a.json", "--force", "--format", form, "--output"], ["a.json"]
        yield ["trace", "export", place.trace, "--force", "--format", form, "--output"], [table]
    yield ["trace", "diff", "a.json", "b.json", "--output"], ["a.json", "b.json"]
    yield ["trace", "diff", "a.json", place.trace, "--output"], [table]
    for form in ("html", "json"):
        yield ["report", place.model, "--format", form, "--output"], [recorded]
    for form in ("text", "html"):
        yield ["diff", "--baseline", "baseline.json", "--session", place.model, "--format", form, "--output"], ["baseline.json", recorded]
    yield ["diff", "--baseline", place.other, "--session", place.model, "--output"], [place.other / "session.json", recorded]
    yield ["baseline", "save", "--force", "--session", place.model], [recorded]
    yield ["overlap", "report", "--log-dir", "log", "--label", "a", "--output"], ["log/rank_0_metrics.jsonl"]
    yield ["overlap", "run", "--config", "config.yaml", "--device", "cpu:0", "--dry-run", "--output"], ["config.yaml"]
    yield ["overlap", "sweep", "--config", "config.yaml", "--device", "cpu:0", "--output"], ["config.yaml"]


# Where no file is read, or -o is a folder of files of other names.
READ_NOTHING = {"llama run", "llama compare", "llama study", "llama roofline", "overlap copy", "queue run", "queue sweep", "queue run-priority",
                "queue profile"}


def keeps_inputs(place):
    for words, inputs in writers(place):
        for name in inputs:
            path = place.folder / name
            before = path.read_bytes()
            for alias in aliases(path, place.folder):
                done = place.run(*words, alias, codes=(2,))
                place.expect(f"{words} {alias}: says {done.stderr}", "it cannot be the output as well" in done.stderr)
                place.expect(f"{words} {alias}: {name} is another file now", path.read_bytes() == before)
                if path.read_bytes() != before:
                    path.write_bytes(before)
    # What is read is not always named, or not as the file that it is.
    configs = place.folder / "configs"
    (configs / "overlap").mkdir(parents=True)
    (configs / "accelerators.yaml").write_text("accelerators: {}\n")
    (configs / "overlap" / "small.yaml").write_text(CONFIG)
    for words, name in ((["trace", "report", "a.json"], "accelerators.yaml"), (["trace", "diff", "a.json", "b.json"], "accelerators.yaml"),
                        (["overlap", "run", "--config", "small", "--device", "cpu:0", "--dry-run"], "overlap/small.yaml"),
                        (["overlap", "run", "--config", "configs/overlap/small.yaml", "--device", "cpu:0", "--dry-run"], "overlap/small.yaml")):
        before = (configs / name).read_bytes()
        place.run(*words, "--output", configs / name, codes=(2,), environment=dict(AACO_CONFIGS=str(configs)))
        place.expect(f"{words}: {name} is another file now", (configs / name).read_bytes() == before)
    shutil.rmtree(configs)
    for words, name in ((["trace", "report", "kernel_statistics.csv", "--csv", "."], "kernel_statistics.csv"),
                        (["trace", "export", place.trace, "--force", "--format", "parquet", "--output", place.trace / "trace"], None)):
        before = contents(place.trace), (place.folder / "kernel_statistics.csv").read_bytes()
        place.run(*words, codes=(2,))
        place.expect(f"{words}: an input is another now", before == (contents(place.trace), (place.folder / "kernel_statistics.csv").read_bytes()))
    # What is beside an input is no input.
    place.run("trace", "report", "a.json", "--output", "new.json")
    place.run("trace", "report", "a.json", "--output", "new.json")
    place.run("overlap", "report", "--log-dir", "log", "--label", "a", "--output", "log/summary.json")
    place.run("overlap", "report", "--log-dir", "log", "--label", "a", "--output", "log/summary.json")
    place.run("report", place.model)
    place.run("report", place.model, "--output", place.model / "report" / "report.html")


def leaves(aaco, words=()):
    """Commands without subcommands, as lists of words, with their help."""
    text = subprocess.run([aaco, *words, "--help-all"], capture_output=True, text=True, check=True).stdout
    below = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.M)
    if below is None:
        yield " ".join(words), text
    else:
        for name in re.findall(r"^  (\S+)", below[1], re.M):
            yield from leaves(aaco, (*words, name))


def knows_all_flags(place):
    """A new flag that writes belongs into the table above."""
    tried = {" ".join(word for word in map(str, words[:2]) if not word.startswith(("-", "/"))) for words, _ in writers(place)} | READ_NOTHING
    for command, text in leaves(place.aaco):
        if re.search(r"^  (-o,)?--(output|csv|save|plot)\S* \S*(FILE|PATH|DIR|FOLDER)", text, re.M):
            place.expect(f"{command} writes a file, and is not tried here", command in tried)


def guessable_names(place):
    victim = place.folder / "victim"
    victim.write_text("mine")
    for target, words in (("r.json", ["trace", "report", "a.json", "--format", "json", "--output"]),
                          ("e.json", ["trace", "export", "a.json", "--format", "chrome", "--output"]),
                          ("saved.json", ["baseline", "save", "--session", place.model])):
        folder = place.folder / f"shared_{target}"
        folder.mkdir(mode=0o777)
        for number in range(os.getpid(), os.getpid() + 300):
            for suffix in (f".tmp{number}", f".{number}", f".tmp.{number}"):
                (folder / f"{target}{suffix}").symlink_to(victim)
        for suffix in (".tmp", ".new", "~"):
            (folder / f"{target}{suffix}").symlink_to(victim)
        place.run(*words, folder / target)
        place.expect(f"{words}: wrote through a link of a guessable name", victim.read_text() == "mine")
        place.expect(f"{words}: wrote nothing", (folder / target).is_file() and not (folder / target).is_symlink())


def received_sessions(place):
    """Each file and folder of a bundle, and those that aaco adds, as a link to elsewhere: whatever a command says, it writes nothing there."""
    names = {path.relative_to(place.model) for path in place.model.rglob("*")}
    names |= {pathlib.Path(name) for name in ("report", "report/plots", "report/report.html", "report/diff.html", "regress", "regress/verdict.json",
                                              "telemetry", "runtime", "journal", "trace", "metrics", "manifest.json", "session.lock")}
    commands = (["report"], ["report", "--format", "md", "--plots"], ["sessions", "verify"], ["sessions", "show"],
                ["diff", "--baseline", place.folder / "baseline.json", "--format", "html", "--allow-inconclusive"])
    for name in sorted(names):
        elsewhere = place.folder / "elsewhere"
        bundle = place.folder / "received" / "2026-01-31" / place.model.name
        shutil.copytree(place.model, bundle)
        here = bundle / name
        elsewhere.mkdir()
        if here.is_dir():
            shutil.move(here, elsewhere / "moved")
        elif here.is_file():
            shutil.move(here, elsewhere / "moved")
        elif here.suffix:
            (elsewhere / "moved").write_text("mine")
        else:
            (elsewhere / "moved").mkdir()
            for file in ("report.html", "verdict.json", "diff.html", "host.jsonl"):
                (elsewhere / "moved" / file).write_text("mine")
        here.parent.mkdir(parents=True, exist_ok=True)
        here.symlink_to(elsewhere / "moved")
        before = contents(elsewhere)
        for words in commands:
            place.run(*words, *(() if words[0] == "sessions" else ("--session",)), bundle, codes=())
            if contents(elsewhere) != before:
                place.problems.append(f"{words}, {name} being a link: {sorted(map(str, set(contents(elsewhere).items()) ^ set(before.items())))[:2]}"[:400])
                break
        shutil.rmtree(place.folder / "received")
        shutil.rmtree(elsewhere)


def latest_link(place):
    folder, victim = place.folder / "linked", place.folder / "mine"
    folder.mkdir()
    victim.mkdir()
    (victim / "file").write_text("mine")
    for target in (victim, victim / "file", place.folder / "nowhere"):
        (folder / "latest").symlink_to(target)
        place.run("trace", "import", "a.json", "--sessions", folder)
        place.expect(f"latest -> {target}: was followed", contents(victim) == {pathlib.Path("file"): b"mine"} and not (place.folder / "nowhere").exists())
        place.expect("latest is no link to the session", (folder / "latest").resolve().is_relative_to(folder.resolve()))
        (folder / "latest").unlink()


def own_links(place):
    (place.folder / "real.json").write_text("old")
    (place.folder / "link.json").symlink_to("real.json")
    place.run("trace", "report", "a.json", "--format", "json", "--output", "link.json")
    place.expect("--output through a link: the link is gone", (place.folder / "link.json").is_symlink())
    place.expect("--output through a link: nothing came", (place.folder / "real.json").read_text().startswith("{"))
    (place.folder / "elsewhere_sessions").mkdir()
    (place.folder / "linked_sessions").symlink_to("elsewhere_sessions")
    place.run("trace", "import", "a.json", "--sessions", "linked_sessions")
    place.run("sessions", "verify", "latest", "--sessions", "linked_sessions")
    place.run("report", "latest", "--sessions", "linked_sessions")
    place.expect("a sessions folder that is a link: no session", any((place.folder / "elsewhere_sessions").rglob("session.json")))


def foreign_repository(place):
    if shutil.which("git") is None:
        print("no git here: foreign repositories are left out")
        return
    repository = place.folder / "repository"
    repository.mkdir()
    pwn = place.folder / "pwn"
    script = f"#!/bin/sh\ntouch '{pwn}'\n"
    for word in (["init", "-q"], ["config", "core.fsmonitor", f"touch '{pwn}'; false"], ["config", "core.hooksPath", "hooks"],
                 ["config", "core.pager", f"touch '{pwn}'"], ["config", "diff.external", f"touch '{pwn}'"],
                 ["config", "filter.x.clean", f"touch '{pwn}'; cat"], ["config", "filter.x.process", f"touch '{pwn}'"]):
        subprocess.run(["git", *word], cwd=repository, check=True, capture_output=True)
    for folder in (repository / "hooks", repository / ".git" / "hooks"):
        folder.mkdir(exist_ok=True)
        for name in ("post-index-change", "fsmonitor-watchman", "query-watchman", "reference-transaction", "post-checkout"):
            (folder / name).write_text(script)
            (folder / name).chmod(0o755)
    (repository / "file").write_text("x")
    quiet = ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]
    subprocess.run([*quiet, "add", "file"], cwd=repository, check=True, capture_output=True)
    # Without a commit nothing else is asked of git.
    subprocess.run([*quiet, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "m"], cwd=repository, check=True, capture_output=True)
    (repository / ".gitattributes").write_text("* filter=x diff=x\n")
    (repository / "file").write_text("y")
    expect_nothing_runs(place, repository, pwn, "its filters, hooks and monitor")
    for name in ("clean", "process"):
        subprocess.run(["git", "config", "--unset", f"filter.x.{name}"], cwd=repository, check=True)
    said = expect_nothing_runs(place, repository, pwn, "its hooks and monitor")
    place.expect(f"a changed file: {said}", said.get("dirty") is True and len(said["commit"]) == 40)
    (repository / ".gitattributes").unlink()
    (repository / "file").write_text("x")
    said = expect_nothing_runs(place, repository, pwn, "its hooks and monitor")
    place.expect(f"no changed file: {said}", said.get("dirty") is False)
    # An object that is missing is fetched by a program.
    tree = subprocess.run(["git", "rev-parse", "HEAD^{tree}"], cwd=repository, check=True, capture_output=True, text=True).stdout.strip()
    (repository / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    for name, value in (("extensions.partialClone", "origin"), ("core.repositoryFormatVersion", "1"), ("remote.origin.promisor", "true"),
                        ("remote.origin.url", f"ext::sh -c touch% {pwn}"), ("protocol.ext.allow", "always")):
        subprocess.run(["git", "config", name, value], cwd=repository, check=True)
    expect_nothing_runs(place, repository, pwn, "its transport")


def expect_nothing_runs(place, repository, pwn, what):
    """What the session of a run says of git."""
    pwn.unlink(missing_ok=True)
    sessions = place.folder / "sessions"
    place.run(*[word.replace("MODEL", "../ok.onnx") for word in RUN], "--sessions", sessions, cwd=repository)
    place.run("doctor", cwd=repository, codes=())
    place.expect(f"a foreign repository's program ran: {what}", not pwn.exists())
    return json.loads((sessions / "latest" / "env.json").read_text())["git"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        place = Place(os.path.abspath(sys.argv[1]), pathlib.Path(folder).resolve())
        for check in (keeps_inputs, knows_all_flags, guessable_names, received_sessions, latest_link, own_links, foreign_repository):
            check(place)
    print("\n".join(place.problems) or f"{place.count} commands: nothing was written over what is read, or through others' links")
    return 1 if place.problems else 0


if __name__ == "__main__":
    sys.exit(main())
