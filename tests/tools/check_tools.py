#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_tools.py AACO: --with rocprofv3, nsys and ncu, on stand-ins for the three tools: what they write is kept and read, the
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
TOOLS = {"rocprofv3": (4, "rocprofv3-csv"), "nsys": (2, "nsys"), "ncu": (2, "ncu-csv")}  # events that the stand-in writes, format
QUEUE = "queue run tiny_kernel_stress --device cpu --streams 2 --iterations 5 --warmup 1 --processes 3 --param tensor_size=64 --param ops_per_stream=5".split()


class Checker:
    def __init__(self, aaco, folder):
        self.aaco, self.folder, self.problems, self.checked = str(pathlib.Path(aaco).resolve()), folder, [], 0
        (folder / "bin").mkdir()
        (folder / "relu.onnx").write_bytes(tiny_onnx.relu())

    def environment(self, tools, mode):
        for tool in TOOLS:
            path = self.folder / "bin" / tool
            path.unlink(missing_ok=True)
            if tool in tools:
                path.symlink_to(STAND_IN)
        path = f"{self.folder / 'bin'}{os.pathsep}{pathlib.Path(sys.executable).parent}{os.pathsep}/usr/bin{os.pathsep}/bin"
        return {**os.environ, "PATH": path, "STAND_IN": mode, "STAND_IN_READY": str(self.folder / "ready")}

    def run(self, words, tools=tuple(TOOLS), mode=""):
        return subprocess.run([self.aaco, *words], cwd=self.folder, env=self.environment(tools, mode), capture_output=True, text=True)

    def expect(self, what, holds, seen):
        self.checked += 1
        if not holds:
            self.problems.append(f"{what}: {seen}")

    def newest(self):
        return max(self.folder.glob("sessions/*/*/session.json"), key=lambda path: path.stat().st_mtime_ns).parent

    def whole_way(self, tool):
        events, trace_format = TOOLS[tool]
        done = self.run([*QUEUE, "--with", tool, "--json"])
        self.expect(f"{tool}: exit code", done.returncode == 0, done.stderr)
        if done.returncode:
            return
        document = json.loads(done.stdout)
        bundle = self.folder / document["bundle"]
        formats = [file["format"] for file in document["tool"]["files"] if file["format"]]
        self.expect(f"{tool}: events", document["tool"]["events"] == events, document["tool"])
        self.expect(f"{tool}: formats", formats and all(trace_format == name for name in formats), formats)
        self.expect(f"{tool}: kept", all((bundle / file["path"]).stat().st_size == file["bytes"] for file in document["tool"]["files"]), document["tool"])
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
            checker.refusal(tool, "", "not on the PATH", tools=())
            checker.refusal(tool, "old", "is older than")
            checker.refusal(tool, "mute", "names no version")
            checker.refusal(tool, "fails", "no permission for counters" if tool == "ncu" else "cannot open the device", session="failed")
            checker.refusal(tool, "kills", "did not run the process to its end", session="failed")
            checker.refusal(tool, "nothing", "could not export" if tool == "nsys" else "wrote nothing that can be read", session="failed")
            checker.refusal(tool, "junk", "wrote nothing that can be read", session="failed")
            checker.interrupt(tool)
        checker.refusal("nsys", "no-export", "could not export what it recorded", session="failed")
        done = checker.run([*QUEUE, "--with", "nsys", "--profile"])
        checker.expect("--profile and --with", done.returncode == 2 and "holds one trace" in done.stderr, done.stderr)
        done = checker.run([*QUEUE, "--with", "perf"])
        checker.expect("--with perf", done.returncode == 2, done.stderr)
    print("\n".join(checker.problems) or f"{checker.checked} checks in order")
    return 1 if checker.problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
