# SPDX-License-Identifier: MIT
"""What limits a run from outside its model, injected and so known.

  cpu-bound      another program demands at least half of each of the run's processors
  quota-bound    a quota of the run's control group gives it 20 to 70 % of a processor (control groups of version 1; needs root)
  input-bound    requests come at 5 to 40 % of the rate that the model could serve
  oversubscribed the run's own threads are 3 to 8 for each processor, and each operator is shared by all of them

and a cause of no class, for which the answer should be that nothing is known:

  crowded cache  a program on another processor streams through the last-level cache"""
import contextlib
import multiprocessing
import os
import pathlib
import time

import numpy

from known_class import spin

GROUPS = pathlib.Path("/sys/fs/cgroup/cpu")


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


@contextlib.contextmanager
def quota(share, period_us=100_000):
    """A control group whose processes together get `share` of a processor; gives what a child must call to join it."""
    group = GROUPS / f"aaco-bench-{os.getpid()}"
    group.mkdir()
    try:
        (group / "cpu.cfs_period_us").write_text(str(period_us))
        (group / "cpu.cfs_quota_us").write_text(str(int(share * period_us)))
        yield lambda: (group / "tasks").write_text(str(os.getpid()))
    finally:
        for _ in range(50):  # of processes that are still ending
            with contextlib.suppress(OSError):
                group.rmdir()
                break
            time.sleep(0.1)
