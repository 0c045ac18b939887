# SPDX-License-Identifier: MIT
"""What a program or library needs of the machine it will run on, read from its own tables by binutils."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

# What a manylinux_2_34 machine has, and what no package may bring: https://peps.python.org/pep-0600/ and auditwheel's policy.
SYSTEM_LIBRARIES = {
    "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libresolv.so.2", "libutil.so.1",
    "ld-linux-x86-64.so.2", "libgcc_s.so.1", "libstdc++.so.6",
}  # fmt: skip
# The newest version of each that the tag promises: those of glibc 2.34 and of GCC 11.
NEWEST = {"GLIBC": (2, 34), "GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 13), "GCC": (12, 0, 0)}


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def needed(path: Path) -> list[str]:
    """Libraries that the loader opens with it. What it opens itself (dlopen) stands in no table."""
    return re.findall(r"\(NEEDED\)\s+Shared library: \[(.*?)\]", run("readelf", "-d", str(path)))


def versions(path: Path) -> dict[str, tuple[int, ...]]:
    """The newest version of each library's symbols that it asks for: {"GLIBC": (2, 34)}."""
    newest: dict[str, tuple[int, ...]] = {}
    for line in run("objdump", "-T", str(path)).splitlines():
        found = re.search(r"\*UND\*.*\b(GLIBC|GLIBCXX|CXXABI|GCC)_(\d[\d.]*)", line)
        if found:
            version = tuple(int(part) for part in found[2].split("."))
            newest[found[1]] = max(newest.get(found[1], (0,)), version)
    return newest


def too_new(path: Path) -> list[str]:
    """Symbol versions that a manylinux_2_34 machine may lack: ["GLIBC_2.36 (arc4random)"]."""
    reasons = []
    for library, version in versions(path).items():
        if version > NEWEST[library]:
            name = f"{library}_{'.'.join(map(str, version))}"
            symbols = re.findall(rf"\*UND\*.*\({re.escape(name)}\)\s+(\S+)", run("objdump", "-T", str(path)))
            reasons.append(f"{name} ({', '.join(sorted(symbols)[:3])})")
    return sorted(reasons)


def strip(path: Path) -> None:
    run("strip", "--strip-unneeded", "--remove-section=.comment", str(path))
