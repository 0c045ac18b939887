#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_networks.py AACO REPOSITORY NETWORK: runs one of the nine whole networks of ONNX's backend test data and compares
its output with the expected one. The data's runner feeds element i of n the value i / n. Exit 77: data not here."""
import array
import os
import pathlib
import struct
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from skipping import skip_without  # noqa: E402

# Of each network: its input and its output. All inputs are [1, 3, 224, 224].
NETWORKS = {
    "bvlc_alexnet": ("data_0", "prob_1"), "densenet121": ("data_0", "fc6_1"), "inception_v1": ("data_0", "prob_1"),
    "inception_v2": ("data_0", "prob_1"), "resnet50": ("gpu_0/data_0", "gpu_0/softmax_1"),
    "shufflenet": ("gpu_0/data_0", "gpu_0/softmax_1"), "squeezenet": ("data_0", "softmaxout_1"), "vgg19": ("data_0", "prob_1"),
    "zfnet512": ("gpu_0/data_0", "gpu_0/softmax_1"),
}


def npy(shape):
    count = 1
    for size in shape:
        count *= size
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + array.array("f", (i / count for i in range(count))).tobytes()


def main(aaco, repository, network):
    data = pathlib.Path(os.environ.get("AACO_DATA") or pathlib.Path(repository).parent / "shared" / "data")
    archive = data / "onnx" / "onnx-v1.20.0-backend-test-data.tar.gz"
    if not archive.exists():
        skip_without(archive)
    with tempfile.TemporaryDirectory() as folder:
        tmp = pathlib.Path(folder)
        with tarfile.open(archive) as tar:
            for ending in (".onnx", "_output_0.pb"):
                member = tar.extractfile(f"onnx/backend/test/data/light/light_{network}{ending}")
                (tmp / f"light{ending}").write_bytes(member.read())
        name, expected = NETWORKS[network]
        (tmp / "input.npy").write_bytes(npy((1, 3, 224, 224)))
        command = [aaco, "run", "--no-roofs", "--model", "light.onnx", "--backend", "cpu", "--processes", "1", "--iterations", "1", "--warmup", "0",
                   "--input", f"{name}=input.npy", "--expect", f"{expected}=light_output_0.pb", "--sessions", "s"]
        done = subprocess.run(command, cwd=tmp, capture_output=True, text=True)
        print(" ".join(command), done.stdout, done.stderr, sep="\n")
        return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
