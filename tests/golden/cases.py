# SPDX-License-Identifier: MIT
"""The commands of the golden tests, by kind. {1}, {2}, ... are the sessions of the kind, oldest first; `&&` runs one command after
another in the same folder."""
import shlex

# Of every session: each form of its report, what it holds, and whether that is still what was written.
OF_A_SESSION = [
    "report --session {N}",
    "report --session {N} --format md",
    "report --session {N} --format json",
    "report --session {N} --format text",
    "sessions show {N}",
    "sessions show {N} --json",
    "sessions verify {N}",
    "sessions verify {N} --json",
    "trace report {N}",
]
OF_A_POINT = ["report --session {N} --format text", "sessions show {N}"]  # a run within a sweep
OF_A_KIND = [
    "sessions list",
    "sessions list --json",
    "sessions prune --keep 1 --dry-run",
    "sessions prune --keep 1 --json",
    "sessions show latest",
]
OF_A_TRACE = [  # a session that holds one, or files
    "trace report {N} --json",
    "trace report {N} --top 2 --csv figures",
    "trace export {N} --format perfetto --output trace.pftrace",
    "trace export {N} --format chrome --output trace.json --json",
    "trace export {N} --format parquet --output tables",
]


def of(number, lines):
    return [line.replace("{N}", f"{{{number}}}") for line in lines]


def each(count, lines):
    return [line for number in range(1, count + 1) for line in of(number, lines)]


def of_tables(number, *tables):
    """Every column of a few tables, in the three forms in turn."""
    forms = ("", " --csv", " --json")
    return [f"trace sql --session {{{number}}} 'SELECT * FROM {table} LIMIT 20'{forms[at % 3]}" for at, table in enumerate(tables)]


def comparisons(first, second):
    pair = f"--baseline {{{first}}} --session {{{second}}}"
    return [f"diff {pair}", f"diff {pair} --json", f"diff {pair} --format html", f"diff {pair} --format html --output -",
            f"diff {pair} --drift 1 --min-effect 60 --allow-inconclusive --format json --output verdict.json",
            f"diff {pair} && report --session {{{second}}} --format text"]


def queue_comparisons(first, second):
    pair = f"{{{first}}} --test {{{second}}}"
    return [f"diff --baseline {{{first}}} --session {{{second}}}", f"diff --baseline {{{first}}} --session {{{second}}} --json",
            f"diff --baseline {{{first}}} --session {{{second}}} --format html", f"queue compare --baseline {pair}",
            f"queue compare --baseline {pair} --json --allow-inconclusive --threshold 0.5"]


# Small files in all other forms, which the fuzzers start from.
CORPUS = ["fuzz_amd_smi/amd.json", "fuzz_amd_smi/rocm.json", "fuzz_csv_traces/amd_smi_watch.csv", "fuzz_csv_traces/counters.csv",
          "fuzz_csv_traces/ncu_details.csv", "fuzz_csv_traces/ncu_raw.csv", "fuzz_csv_traces/nsys.csv", "fuzz_csv_traces/nvidia_smi.csv",
          "fuzz_csv_traces/rocm_smi.csv", "fuzz_csv_traces/rocprof.csv", "fuzz_csv_traces/rocprof_compute.csv", "fuzz_csv_traces/rocprofv3_counters.csv",
          "fuzz_csv_traces/rocprofv3_kernels.csv", "fuzz_kineto/of_2021_unclosed.json", "fuzz_kineto/today.json", "fuzz_nvidia_smi/small.xml",
          "fuzz_ort_profile/run.json", "fuzz_perfetto/small.pftrace", "fuzz_rocprof_json/small.json", "fuzz_rocprofv3_json/small.json",
          "fuzz_sqlite_traces/compute.db", "fuzz_sqlite_traces/nsys.db", "fuzz_sqlite_traces/rocpd.db", "fuzz_sqlite_traces/rocprof.db", "fuzz_sqlite_traces/rpd.db"]


def of_files():
    """Two ranks as files, each way; and an import, of which SQL asks what it holds."""
    ranks = "traces/after_rank0.json traces/after_rank1.json"
    asked = " && ".join(["trace sql 'SELECT kind, count(*) AS n, sum(duration_ns) AS total_ns FROM events GROUP BY 1 ORDER BY 1'",
                         "trace sql 'SELECT * FROM device_budget' --csv", "trace sql 'SELECT * FROM all_losses' --json"])
    return [f"trace report {ranks}", f"trace report {ranks} --json", f"trace report {ranks} --top 3 --csv figures",
            f"trace import {ranks} && {asked}", f"trace import {ranks} --json && trace sql 'SELECT * FROM losses'",
            *(f"trace export {ranks} --format {form} --output {output}" for form, output in
              (("perfetto", "both.pftrace"), ("chrome", "both.json"), ("chrome", "both.json.gz"), ("parquet", "tables"), ("nothing", "both.json"))),
            f"trace export {ranks} --format perfetto --output both.pftrace && trace report both.pftrace --json"]


KINDS = {
    "run": [*comparisons(1, 2), "diff --baseline {1} --session {3}", "diff --baseline {1} --session {3} --allow-different", "diff --baseline {1} --session {1}",
            "report --session {3} --format md --plots --output page.md", "report --session {3} --format html --output - --plots",
            *of_tables(1, "inference_iters", "kernels", "system_events", "graph_nodes", "graph_edges")],
    "tokens": [*comparisons(1, 2), *of_tables(1, "inference_iters", "kernels")],
    "sweep": ["diff --baseline {1} --session {2}", "diff --baseline {1} --session {4}", *of_tables(1, "inference_iters")],
    "tool": [*of_tables(1, "events"), "diff --baseline {2} --session {3}"],
    "queue_run": [*queue_comparisons(1, 2), "queue compare --baseline {1} --test {3}", *of_tables(1, "inference_iters")],
    "queue_sweep": [*queue_comparisons(1, 2), *of_tables(1, "queue_points", "inference_iters")],
    "queue_probe": ["diff --baseline {1} --session {1}", "queue compare --baseline {1} --test {1}"],
    "queue_profile": [*queue_comparisons(1, 3), "trace diff {1} {2}", *of_tables(1, "events", "inference_iters")],
    "trace": [*each(4, OF_A_TRACE), "trace diff {1} {4}", "trace diff {1} {4} --json", "trace diff {1} {4} --csv", "trace diff {1} {2}", "trace diff {1} traces/after_rank1.json --top 1",
              "diff --baseline {1} --session {2}"],
    "trace_shards": [*each(1, OF_A_TRACE), "trace diff {1} {2}", *of_tables(2, "events", "losses")],
    "training": [*comparisons(1, 2), "diff --baseline {1} --session {3}", "diff --baseline {1} --session {4}", "llama roofline --session {4}",
                 "llama roofline --session {4} --json", "llama roofline --session {1} --csv --output roofline.json", "llama roofline --session {3} --json",
                 *of_tables(4, "events", "inference_iters")],
    "training_study": ["diff --baseline {4} --session {6}", "diff --baseline {4} --session {6} --json",
                       "diff --baseline {4} --session {6} --min-effect 90 --allow-inconclusive && report --session {6} --format text",
                       "diff --baseline {1} --session {6}", "diff --baseline {1} --session {6} --allow-different --drift 1", "diff --baseline {4} --session {4}",
                       "diff --baseline {4} --session {6} --format html", "report --session {6} --format csv", "llama roofline --session {6}"],
    "overlap_copy": ["diff --baseline {1} --session {2}", "diff --baseline {1} --session {2} --json", "diff --baseline {1} --session {3}",
                     "diff --baseline {1} --session {2} --format html"],
    "overlap_sweep": ["diff --baseline {8} --session {10}", "diff --baseline {8} --session {10} --json --allow-inconclusive", "diff --baseline {1} --session {10}",
                      "overlap report --scaling {1}", "overlap report --scaling {8}"],
    "unfinished": ["diff --baseline {1} --session {2}", *of_tables(1, "inference_iters")],
    "roofs": [*comparisons(1, 2)],
    "baseline": ["baseline list", "baseline list --json", "baseline show first", "baseline show first --json", "baseline show missing",
                 "diff --baseline baselines/first.json --session {2}", "diff --baseline baselines/first.json --session {2} --json",
                 "diff --baseline baselines/first.json --session {2} --format html", "diff --baseline baselines/first.json --session {1}",
                 "diff --baseline baselines/first.json --session {3}", "baseline save again --session {2}", "baseline save again --session {2} --json",
                 "baseline save first --session {2}", "baseline save first --session {2} --force", "baseline save other/place.json --session {1}"],
    "trace_files": [*(f"trace report corpus/{path}" for path in CORPUS), *(f"trace report corpus/{path} --json" for path in CORPUS), *of_files(),
                    "trace diff traces/before_rank0.json traces/after_rank0.json", "trace diff traces/before_rank0.json traces/after_rank0.json --csv",
                    *(f"trace diff traces/before_rank0.json traces/after_rank0.json --format {form}" for form in ("html", "md", "csv")),
                    "trace diff traces/before_rank0.json traces/after_rank0.json --top 1 --format md --output diff.md",
                    "trace diff traces/before_rank0.json traces/after_rank0.json --json", "trace diff corpus/fuzz_sqlite_traces/nsys.db traces/after_rank0.json",
                    "trace report missing.json", "trace sql --session missing 'SELECT 1'",
                    "trace report traces --rank-from 'rank([0-9])'", "trace report traces/before_rank0.json --accelerator h100",
                    "trace report traces/before_rank0.json --accelerator nobody", "trace report traces/before_rank0.json --roofs traces/roofs.json"],
}
SESSIONS_OF = {"baseline": "run"}  # a kind that has none of its own


def lines_of(kind, kinds):
    """`kinds` are those that the sessions themselves name, oldest first."""
    if kind in SESSIONS_OF or not kinds:
        return KINDS[kind]
    lines = OF_A_KIND + KINDS[kind]
    for number, own in enumerate(kinds, 1):
        is_point = any(word in kind and word not in own for word in ("sweep", "study"))
        lines = lines + of(number, OF_A_POINT if is_point else OF_A_SESSION)
    return lines


def steps_of(line, sessions):
    """The words of each command of a line."""
    named = {f"{{{number}}}": path for number, path in enumerate(sessions, 1)}
    steps, words = [], []
    for word in shlex.split(line):
        if word == "&&":
            steps.append(words)
            words = []
        else:
            words.append(named.get(word, word))
    return [*steps, words]
