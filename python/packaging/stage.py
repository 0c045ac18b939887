# SPDX-License-Identifier: MIT
"""An installed tree: CMake's components, stripped, with the libraries that the machine may lack and their licences."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import components
from components import Component, Problem
from elf import SYSTEM_LIBRARIES, is_elf, needed, run, strip, too_new

SOURCE = Path(__file__).resolve().parents[2]
LIBRARIES = "lib/aaco"
MODULES = {"cuda": "libaaco_cuda.so", "hip": "libaaco_hip.so"}


@dataclass
class Tree:
    prefix: Path
    version: str
    modules: list[str]
    components: list[Component] = field(default_factory=list)

    def elf_files(self) -> list[Path]:
        return [path for path in sorted(self.prefix.rglob("*")) if path.is_file() and not path.is_symlink() and is_elf(path)]


def source_date() -> int:
    """Seconds of the files in a package: SOURCE_DATE_EPOCH, else of the last commit, so that the same sources give the same bytes."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    try:
        return int(run("git", "-C", str(SOURCE), "log", "-1", "--format=%ct"))
    except (OSError, subprocess.CalledProcessError):
        raise Problem("no git history here: set SOURCE_DATE_EPOCH to the date of the sources") from None


def source_time() -> str:
    """The same as ISO 8601."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(source_date()))


def find_library(name: str) -> Path:
    for line in run("ldconfig", "-p").splitlines():
        found = re.match(rf"\s*{re.escape(name)} \(.*x86-64.*=> (\S+)", line)
        if found:
            return Path(found[1])
    raise Problem(f"{name} is not on this machine: run scripts/setup")


def install(build: Path, prefix: Path, parts: tuple[str, ...]) -> None:
    for part in parts:
        run("cmake", "--install", str(build), "--prefix", str(prefix), "--component", part)


def copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o644)


def add_libraries(tree: Tree, deps: Path) -> None:
    """DuckDB and OpenBLAS, which the program opens, and all that it and they are linked to, but what every machine has."""
    folder = tree.prefix / LIBRARIES
    copy(deps / "duckdb/lib/libduckdb.so", folder / "libduckdb.so")
    tree.components.append(components.duckdb_component(deps, (f"{LIBRARIES}/libduckdb.so",)))
    waiting = ["libopenblas.so.0", *needed(tree.prefix / "bin/aaco")]
    packages: dict[str, list[str]] = {}
    while waiting:
        name = waiting.pop()
        if name in SYSTEM_LIBRARIES or (folder / name).exists():
            continue
        library = find_library(name)
        copy(library, folder / name)
        packages.setdefault(components.owner_of(library), []).append(f"{LIBRARIES}/{name}")
        waiting += needed(library)
    for package, files in packages.items():
        tree.components.append(components.debian_component(package, "bundled library", tuple(sorted(files))))


def add_runtime(tree: Tree, deps: Path) -> None:
    """ONNX Runtime with its CPU provider: where no package manager brings it."""
    names = []
    for library in sorted((deps / "onnxruntime/lib").glob("libonnxruntime*.so*")):
        if not library.is_symlink():
            copy(library, tree.prefix / LIBRARIES / library.name)
            names.append(f"{LIBRARIES}/{library.name}")
    tree.components.append(components.onnxruntime_component(deps, tuple(names)))
    copy(deps / "onnxruntime/lib/ThirdPartyNotices.txt", tree.prefix / "share/doc/aaco/licences/onnxruntime-third-party")


def make_tree(build: Path, modules_build: Path, prefix: Path, parts: tuple[str, ...], with_libraries: bool = True) -> Tree:
    """`modules_build`: where the GPU modules were built; those that are not there are left out."""
    shutil.rmtree(prefix, ignore_errors=True)
    install(build, prefix, parts)
    modules = [name for name, file in MODULES.items() if (modules_build / "bin" / file).exists()]
    install(modules_build, prefix, tuple(modules))
    tree = Tree(prefix, run(str(build / "bin/aaco"), "--version").strip(), modules)
    deps = SOURCE / ".deps"
    if with_libraries:
        add_libraries(tree, deps)
    tree.components += [components.debian_component(name, "compiled in") for name in components.COMPILED_IN]
    tree.components.append(components.onnx_component(SOURCE))
    tree.components += components.dashboard_components(SOURCE)
    if modules:
        tree.components += [components.debian_component(name, "compiled in") for name in components.IN_MODULES]
    if "cuda" in modules:
        cache = (modules_build / "CMakeCache.txt").read_text()
        found = re.search(r"AACO_NVCC:FILEPATH=(.*)", cache)
        tree.components.append(components.cuda_component(found[1] if found else "nvcc"))
    for file in tree.elf_files():
        strip(file)
    return tree


def add_licences(tree: Tree, folder: Path) -> None:
    for component in tree.components:
        if component.licence_file:
            copy(Path(component.licence_file), folder / component.name)


def check_needs(tree: Tree) -> None:
    """Every library is of the package or of every machine, and no symbol is newer than manylinux_2_34."""
    own = {path.name for path in tree.elf_files()}
    for file in tree.elf_files():
        for library in needed(file):
            if library not in SYSTEM_LIBRARIES and library not in own:
                raise Problem(f"{file.name} needs {library}, which is not in the package")
        if reasons := too_new(file):
            raise Problem(f"{file.name} needs {', '.join(reasons)}: newer than glibc 2.34 and GCC 11 have")
