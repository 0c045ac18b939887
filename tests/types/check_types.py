#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_types.py AACO REPOSITORY: runs ONNX's own operator tests whose inputs have every tensor type that ONNX Runtime takes, and
ones with loops and branches, and compares the outputs with the expected ones. Exit 77: data not here."""
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from skipping import skip_without  # noqa: E402

MODELS = ["add_uint8", "add_int8", "add_uint16", "add_int16", "add_uint32", "add_uint64", "bitwise_and_i32_2d", "and2d",
          "cast_DOUBLE_to_FLOAT", "cast_FLOAT16_to_DOUBLE", "cast_BFLOAT16_to_FLOAT", "cast_INT4_to_FLOAT", "cast_UINT4_to_FLOAT",
          "cast_INT2_to_FLOAT", "cast_UINT2_to_FLOAT", "cast_FLOAT8E4M3FN_to_FLOAT", "cast_FLOAT8E4M3FNUZ_to_FLOAT",
          "cast_FLOAT8E5M2_to_FLOAT", "cast_FLOAT8E5M2FNUZ_to_FLOAT", "cast_e8m0_FLOAT8E8M0_to_FLOAT", "string_concat",
          "string_concat_utf8", "regex_full_match_basic", "ai_onnx_ml_label_encoder_string_int", "loop11", "if", "scan9_sum",
          "range_float_type_positive_delta_expanded"]


def tensor_name(data):
    """Field 8 of a TensorProto, from protobuf's wire format."""
    def varint(at):
        value = shift = 0
        while True:
            value |= (data[at] & 0x7F) << shift
            shift, at = shift + 7, at + 1
            if data[at - 1] < 0x80:
                return value, at
    at = 0
    while at < len(data):
        key, at = varint(at)
        if key & 7 == 2:
            length, at = varint(at)
            if key >> 3 == 8:
                return data[at:at + length].decode()
            at += length
        elif key & 7 == 0:
            _, at = varint(at)
        else:
            at += 4 if key & 7 == 5 else 8
    return ""


def run(aaco, folder, name):
    data = folder / "onnx/backend/test/data/node" / f"test_{name}"
    command = [aaco, "run", "--no-roofs", "--model", str(data / "model.onnx"), "--backend", "cpu", "--processes", "1", "--iterations", "1",
               "--warmup", "0", "--threads", "1", "--sessions", str(folder / "s")]
    for kind, flag in (("input", "--input"), ("output", "--expect")):
        for file in sorted((data / "test_data_set_0").glob(f"{kind}_*.pb")):
            command += [flag, f"{tensor_name(file.read_bytes())}={file}"]
    done = subprocess.run(command, capture_output=True, text=True)
    # Data of the casts hold NaN on purpose: such a run is invalid (4), its outputs are compared all the same.
    has_nan = name.startswith("cast_") and "holds NaN or infinity" in done.stderr
    good = done.returncode == (4 if has_nan else 0) and "check failed" not in done.stdout + done.stderr
    print(f"{'ok' if good else 'FAILED'} {name}", flush=True)
    if not good:
        print(" ".join(command), done.stdout, done.stderr, done.returncode, sep="\n")
    return good


def main(aaco, repository):
    data = pathlib.Path(os.environ.get("AACO_DATA") or pathlib.Path(repository).parent / "shared" / "data")
    archive = data / "onnx" / "onnx-v1.20.0-backend-test-data.tar.gz"
    if not archive.exists():
        skip_without(archive)
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(archive) as tar:
            wanted = {f"onnx/backend/test/data/node/test_{name}" for name in MODELS}
            for member in tar:
                if member.isfile() and any(member.name.startswith(one + "/") for one in wanted):
                    file = pathlib.Path(folder) / member.name
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(tar.extractfile(member).read())
        results = [run(aaco, pathlib.Path(folder), name) for name in MODELS]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
