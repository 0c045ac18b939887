"""What a user gets wrong, and what aaco answers: exit code 2 for bad usage or input, 3 for what this machine lacks, 4 for
a measurement that is invalid."""
import json
import subprocess

import tiny_onnx
from case import Case

QUICK = "--no-roofs --processes 1 --iterations 2 --warmup 0 --sessions {tmp}/s"


def run(model, more="", backend="cpu"):
    return f"run --model {model} --backend {backend} {QUICK} {more}"


ONE_EVENT = b'[{"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]'


def relu_with(name, more, message, exit_code=2, **rest):
    """A case on a model that is fine."""
    return Case(name, run("relu.onnx", more), exit_code, message, files={"relu.onnx": tiny_onnx.relu()}, **rest)


def llama(name, more, message, command="run", **rest):
    """A training that never begins."""
    return Case(name, f"llama {command} --device cpu:0 {more}", 2, message, **rest)


def overlap(name, more, message, command="run", exit_code=2, **rest):
    """A sharded training that never begins."""
    return Case(name, f"overlap {command} {more}", exit_code, message, **rest)


def bad_model(name, content, message, exit_code=2, **rest):
    return Case(name, run("bad.onnx"), exit_code, message, files={"bad.onnx": content}, **rest)


def relu_session(tmp, aaco):
    """A real bundle at {tmp}/s/latest."""
    (tmp / "relu.onnx").write_bytes(tiny_onnx.relu())
    subprocess.run([aaco, *(word.format(tmp=tmp) for word in run("relu.onnx").split())], cwd=tmp, check=True, capture_output=True)
    return tmp / "s" / "latest"


def damaged(relative, content):
    """Prepares a real bundle in which one file is replaced."""
    def prepare(tmp, aaco):
        (relu_session(tmp, aaco) / relative).write_bytes(content)
    return prepare


def newer_schema(tmp, aaco):
    path = relu_session(tmp, aaco) / "session.json"
    info = json.loads(path.read_text())
    info["schema_version"] = 999
    path.write_text(json.dumps(info))


def truncated_parquet(tmp, aaco):
    path = relu_session(tmp, aaco) / "metrics" / "inference_iters.parquet"
    path.write_bytes(path.read_bytes()[:-20])


def relu_graph(op_type="Relu", **rest):
    return tiny_onnx.model([tiny_onnx.node(op_type, ["x"], ["y"])], [tiny_onnx.value("x", (1, 4))], [tiny_onnx.value("y", (1, 4))], **rest)


CYCLE = tiny_onnx.model(
    [tiny_onnx.node("Add", ["x", "b"], ["a"]), tiny_onnx.node("Relu", ["a"], ["b"])],
    [tiny_onnx.value("x", (1, 4))], [tiny_onnx.value("b", (1, 4))])
# x - x = 0, and 0 / 0 is not a number, whatever x is.
NAN = tiny_onnx.model(
    [tiny_onnx.node("Sub", ["x", "x"], ["zero"]), tiny_onnx.node("Div", ["zero", "zero"], ["y"])],
    [tiny_onnx.value("x", (1, 4))], [tiny_onnx.value("y", (1, 4))])
OPEN_SHAPE = tiny_onnx.relu(("batch", "length"))
NAMELESS_SHAPE = tiny_onnx.relu(("?", 3, "?", "?"))
# A recurrent state has the batch in the middle.
TWO_OPEN = tiny_onnx.model(
    [tiny_onnx.node("Relu", ["x"], ["a"]), tiny_onnx.node("Relu", ["y"], ["b"])],
    [tiny_onnx.value("x", ("?", "?")), tiny_onnx.value("y", (2, "batch", "length"))],
    [tiny_onnx.value("a", ("?", "?")), tiny_onnx.value("b", (2, "batch", "length"))])

CASES = [
    # Words that are no command or flag.
    Case("command_unknown", "frobnicate", 2, "there is no command frobnicate", hint="aaco --help"),
    Case("command_no_file", "trace.json.gz", 2, "trace.json.gz: there is no such file, and no such command", hint="aaco model.onnx"),
    Case("command_help_of_none", "help nonsense", 2, "there is no command nonsense"),
    Case("diff_trace_and_run", "diff {tmp}/a.json {tmp}/s/latest", 2, "a.json does not compare with a session of kind run",
         prepare=lambda tmp, aaco: [relu_session(tmp, aaco), (tmp / "a.json").write_text('{"traceEvents": []}')]),
    Case("report_of_a_file", "report {tmp}/a.json", 2, "a.json: is a file, not a session", hint="aaco trace report",
         prepare=lambda tmp, aaco: (tmp / "a.json").write_text("{}")),
    Case("command_later", "profile", 2, "there is no command profile", hint="aaco run profiles a model"),
    Case("command_file_of_no_format", "{tmp}/base.json", 2, r"base\.json: is no trace of a known format",
         prepare=lambda tmp, aaco: (tmp / "base.json").write_text("hello")),
    Case("model_mistyped", "run resnet5", 2, "no such file, registry entry or built-in model", hint="did you mean resnet50?"),
    Case("preset_mistyped", "llama run --preset tinyy", 2, "no preset is named tinyy", hint="did you mean tiny?"),
    Case("iterations_no_time", "run resnet50 --iterations 0s", 2, "--iterations must be 'auto', seconds as 0.5s"),
    Case("tag_with_a_comma", "run resnet50 --tag a,b", 2, 'tag "a,b": holds a comma', hint="1 to 64 visible characters"),
    Case("tag_of_nothing", "queue run hetero_kernels --tag=", 2, "--tag needs a value"),
    Case("tag_that_cannot_be_seen", "run resnet50 --tag \u3164", 2, "holds a character that cannot be seen .U.3164"),
    Case("tag_that_steers", "trace import {tmp}/a.json --tag a\x1b[31m", 2, "holds a character that is not printable"),
    Case("tag_without_rerun", "diff a b --tag x", 2, "--tag requires --rerun"),
    Case("sql_timeout", "trace sql WITH/**/RECURSIVE/**/t(x)AS(SELECT/**/1/**/UNION/**/ALL/**/SELECT/**/x+1/**/FROM/**/t)SELECT/**/count(*)FROM/**/t --session {tmp}/s/latest --timeout 0.5", 6, "took longer than",
         prepare=lambda tmp, aaco: relu_session(tmp, aaco)),
    Case("diff_nothing", "diff", 2, "nothing is named to compare with", hint="aaco diff BEFORE AFTER"),
    Case("diff_no_such", "diff {tmp}/none {tmp}/other", 2, "other"),
    Case("diff_traces_judged", "diff --min-effect 2 {tmp}/a.json {tmp}/b.json", 2, "--min-effect: .* are traces, which are not judged",
         prepare=lambda tmp, aaco: [(tmp / name).write_text('{"traceEvents": []}') for name in ("a.json", "b.json")]),
    Case("command_mistyped", "queu list", 2, "there is no command queu", hint="did you mean queue"),
    Case("command_of_a_group_missing", "trace", 2, "trace needs a command", hint="report, import"),
    Case("command_of_a_group_mistyped", "trace reprot", 2, "trace has no command reprot", hint="did you mean report"),
    Case("trace_of_no_file", "trace nothing.json", 2, "trace has no command nothing.json, and there is no such file", hint="aaco trace --help"),
    Case("flag_mistyped", "run --modle relu.onnx", 2, "run: --modle was not expected", hint="did you mean --model"),
    Case("flag_before_a_command", "--frobnicate", 2, "--frobnicate was not expected", hint="aaco --help"),
    Case("workload_beginning", "queue run hetero --device cpu", 2, "no workload is named hetero", hint="did you mean hetero_kernels"),
    Case("worker_unknown_role", "worker plan.json --role mesure --process 0", 2, "mesure", hint="measure, profile", files={"plan.json": b"{}"}),
    # The model.
    Case("model_missing", run("none.onnx"), 2, r"none\.onnx"),
    Case("model_unknown_name", run("resnet5"), 2, "resnet5", hint="resnet50"),
    Case("model_is_folder", run("{tmp}"), 2, "."),
    bad_model("model_empty", b"", r"bad\.onnx: not an ONNX model: it is empty"),
    bad_model("model_truncated", tiny_onnx.relu()[:-25], r"cannot load bad\.onnx: .*parsing failed"),
    bad_model("model_not_onnx", b"this is a text file\n" * 20, r"bad\.onnx: not an ONNX model: it is a text"),
    bad_model("model_zeros", bytes(4096), r"cannot load bad\.onnx: .*parsing failed"),
    bad_model("model_unknown_op", relu_graph("NoSuchOperator"), "NoSuchOperator"),
    bad_model("model_unknown_opset", relu_graph(opset=9999), r"(?i)opset|9999"),
    bad_model("model_cyclic", CYCLE, r"the graph is not acyclic"),
    Case("model_none", f"run --backend cpu {QUICK}", 2, "no model is named", hint="aaco run resnet50"),
    Case("model_twice", run("relu.onnx", "other.onnx"), 2, r"other\.onnx was not expected", files={"relu.onnx": tiny_onnx.relu()}),
    Case("model_unknown_by_its_place", f"run resnet5 {QUICK}", 2, "resnet5", hint="resnet50"),
    Case("model_open_dimension", run("open.onnx"), 2, r"open: x \[1, length\]", hint=r"aaco run --model open\.onnx .*--dim length=128 ", files={"open.onnx": OPEN_SHAPE}),
    Case("model_open_nameless", run("open.onnx"), 2, r"open: x \[1, 3, \?, \?\]", hint="--shape x=1x3x224x224 ", files={"open.onnx": NAMELESS_SHAPE}),
    Case("model_open_twice", run("open.onnx"), 2, r"inputs open: x \[1, \?\], y \[2, 1, length\]", hint="--shape x=1x128 --dim length=128 ", files={"open.onnx": TWO_OPEN}),
    Case("sweep_open_dimension", f"sweep open.onnx --batch 1,2 {QUICK}", 2, r"open: x \[1, length\]", hint=r"aaco sweep open\.onnx --batch 1,2 .*--dim length=128 ", files={"open.onnx": OPEN_SHAPE}),
    Case("sweep_duration_and_iterations", f"sweep relu.onnx --batch 1,2 --duration 1 {QUICK}", 2, "--iterations excludes --duration$", files={"relu.onnx": tiny_onnx.relu()}),
    Case("sweep_batch_word", f"sweep relu.onnx --batch 1,two {QUICK}", 2, "--batch.*two", files={"relu.onnx": tiny_onnx.relu()}),
    bad_model("model_makes_nan", NAN, r"(?i)nan|finite", exit_code=4, leaves_session=True),
    # The backend.
    Case("backend_unknown", run("relu.onnx", backend="cpux"), 2, "cpux", hint=r"\bcpu\b", files={"relu.onnx": tiny_onnx.relu()}),
    Case("backend_not_here", run("relu.onnx", backend="migraphx"), 3, "(?i)migraphx", files={"relu.onnx": tiny_onnx.relu()}),
    relu_with("ort_library_missing", "--ort-library {tmp}/none.so", r"none\.so", exit_code=3),
    # The registries: file, line and column.
    Case("registry_unknown_key", run("resnet50"), 2, r"models\.yaml:3:5: .*pth", files={"configs/models.yaml": b"models:\n  resnet50:\n    pth: x\n"}),
    Case("registry_wrong_type", run("resnet50"), 2, r"models\.yaml:3:13: ", files={"configs/models.yaml": b"models:\n  resnet50:\n    warmup: many\n"}),
    Case("registry_not_yaml", run("resnet50"), 2, r"models\.yaml:\d+:\d+: ", files={"configs/models.yaml": b"models: [1\n"}),
    Case("registry_unknown_option", run("relu.onnx"), 2, "no_such_option",
         files={"relu.onnx": tiny_onnx.relu(),
                "configs/backends.yaml": b"backends:\n  cpu:\n    provider: CPUExecutionProvider\n    no_such_option: 1\n"}),
    # Numbers.
    relu_with("batch_zero", "--batch 0", "--batch"),
    relu_with("batch_negative", "--batch -4", "--batch"),
    relu_with("batch_huge", "--batch 99999999999999999999", "--batch"),
    relu_with("batch_word", "--batch four", "--batch"),
    relu_with("iterations_negative", "--iterations -1", "--iterations"),
    relu_with("warmup_negative", "--warmup -1", "--warmup"),
    relu_with("processes_zero", "--processes 0", "--processes"),
    relu_with("threads_negative", "--threads -2", "--threads"),
    relu_with("threads_huge", "--threads 4000000000", "--threads"),
    relu_with("pin_word", "--pin two", "two"),
    relu_with("pin_not_there", "--pin 0,1023", "1023"),
    relu_with("dim_without_number", "--dim length", "--dim"),
    relu_with("dim_unknown", "--dim nosuch=4", "nosuch"),
    relu_with("shape_without_sizes", "--shape x", "--shape x: not NAME"),
    relu_with("shape_word", "--shape x=1xfour", "--shape x=1xfour", hint="--shape x=1x3x48x192"),
    relu_with("shape_huge", "--shape x=1x99999999999999999999", "--shape"),
    relu_with("shape_unknown_input", "--shape y=1x4", "--shape y", hint="inputs are x"),
    relu_with("shape_of_another_rank", "--shape x=4", "--shape x=4: .* 2 dimensions"),
    relu_with("shape_contradicts", "--shape x=1x5", "--shape x=1x5: axis 1 is 4"),
    relu_with("shape_and_file", "--shape x=1x4 --input x={tmp}/x.npy", "--shape x and --input x"),
    Case("shape_and_batch", run("open.onnx", "--shape x=2x8 --batch 4"), 2, "a batch of 2 where --batch is 4", files={"open.onnx": OPEN_SHAPE}),
    relu_with("precision_unknown", "--precision fp7", "fp7"),
    relu_with("input_unknown", "--input nosuch={tmp}/relu.onnx", "nosuch"),
    relu_with("input_text_unknown", "--input nosuch=5", "nosuch", hint="inputs are x"),
    relu_with("input_text_wrong", "--input x=1,2,3", r"3 values where \[1,4\] takes 4"),
    relu_with("input_text_no_number", "--input x=1,2,3,four", "'four' is no float32"),
    relu_with("input_missing", "--input x={tmp}/none.npy", r"none\.npy"),
    relu_with("input_not_npy", "--input x={tmp}/relu.onnx", r"relu\.onnx' is no float32 and no file \.npy"),
    Case("tokens_without_cache", run("relu.onnx", "--tokens 8,8"), 2, "(?i)cache|decoder|token", files={"relu.onnx": tiny_onnx.relu()}),
    # The command line.
    Case("flag_unknown", run("relu.onnx", "--no-such-flag"), 2, "no-such-flag"),
    # Where sessions go. Not even root may write there.
    Case("sessions_unwritable", "run --model relu.onnx --backend cpu --sessions /proc/aaco", 2, "/proc/aaco", files={"relu.onnx": tiny_onnx.relu()}),
    Case("sessions_is_file", "run --model relu.onnx --backend cpu --sessions relu.onnx", 2, r"cannot create folder relu\.onnx: Not a directory", files={"relu.onnx": tiny_onnx.relu()}),
    # Bundles.
    Case("session_missing", "report --session {tmp}/none", 2, "none"),
    Case("session_is_no_bundle", "report --session {tmp}", 2, r"session\.json|session"),
    Case("session_newer_schema", "report --session {tmp}/s/latest", 2, "999", prepare=newer_schema),
    Case("session_json_damaged", "report --session {tmp}/s/latest", 2, r"session\.json", prepare=damaged("session.json", b'{"schema_version": 1,')),
    Case("session_parquet_damaged", "report --session {tmp}/s/latest", 2, r"inference_iters\.parquet",
         prepare=damaged("metrics/inference_iters.parquet", b"PAR1 this is not a table PAR1")),
    Case("session_parquet_truncated", "report --session {tmp}/s/latest", 2, r"inference_iters\.parquet", prepare=truncated_parquet),
    Case("diff_baseline_missing", "diff --baseline {tmp}/none.json --session {tmp}/s/latest", 2, r"none\.json", prepare=relu_session),
    Case("diff_baseline_damaged", "diff --baseline {tmp}/base.json --session {tmp}/s/latest", 2, r"base\.json: not valid JSON",
         files={"base.json": b"[1, 2"}, prepare=relu_session),
    Case("queue_min_effect_zero", "queue compare --baseline a --session b --min-effect 0", 2, r"--min-effect 0\b", hint="--min-effect 5"),
    Case("queue_threshold_one", "queue compare --baseline a --test b --threshold 1", 2, r"--threshold 1\b", hint="--threshold 0.05"),
    Case("queue_min_effect_twice", "queue compare --baseline a --session b --min-effect 5 --threshold 0.05", 2, "--min-effect|--threshold"),
    # Training.
    Case("llama_alone", "llama", 2, "llama needs a command", hint="list, run, compare, study, roofline"),
    overlap("overlap_key_unknown", "--config x.yaml", "x.yaml:2:3: there is no key training.max_step", hint="training.max_steps",
            files={"x.yaml": b"training:\n  max_step: 5\n"}),
    overlap("overlap_fp16", "--override training.max_steps=3 training.mixed_precision=fp16", "fp16: is refused.*loss scaling", hint="bf16"),
    overlap("overlap_shampoo", "--config x.yaml", "x.yaml:2:3: optimizer.name shampoo is refused", files={"x.yaml": b"optimizer:\n  name: shampoo\n"}),
    overlap("overlap_head", "--override model.model_dim=8192 model.num_heads=16", "a head of 512 columns", hint="at most 256"),
    overlap("overlap_yaml", "--config x.yaml", "x.yaml:", files={"x.yaml": b"a: [\n"}),
    overlap("overlap_no_file", "--config nowhere.yaml", "nowhere.yaml"),
    overlap("overlap_override", "--override training", "--override training: is not of the form"),
    overlap("overlap_devices_twice", "--device cpu:0,cpu:0", "cpu:0 is named twice"),
    overlap("overlap_gate_unknown", "--gate min_overlap=0.5", "there is no such gate", hint="min_overlap_ratio"),
    overlap("overlap_gate_that_always_holds", "--gate min_overlap_ratio=0", "--gate min_overlap_ratio 0: not above 0 and at most 1"),
    overlap("overlap_library", "--device cpu:0 --override distributed.backend=nccl", "distributed.backend nccl", hint="auto"),
    overlap("overlap_inject_unknown", "--device cpu:0,cpu:1 --inject burn:1:2", "burn:1:2: no fault that can be injected", hint="teardown:RANK"),
    overlap("overlap_inject_rank", "--config llama_nano --device cpu:0,cpu:1 --inject skip:2:2", "a fault in rank 2 of 2"),
    overlap("overlap_inject_step", "--config llama_nano --device cpu:0,cpu:1 --inject skip:1:13", "a fault in step 13 of 12"),
    overlap("overlap_copy_peer", "--device cpu:0 --directions peer", "needs a second device", command="copy", hint="--peer"),
    overlap("overlap_copy_size", "--device cpu:0 --copy-mb -1", "--copy-mb -1", command="copy"),
    overlap("overlap_sweep_nothing", "--device cpu:0", "nothing is to be changed", command="sweep", hint="--sweep"),
    overlap("overlap_sweep_variable", "--device cpu:0 --env RCCL_MAX_NCHANNELS=4", "no library reads", command="sweep", hint="NCCL_MAX_NCHANNELS"),
    overlap("overlap_report_nothing", "", "nothing was named", command="report", hint="--scaling"),
    overlap("overlap_scaling_no_session", "--scaling nowhere", "nowhere", command="report"),
    overlap("overlap_report_empty", "--log-dir {tmp} --label a", "has no rank_", command="report"),
    overlap("overlap_report_labels", "--log-dir {tmp} --log-dir {tmp} --label a", "2 folders by --log-dir and 1 labels", command="report"),
    llama("llama_version_unknown", "--version 5", "--version 5: there is no such version", hint="1 to 4"),
    llama("llama_versions_unknown", "--versions 1,9", "--version 9: there is no such version", hint="1 to 4", command="compare"),
    llama("llama_versions_word", "--versions first", "--versions first: not a whole number from 1 to", command="compare"),
    llama("llama_preset_unknown", "--preset big", "no preset is named big", hint="nano, tiny, small"),
    llama("llama_heads_do_not_divide", "--num-heads 7", "hidden size 64 and 7 heads", hint="2 \\* heads"),
    llama("llama_key_heads_do_not_divide", "--num-kv-heads 3", "4 heads cannot share 3 key heads", hint="multiple"),
    llama("llama_precision_unknown", "--precision fp16", "--precision fp16", hint="bf16.*loss scaling"),
    llama("llama_two_precisions", "--use-amp --precision fp32", "--precision excludes --use-amp"),
    llama("llama_dispatch_unknown", "--dispatch x", "--dispatch x: no such mode", hint="single, threads or graph"),
    llama("llama_data_unknown", "--data x", "--data x: no such data", hint="learnable or random"),
    llama("llama_no_steps", "--num-steps 0", "--num-steps 0: not from 1", hint="number in that range"),
    llama("llama_no_processes", "--processes 0", "--processes 0: not from 1", hint="number in that range"),
    llama("llama_one_token", "--seq-len 1", "--seq-len 1: not from 2", hint="number in that range"),
    llama("llama_size_negative", "--vocab-size -1", "--vocab-size -1: not from 0 to 1048576", hint="in that range"),
    llama("llama_size_huge", "--hidden-dim 100000000000", "--hidden-dim 100000000000: not from 0 to 65536", hint="in that range"),
    llama("llama_lab_unknown", "13", "there is no lab 13", hint="1 to 12", command="lab"),
    llama("llama_lab_word", "first", "there is no lab first", hint="1 to 12", command="lab"),
    llama("llama_lab_case_zero", "12 --case 0", "--case 0: must be 1 or above", hint="another slowdown", command="lab"),
    llama("llama_lab_answer_word", "2 --answer many", '"many" is no number', hint="number alone", command="lab"),
    llama("llama_lab_kept_cut", "2", r"lab_02\.json: not valid JSON", command="lab", files={"sessions/labs/lab_02.json": b'{"kind": "la'}),
    llama("llama_lab_kept_other", "2", r"lab_02\.json: not what a lab measured", hint="measures anew", command="lab",
          files={"sessions/labs/lab_02.json": b'{"kind": "run"}'}),
    llama("llama_rate_zero", "--learning-rate 0", "learning rate 0: must be above 0", hint="3e-4"),
    llama("llama_decay_not_a_number", "--weight-decay nan", "--weight-decay nan: not a number from 0", hint="in that range"),
    llama("llama_rate_warmup_negative", "--lr-warmup-steps -3", "--lr-warmup-steps -3: not from 0", hint="in that range"),
    Case("llama_device_unknown", "llama run --device abc", 2, "no device \"abc\"", hint="there is cpu:0"),
    llama("llama_study_version_twice", "--versions 1,1", "--versions has 1 twice", hint="each once", command="study"),
    llama("llama_study_preset_unknown", "--presets nano,big", "no preset is named big", hint="nano, tiny", command="study"),
    llama("llama_study_length_too_short", "--seq-lens 8,1", "--seq-len 1: not from 2", hint="in that range", command="study"),
    llama("llama_study_precision_unknown", "--precisions fp32,fp8", "--precision fp8", hint="bf16", command="study"),
    llama("llama_study_sessions_unwritable", "--sessions /proc/aaco", "/proc/aaco", command="study"),
    llama("llama_study_against_nothing", "--against none.json", "none.json", command="study"),
    llama("llama_study_no_effect", "--against x --min-effect 0", "--min-effect 0: not a percentage", hint="--min-effect 5", command="study"),
    llama("llama_roofline_of_nothing", "--session none", "none|sessions", command="roofline"),
    llama("llama_mode_benchmark", "--mode benchmark", "--mode benchmark: there is no such mode"),
    llama("llama_profile_steps", "--profile-steps 7", "--profile-steps: 7 not in"),
    Case("llama_device_not_here", "llama run --device cuda:99", 3, "(?i)cuda|NVIDIA|driver"),
    Case("llama_study_device_not_here", "llama study --device hip:99", 3, "(?i)hip|AMD|driver"),
    # Of a single token nothing can be learnt: the gates say so, and no speed is said.
    Case("llama_gate_does_not_hold", "llama run --device cpu:0 --vocab-size 1 --num-steps 1", 4, "every parameter has a gradient: .* have none",
         hint="no speed is said", leaves_session=True),
    llama("llama_sessions_unwritable", "--sessions /proc/aaco", "/proc/aaco"),
    # Traces.
    Case("trace_missing", "trace report {tmp}/none.json", 2, r"none\.json"),
    Case("trace_diff_missing", "trace diff {tmp}/none.json {tmp}/other.json", 2, r"none\.json"),
    Case("trace_unknown_accelerator", "trace report t.json --accelerator abacus", 2, r"no accelerator 'abacus'", files={"t.json": b"[]"}, hint="H200"),
    Case("trace_roofs_without_rates", "trace report t.json --roofs r.json", 2, r"r\.json: no roofs", files={"t.json": b"[]", "r.json": b"{}"}, hint="doctor"),
    Case("trace_roofs_of_zero", "trace report t.json --roofs r.json", 2, r"r\.json: no roofs", files={"t.json": b"[]", "r.json": b'{"flops_per_s": {"fp32": 0}, "bytes_per_s": 1}'}),
    Case("trace_folder_without_traces", "trace report {tmp}", 2, r"holds no trace", files={"a.txt": b"no trace"}),
    Case("trace_is_a_device", "trace report /dev/null", 2, "regular file"),
    Case("trace_empty", "trace report t.json", 2, r"t\.json: is empty", files={"t.json": b""}),
    Case("trace_unknown_format", "trace report t.json", 2, r"t\.json: is no trace", files={"t.json": b"\x7fELF\x02\x01"}, hint="Kineto"),
    Case("trace_no_events", "trace report t.json", 2, r"t\.json: has no \"traceEvents\" \(byte 10\)", files={"t.json": b'{"a": [1]}'}),
    Case("trace_ends_early", "trace report t.json", 2, r"t\.json: .*byte", files={"t.json": b'{"schemaVersion": 1, "deviceProp'}),
    Case("trace_of_no_events", "trace report t.json", 2, r"t\.json: holds no event", files={"t.json": b'[{"kind": "replay"}]'}),
    Case("trace_gzip_damaged", "trace report t.json.gz", 2, r"t\.json\.gz: .*gzip", files={"t.json.gz": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xff\xff\xff"}),
    Case("export_format_unknown", "trace export t.json --format svg --output out", 2, "svg", files={"t.json": ONE_EVENT}, hint="perfetto"),
    Case("export_over_a_file", "trace export t.json --format chrome --output u.json", 2, r"u\.json: is there already", files={"t.json": ONE_EVENT, "u.json": b"{}"}, hint="--force"),
    Case("export_over_its_input", "trace export t.json --format chrome --force --output t.json", 2, r"t\.json is read: it cannot be the output", files={"t.json": ONE_EVENT}),
    Case("export_over_a_folder", "trace export t.json --format parquet --output {tmp}", 2, "is there already", files={"t.json": ONE_EVENT}, hint="--force"),
    Case("export_to_nowhere", "trace export t.json --format perfetto --output /proc/none/t.pftrace", 2, "/proc/none", files={"t.json": ONE_EVENT}),
    Case("export_disk_full", "trace export t.json --format chrome --output /dev/full", 6, "/dev/full", files={"t.json": ONE_EVENT}),
    Case("report_format_unknown", "report --session {tmp}/s/latest --format pdf", 2, "pdf", prepare=relu_session),
]
