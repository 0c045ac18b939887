# SPDX-License-Identifier: MIT
"""Models for a GPU whose limit is known by construction, with sizes drawn at random; models.py has those for processors.

What is true, and why (L: bytes of the GPU's second-level cache):
  launch-bound   tensors of at most 64 elements, products of at most 16 x 16: a kernel takes some microseconds, nearly all of which is its start
  compute-bound  products and convolutions in fp16 of at least 300 FLOP a byte: above the ridge of any GPU
  memory-bound   less than 2 FLOP a byte on tensors of at least 2 L
  movement-bound nodes that compute nothing on tensors of at least 2 L
  copy-bound     a node that only processors can run cuts a few values out of a tensor of at least 2 L, which is copied to the host for it
and of no class:
  cached         element-wise, in at most a quarter of L: the cache limits it, and many dispatches"""
import numpy
from onnx import helper

import models
from models import _built_in, _join_and_cut, _log, _save, _weights

def gemm_large(random, path, machine):
    n = 256 * _log(random, 8, 32)
    return [*_built_in("gemm", m=n, n=n, k=n, count=int(random.integers(1, 5))), "--precision", "fp16"]


def convolutions(random, path, machine):
    channels, size, count, batch = int(random.choice([256, 384, 512])), int(random.integers(28, 57)), int(random.integers(1, 4)), int(random.choice([32, 64]))
    nodes, weights, name = [], [], "x"
    for i in range(count):
        weights.append((f"w{i}", _weights(random, channels * 9, channels).reshape(channels, channels, 3, 3)))
        nodes.append(helper.make_node("Conv", [name, f"w{i}"], [f"t{i}"], pads=[1, 1, 1, 1], kernel_shape=[3, 3]))
        name = f"t{i}"
    return _save(path, nodes, [("x", [batch, channels, size, size])], [(name, [batch, channels, size, size])], weights, half=True)


def products_batched(random, path, machine):
    heads, n, k = int(random.integers(16, 65)), 256 * int(random.integers(4, 9)), 128 * int(random.integers(4, 9))
    return _save(path, [helper.make_node("MatMul", ["a", "b"], ["y"])], [("a", [heads, n, k]), ("b", [heads, k, n])], [("y", [heads, n, n])], half=True)


def _rows_and_columns(random, machine, low, high):
    rows = _log(random, low, high)
    return [rows, int(machine["cache"] / 2 * random.uniform(1, 2) / rows)]


def transposes(random, path, machine):
    shape, count = _rows_and_columns(random, machine, 512, 8192), int(random.integers(1, 5))
    nodes, name = [], "x"
    for i in range(count):
        nodes.append(helper.make_node("Transpose", [name], [f"t{i}"], perm=[1, 0]))
        name = f"t{i}"
    return _save(path, nodes, [("x", shape)], [(name, shape[::-1] if count % 2 else shape)])


def joins_and_cuts(random, path, machine):
    rows, columns = _rows_and_columns(random, machine, 64, 1024)
    parts = int(random.choice([2, 4]))
    return _join_and_cut(path, rows, columns - columns % parts, parts)


def gathers(random, path, machine):
    rows, columns = _log(random, 1000, 20000), _log(random, 256, 1024)
    chosen = int(machine["cache"] / 2 * random.uniform(1, 2) / columns)
    weights = [("table", _weights(random, rows, columns)), ("which", random.integers(0, rows, chosen))]
    nodes = [helper.make_node("Gather", ["table", "which"], ["g"], axis=0), helper.make_node("Concat", ["g", "x"], ["y"], axis=0)]
    return _save(path, nodes, [("x", [8, columns])], [("y", [chosen + 8, columns])], weights)


def _cut_on_host(random, path, machine, before, after):
    """CropAndResize has no kernel for CUDA: its input goes to the host, and so does what it gives come back."""
    rows = _log(random, 1024, 4096)
    shape = [1, 1, rows, int(machine["cache"] / 2 * random.uniform(1, 2) / rows)]
    nodes = [helper.make_node(before, ["x"], ["a"]),
             helper.make_node("CropAndResize", ["a", "boxes", "which", "size"], ["c"], domain="com.microsoft"), helper.make_node(after, ["c"], ["y"])]
    weights = [("boxes", numpy.array([[0.1, 0.1, 0.2, 0.2]], numpy.float32)), ("which", numpy.zeros(1, numpy.int32)), ("size", numpy.array([4, 4], numpy.int32))]
    return _save(path, nodes, [("x", shape)], [("y", [1, 1, 4, 4])], weights, ["com.microsoft"])


def crops(random, path, machine):
    return _cut_on_host(random, path, machine, "Relu", "Sigmoid")


def crops_of_products(random, path, machine):
    rows, columns, inner = 1024 * int(random.integers(2, 5)), 1024 * int(random.integers(8, 17)), int(random.choice([16, 32, 64]))
    nodes = [helper.make_node("MatMul", ["x", "w"], ["m"]), helper.make_node("Reshape", ["m", "shape"], ["a"]),
             helper.make_node("CropAndResize", ["a", "boxes", "which", "size"], ["c"], domain="com.microsoft"), helper.make_node("Tanh", ["c"], ["y"])]
    weights = [("w", _weights(random, inner, columns)), ("shape", numpy.array([1, 1, rows, columns])), ("boxes", numpy.array([[0.1, 0.1, 0.2, 0.2]], numpy.float32)),
               ("which", numpy.zeros(1, numpy.int32)), ("size", numpy.array([4, 4], numpy.int32))]
    return _save(path, nodes, [("x", [rows, inner])], [("y", [1, 1, 4, 4])], weights, ["com.microsoft"])


def elementwise_cached(random, path, machine):
    return _built_in("elementwise", count=_log(random, 20, 100), elements=_log(random, 1 << 18, machine["cache"] / 16))


FAMILIES = {"launch-bound": (models.chain_tiny, models.gemm_tiny, models.graph_tiny),
            "compute-bound": (gemm_large, convolutions, products_batched),
            "memory-bound": (models.elementwise_large, models.product_of_vector, models.reductions, models.sums_of_two),
            "movement-bound": (transposes, joins_and_cuts, gathers),
            "copy-bound": (crops, crops_of_products),
            "cached": (elementwise_cached,)}
UNKNOWN = ("cached",)
HALF = (gemm_large, convolutions, products_batched)  # in fp16
