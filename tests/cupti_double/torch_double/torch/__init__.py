# SPDX-License-Identifier: MIT
"""Stands in for PyTorch where there is none: what the hook of `aaco observe --modules` uses of it, no more."""
import enum
import types


class Tensor:
    grad_fn = None


class Handle:
    def __init__(self, hooks, hook):
        self.hooks, self.hook = hooks, hook
        hooks.append(hook)

    def remove(self):
        self.hooks.remove(self.hook)


PRE_HOOKS, HOOKS = [], []


class Module:
    def children(self):
        return [value for value in vars(self).values() if isinstance(value, Module)]

    def named_modules(self, prefix=""):
        yield prefix, self
        for name, value in vars(self).items():
            if isinstance(value, Module):
                yield from value.named_modules(f"{prefix}.{name}" if prefix else name)

    def __call__(self, *args):
        for hook in list(PRE_HOOKS):
            hook(self, args)
        result = self.forward(*args)
        for hook in list(HOOKS):
            hook(self, args, result)
        return result


class CUDAGraph:
    def capture_begin(self):
        pass

    def capture_end(self):
        pass


nn = types.SimpleNamespace(Module=Module, modules=types.SimpleNamespace(module=types.SimpleNamespace(
    _global_forward_pre_hooks=PRE_HOOKS, _global_forward_hooks=HOOKS,
    register_module_forward_pre_hook=lambda hook: Handle(PRE_HOOKS, hook),
    register_module_forward_hook=lambda hook, always_call: Handle(HOOKS, hook))))
cuda = types.SimpleNamespace(CUDAGraph=CUDAGraph)
profiler = types.SimpleNamespace(ProfilerActivity=enum.Enum("ProfilerActivity", "CPU CUDA"))
autograd = types.SimpleNamespace(profiler=types.SimpleNamespace(_enable_profiler=lambda config, activities: None,
                                                                _disable_profiler=lambda: "result"))
