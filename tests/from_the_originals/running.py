# SPDX-License-Identifier: MIT
"""Runs command lines of the documents on this machine, each in a folder of its own that holds what the line takes as given."""
import gzip
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
LIMIT_S = 300  # of one line; one that is over it has failed

# What is added to a line so that the whole test takes minutes, not an hour, on two processors: fewer repetitions and smaller matrices of the
# same work. A line is run as it stands in the document, plus these flags and with less of what FEWER names, and the test prints it.
SHORTER = (
    (r"aaco run ", "--iterations 2 --warmup 1 --processes 2 --precision fp32 --threads 1 --inter-op-threads 1"),
    (r"aaco sweep ", "--iterations 1 --warmup 1 --processes 1 --precision fp32 --threads 1 --inter-op-threads 1"),
    (r"aaco queue (run|sweep|run-priority) ", "--iterations 3 --warmup 1 --processes 2"),
    (r"aaco llama lab \d", "--num-steps 3 --no-check"),
    (r"aaco llama compare ", "--versions 4 --num-steps 3 --warmup 1 --processes 1 --no-check"),
    (r"aaco llama study ", "--num-steps 3 --warmup 1 --processes 1 --no-check"),
    (r"aaco llama roofline ", "--num-steps 3 --warmup 1 --processes 1 --no-check"),
    (r"aaco overlap copy ", "--iterations 3 --cold-iters 1 --processes 1"),
    (r"aaco llama run ", "--num-steps 3 --warmup 1 --processes 1 --no-check"),
)
# Of what a line has many, few are run each day, and all with --full.
FEWER = (
    (r"--batch 1,2,4,8\b", "--batch 1,2"),
    (r"--streams 1,2,4,8,16\b", "--streams 1,4"),
    (r"training\.max_steps=100\b", "training.max_steps=20"),
)
# Flags of one line only where the program knows them: the machine's roofs are not measured for a test.
WHERE_KNOWN = ((r"aaco (run|sweep) ", "--no-roofs"),)

# Lines that this machine may be unable to run: what they need, and what the program says, with exit code 3, where it is not there.
NEEDS = (
    (r"--with (rocprofv3|rocprof-sys|rocprof-compute|all)\b", "AMD's profilers",
     r"not on the PATH|none of the profilers can be used|no HIP runtime|no device|libaaco_hip|has no \w+ExecutionProvider"),
    (r"--backend (migraphx|rocm)\b", "ONNX Runtime with AMD's provider", r"has no \w+ExecutionProvider"),
    (r"(--device|--check) hip:", "an AMD GPU", r"no HIP runtime|no device|libaaco_hip"),
)

# Lines that another test runs: running them here as well took a third of this test's time and proved nothing more. Labs 1 and 12
# are run here too, and check_workshop.py (scripts/test --full) walks all lines as they stand.
RUN_ELSEWHERE = ((r"aaco llama lab (?!1 |12 )\d+ --preset nano --device cpu:0$", "llama.labs"), (r"aaco serve$", "serve.pages"),  # which ends when it is told to
                 (r"aaco devices --check cpu:0$", "cli.check_of_the_reference"))

# What must be there afterwards, and which exit codes are answers, where 0 alone is not.
LEAVES = (
    (r"aaco (run|sweep) ", "sessions/latest/report/report.html"),
    (r"aaco llama .*--generate-report", "sessions/latest/report/report.html"),
    (r"aaco llama .*--(profile|enable-pytorch-profiler)", "sessions/latest/trace/*"),
    (r"aaco llama (run|compare|study|roofline) ", "sessions/latest/metrics/training.json"),
    (r"aaco llama lab \d", "sessions/labs/lab_*.json"),
    (r"aaco overlap (run (?!.*--dry-run)|copy |sweep )", "sessions/latest/metrics/overlap.json"),
    (r"aaco report .*--format html|aaco report --session \S+$", "sessions/latest/report/report.html"),
    (r"aaco diff ", "sessions/comparisons/*/verdict.json"),
    (r"aaco queue profile ", "profiles/*"),
    (r"aaco queue (run|sweep|run-priority) ", "sessions/latest/session.json"),
    (r"aaco trace import ", "sessions/latest/session.json"),
    (r"aaco baseline save ", "baselines/*.json"),
)
ANSWERS = (
    (r"aaco (diff|queue compare) ", (0, 1, 4)),  # a verdict; what it is depends on the machine
    (r"aaco trace (report|import|export|diff) ", (0, 5)),  # 5: loaded in part, what was lost is listed
)

# Recordings that stand for what a reader would have: small ones from this repository, by the name that documents give them.
RECORDINGS = {
    "trace.json.gz": "tests/golden/traces/after_rank0.json",
    "before.json.gz": "tests/golden/traces/before_rank0.json",
    "after.json.gz": "tests/golden/traces/after_rank0.json",
    "traces/rank0.json": "tests/golden/traces/after_rank0.json",
    "traces/rank1.json": "tests/golden/traces/after_rank1.json",
    "out/app_kernel_trace.csv": "fuzz/corpus/fuzz_csv_traces/rocprofv3_kernels.csv",
    "out/app_memory_copy_trace.csv": "fuzz/corpus/fuzz_csv_traces/rocprofv3_copies.csv",
    "counters/pmc_1/app_counter_collection.csv": "fuzz/corpus/fuzz_csv_traces/rocprofv3_counters.csv",
    "out/app_results.db": "fuzz/corpus/fuzz_sqlite_traces/rocpd.db",
    "out/app_results.json": "fuzz/corpus/fuzz_rocprofv3_json/small.json",
    "perfetto-trace.proto": "fuzz/corpus/fuzz_perfetto/small.pftrace",
    "workloads/app/MI300X_A1/pmc_perf.csv": "fuzz/corpus/fuzz_csv_traces/rocprof_compute.csv",
    "results.csv": "fuzz/corpus/fuzz_csv_traces/rocprof.csv",
    "configs/overlap/default.yaml": "configs/overlap/default.yaml",
    "configs/overlap/llama_nano.yaml": "configs/overlap/llama_nano.yaml",
    "smi.json": "fuzz/corpus/fuzz_amd_smi/amd.json",
    "smi.csv": "fuzz/corpus/fuzz_csv_traces/amd_smi_watch.csv",
}

# What lines take as given besides: by what names it in a line, the commands that make it, once for all lines. The baselines are
# of this machine's CPU, under the names that the originals gave theirs.
GIVEN = (
    (r"aaco trace report sessions/latest", ("aaco llama run --version 1 --preset nano --device cpu:0 --profile",)),
    (r"baselines/|\blatest\b",
     ("aaco run --model resnet50 --backend cpu --batch 1",
      "aaco baseline save resnet50_migraphx_b1 --session sessions/latest",
      "aaco baseline save resnet50_cpu_b1 --session sessions/latest",
      "aaco run --model resnet50 --backend cpu --batch 1")),
    (r"aaco guard report", ("aaco guard record --value p99=12ms",)),
    (r"results_a\.json",
     ("aaco queue run hetero_kernels --streams 8 --output results_a.json",
      "aaco queue run hetero_kernels --streams 8 --output results_b.json")),
    (r"sweep_v1\.json",
     ("aaco queue sweep hetero_kernels --streams 1,2,4,8,16 --output sweep_v1.json",
      "aaco queue sweep hetero_kernels --streams 1,2,4,8,16 --output sweep_v2.json")),
    (r"aaco trace sql ", ("aaco trace import trace.json.gz",)),
    (r"--compare-with-v1 v1\.json", ("aaco llama run --version 1 --output v1.json",)),
    (r"aaco overlap report ",
     ("aaco overlap run --config configs/overlap/llama_nano.yaml --device cpu:0,cpu:1 --override training.output_dir=before",
      "aaco overlap run --config configs/overlap/llama_nano.yaml --device cpu:0,cpu:1 --override training.output_dir=after")),
)


def first(table, line, otherwise):
    return next((value for pattern, value in table if re.search(pattern, line)), otherwise)


class Runner:
    def __init__(self, aaco, folder, full=False):
        self.aaco, self.folder, self.full, self.made, self.count = aaco, pathlib.Path(folder), full, {}, 0
        self.help = {}

    def knows(self, line, flag):
        words = [word for word in shlex.split(line)[1:4] if not word.startswith("-")]
        for length in range(len(words), 0, -1):  # the longest beginning that is a command
            key = tuple(words[:length])
            if key not in self.help:
                done = subprocess.run([self.aaco, *key, "--help-all"], capture_output=True, text=True, timeout=20)
                self.help[key] = done.stdout if done.returncode == 0 else ""
            if self.help[key]:
                return flag in self.help[key]
        return False

    def shorter(self, line):
        """What the line is run as."""
        added = first(SHORTER, line + " ", "").split(" --")
        added = [("" if at == 0 else "--") + flag for at, flag in enumerate(added) if flag]
        added += [flag for pattern, flag in WHERE_KNOWN if re.search(pattern, line) and self.knows(line, flag)]
        kept = [flag for flag in added if flag.startswith("--param") or flag.split()[0] not in line.split()]
        for many, few in () if self.full else FEWER:
            line = re.sub(many, few, line)
        return " ".join([line, *kept])

    def execute(self, line, folder):
        words = shlex.split(line)
        environment = {**os.environ, "AACO_CONFIGS": str(REPOSITORY / "configs"), "NO_COLOR": "1"}
        return subprocess.run([self.aaco, *words[1:]], cwd=folder, env=environment, capture_output=True, text=True, timeout=LIMIT_S)

    def recordings(self, folder):
        for name, source in RECORDINGS.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            data = (REPOSITORY / source).read_bytes()
            path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)

    def folder_for(self, line):
        """A new folder with what the line takes as given, or what went wrong."""
        self.count += 1
        folder = self.folder / str(self.count)
        commands = first(GIVEN, line, ())
        if not commands:
            folder.mkdir()
            self.recordings(folder)
            return folder, ""
        if commands not in self.made:
            made = self.folder / f"given{len(self.made)}"
            made.mkdir()
            self.recordings(made)
            self.made[commands] = made
            for command in commands:
                done = self.execute(self.shorter(command), made)
                print(f"  given: {self.shorter(command)}: exit {done.returncode}")
                if done.returncode != 0:
                    return made, f"{command}: exit {done.returncode}: {done.stderr.strip()[-300:]}"
        shutil.copytree(self.made[commands], folder, symlinks=True)
        return folder, ""

    def run(self, line):
        """("ran" | "skipped" | "wrong", why)"""
        if test := first(RUN_ELSEWHERE, line, ""):
            return "skipped", f"{test} runs it"
        folder, problem = self.folder_for(line)
        if problem:
            return "wrong", problem
        leaves = first(LEAVES, line, "")
        for path in folder.glob(leaves) if leaves else ():
            path.unlink()  # of what the line takes as given: this line must write it anew
        began, actual = time.monotonic(), self.shorter(line)
        try:
            done = self.execute(actual, folder)
        except subprocess.TimeoutExpired:
            return "wrong", f"{actual}: not done after {LIMIT_S} s"
        said = (done.stderr.strip().splitlines() or [""])[0]
        for pattern, what, absent in NEEDS:
            if done.returncode == 3 and re.search(pattern, line) and (says := re.search(absent, said)):
                return "skipped", f"needs {what}: {says[0]}"
        if done.returncode not in first(ANSWERS, line, (0,)):
            return "wrong", f"{actual}: exit {done.returncode}: {said}"
        if not done.stdout.strip() and "--output" not in line:
            return "wrong", f"{actual}: says nothing"
        if leaves and not list(folder.glob(leaves)):
            return "wrong", f"{actual}: leaves no {leaves}"
        for name in re.findall(r"--output (\S+)", line):
            if not (folder / name).exists():
                return "wrong", f"{actual}: leaves no {name}"
        return "ran", f"{time.monotonic() - began:.1f} s{', as ' + actual if actual != line else ''}"
