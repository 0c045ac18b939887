#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_traces.py FOLDER: writes the traces that the golden tests read: two ranks of a small training job in Kineto's form, before
and after a change, with what the analyses look for: steps, operators with shapes, launches, copies, collectives, memory, a
backward thread, Python frames, and some of what is wrong in real traces. Written once; run it again only to change them."""
import json
import pathlib
import sys

PROCESS, FORWARD, BACKWARD = 4000, 4000, 4100
COMPUTE, COPY, COMMUNICATION = 7, 20, 24
GEMM = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1"
RELU = "void at::native::vectorized_elementwise_kernel<4, at::native::relu_kernel(c10::BFloat16)>"
ADAM = "void at::native::multi_tensor_apply_kernel<at::native::FusedAdamMathFunctor<float>>"
CONV = "void cudnn::ops::nchwToNhwcKernel<__nv_bfloat16, float>"


class Trace:
    def __init__(self, rank, slower):
        self.rank, self.slower, self.events, self.number, self.host, self.device = rank, slower, [], 100, 1000.0, {}

    def add(self, ph, cat, name, pid, tid, ts, dur=None, **args):
        event = dict(ph=ph, cat=cat, name=name, pid=pid, tid=tid, ts=round(ts, 3))
        if dur is not None:
            event["dur"] = round(dur, 3)
        self.events.append({**event, "args": args} if args else event)

    def launch(self, thread, call, cat, name, stream, dur, external, **args):
        """A call on the host and what it starts on a stream, in order there."""
        self.number += 1
        self.add("X", "cuda_runtime", call, PROCESS, thread, self.host, 4.5, cbid=211, correlation=self.number, **{"External id": external})
        self.add("s", "ac2g", "ac2g", PROCESS, thread, self.host)
        self.events[-1]["id"] = self.number
        start = max(self.host + 6, self.device.get(stream, 0) + 0.7)
        self.add("X", cat, name, 0, stream, start, dur, device=0, context=1, stream=stream, correlation=self.number, **{"External id": external}, **args)
        self.add("f", "ac2g", "ac2g", 0, stream, start)
        self.events[-1].update(id=self.number, bp="e")
        self.device[stream] = start + dur
        self.host += 5

    def operator(self, thread, name, kernels, dims, types, sequence=None, host_us=6.0):
        self.number += 1
        external, began = self.number, self.host
        self.host += host_us
        for kernel, dur, grid in kernels:
            self.launch(thread, "cudaLaunchKernel", "kernel", kernel, COMPUTE, dur, external, grid=grid, block=[256, 1, 1],
                        **{"registers per thread": 64, "shared memory": 16384, "est. achieved occupancy %": 38})
        self.host += 1
        more = {} if sequence is None else {"Sequence number": sequence, "Fwd thread id": 0 if thread == FORWARD else 1}
        self.add("X", "cpu_op", name, PROCESS, thread, began, self.host - began,
                 **{"External id": external, "Input Dims": dims, "Input type": types, "Concrete Inputs": [""] * len(dims)}, **more)
        self.host += 2

    def collective(self, name, kernel, elements, dur):
        self.number += 1
        external = self.number
        facts = {"Collective name": name, "In msg nelems": elements, "Out msg nelems": elements, "Group size": 2, "dtype": "BFloat16",
                 "In split size": "[]", "Out split size": "[]", "Process Group Name": "0", "Process Group Ranks": "[0, 1]"}
        self.add("X", "cpu_op", "record_param_comms", PROCESS, BACKWARD, self.host, 14, **{"External id": external}, **facts)
        self.host += 3
        self.launch(BACKWARD, "cudaLaunchKernelExC", "kernel", kernel, COMMUNICATION, dur, external, grid=[24, 1, 1], block=[512, 1, 1], **facts)
        self.host += 8

    def memory(self, change, total):
        self.add("i", "cpu_instant_event", "[memory]", PROCESS, FORWARD, self.host, s="t",
                 **{"Total Reserved": 8 << 20, "Total Allocated": total, "Bytes": change, "Addr": 140000000000 + total, "Device Id": 0, "Device Type": 1})
        self.events[-1]["s"] = self.events[-1]["args"].pop("s")

    def step(self, number):
        began = self.host
        self.launch(FORWARD, "cudaMemcpyAsync", "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", COPY, 22.5, 1, bytes=524288,
                    **{"memory bandwidth (GB/s)": 23.3})
        self.memory(1 << 20, (1 << 20) * (1 + number))
        factor = 1.4 if self.slower else 1.0
        bf16 = "c10::BFloat16"
        for layer in range(2):
            sequence = 10 * number + layer
            self.operator(FORWARD, "aten::mm", [(GEMM, 48.2 * factor, [16, 8, 1])], [[512, 1024], [1024, 1024]], [bf16, bf16], sequence)
            self.operator(FORWARD, "aten::relu", [(RELU, 7.3 + layer, [512, 1, 1])], [[512, 1024]], [bf16], sequence)
        if self.slower:
            self.operator(FORWARD, "aten::cudnn_convolution", [(CONV, 12.5, [64, 4, 1])], [[8, 16, 32, 32], [16, 16, 3, 3], [], [], [], [], []],
                          [bf16, bf16, "", "ScalarList", "ScalarList", "ScalarList", "Scalar"])
        self.number += 1
        self.add("s", "fwdbwd", "fwdbwd", PROCESS, FORWARD, began + 40)
        self.events[-1]["id"] = self.number
        self.add("f", "fwdbwd", "fwdbwd", PROCESS, BACKWARD, self.host)
        self.events[-1].update(id=self.number, bp="e")
        for layer in reversed(range(2)):
            self.operator(BACKWARD, "MmBackward0", [(GEMM, 51.0, [16, 8, 1]), (GEMM, 49.5, [8, 16, 1])], [[512, 1024]], [bf16], 10 * number + layer)
            self.collective("allreduce", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 1 << 20, 90 + 30 * self.rank)
        self.operator(FORWARD, "Optimizer.step#Adam.step", [(ADAM, 9.75, [160, 1, 1])], [], [], None, 30.0)
        wait = max(self.device.values()) - self.host + 3
        self.add("X", "cuda_runtime", "cudaDeviceSynchronize", PROCESS, FORWARD, self.host, wait, cbid=165, correlation=0)
        self.host += wait + 4
        self.memory(-(1 << 20), (1 << 20) * number)
        self.add("X", "user_annotation", f"ProfilerStep#{number}", PROCESS, FORWARD, began - 2, self.host - began, **{"External id": 2})
        self.add("X", "python_function", "train.py(12): step", PROCESS, FORWARD, began - 1, self.host - began - 2,
                 **{"Python id": number, "Python parent id": None, "Python module id": 0})
        self.host += 10

    def losses(self):
        self.add("X", "kernel", RELU, 0, COMPUTE, self.host + 20, 0, device=0, context=1, stream=COMPUTE, correlation=9999)  # launched by nobody, no time
        self.add("X", "kernel", "evil \x1b[31m <b>&amp; name", 0, COMPUTE, self.host + 40, 6, device=0, context=1, stream=COMPUTE, correlation=9998)
        self.add("X", "kernel", RELU, 0, COMPUTE, self.host + 42, 9, device=0, context=1, stream=COMPUTE, correlation=9997)  # overlaps
        self.events.append(dict(ph="X", name="no category", pid=PROCESS, tid=FORWARD, ts=self.host, dur=1))

    def document(self):
        names = [dict(ph="M", name="process_name", pid=PROCESS, tid=0, ts=0, args=dict(name="python")),
                 dict(ph="M", name="process_labels", pid=0, tid=0, ts=0, args=dict(labels="GPU 0")),
                 dict(ph="M", name="thread_name", pid=PROCESS, tid=FORWARD, ts=0, args=dict(name="thread 4000 (python)"))]
        return dict(schemaVersion=1, displayTimeUnit="ms", baseTimeNanoseconds=1700000000000000000,
                    deviceProperties=[dict(id=0, name="NVIDIA H200", totalGlobalMem=150109880320, computeMajor=9, computeMinor=0, warpSize=32, numSms=132)],
                    distributedInfo=dict(backend="nccl", rank=self.rank, world_size=2), traceEvents=names + self.events)


def main(folder):
    for name, slower in (("before", False), ("after", True)):
        for rank in range(2):
            trace = Trace(rank, slower)
            for number in range(1, 3):
                trace.step(number)
            if slower and rank == 1:
                trace.losses()
            lines = json.dumps(trace.document()).replace('}, {"ph"', '},\n{"ph"')
            (pathlib.Path(folder) / f"{name}_rank{rank}.json").write_text(lines + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
