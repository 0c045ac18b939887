# SPDX-License-Identifier: MIT
"""aaco from Python: sessions as tables and documents, reports of traces, ranges around your own code.

Names are imported when they are first used: the `aaco` command starts through this package, and must not wait for them.
"""

TYPE_CHECKING = False  # type checkers take it for true
if TYPE_CHECKING:
    from aaco._program import AacoError
    from aaco._ranges import Ranges, ranges
    from aaco._session import Session, open
    from aaco._trace_report import TraceReport, report

    __version__: str

__all__ = ["AacoError", "Ranges", "Session", "TraceReport", "open", "ranges", "report"]

_HOMES = {
    "AacoError": "_program",
    "Ranges": "_ranges",
    "ranges": "_ranges",
    "Session": "_session",
    "open": "_session",
    "TraceReport": "_trace_report",
    "report": "_trace_report",
}


def __getattr__(name: str) -> object:
    if name == "__version__":  # the program's: there is no other
        from aaco._program import run

        return run("--version").strip()
    if name not in _HOMES:
        raise AttributeError(f"module 'aaco' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"aaco.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
