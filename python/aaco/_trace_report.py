# SPDX-License-Identifier: MIT
"""The report of a trace, as `aaco trace report` makes it."""

from __future__ import annotations

import html
import os
from functools import cached_property
from typing import Any

from aaco._program import SEVERE_LOSS, AacoError, run, run_json
from aaco._session import open

# A page has a style and scripts of its own: in a frame they touch nothing of the notebook's.
_FRAME = '<iframe sandbox="allow-scripts" style="width:100%;height:720px;border:0" title="{title}" srcdoc="{page}"></iframe>'


class TraceReport:
    """Draws itself in a notebook. Each form is made when it is first asked for."""

    def __init__(self, files: list[str], options: list[str], session: str | None = None) -> None:
        self._files = files
        self._session = session  # one that is no import's
        self._options = options

    def _arguments(self, form: str) -> list[str]:
        if self._session is not None:
            return ["report", "--format", form, "--output", "-", "--session", self._session]
        return ["trace", "report", "--format", form, *self._options, "--", *self._files]

    @cached_property
    def text(self) -> str:
        return run(*self._arguments("text"), accepted=(0, SEVERE_LOSS))

    @cached_property
    def json(self) -> dict[str, Any]:
        document: dict[str, Any] = run_json(*self._arguments("json"), accepted=(0, SEVERE_LOSS))
        return document

    @cached_property
    def html(self) -> str:
        """A page that needs no network."""
        return run(*self._arguments("html"), accepted=(0, SEVERE_LOSS))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"aaco.report({', '.join(map(repr, self._files))})"

    def _repr_html_(self) -> str:
        return _FRAME.format(title=html.escape(" ".join(self._files), quote=True), page=html.escape(self.html, quote=True))


def _existing(name: str | os.PathLike[str], sessions: str | os.PathLike[str]) -> str:
    if os.path.exists(name):
        return os.fspath(name)
    try:
        return os.fspath(open(name, sessions).folder)
    except AacoError:
        os.stat(name)  # a name that is not there is Python's own error, at once
        raise


def report(*files: str | os.PathLike[str], top: int | None = None, sessions: str | os.PathLike[str] = "sessions") -> TraceReport:
    """The report of a trace: files or folders that are one trace, or one session, by any name that `open` takes. `top`: lines of each list."""
    if not files:
        raise TypeError("report() needs a file")
    found = [_existing(file, sessions) for file in files]
    is_session = len(found) == 1 and top is None and os.path.isfile(os.path.join(found[0], "session.json"))
    session = found[0] if is_session and open(found[0]).document("session").get("kind") != "trace" else None
    return TraceReport(found, [] if top is None else ["--top", str(top)], session)
