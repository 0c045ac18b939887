#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the analyses of a trace take of memory beside its event table: build/bench/analysis_memory, a fresh process each, over traces made
up of one mix of events each, in several sizes, and over files that are named."""
import argparse
import json
import pathlib
import subprocess
import tempfile

from harness import environment


def slice_of(category, name, thread, start_us, length_us, **arguments):
    return (f'{{"ph":"X","cat":"{category}","name":"{name}","pid":1,"tid":{thread},"ts":{start_us:.3f},"dur":{length_us:.3f},'
            f'"args":{json.dumps(arguments)}}}')


def call(name, start_us, length_us, correlation):
    return slice_of("cuda_runtime", name, 7, start_us, length_us, correlation=correlation)


def kernel(i, start_us, length_us, stream=7, name=None, **arguments):
    return slice_of("kernel", name or f"k{i % 300}", stream, start_us, length_us, device=0, stream=stream, correlation=i + 1, **arguments)


def launches(i, at_us):
    return [call("cudaLaunchKernel", at_us, 3.5, i + 1), kernel(i, at_us + 5, 7.25, 7 + i % 4)]


def synchronised(i, at_us):
    return [call("cudaLaunchKernel", at_us, 3.5, i + 1), kernel(i, at_us + 5, 7.25), call("cudaDeviceSynchronize", at_us + 4, 10, 0)]


def kernels(i, at_us):
    return [kernel(i, at_us + 5, 7.25, 7 + i % 4)]


def operators(i, at_us):
    return [slice_of("cpu_op", f"aten::o{i % 50 + depth}", 7 + i % 2, at_us + depth, 16 - 3 * depth) for depth in range(4)]


def decoding(i, at_us):
    """A decoder on the host: shapes grow, views have offsets of their own."""
    shape = [1 + i // 16, 64]
    calls = [("aten::linear", [shape, [64, 64]], []), ("aten::mm", [shape, [64, 64]], []),
             ("aten::slice", [shape, [], [], [], []], ["", "0", str(i), str(i + 1), "1"]),
             ("aten::as_strided", [shape, [], [], []], ["", "[1, 64]", "[64, 1]", str(64 * i)])]
    return [slice_of("cpu_op", name, 7, at_us + depth, 16 - 3 * depth, **{"Input Dims": dims, "Input type": ["float"] * len(dims), "Concrete Inputs": values})
            for depth, (name, dims, values) in enumerate(calls)]


def host_bound(i, at_us):
    """One thread in nested functions and operators; every thousandth piece ends with a kernel that is waited for."""
    events = [slice_of(("python_function", "cpu_op")[depth % 2], f"f{i % 50 + depth}", 7, at_us + depth, 18.5 - 2 * depth) for depth in range(8)]
    return events + (synchronised(i, at_us + 19) if i % 1000 == 0 else [])


def training(i, at_us):
    flow = f'"id":{i + 1},"pid":1,"tid":7,"cat":"ac2g","name":"ac2g"'
    return [slice_of("cpu_op", "aten::linear", 7, at_us, 15), slice_of("cpu_op", "aten::mm", 7, at_us + 1, 12),
            call("cudaLaunchKernel", at_us + 2, 3.5, i + 1), f'{{"ph":"s","ts":{at_us + 2:.3f},{flow}}}',
            f'{{"ph":"f","bp":"e","ts":{at_us + 8:.3f},{flow}}}', kernel(i, at_us + 8, 7.25)]


def collectives(i, at_us):
    group = {"Collective name": "allreduce", "Process Group Name": "0", "Process Group Ranks": "[0, 1]", "dtype": "Float", "Group size": 2,
             "In msg nelems": 1 << i % 20, "Out msg nelems": 1 << i % 20}
    device = kernel(i, at_us + 6, 16 + i % 7, 20, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", **group) if i % 2 else kernel(i, at_us + 8, 7.25)
    return [slice_of("cpu_op", "record_param_comms", 7, at_us, 8), call("cudaLaunchKernel", at_us + 2, 3.5, i + 1), device]


def memory(i, at_us):
    size = 512 if i % 2 == 0 else -512
    arguments = {"Device Type": 1, "Device Id": 0, "Addr": 4096, "Bytes": size, "Total Allocated": max(size, 0), "Total Reserved": 2048}
    return [f'{{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":7,"ts":{at_us:.3f},"args":{json.dumps(arguments)}}}']


MIXES = {"launches and kernels": launches, "launches, kernels and waits": synchronised, "kernels alone": kernels, "operators alone": operators, "operators of a decoder": decoding,
         "bound by the host": host_bound, "operators, launches, arrows and kernels": training, "two ranks, half of the kernels collectives": collectives,
         "marks of memory": memory}


def write_trace(path, pieces, events, rank):
    with open(path, "w") as file:
        file.write(f'{{"schemaVersion":1,"distributedInfo":{{"rank":{rank}}},"traceEvents":[\n')
        written, i = 0, 0
        while written < events:
            piece = pieces(i, 1000 + i * 50.0)
            file.write((",\n" if written else "") + ",\n".join(piece))
            written += len(piece)
            i += 1
        file.write("\n]}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aaco", default="build/bin/aaco")
    parser.add_argument("--bench", default="build/bench/analysis_memory")
    parser.add_argument("--events", type=int, nargs="+", default=[1_000_000, 4_000_000])
    parser.add_argument("--output", required=True)
    parser.add_argument("files", nargs="*", metavar="FILE.json.gz")
    options = parser.parse_args()
    rows = []

    def measure(what, files):
        row = json.loads(subprocess.run([options.bench, *files], capture_output=True, text=True, check=True).stdout)
        rows.append(dict(row, trace=what))
        print(f"{what:45} {row['events']:12,} events  {row['bytes_per_event']:6.1f} bytes an event  {row['seconds']:7.2f} s", flush=True)

    with tempfile.TemporaryDirectory() as name:
        for events in options.events:
            for what, pieces in MIXES.items():
                ranks = 2 if pieces is collectives else 1
                files = [pathlib.Path(name) / f"rank{rank}.json" for rank in range(ranks)]
                for rank, file in enumerate(files):
                    write_trace(file, pieces, events // ranks, rank)
                measure(what, files)
    for file in map(pathlib.Path, options.files):
        measure(file.name, [file])
    json.dump(dict(environment=environment(options.aaco), analysis_memory=rows), open(options.output, "w"), indent=1)


if __name__ == "__main__":
    main()
