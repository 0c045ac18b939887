# SPDX-License-Identifier: MIT
"""Traces and models of a given size, each large in one dimension alone. A function writes input of size n into a folder and
returns its path."""
import json

import tiny_onnx


def call(at, correlation, pid=100, tid=100, name="cudaLaunchKernel"):
    return dict(ph="X", cat="cuda_runtime", name=name, pid=pid, tid=tid, ts=at, dur=2, args=dict(correlation=correlation))


def op(at, dur=8, name="aten::mul", pid=100, tid=100, cat="cpu_op", **args):
    return dict(ph="X", cat=cat, name=name, pid=pid, tid=tid, ts=at, dur=dur, args=args)


def kernel(at, correlation, device=0, stream=7, name="k", dur=5, pid=None, **args):
    return dict(ph="X", cat="kernel", name=name, pid=device if pid is None else pid, tid=stream, ts=at, dur=dur,
                args=dict(device=device, stream=stream, correlation=correlation, **args))


def launched(i, pid=100, tid=100, op_name="aten::mul", dur=5, at=None, **of_kernel):
    at = 10_000 + 20 * i if at is None else at
    return [op(at, name=op_name, pid=pid, tid=tid), call(at + 2, i + 1, pid, tid), kernel(at + 10, i + 1, dur=dur, **of_kernel)]


def trace(events, **header):
    def write(folder, size):
        path = folder / f"trace{size}.json"
        with path.open("w") as file:
            file.write(json.dumps(header)[:-1] + (", " if header else "") + '"traceEvents": [')
            for i, event in enumerate(each for j in range(size) for each in events(j, size)):
                file.write((",\n" if i else "") + json.dumps(event))
            file.write("]}")
        return path
    return write


def flows(i, size):
    at = 10_000 + 20 * i
    mark = dict(cat="ac2g", name="ac2g", id=i + 1, pid=100, tid=100)
    return launched(i) + [dict(mark, ph="s", ts=at + 2), dict(mark, ph="f", bp="e", pid=0, tid=7, ts=at + 10)]


def passes(i, size):
    mark = dict(cat="fwdbwd", name="fwdbwd", id=i + 1, pid=100)
    return [op(10_000 + 20 * i), op(10_000 + 20 * (size + i), name="MulBackward0", tid=101),
            dict(mark, ph="s", tid=100, ts=10_000 + 20 * i), dict(mark, ph="f", bp="e", tid=101, ts=10_000 + 20 * (size + i))]


def collective(i, size, group="g", pid=100, **of_kernel):
    return [op(10_000 + 20 * i, name="nccl:all_reduce", cat="user_annotation", pid=pid), call(10_002 + 20 * i, i + 1, pid),
            kernel(10_010 + 20 * i, i + 1, name="ncclDevKernel_AllReduce_Sum_f32_RING_LL", **{
                "Collective name": "allreduce", "Process Group Name": group, "In msg nelems": 1024, "Out msg nelems": 1024,
                "Group size": 2, "dtype": "Float"}, **of_kernel)]


def numbered(i, size):
    """A rank of its own, the numbers of whose collectives no other rank has."""
    return [dict(each, pid=f"{each['pid']} [rank {i}]") for j in range(4) for each in collective(j, size, Seq=4 * i + j)]


def followed(i, size):
    """A rank of its own, whose last collective is the next rank's first."""
    return [dict(each, pid=f"{each['pid']} [rank {i}]") for j in range(3) for each in collective(2 * i + j, size, Seq=2 * i + j)]


def unnumbered(i, size):
    """Of each collective of rank 0 another rank, which has that one alone."""
    return [dict(each, pid=f"{each['pid']} [rank 0]") for each in collective(i, size)] + [
        dict(each, pid=f"{each['pid']} [rank {i + 1}]") for each in collective(0, size)]


def nested(i, size):
    return [op(10_000 + i, dur=2 * (size - i) + 10, name="aten::mul")] + (launched(i, at=10_000 + i) if i == size - 1 else [])


def memory(i, size):
    return launched(i) + [dict(ph="i", cat="cpu_instant_event", s="t", name="[memory]", pid=100, tid=100, ts=10_000 + 20 * i, args={
        "Total Reserved": 1 << 30, "Total Allocated": 512 * (i + 1), "Bytes": 512 if i % 2 else -512, "Addr": i // 2,
        "Device Id": 0, "Device Type": 1})]


def waits(i, size):
    at = 10_000 + 20 * i
    return launched(i, stream=i % 4) + [
        call(at + 4, 1_000_000 + i, name="cudaEventRecord"), call(at + 6, 2_000_000 + i, name="cudaStreamWaitEvent"),
        dict(ph="X", cat="cuda_sync", name="Stream Wait Event", pid=0, tid=(i + 1) % 4, ts=at + 6, dur=0, args=dict(
            stream=(i + 1) % 4, correlation=2_000_000 + i, device=0, wait_on_stream=i % 4, wait_on_cuda_event_record_corr_id=1_000_000 + i,
            wait_on_cuda_event_id=i))]


def python_frames(i, size):
    return launched(i) + [op(10_000 + 20 * i, name=f"train.py({i}): step", cat="python_function", **{
        "Python id": i + 1, "Python parent id": i})]


def spans(i, size):
    thread = dict(pid=100, tid=100, cat="cpu_op", name=f"aten::op{i}")
    return [dict(thread, ph="B", ts=10_000 + i)] + ([dict(thread, ph="E", ts=10_000 + size + j) for j in range(size)] if i == size - 1 else [])


TRACES = {
    "devices": trace(lambda i, size: [kernel(i, i, device=i, stream=i, name=f"k{i}")]),
    "devices with launches": trace(lambda i, size: launched(i, device=i)),
    "devices in steps": trace(lambda i, size: launched(i, device=i) + ([op(10_000 + 20 * size * j // 4, dur=5 * size, name=f"ProfilerStep#{j}", cat="user_annotation") for j in range(4)] if i == 0 else [])),
    "streams": trace(lambda i, size: launched(i, stream=i)),
    "streams at once": trace(lambda i, size: launched(i, stream=i, dur=1_000_000)),
    "threads": trace(lambda i, size: launched(i, tid=100 + i)),
    "processes": trace(lambda i, size: launched(i, pid=100 + i)),
    "processes and devices": trace(lambda i, size: launched(i, pid=1_000_000 + i, device=i)),
    "ranks": trace(lambda i, size: [
        op(10_000 + 20 * i, pid=f"100 [rank {i}]"), call(10_002 + 20 * i, i, pid=f"100 [rank {i}]"), kernel(10_010 + 20 * i, i, pid=f"0 [rank {i}]")],
        distributedInfo=dict(rank=0, world_size=2)),
    "ranks of one collective": trace(lambda i, size: [
        dict(each, pid=f"{each['pid']} [rank {i}]") for each in collective(0, size)], distributedInfo=dict(rank=0, world_size=2)),
    "ranks with numbers of their own": trace(numbered, distributedInfo=dict(rank=0, world_size=2)),
    "ranks that follow one another": trace(followed, distributedInfo=dict(rank=0, world_size=2)),
    "ranks beside a large one": trace(unnumbered, distributedInfo=dict(rank=0, world_size=2)),
    "kernel names": trace(lambda i, size: launched(i, name=f"kernel_{i}")),
    "operator names": trace(lambda i, size: launched(i, op_name=f"aten::op{i}")),
    "counters": trace(lambda i, size: [dict(ph="C", name=f"counter {i}", pid=100, ts=10_000 + i, args=dict(value=i))] + launched(i)),
    "counter values": trace(lambda i, size: [dict(ph="C", name="counter", pid=100, ts=10_000 + i, args=dict(value=i))] + launched(i)),
    "counter series": trace(lambda i, size: [dict(ph="C", name="counter", pid=100, ts=10_000 + i, args={f"v{i}": i})] + launched(i)),
    "flows": trace(flows),
    "passes": trace(passes),
    "communicators": trace(lambda i, size: collective(i, size, f"group {i}")),
    "collectives": trace(collective),
    "steps": trace(lambda i, size: launched(i) + [op(9_999 + 20 * i, dur=19, name=f"ProfilerStep#{i}", cat="user_annotation")]),
    "annotations": trace(lambda i, size: launched(i) + [op(9_999 + 20 * i, dur=19, name=f"part {i}", cat="user_annotation")]),
    "nested operators": trace(nested),
    "begins and ends": trace(spans),
    "memory": trace(memory),
    "waits": trace(waits),
    "python": trace(python_frames),
    "arguments": trace(lambda i, size: [op(10_000, **{f"key {j}": f"value {j}" for j in range(size)})] + launched(0) if i == 0 else []),
    "argument keys": trace(lambda i, size: [op(10_000 + i, **{f"key {i}": f"value {i}"})] + launched(i)),
    "kernels at once": trace(lambda i, size: launched(i, dur=1_000_000)),
    "kernels of one call": trace(lambda i, size: [op(10_000, dur=50), call(10_002, 1)] * (i == 0) + [kernel(10_020 + 10 * i, 1)]),
    "one correlation": trace(lambda i, size: [op(10_000 + 20 * i), call(10_002 + 20 * i, 1), kernel(10_010 + 20 * i, 1)]),
    "waits for many devices": trace(lambda i, size: launched(i, device=i) + [call(10_000 + 20 * (size + i), 10_000_000 + i, name="cudaDeviceSynchronize")]),
    "one correlation in processes": trace(lambda i, size: [kernel(10_000 + 10 * i, 1), op(10_000 + 20 * (size + i), pid=1_000_000 + i),
                                                           call(10_002 + 20 * (size + i), 1, pid=1_000_000 + i)]),
    "backwards": trace(lambda i, size: launched(size - i)),
    "metadata": trace(lambda i, size: [dict(ph="M", name="process_name", pid=1_000 + i, args=dict(name=f"p{i}")),
                                       dict(ph="M", name="thread_name", pid=1_000 + i, tid=i, args=dict(name=f"t{i}"))] + launched(i)),
}


EVERY_COMMAND = ("devices with launches", "ranks", "counters", "kernel names")  # that reads a trace


def files(folder, size):
    """One rank a file."""
    path = folder / f"files{size}"
    path.mkdir()
    for rank in range(size):
        events = [each for i in range(4) for each in launched(i)]
        (path / f"rank{rank}.json").write_text(json.dumps(dict(distributedInfo=dict(rank=rank, world_size=size), traceEvents=events)))
    return path


def table(header, row):
    def write(folder, size):
        path = folder / f"table{size}.csv"
        path.write_text("\n".join([header] + [row(i) for i in range(size)]) + "\n")
        return path
    return write


ROCPROF = '"Kind","Agent_Id","Queue_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","Private_Segment_Size","Group_Segment_Size","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"'

TABLES = {
    "agents of a table": table(ROCPROF, lambda i: f'"KERNEL_DISPATCH","Agent {i}",{i},7,{i},{i},"k{i}",{i},{1000 + 20 * i},{1010 + 20 * i},0,0,64,1,1,64,1,1'),
}


def log_of_streams(folder, size):
    """A training's log, each line with as many streams."""
    path = folder / f"log{size}"
    path.mkdir()
    streams = dict({f"stream {i}": 1.0 for i in range(size)}, compute=2.0, communication=1.0)
    line = json.dumps(dict(global_step=1, loss=2.0, profile=dict(total_ms=3.0, overlap=dict(per_stream_ms=streams))))
    (path / "rank_0_metrics.jsonl").write_text(4 * (line + "\n"))
    return path


def model(nodes, inputs=("x",), outputs=("y",), initialisers=lambda size: []):
    def write(folder, size):
        path = folder / f"model{size}.onnx"
        shape = (1, 4)
        path.write_bytes(tiny_onnx.model(nodes(size), [tiny_onnx.value(each, shape) for each in inputs],
                                         [tiny_onnx.value(each, shape) for each in outputs], initialisers=initialisers(size)))
        return path
    return write


def wide(folder, size):
    """As many inputs and outputs."""
    return model(lambda n: [tiny_onnx.node("Relu", [f"x{i}"], [f"y{i}"]) for i in range(n)], [f"x{i}" for i in range(size)],
                 [f"y{i}" for i in range(size)])(folder, size)


def chain(op_type):
    return model(lambda n: [tiny_onnx.node(op_type, ["x" if i == 0 else f"t{i}"], ["y" if i == n - 1 else f"t{i + 1}"]) for i in range(n)])


def stacked(size):
    """A node whose branches hold a node whose branches ..., `size` deep."""
    body = tiny_onnx.graph([tiny_onnx.node("Relu", ["x"], ["o0"])], [], [tiny_onnx.value("o0", (1, 4))])
    for i in range(1, size):
        body = tiny_onnx.graph([tiny_onnx.node("If", ["c"], [f"o{i}"], attributes=[
            tiny_onnx.graph_attribute("then_branch", body)])], [], [tiny_onnx.value(f"o{i}", (1, 4))])
    return [tiny_onnx.node("If", ["c"], ["y"], attributes=[tiny_onnx.graph_attribute("then_branch", body)])]


MODELS = {
    "chain of nodes": chain("Relu"),
    "chain of copies": chain("Identity"),
    "nodes side by side": model(lambda n: [tiny_onnx.node("Relu", ["x"], [f"t{i}"]) for i in range(n)] + [tiny_onnx.node("Relu", ["x"], ["y"])]),
    "edges": model(lambda n: [tiny_onnx.node("Relu", ["x"], ["t"]), tiny_onnx.node("Sum", ["t"] * n, ["y"])]),
    "inputs of one node": model(lambda n: [tiny_onnx.node("Relu", ["x"], [f"t{i}"]) for i in range(n)] +
                                [tiny_onnx.node("Sum", [f"t{i}" for i in range(n)], ["y"])]),
    "initialisers": model(lambda n: [tiny_onnx.node("Add", ["x" if i == 0 else f"t{i}", f"w{i}"], ["y" if i == n - 1 else f"t{i + 1}"]) for i in range(n)],
                          initialisers=lambda n: [tiny_onnx.floats(f"w{i}", (1, 4)) for i in range(n)]),
    "unused initialisers": model(lambda n: [tiny_onnx.node("Relu", ["x"], ["y"])], initialisers=lambda n: [tiny_onnx.floats(f"w{i}", (1, 4)) for i in range(n)]),
    "inputs and outputs": wide,
    "constants": model(lambda n: [tiny_onnx.node("Shape", ["x"], ["s0"])] + [tiny_onnx.node("Add", [f"s{i}", "s0"], [f"s{i + 1}"]) for i in range(n)] + [
        tiny_onnx.node("Reshape", ["x", f"s{n}"], ["y"])]),
    "open names": model(lambda n: [tiny_onnx.node("Add", ["x", f"missing{i}"], [f"t{i}"]) for i in range(n)] + [tiny_onnx.node("Relu", ["x"], ["y"])]),
    "branches": model(lambda n: [tiny_onnx.node("If", ["c"], [f"t{i}"], attributes=[tiny_onnx.graph_attribute("then_branch", tiny_onnx.graph(
        [tiny_onnx.node("Relu", ["x"], ["o"])], [], [tiny_onnx.value("o", (1, 4))])) ]) for i in range(n)] + [tiny_onnx.node("Relu", ["x"], ["y"])], inputs=("x", "c")),
    "depth": model(stacked, inputs=("x", "c")),
    "outputs of one node": model(lambda n: [tiny_onnx.node("Split", ["x"], [f"t{i}" for i in range(n)]), tiny_onnx.node("Concat", [f"t{i}" for i in range(n)], ["y"], attributes=[tiny_onnx.integer("axis", 1)])]),
}
