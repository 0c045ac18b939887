# SPDX-License-Identifier: MIT
"""A program of PyTorch's (or of its double's) whose device is the double of CUPTI: each launch while a graph is captured is a node.

torch_program.py LIBRARIES WORD...: modules, operators, backward, profiler, cpu_profiler, compiled"""
import ctypes
import itertools
import os
import sys

LIBRARIES, WORDS = sys.argv[1], sys.argv[2:]
cuda = ctypes.CDLL(os.path.join(LIBRARIES, "libcuda.so.1"), ctypes.RTLD_GLOBAL)
cupti = ctypes.CDLL(os.path.join(LIBRARIES, "libcupti.so.13"), ctypes.RTLD_GLOBAL)
cupti.cupti_double_kernel.argtypes = [ctypes.c_char_p, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint64]
for function in (cupti.cupti_double_node, cupti.cupti_double_clone):
    function.argtypes = [ctypes.c_uint64] * 2
import torch  # noqa: E402

NODES = []
NUMBERS = itertools.count(1000)


def launch():
    NODES.append(next(NUMBERS))
    cupti.cupti_double_node(NODES[-1], 0)


class Attention(torch.nn.Module):
    def forward(self, x):
        launch()
        return x


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention()

    def forward(self, x):
        x = self.attention(x)
        launch()
        return x


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Layer()
        self.second = Layer()

    def forward(self, x):
        return self.second(self.first(x))


def captured(step):
    graph = torch.cuda.CUDAGraph()
    graph.capture_begin()
    step()
    instantiate()
    graph.capture_end()


def instantiate():
    cupti.cupti_double_instantiate(True)
    for node in NODES:
        cupti.cupti_double_clone(node + 5000, node)
    cupti.cupti_double_instantiate(False)


def real_torch():
    """The base class of its CUDAGraph does nothing in a build without CUDA."""
    base = torch.cuda.CUDAGraph.__mro__[1]
    if base is not object:
        base.__new__ = lambda kind, *args, **kwargs: object.__new__(kind)
        base.__init__ = base.capture_begin = base.capture_end = lambda self, *args, **kwargs: None


def backward_step():
    class Launching(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            launch()
            return x * 2

        @staticmethod
        def backward(context, gradient):
            launch()
            return gradient * 2

    class Inner(torch.nn.Module):
        def forward(self, x):
            return Launching.apply(x)

    class Outer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()
            self.weight = torch.nn.Parameter(torch.ones(3))

        def forward(self, x):
            return Launching.apply(self.inner(Launching.apply(x * self.weight)))

    model = Outer()
    return lambda: Launching.apply(model(torch.ones(3))).sum().backward()


def operator_step():
    class Scaled(torch.nn.Module):
        def forward(self, x):
            return torch.ops.aaco_test.launch(x)

    library = torch.library.Library("aaco_test", "DEF")
    library.define("launch(Tensor x) -> Tensor")

    def launched(x):
        launch()
        return x + 1

    library.impl("launch", launched, "CompositeExplicitAutograd")
    model = Scaled()
    return (lambda: model(torch.ones(3))), library


real_torch()
assert cuda.cuInit(0) == 0
model = Model()
model(torch.Tensor())  # outside a capture: nothing is seen
del NODES[:]
if "modules" in WORDS:
    captured(lambda: model(torch.Tensor()))
if "backward" in WORDS:
    captured(backward_step())
if "operators" in WORDS:
    step, kept = operator_step()
    captured(step)
if "compiled" in WORDS:
    code = compile("run()", "/site-packages/torch/_inductor/cudagraph_trees.py", "exec")
    exec(code, {"run": lambda: captured(launch)})
module_hooks = torch.nn.modules.module
assert not module_hooks._global_forward_pre_hooks and not module_hooks._global_forward_hooks, "hooks outside a capture"
for number in NODES:
    cupti.cupti_double_kernel(b"replayed", 7, 1000, number + 5000)
if "cpu_profiler" in WORDS:  # that takes nothing from anybody
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]):
        torch.ones(3)
if "profiler" in WORDS:
    import time
    time.sleep(0.4)
    torch.autograd.profiler._enable_profiler(None, {torch.profiler.ProfilerActivity.CUDA})
    cupti.cupti_double_take_over()
    cupti.cupti_double_kernel(b"theirs", 7, 1000, 0)
    time.sleep(0.8)
    cupti.cupti_double_give_back()
    torch.autograd.profiler._disable_profiler()
    time.sleep(0.8)
    cupti.cupti_double_kernel(b"ours again", 7, 1000, 0)
    time.sleep(0.4)
print("done")
