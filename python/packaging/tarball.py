# SPDX-License-Identifier: MIT
"""The archive: a tree that can lie anywhere, with ONNX Runtime's CPU provider, since no package manager brings it."""

from __future__ import annotations

import gzip
import io
import shutil
import tarfile
from pathlib import Path

from components import sbom
from stage import SOURCE, Tree, add_licences, add_runtime, check_needs, make_tree, source_date, source_time

PARTS = ("program", "configs", "completions", "manual", "docs")


def add_papers(tree: Tree) -> None:
    """Licences and the SBOM."""
    folder = tree.prefix / "share/doc/aaco"
    add_licences(tree, folder / "licences")
    (folder / "aaco.cdx.json").write_text(sbom("aaco", tree.version, tree.prefix, tree.components, source_time()))


def write_tar(prefix: Path, name: str) -> bytes:
    """Sorted, owned by root, with one date."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in [prefix, *sorted(prefix.rglob("*"))]:
            entry = archive.gettarinfo(path, arcname=str(Path(name) / path.relative_to(prefix)))
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = "root"
            entry.mtime = source_date()
            entry.mode = 0o755 if path.is_dir() or path.parent.name == "bin" or path.name == "start" else 0o644
            if path.is_file() and not path.is_symlink():
                with path.open("rb") as file:
                    archive.addfile(entry, file)
            else:
                archive.addfile(entry)
    return content.getvalue()


def build_tarball(build: Path, modules_build: Path, dist: Path) -> Path:
    work = dist / "work-tarball"
    tree = make_tree(build, modules_build, work, PARTS)
    add_runtime(tree, SOURCE / ".deps")
    check_needs(tree)
    add_papers(tree)
    shutil.copyfile(SOURCE / "python/packaging/start", work / "start")
    name = f"aaco-{tree.version}-linux-x86_64"
    package = dist / f"{name}.tar.gz"
    package.write_bytes(gzip.compress(write_tar(work, name), 9, mtime=source_date()))
    shutil.rmtree(work)
    return package
