#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_tools.py AACO: --with rocprofv3, rocprof-sys, rocprof-compute, nsys, ncu and all, on stand-ins for these tools: what they write is kept and read, the
figures do not change by it, and each way in which a tool can fail is one line and its exit code."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import tiny_onnx  # noqa: E402

STAND_IN = pathlib.Path(__file__).resolve().with_name("stand_in.py")
# Events that the stand-in writes, the format they are read as, and the program on the PATH.
TOOLS = {
    "rocprofv3": (5, "rocprofv3-csv", "rocprofv3"),
    "rocprof-sys": (2, "perfetto", "rocprof-sys-run"),
    "rocprof-compute": (2, "rocprof-compute-csv", "rocprof-compute"),
    "nsys": (2, "nsys", "nsys"),
    "ncu": (2, "ncu-csv", "ncu"),
}
ARGUMENTS = {  # exactly, between the program and the worker's command
    "rocprofv3": "--kernel-trace --hip-trace --memory-copy-trace --marker-trace --output-format csv -d FOLDER -o trace --",
    "rocprof-sys": "--trace --output FOLDER --",
    "rocprof-compute": "profile --name aaco --path FOLDER --no-roof --",
    "nsys": "profile --trace=cuda,nvtx,osrt --cuda-graph-trace=node --sample=none --cpuctxsw=none --force-overwrite=true --output=FOLDER/trace",
    "ncu": "--csv --page raw --log-file FOLDER/kernels.csv --launch-count 100 --target-processes all",
}
LLAMA = "llama run --version 1 --preset nano --device cpu:0 --batch-size 1 --seq-len 8 --num-layers 1 --num-steps 12 --warmup 1 --processes 1 --no-check".split()
QUEUE = "queue run tiny_kernel_stress --device cpu --streams 2 --iterations 5 --warmup 1 --processes 3 --param tensor_size=64 --param ops_per_stream=5".split()


class Checker:
    def __init__(self, aaco, folder):
        self.aaco, self.folder, self.problems, self.checked = str(pathlib.Path(aaco).resolve()), folder, [], 0
        (folder / "bin").mkdir()
        (folder / "relu.onnx").write_bytes(tiny_onnx.relu())

    def environment(self, tools, mode):
        for tool, (_, _, program) in TOOLS.items():
            path = self.folder / "bin" / program
            path.unlink(missing_ok=True)
            if mode == "no-program":
                path.write_text("not to be run")
            elif tool in tools:
                path.symlink_to(STAND_IN)
        path = f"{self.folder / 'bin'}{os.pathsep}{pathlib.Path(sys.executable).parent}{os.pathsep}/usr/bin{os.pathsep}/bin"
        return {**os.environ, "PATH": path, "STAND_IN": mode, "STAND_IN_READY": str(self.folder / "ready"), "STAND_IN_PLAN": str(self.folder / "plan.json")}

    def run(self, words, tools=tuple(TOOLS), mode=""):
        return subprocess.run([self.aaco, *words], cwd=self.folder, env=self.environment(tools, mode), capture_output=True, text=True)

    def expect(self, what, holds, seen):
        self.checked += 1
        if not holds:
            self.problems.append(f"{what}: {seen}")

    def newest(self):
        return max(self.folder.glob("sessions/*/*/session.json"), key=lambda path: path.stat().st_mtime_ns).parent

    def whole_way(self, tool):
        events, trace_format, program = TOOLS[tool]
        done = self.run([*QUEUE, "--with", tool, "--json"])
        self.expect(f"{tool}: exit code", done.returncode == 0, done.stderr)
        if done.returncode:
            return
        document = json.loads(done.stdout)
        bundle = self.folder / document["bundle"]
        formats = [file["format"] for file in document["tool"]["files"] if file["format"]]
        self.expect(f"{tool}: events", document["tool"]["events"] == events, document["tool"])
        self.expect(f"{tool}: tools", document["tools"] == [document["tool"]], document["tools"])
        command = document["tool"]["command"]
        worker = next(i for i, word in enumerate(command) if word.endswith("/aaco"))
        folder = f"{document['bundle']}/{document['tool']['folder']}"
        self.expect(f"{tool}: arguments", pathlib.Path(command[0]).name == program and " ".join(command[1:worker]).replace(folder, "FOLDER") == ARGUMENTS[tool], command)
        self.expect(f"{tool}: formats", formats and all(trace_format == name for name in formats), formats)
        self.expect(f"{tool}: kept", all((bundle / file["path"]).stat().st_size == file["bytes"] for file in document["tool"]["files"]), document["tool"])
        listed = {file["path"] for file in document["tool"]["files"]}
        there = {str(path.relative_to(bundle)) for path in (bundle / document["tool"]["folder"]).rglob("*") if path.is_file()}
        self.expect(f"{tool}: every file is listed", listed == there, f"{listed} {there}")
        # What ran under the tool is in no figure and in no row.
        self.expect(f"{tool}: processes", [p["process"] for p in document["processes"]] == [0, 1, 2], document["processes"])
        rows = self.run(["trace", "sql", "--session", str(bundle), "SELECT process, count(*) AS n FROM inference_iters GROUP BY 1 ORDER BY 1", "--json"])
        self.expect(f"{tool}: rows", json.loads(rows.stdout) == [{"process": p, "n": 6} for p in range(3)], rows.stdout)
        names = self.run(["trace", "sql", "--session", str(bundle), "SELECT DISTINCT name FROM events WHERE kind = 'kernel' ORDER BY 1", "--json"])
        self.expect(f"{tool}: kernels", [row["name"].split("(")[0] for row in json.loads(names.stdout)] == ["axpy", "fill"], names.stdout)
        for words in (["sessions", "verify", str(bundle)], ["report", "--session", str(bundle)], ["trace", "report", str(bundle)]):
            done = self.run(words)
            self.expect(f"{tool}: {words[:2]}", done.returncode == 0, done.stdout + done.stderr)
        self.expect(f"{tool}: page", tool in (bundle / "report" / "report.html").read_text(), "names no tool")

    def profile(self, tool):
        words = ["queue", "profile", *QUEUE[2:], "--with", tool]
        done = self.run(words)
        trace = self.folder / "profiles" / "tiny_kernel_stress_2_streams.pftrace"
        drawn = trace.exists()
        self.expect(f"{tool}: profile", done.returncode == 0 and drawn == (tool != "ncu"), done.stdout + done.stderr)
        trace.unlink(missing_ok=True)

    def training(self, tool):
        done = self.run([*LLAMA, "--with", tool, "--json"])
        self.expect(f"{tool}: llama", done.returncode == 0, done.stderr)
        if done.returncode:
            return
        document = json.loads(done.stdout)
        bundle = self.folder / document["bundle"]
        self.expect(f"{tool}: llama's tools", [one["tool"] for one in document["tools"]] == [tool], document["tools"])
        plan = json.loads((self.folder / "plan.json").read_text())
        self.expect(f"{tool}: llama's steps under it", plan["steps"] == 10, plan["steps"])
        # The steps under the tool are few, and in no figure: the journal that is kept has the measured 12 and one of warm-up.
        self.expect(f"{tool}: llama's steps", [p["steps"] for p in document["processes"]] == [12], document["processes"])
        rows = self.run(["trace", "sql", "--session", str(bundle), "SELECT process, count(*) AS n FROM inference_iters GROUP BY 1", "--json"])
        self.expect(f"{tool}: llama's rows", json.loads(rows.stdout) == [{"process": 0, "n": 13}], rows.stdout)
        for words in (["sessions", "verify", str(bundle)], ["trace", "report", str(bundle)], ["report", "--session", str(bundle), "--format", "text"]):
            done = self.run(words)
            self.expect(f"{tool}: llama {words[:2]}", done.returncode == 0, done.stdout + done.stderr)
        self.expect(f"{tool}: llama's report", f"Under {tool}" in done.stdout and "in no figure above" in done.stdout, done.stdout)

    def all(self, command, tools, name):
        """One after the other, into one trace; those that are not there are named."""
        done = self.run([*command, "--with", "all", "--json"], tools)
        self.expect(f"{name}: exit code", done.returncode == 0, done.stderr)
        if done.returncode:
            return
        document = json.loads(done.stdout)
        bundle = self.folder / document["bundle"]
        self.expect(f"{name}: tools", [one["tool"] for one in document["tools"]] == list(tools), document["tools"])
        missing = [note for note in document["notes"] if "not on the PATH" in note]
        self.expect(f"{name}: left out", len(missing) == len(TOOLS) - len(tools) and all("install" in note for note in missing), document["notes"])
        kept = json.loads((bundle / "profiler" / "tool.json").read_text())
        self.expect(f"{name}: tool.json", [one["tool"] for one in kept] == list(tools), kept)
        count = self.run(["trace", "sql", "--session", str(bundle), "SELECT count(*) AS n FROM events", "--json"])
        self.expect(f"{name}: events", json.loads(count.stdout) == [{"n": sum(TOOLS[tool][0] for tool in tools)}], count.stdout)
        report = self.run(["trace", "report", str(bundle)])
        self.expect(f"{name}: trace report", report.returncode == 0, report.stderr)
        page = self.run(["report", "--session", str(bundle), "--format", "text"])
        self.expect(f"{name}: page", all(f"Under {tool}" in page.stdout for tool in tools), page.stdout)

    def one_of_all_fails(self):
        done = self.run([*QUEUE, "--with", "all"], ("rocprofv3", "nsys"), "no-export")
        lines = done.stderr.strip().splitlines()
        self.expect("all, nsys fails: exit code", done.returncode == 3, done.stderr)
        self.expect("all, nsys fails: line", len(lines) == 2 and "nsys could not export what it recorded" in lines[0], done.stderr)
        bundle = self.newest()
        document = json.loads((bundle / "metrics" / "queue.json").read_text())
        self.expect("all, nsys fails: rocprofv3 is kept", [one["tool"] for one in document["tools"]] == ["rocprofv3"], document["tools"])
        self.expect("all, nsys fails: trace", self.run(["trace", "report", str(bundle)]).returncode == 0, "no trace")

    def model(self, tool):
        words = "run --model relu.onnx --backend cpu --processes 3 --iterations 4 --warmup 0 --no-roofs --json --with".split()
        done = self.run([*words, tool])
        self.expect(f"{tool}: run", done.returncode == 0, done.stderr)
        if done.returncode:
            return
        bundle = self.folder / json.loads(done.stdout)["bundle"]
        self.expect(f"{tool}: run's tool.json", json.loads((bundle / "profiler" / "tool.json").read_text())["events"] == TOOLS[tool][0], bundle)
        rows = self.run(["trace", "sql", "--session", str(bundle), "SELECT DISTINCT process FROM inference_iters ORDER BY 1", "--json"])
        self.expect(f"{tool}: run's rows", [row["process"] for row in json.loads(rows.stdout)] == [0, 1, 2], rows.stdout)

    def refusal(self, tool, mode, message, tools=tuple(TOOLS), session=None):
        before = set(self.folder.glob("sessions/*/*/session.json"))
        done = self.run([*QUEUE, "--with", tool], tools, mode)
        lines = done.stderr.strip().splitlines()
        name = f"{tool} {mode or 'missing'}"
        self.expect(f"{name}: exit code 3", done.returncode == 3, f"{done.returncode} {done.stderr}")
        self.expect(f"{name}: line", len(lines) == 2 and message in lines[0] and lines[1].startswith("hint: "), done.stderr)
        made = set(self.folder.glob("sessions/*/*/session.json")) - before
        self.expect(f"{name}: sessions", len(made) == (1 if session else 0), made)
        if session and made:
            info = json.loads(made.pop().read_text())
            self.expect(f"{name}: status", info["status"] == session, info["status"])
            bundle = self.newest()
            figures = json.loads((bundle / "metrics" / "queue.json").read_text())["figures"]
            self.expect(f"{name}: figures stay", figures["latency"]["processes"] == 3, figures)
            report = self.run(["report", "--session", str(bundle), "--format", "text"])
            self.expect(f"{name}: report", report.returncode == 0 and "failed" in report.stdout, report.stderr)

    def interrupt(self, tool):
        (self.folder / "ready").unlink(missing_ok=True)
        child = subprocess.Popen([self.aaco, *QUEUE, "--with", tool], cwd=self.folder, env=self.environment(tuple(TOOLS), "waits"),
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while not (self.folder / "ready").exists() and child.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        began = time.monotonic()
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=60)
        self.expect(f"{tool} Ctrl-C: exit code", child.returncode == 130, f"{child.returncode} {errors}")
        self.expect(f"{tool} Ctrl-C: soon", time.monotonic() - began < 20, time.monotonic() - began)
        status = json.loads((self.newest() / "session.json").read_text())["status"]
        self.expect(f"{tool} Ctrl-C: status", status == "interrupted", status)
        rows = self.run(["trace", "sql", "--session", str(self.newest()), "SELECT DISTINCT process FROM inference_iters ORDER BY 1", "--json"])
        self.expect(f"{tool} Ctrl-C: rows", [row["process"] for row in json.loads(rows.stdout or "[]")] == [0, 1, 2], rows.stdout + rows.stderr)


def main(aaco):
    with tempfile.TemporaryDirectory() as temporary:
        checker = Checker(aaco, pathlib.Path(temporary))
        for tool in TOOLS:
            checker.whole_way(tool)
            checker.profile(tool)
            checker.model(tool)
            checker.training(tool)
            checker.refusal(tool, "", "not on the PATH", tools=())
            checker.refusal(tool, "no-program", "not on the PATH")
            checker.refusal(tool, "old", "is older than")
            checker.refusal(tool, "mute", "names no version")
            checker.refusal(tool, "fails", "no permission for counters" if tool == "ncu" else "cannot open the device", session="failed")
            checker.refusal(tool, "kills", "did not run the process to its end", session="failed")
            checker.refusal(tool, "nothing", "could not export" if tool == "nsys" else "wrote nothing that can be read", session="failed")
            checker.refusal(tool, "junk", "wrote nothing that can be read", session="failed")
            checker.interrupt(tool)
        checker.refusal("nsys", "no-export", "could not export what it recorded", session="failed")
        checker.all(QUEUE, tuple(TOOLS), "all")
        checker.all(LLAMA, tuple(TOOLS), "llama, all")
        checker.all(LLAMA, ("rocprofv3", "nsys"), "llama, two of all")
        checker.one_of_all_fails()
        done = checker.run([*LLAMA, "--with", "all"], tools=())
        checker.expect("all, none there", done.returncode == 3 and "none of the profilers can be used" in done.stderr and len(done.stderr.strip().splitlines()) == 2, done.stderr)
        done = checker.run([*LLAMA, "--with", "nsys", "--profile"])
        checker.expect("llama --profile and --with", done.returncode == 2 and "holds one trace" in done.stderr, done.stderr)
        done = checker.run([*QUEUE, "--with", "nsys", "--profile"])
        checker.expect("--profile and --with", done.returncode == 2 and "holds one trace" in done.stderr, done.stderr)
        done = checker.run([*QUEUE, "--with", "perf"])
        checker.expect("--with perf", done.returncode == 2, done.stderr)
    print("\n".join(checker.problems) or f"{checker.checked} checks in order")
    return 1 if checker.problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
