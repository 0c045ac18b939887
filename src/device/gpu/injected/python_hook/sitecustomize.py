# SPDX-License-Identifier: MIT
"""What `aaco observe --modules` puts on the path of the command's Pythons. It waits until torch is imported, and then does nothing until
a CUDA graph is captured: only then PyTorch's global hooks of modules (with --torch-ops a dispatch mode too) tell the observing library where
each launch is. So a replayed kernel can be called "layers.3.attention". A backward pass runs on threads of its own: there the autograd nodes
that a module's forward pass made carry its name. Nothing here may end the program: what fails leaves kernels without a name."""
import ctypes
import importlib.util
import os
import sys
import threading
import time

MODULE, OPERATOR = 0, 1
CAPTURE, COMPILED, INSTANTIATION = 0, 1, 2


def chain_sitecustomize():
    """The one that Python would have found without ours."""
    own = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != own]
    this = sys.modules.pop("sitecustomize", None)
    try:
        if importlib.util.find_spec("sitecustomize") is not None:
            import sitecustomize  # noqa: F401
    finally:
        if this is not None:
            sys.modules.setdefault("sitecustomize", this)


def observing_library():
    library = ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"])
    library.aaco_observe_push.argtypes = [ctypes.c_int, ctypes.c_char_p]
    library.aaco_observe_push.restype = None
    library.aaco_observe_pop.restype = None
    library.aaco_observe_hook_time.argtypes = [ctypes.c_uint64, ctypes.c_uint64]
    return library


class ModuleNames:
    """The path of each module below the outermost one that has it. Two outermost ones that have the same path say their class as well."""

    def __init__(self, torch):
        self.torch, self.names = torch, {}

    def find(self, module):
        known = self.names.get(id(module))
        if known is None or known[0] is not module:
            self.look()
            known = self.names.get(id(module), (module, type(module).__name__))
        return known[1]

    def look(self):
        import gc
        base = self.torch.nn.Module
        modules = [thing for thing in gc.get_objects() if issubclass(type(thing), base)]
        inner = {id(child) for module in modules for child in module.children()}
        roots = [module for module in modules if id(module) not in inner]
        places, users = [], {}
        for root in roots:
            for path, module in root.named_modules():
                path = path.replace("_orig_mod.", "").replace("_orig_mod", "")
                places.append((root, path, module))
                users.setdefault(path, set()).add(id(root))
        self.names = {}
        for root, path, module in places:
            name = type(root).__name__ if not path else path if len(users[path]) == 1 else f"{type(root).__name__}.{path}"
            if type(module).__name__ == "OptimizedModule":
                name = f"{type(getattr(module, '_orig_mod', module)).__name__ if not path else name} (compiled)"
            self.names.setdefault(id(module), (module, name))


def tensors_of(torch, value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from tensors_of(torch, part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from tensors_of(torch, part)


class BackwardNames:
    """Autograd nodes by the module whose forward pass made them: those made since it began and not claimed by a module within. What is
    recorded since then has a higher number, on this thread."""

    def __init__(self, torch, library):
        self.torch, self.library, self.handles, self.leaves = torch, library, [], {}
        self.next_number = getattr(torch.autograd, "_get_sequence_nr", None)

    def now(self):
        return self.next_number() if self.next_number is not None else None

    def claim(self, output, since, name):
        if since is None:
            return
        todo = [(tensor.grad_fn, True) for tensor in tensors_of(self.torch, output) if tensor.grad_fn is not None]
        seen = set()
        while todo:
            node, is_used_here = todo.pop()  # by a node of this module, not only by one of a module within
            is_leaf = "AccumulateGrad" in node.name()
            if (node, is_used_here) in seen or (not is_leaf and node._sequence_nr() < since):
                continue
            seen.add((node, is_used_here))
            known = node.metadata.get("aaco")
            if is_leaf:
                if is_used_here:
                    self.claim_leaf(node, known, name)
                continue
            if known is None:
                node.metadata["aaco"] = name
                self.handles += self.name_node(node, f"{name} (backward)".encode())
            todo += [(following, known in (None, name)) for following, _ in node.next_functions if following is not None]

    def claim_leaf(self, node, known, name):
        """What adds up a parameter's gradients; where two modules use it, it is of neither."""
        if known is None:
            node.metadata["aaco"] = name
            self.leaves[node] = self.name_node(node, f"{name} (backward)".encode())
        elif known != name:
            for handle in self.leaves[node]:
                handle.remove()
            self.leaves[node] = []

    def name_node(self, node, name):
        return [node.register_prehook(lambda grads: self.library.aaco_observe_push(MODULE, name)),
                node.register_hook(lambda inputs, outputs: self.library.aaco_observe_pop(MODULE))]

    def remove(self):
        for handle in self.handles + [handle for handles in self.leaves.values() for handle in handles]:
            handle.remove()
        for node in self.leaves:  # they live as long as their parameters
            node.metadata.pop("aaco", None)


def operator_mode(torch, library, spent):
    from torch.utils._python_dispatch import TorchDispatchMode

    class Operators(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            began = time.perf_counter_ns()
            library.aaco_observe_push(OPERATOR, str(func).rsplit(".", 1)[0].replace(".", "::").encode())
            launched = time.perf_counter_ns()
            try:
                return func(*args, **(kwargs or {}))
            finally:
                ended = time.perf_counter_ns()
                library.aaco_observe_pop(OPERATOR)
                spent["operators"] += launched - began + time.perf_counter_ns() - ended

    return Operators()


class Capture:
    """From the begin of a graph's capture to its end. On the capturing thread."""

    def __init__(self, torch, library, names):
        self.torch, self.library, self.names = torch, library, names
        self.open, self.handles, self.mode, self.spent = [], [], None, {"modules": 0, "operators": 0}
        self.thread = threading.get_ident()
        self.backward = BackwardNames(torch, library)

    def begin(self):
        self.library.aaco_observe_capture_begins(COMPILED if is_in_compiled_code() else CAPTURE)
        hooks = self.torch.nn.modules.module
        self.handles = [hooks.register_module_forward_pre_hook(self.module_begins),
                        hooks.register_module_forward_hook(self.module_ends, always_call=True)]
        if os.environ.get("AACO_OBSERVE_TORCH_OPS"):
            self.mode = operator_mode(self.torch, self.library, self.spent)
            self.mode.__enter__()

    def module_begins(self, module, _):
        if threading.get_ident() != self.thread:
            return
        began = time.perf_counter_ns()
        name = self.names.find(module)
        self.open.append((module, name, self.backward.now()))
        self.library.aaco_observe_push(MODULE, name.encode())
        self.spent["modules"] += time.perf_counter_ns() - began

    def module_ends(self, module, _, output):
        if not self.open or self.open[-1][0] is not module or threading.get_ident() != self.thread:
            return
        began = time.perf_counter_ns()
        self.library.aaco_observe_pop(MODULE)
        _, name, since = self.open.pop()
        try:
            self.backward.claim(output, since, name)
        except (AttributeError, TypeError, RuntimeError):
            pass  # another PyTorch's nodes: its backward pass has no names
        self.spent["modules"] += time.perf_counter_ns() - began

    def end(self):
        if self.mode is not None:
            self.mode.__exit__(None, None, None)
        for handle in self.handles:
            handle.remove()
        for _ in self.open:
            self.library.aaco_observe_pop(MODULE)
        self.backward.remove()
        self.library.aaco_observe_hook_time(self.spent["modules"], self.spent["operators"])
        self.library.aaco_observe_capture_ends()


def is_in_compiled_code():
    frame = sys._getframe(1)
    while frame is not None:
        if "/torch/_inductor/" in frame.f_code.co_filename.replace(os.sep, "/"):
            return True
        frame = frame.f_back
    return False


def name_captures(torch):
    graph = torch.cuda.CUDAGraph
    begin, end, library, names, captures = graph.capture_begin, graph.capture_end, observing_library(), ModuleNames(torch), {}

    def quietly(action):
        try:
            return action()
        except Exception as error:  # the program must not notice
            print(f"aaco: a capture's modules have no names: {type(error).__name__}: {error}", file=sys.stderr)
            return None

    def capture_begin(self, *args, **kwargs):
        capture = Capture(torch, library, names)
        captures[id(self)] = capture
        quietly(capture.begin)
        try:
            return begin(self, *args, **kwargs)
        except BaseException:
            quietly(captures.pop(id(self)).end)
            raise

    def capture_end(self, *args, **kwargs):
        capture = captures.pop(id(self), None)
        try:
            return end(self, *args, **kwargs)
        finally:
            if capture is not None:
                quietly(capture.end)

    graph.capture_begin, graph.capture_end = capture_begin, capture_end
    if hasattr(graph, "instantiate"):  # of a graph that the program keeps (keep_graph=True)
        instantiate = graph.instantiate

        def watched_instantiate(self, *args, **kwargs):
            library.aaco_observe_capture_begins(INSTANTIATION)
            try:
                return instantiate(self, *args, **kwargs)
            finally:
                library.aaco_observe_capture_ends()

        graph.instantiate = watched_instantiate


def tell_profiler(torch):
    """torch.profiler's begin and end: while it runs it has the process's records."""
    profiler, library = torch.autograd.profiler, observing_library()
    enable, disable = profiler._enable_profiler, profiler._disable_profiler
    with_device = []

    def enable_profiler(config, activities, *args, **kwargs):
        if any(getattr(activity, "name", "") == "CUDA" for activity in activities):
            with_device.append(True)
            library.aaco_observe_profiler(1)
        return enable(config, activities, *args, **kwargs)

    def disable_profiler(*args, **kwargs):
        try:
            return disable(*args, **kwargs)
        finally:
            if with_device:
                with_device.clear()
                library.aaco_observe_profiler(0)

    profiler._enable_profiler, profiler._disable_profiler = enable_profiler, disable_profiler


class TorchWaiter:
    """A finder of modules that finds none: it sees that torch is looked for, and steps aside."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec("torch")
        if spec is None or not hasattr(spec.loader, "exec_module"):
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            for step in (name_captures, tell_profiler):
                try:
                    step(module)
                except Exception:  # a PyTorch without CUDA, or of another shape: no names
                    pass

        spec.loader.exec_module = exec_module
        return spec


is_observed = os.environ.get("AACO_OBSERVE_FOLDER") or os.environ.get("AACO_OBSERVE_DORMANT")  # or will be when it is woken
if is_observed and os.environ.get("CUDA_INJECTION64_PATH"):
    sys.meta_path.insert(0, TorchWaiter())
chain_sitecustomize()
