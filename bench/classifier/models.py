# SPDX-License-Identifier: MIT
"""Models whose limit is known by construction, with sizes drawn at random.

What is true, and why (L: bytes of the last-level cache; T: threads):
  launch-bound   tensors of at most 64 elements, products of at most 16 x 16: a node's work takes tens of nanoseconds, its dispatch hundreds
  compute-bound  products and convolutions of at least 3.3e7 FLOP a thread and 30 FLOP a byte: above the ridge of any processor
  memory-bound   less than 2 FLOP a byte on tensors of at least 2 L
  movement-bound nodes that compute nothing (layout changes, joins, cuts, gathers) on at least 65,536 elements
and of no class, for which the answer should be that nothing is known:
  cached         element-wise, in half of the second-level cache: a cache limits it
  denormals      products with weights so small that the processor computes them in microcode

Each class has several families, so that one can be left out of the training and is still told by the others."""
import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper


def _save(path, nodes, inputs, outputs, weights=(), domains=(), half=False):
    """`half`: in fp16, weights too."""
    for number, node in enumerate(nodes):
        node.name = f"/{number}/{node.op_type}"  # by which the runtime's profile is tied to the graph
    kind, number_type = (TensorProto.FLOAT16, numpy.float16) if half else (TensorProto.FLOAT, numpy.float32)
    tensors = [numpy_helper.from_array(array.astype(number_type) if array.dtype == numpy.float32 else array, name) for name, array in weights]
    values = [[helper.make_tensor_value_info(name, kind, shape) for name, shape in side] for side in (inputs, outputs)]
    model = helper.make_model(helper.make_graph(nodes, "drawn", *values, tensors), opset_imports=[helper.make_opsetid("", 17), *(helper.make_opsetid(name, 1) for name in domains)])
    model.ir_version = 8
    onnx.save(model, path)
    return [str(path)]


def _built_in(name, **parameters):
    return ["--model", name, *(part for key, value in parameters.items() for part in ("--param", f"{key}={value}"))]


def _weights(random, *shape):
    return (random.standard_normal(shape) / numpy.sqrt(shape[0])).astype(numpy.float32)


def _log(random, low, high):
    return int(round(numpy.exp(random.uniform(numpy.log(low), numpy.log(high)))))


def chain_tiny(random, path, machine):
    return _built_in("chain-tiny", nodes=_log(random, 100, 3000), elements=_log(random, 1, 64))


def gemm_tiny(random, path, machine):
    n = _log(random, 4, 16)
    return _built_in("gemm", m=n, n=n, k=n, count=_log(random, 100, 2000))


def graph_tiny(random, path, machine):
    """A graph with branches: each node takes one or two of the tensors before it."""
    elements, count = _log(random, 4, 64), _log(random, 100, 1500)
    nodes, names = [], ["x"]
    for i in range(count):
        first, second = (names[-1 - int(random.integers(min(4, len(names))))] for _ in range(2))
        op = random.choice(["Add", "Mul", "Sigmoid", "Tanh", "Softmax", "Sub"])
        nodes.append(helper.make_node(op, [names[-1]] if op in ("Sigmoid", "Tanh", "Softmax") else [names[-1], first if first != names[-1] else second], [f"t{i}"]))
        names.append(f"t{i}")
    return _save(path, nodes, [("x", [1, elements])], [(names[-1], [1, elements])])


def gemm_large(random, path, machine):
    n = _log(random, 300 * machine["threads"] ** (1 / 3), 1000)
    return _built_in("gemm", m=n, n=n, k=n, count=max(1, min(8, int(4e8 / n ** 3))))


def convolutions(random, path, machine):
    channels, size, count = int(random.choice([64, 96, 128, 192])), int(random.integers(28, 57)), int(random.integers(1, 4))
    nodes, weights, name = [], [], "x"
    for i in range(count):
        weights.append((f"w{i}", (random.standard_normal((channels, channels, 3, 3)) / (3 * channels ** 0.5)).astype(numpy.float32)))
        nodes.append(helper.make_node("Conv", [name, f"w{i}"], [f"t{i}"], pads=[1, 1, 1, 1], kernel_shape=[3, 3]))
        name = f"t{i}"
    return _save(path, nodes, [("x", [1, channels, size, size])], [(name, [1, channels, size, size])], weights)


def products_batched(random, path, machine):
    """As in attention: both sides are activations."""
    heads, n, k = int(random.integers(2, 9)), int(random.integers(256, 513)), int(random.choice([128, 192, 256]))
    return _save(path, [helper.make_node("MatMul", ["a", "b"], ["y"])], [("a", [heads, n, k]), ("b", [heads, k, n])], [("y", [heads, n, n])])


def elementwise_large(random, path, machine):
    return _built_in("elementwise", count=int(random.integers(1, 4)), elements=int(machine["cache"] / 2 * random.uniform(1, 1.6)))


def product_of_vector(random, path, machine):
    """Each weight is read once for two operations."""
    rows = _log(random, 2000, 8000)
    columns = int(machine["cache"] / 2 * random.uniform(1, 1.6) / rows)
    return _built_in("gemm", m=1, n=columns, k=rows, count=1)


def reductions(random, path, machine):
    rows = _log(random, 64, 4096)
    shape = [rows, int(machine["cache"] / 2 * random.uniform(1, 1.6) / rows)]
    op = str(random.choice(["ReduceMax", "ReduceMean", "ReduceMin"]))
    return _save(path, [helper.make_node(op, ["x"], ["y"], axes=[1], keepdims=1)], [("x", shape)], [("y", [rows, 1])])


def sums_of_two(random, path, machine):
    elements = int(machine["cache"] / 4 * random.uniform(1, 1.6))
    op = str(random.choice(["Add", "Mul", "Max"]))
    return _save(path, [helper.make_node(op, ["a", "b"], ["y"])], [("a", [elements]), ("b", [elements])], [("y", [elements])])


def transposes(random, path, machine):
    shape = [int(random.integers(4, 33)), int(random.integers(64, 257)), int(random.integers(64, 257))]
    nodes, name, count = [], "x", int(random.integers(1, 6))
    for i in range(count):
        shape = [shape[0], shape[2], shape[1]] if i % 2 else [shape[1], shape[0], shape[2]]
        nodes.append(helper.make_node("Transpose", [name], [f"t{i}"], perm=[0, 2, 1] if i % 2 else [1, 0, 2]))
        name = f"t{i}"
    # What the input must be: the permutations undone.
    back = list(shape)
    for i in reversed(range(count)):
        back = [back[0], back[2], back[1]] if i % 2 else [back[1], back[0], back[2]]
    return _save(path, nodes, [("x", back)], [(name, shape)])


def _join_and_cut(path, rows, columns, parts):
    """Cuts the columns into parts, joins them in reverse, and leaves the first column out."""
    nodes = [helper.make_node("Split", ["x"], [f"s{i}" for i in range(parts)], axis=1),
             helper.make_node("Concat", [f"s{i}" for i in reversed(range(parts))], ["j"], axis=1),
             helper.make_node("Slice", ["j", "from", "to"], ["y"])]
    weights = [("from", numpy.array([0, 1])), ("to", numpy.array([rows, columns]))]
    return _save(path, nodes, [("x", [rows, columns])], [("y", [rows, columns - 1])], weights)


def joins_and_cuts(random, path, machine):
    rows, columns, parts = _log(random, 64, 512), 4 * _log(random, 256, 1024), int(random.choice([2, 4]))
    return _join_and_cut(path, rows, columns, parts)


def gathers(random, path, machine):
    rows, columns, taken = _log(random, 1000, 20000), _log(random, 64, 512), _log(random, 1024, 8192)
    weights = [("table", _weights(random, rows, columns)), ("which", random.integers(0, rows, taken))]
    nodes = [helper.make_node("Gather", ["table", "which"], ["g"], axis=0), helper.make_node("Pad", ["g", "pads"], ["p"]),
             helper.make_node("Concat", ["p", "x"], ["y"], axis=0)]
    return _save(path, nodes, [("x", [8, columns])], [("y", [taken + 10, columns])], [*weights, ("pads", numpy.array([1, 0, 1, 0]))])


def elementwise_cached(random, path, machine):
    return _built_in("elementwise", count=_log(random, 20, 200), elements=_log(random, 16384, machine["cache2"] / 16))


def products_denormal(random, path, machine):
    n, count, nodes, weights, name = _log(random, 64, 512), int(random.integers(1, 6)), [], [], "x"
    for i in range(count):
        weights.append((f"w{i}", random.uniform(1e-40, 9e-39, (n, n)).astype(numpy.float32)))
        nodes.append(helper.make_node("Mul", [name, f"w{i}"], [f"t{i}"]))
        name = f"t{i}"
    return _save(path, nodes, [("x", [n, n])], [(name, [n, n])], weights)


FAMILIES = {"launch-bound": (chain_tiny, gemm_tiny, graph_tiny),
            "compute-bound": (gemm_large, convolutions, products_batched),
            "memory-bound": (elementwise_large, product_of_vector, reductions, sums_of_two),
            "movement-bound": (transposes, joins_and_cuts, gathers),
            "cached": (elementwise_cached,),
            "denormals": (products_denormal,)}
UNKNOWN = ("cached", "denormals")
