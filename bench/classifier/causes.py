# SPDX-License-Identifier: MIT
"""What limits a run from outside its model, injected and so known.

  cpu-bound      another program demands at least half of each of the run's processors
  quota-bound    a quota of the run's control group gives it 20 to 70 % of a processor (needs root)
  input-bound    requests come at 5 to 40 % of the rate that the model could serve
  oversubscribed the run's own threads are 3 to 8 for each processor, and each operator is shared by all of them
  contended      another program keeps the GPU busy with products

and a cause of no class, for which the answer should be that nothing is known:

  crowded cache  a program on another processor streams through the last-level cache"""
import contextlib
import multiprocessing
import os
import pathlib
import time

import numpy

from known_class import spin

GROUPS = pathlib.Path("/sys/fs/cgroup")
FIRST_VERSION = GROUPS / "cpu"


def _until_parent_ends(processor):
    os.sched_setaffinity(0, {processor})
    parent = os.getppid()
    return lambda: os.getppid() == parent


def _stream(processor, size):
    goes_on = _until_parent_ends(processor)
    data = numpy.ones(size // 8)
    while goes_on():
        data += 1


@contextlib.contextmanager
def _beside(target, *arguments):
    """Processes that run meanwhile, one for each tuple of arguments; gives their ids."""
    started = [multiprocessing.Process(target=target, args=one, daemon=True) for one in arguments]
    for process in started:
        process.start()
    try:
        yield [process.pid for process in started]
    finally:
        for process in started:
            process.terminate()
            process.join()


def hogs(processors, duty, period_s):
    return _beside(spin, *((processor, duty, period_s) for processor in processors))


def crowded_cache(processors, size):
    return _beside(_stream, *((processor, size) for processor in processors))


def _multiply_on_gpu(size, ready):
    import torch  # only where there is a GPU
    others = set(range(os.cpu_count())) - os.sched_getaffinity(0)  # it must not take the run's processors too
    os.sched_setaffinity(0, others)
    parent = os.getppid()
    one = torch.randn(size, size, device="cuda", dtype=torch.float16)
    while os.getppid() == parent:
        for _ in range(20):
            torch.matmul(one, one)
        torch.cuda.synchronize()
        ready.set()


@contextlib.contextmanager
def contended(size):
    """Another program's products keep the GPU busy from here on."""
    ready = multiprocessing.Event()
    with _beside(_multiply_on_gpu, (size, ready)) as pids:
        if not ready.wait(60):
            raise RuntimeError("the program beside the run did not reach the GPU")
        yield pids


def _write_quota(group, share, period_us):
    if FIRST_VERSION.exists():
        (group / "cpu.cfs_period_us").write_text(str(period_us))
        (group / "cpu.cfs_quota_us").write_text(str(int(share * period_us)))
        return "tasks"
    (group / "cpu.max").write_text(f"{int(share * period_us)} {period_us}")
    return "cgroup.procs"


@contextlib.contextmanager
def quota(share, period_us=100_000):
    """A control group whose processes together get `share` of a processor; gives what a child must call to join it."""
    if not FIRST_VERSION.exists():
        (GROUPS / "cgroup.subtree_control").write_text("+cpu")
    group = (FIRST_VERSION if FIRST_VERSION.exists() else GROUPS) / f"aaco-bench-{os.getpid()}"
    group.mkdir()
    try:
        members = _write_quota(group, share, period_us)
        yield lambda: (group / members).write_text(str(os.getpid()))
    finally:
        for _ in range(50):  # of processes that are still ending
            with contextlib.suppress(OSError):
                group.rmdir()
                break
            time.sleep(0.1)
