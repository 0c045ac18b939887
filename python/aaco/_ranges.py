# SPDX-License-Identifier: MIT
"""Host ranges and series around the user's own code, written as a trace that `aaco trace report` and SQL read."""

from __future__ import annotations

import functools
import json
import math
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def _for_json(value: object) -> object:
    """The value, where JSON has a word for it; else its text, so that one argument never costs the file."""
    if value is None or isinstance(value, (bool, str, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {str(key): _for_json(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_for_json(each) for each in value]
    return str(value)


def _words(arguments: dict[str, object]) -> dict[str, object]:
    kept: dict[str, object] = {}
    for key, value in arguments.items():
        try:
            kept[key] = _for_json(value)
        except Exception as error:  # of its own __str__, or it holds itself
            kept[key] = f"not shown: {type(error).__name__}"
    return kept


class Ranges:
    """Collects until `save`, from any thread. An event is one tuple in a list: appending is atomic in CPython, so that no lock is taken.

    Times are CLOCK_MONOTONIC, so that no change of the wall clock moves them; the file says what the wall clock showed at their zero.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = None if path is None else Path(path)
        before = time.monotonic_ns()
        self._wall_ns = time.time_ns()
        self._zero_ns = (before + time.monotonic_ns()) // 2
        self._ranges: list[tuple[str, int, int, int, dict[str, object]]] = []
        self._values: list[tuple[str, int, float]] = []
        self._threads: dict[int, str] = {}
        self._process = os.getpid()
        _alive.add(self)

    def _begin_child(self) -> None:
        """After a fork: what the parent collected is the parent's to write, and so is its file."""
        self._ranges, self._values, self._threads = [], [], {}
        self._process = os.getpid()
        if self.path is not None:
            self.path = self.path.with_name(f"{self.path.stem}.{self._process}{self.path.suffix}")

    @contextmanager
    def range(self, name: str, /, **arguments: object) -> Iterator[None]:
        """The time that a block takes; also one that ends by an exception. Arguments are kept with the range."""
        start = time.monotonic_ns()
        try:
            yield
        finally:
            end = time.monotonic_ns()
            thread = threading.get_native_id()
            self._threads.setdefault(thread, threading.current_thread().name)
            self._ranges.append((name, start, end, thread, arguments))

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Decorator: a range for each call, under the function's name."""
        name = function.__qualname__

        @functools.wraps(function)
        def timed(*args: P.args, **kwargs: P.kwargs) -> R:
            with self.range(name):
                return function(*args, **kwargs)

        return timed

    def value(self, series: str, value: float) -> None:
        """A reading of a series at this moment: a loss, a queue's length."""
        self._values.append((series, time.monotonic_ns(), float(value)))

    def save(self, path: str | os.PathLike[str] | None = None) -> Path:
        """Writes what was collected so far; ranges that are still open are not in it. A file of that name is replaced whole."""
        target = self.path if path is None else Path(path)
        if target is None:
            raise ValueError("save() needs a path: ranges() was called without one")
        process = os.getpid()
        events: list[dict[str, object]] = [
            {"ph": "M", "pid": process, "name": "process_name", "args": {"name": " ".join(sys.argv) or "python"}}
        ]
        for thread, name in sorted(self._threads.items()):
            events.append({"ph": "M", "pid": process, "tid": thread, "name": "thread_name", "args": {"name": name}})
        for name, start, end, thread, arguments in list(self._ranges):
            # Microseconds; a float's shortest text has every digit of a nanosecond, as the times count from this object's start.
            event: dict[str, object] = {"ph": "X", "cat": "user_annotation", "name": name, "pid": process, "tid": thread}
            event["ts"] = (start - self._zero_ns) / 1000
            event["dur"] = (end - start) / 1000
            if arguments:
                event["args"] = _words(arguments)
            events.append(event)
        for name, moment, value in list(self._values):
            # A value that JSON has no word for is left out by readers; as text it stays to be seen.
            events.append({"ph": "C", "name": name, "pid": process, "ts": (moment - self._zero_ns) / 1000, "args": {"value": _for_json(value)}})
        lines = ",\n".join(json.dumps(event, allow_nan=False) for event in events)
        unfinished = target.with_name(target.name + f".{process}.tmp")
        unfinished.write_text(f'{{"baseTimeNanoseconds": {self._wall_ns}, "traceEvents": [\n{lines}\n]}}\n', encoding="utf-8")
        unfinished.replace(target)
        return target

    def __enter__(self) -> Ranges:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.path is None:
            return
        try:
            self.save()
        except OSError as unsaved:
            if error is None:
                raise
            print(f"aaco: ranges were not saved: {unsaved}", file=sys.stderr)  # the block's exception is the one to raise


_alive: weakref.WeakSet[Ranges] = weakref.WeakSet()


def _begin_children() -> None:
    for each in list(_alive):
        each._begin_child()


os.register_at_fork(after_in_child=_begin_children)


def ranges(path: str | os.PathLike[str] | None = None) -> Ranges:
    """Ranges of this process; one that it forks begins anew, and writes "mine.PID.json". With a path, `with aaco.ranges("mine.json") as ranges:` writes the file at the end."""
    return Ranges(path)
