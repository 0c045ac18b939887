# SPDX-License-Identifier: MIT
"""A recorded session: its Parquet tables and JSON documents."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aaco._program import AacoError, run_json

if TYPE_CHECKING:
    import pyarrow


class Session:
    """A session's folder. What is read is what is on disk: nothing is kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __repr__(self) -> str:
        return f"aaco.open({str(self.folder)!r})"

    @property
    def tables(self) -> list[str]:
        """Names for `table`, as `aaco trace sql` has them."""
        return sorted(self._table_files())

    def _table_files(self) -> dict[str, Path]:
        # Named as the file is, of a training's recorded step with "step_" before. Where a name is taken, by a recorded file first
        # and then by that of the outer folder, the other's path is its name.
        def place(path: Path) -> tuple[bool, int, str]:
            inner = path.relative_to(self.folder)
            return inner.parts[0] == "report", len(inner.parts), str(inner)

        files: dict[str, Path] = {}
        for path in sorted(self.folder.rglob("*.parquet"), key=place):
            inner = path.relative_to(self.folder)
            name = ("step_" if inner.parts[:2] == ("profiler", "step") else "") + path.stem
            files.setdefault(str(inner.with_suffix("")) if name in files else name, path)
        return files

    @property
    def documents(self) -> list[str]:
        """Names for `document`: paths of the JSON files below the session, without their ending."""
        return sorted(str(path.relative_to(self.folder).with_suffix("")) for path in self.folder.rglob("*.json"))

    def table(self, name: str) -> pyarrow.Table:
        """A table as Arrow; docs/data_schema.md has its columns. Needs pyarrow: pip install 'aaco[arrow]'."""
        files = self._table_files()
        if name not in files:
            raise KeyError(f"{self.folder} has no table {name!r}; it has {', '.join(sorted(files)) or 'none'}")
        try:
            from pyarrow import parquet
        except ImportError:
            raise AacoError("tables need pyarrow: pip install 'aaco[arrow]' (.sql() works without it)") from None
        # ParquetFile: the folders that hold a session are no partitions of a data set.
        with parquet.ParquetFile(files[name]) as file:
            table: pyarrow.Table = file.read()
        return table

    def document(self, name: str) -> dict[str, Any]:
        """A JSON document: "session", "metrics/bottleneck", or only "bottleneck" where there is one of that name."""
        files = {path: str(path.relative_to(self.folder).with_suffix("")) for path in sorted(self.folder.rglob("*.json"))}
        found = [path for path, known in files.items() if known == name] or [path for path in files if path.stem == name]
        if not found:
            raise KeyError(f"{self.folder} has no document {name!r}; it has {', '.join(files.values()) or 'none'}")
        if len(found) > 1:
            raise KeyError(f"{name!r} may be {' or '.join(files[path] for path in found)}")
        content = json.loads(found[0].read_text(encoding="utf-8"))
        if not isinstance(content, dict):
            raise AacoError(f"{found[0]} holds no JSON object")
        return content

    def sql(self, select: str) -> list[dict[str, Any]]:
        """Rows of one SELECT in DuckDB's SQL over the session's tables, as `aaco trace sql` gives them."""
        rows: list[dict[str, Any]] = run_json("trace", "sql", "--session", str(self.folder), "--json", "--", select)
        return rows


def open(session: str | os.PathLike[str] = "latest", sessions: str | os.PathLike[str] = "sessions") -> Session:
    """A session by its path, by its id or the beginning of it, or the latest of the folder `sessions`."""
    path = Path(session)
    if not (path / "session.json").is_file():
        path = Path(sessions) / "latest"
        if os.fspath(session) != "latest":
            found = sorted(each.parent for each in Path(sessions).glob(f"*/{os.fspath(session)}*/session.json"))
            if len(found) > 1:
                raise AacoError(f"{os.fspath(session)} may be {' or '.join(each.name for each in found)}")
            path = found[0] if found else Path(session)
    if not (path / "session.json").is_file():
        raise AacoError(f"no session at {session} and none in {os.fspath(sessions)}/ of that id: aaco sessions list")
    return Session(path.resolve())
