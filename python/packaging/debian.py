# SPDX-License-Identifier: MIT
"""The .deb, for the Debian that it was built on: its libraries are the system's; DuckDB and ONNX Runtime, which Debian 12 lacks, are within."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import components
from stage import LIBRARIES, SOURCE, Tree, add_runtime, copy, make_tree, source_date, source_time
from tarball import PARTS

MAINTAINER = "The aaco authors <aaco@localhost.invalid>"

CONTROL = """\
Package: aaco
Version: {version}
Architecture: amd64
Maintainer: {maintainer}
Section: devel
Priority: optional
Installed-Size: {kilobytes}
Depends: {depends}
Recommends: libopenblas0-pthread
Description: profiler of ONNX models, traces, hardware queues and training
 aaco measures AI work on AMD, NVIDIA and CPU machines: where the time went,
 why it changed, what limits it and what to do next. It reads traces of other
 profilers, and compares runs with intervals.
"""

# What Debian wants otherwise, and why this package does it.
OVERRIDES = """\
# ONNX Runtime and DuckDB are not in Debian 12. They are opened at run time, and have libraries of others within.
aaco: embedded-library
"""

COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: aaco

Files: *
Copyright: the aaco authors
License: Expat

{others}
License: Expat
{expat}
"""


def indented(text: str) -> str:
    return "".join(f" {line.rstrip() or '.'}\n" for line in text.strip().splitlines())


def dependencies(tree: Tree) -> str:
    """By dpkg-shlibdeps, from the symbols that are used."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "debian").mkdir()
        (Path(folder) / "debian/control").write_text("Source: aaco\n\nPackage: aaco\nArchitecture: any\n")
        command = ["dpkg-shlibdeps", "-O", "--ignore-missing-info", f"-l{tree.prefix / LIBRARIES}"]
        for file in tree.elf_files():
            command += ["-e", str(file)]
        said = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    return said.strip().removeprefix("shlibs:Depends=")


def compress(path: Path) -> None:
    path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
    path.unlink()


def write_papers(tree: Tree, root: Path) -> None:
    doc = root / "usr/share/doc/aaco"
    for name in ("LICENSE", "README.md", "CHANGELOG.md"):
        (doc / name).unlink(missing_ok=True)
    date = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(source_date()))
    (doc / "changelog").write_text(
        f"aaco ({tree.version}) bookworm; urgency=medium\n\n  * See CHANGELOG.md of the sources.\n\n -- {MAINTAINER}  {date}\n"
    )
    compress(doc / "changelog")
    compress(root / "usr/share/man/man1/aaco.1")
    bundled = [each for each in tree.components if each.name in ("duckdb", "onnxruntime")]
    others = "\n".join(f"Files: {' '.join(f'usr/{file}' for file in each.files)}\nCopyright: the authors of {each.name}\nLicense: Expat\n" for each in bundled)
    licence = (SOURCE / "LICENSE").read_text()
    (doc / "copyright").write_text(COPYRIGHT.format(others=others, expat=indented(licence)).rstrip() + "\n")
    (doc / "aaco.cdx.json").write_text(components.sbom("aaco", tree.version, tree.prefix, tree.components, source_time()))
    overrides = root / "usr/share/lintian/overrides/aaco"
    overrides.parent.mkdir(parents=True)
    overrides.write_text(OVERRIDES)


def build_deb(build: Path, modules_build: Path, dist: Path) -> Path:
    root = dist / "work-deb"
    shutil.rmtree(root, ignore_errors=True)
    tree = make_tree(build, modules_build, root / "usr", PARTS, with_libraries=False)
    subprocess.run(["cmake", "-P", str(SOURCE / "cmake/RemoveRpath.cmake"), str(tree.prefix / "bin/aaco")], check=True)
    copy(SOURCE / ".deps/duckdb/lib/libduckdb.so", tree.prefix / LIBRARIES / "libduckdb.so")
    subprocess.run(["strip", "--strip-unneeded", str(tree.prefix / LIBRARIES / "libduckdb.so")], check=True)
    tree.components.append(components.duckdb_component(SOURCE / ".deps", (f"{LIBRARIES}/libduckdb.so",)))
    add_runtime(tree, SOURCE / ".deps")
    shutil.move(tree.prefix / "share/zsh/site-functions", tree.prefix / "share/zsh/vendor-completions")
    write_papers(tree, root)

    files = [path for path in sorted(root.rglob("*")) if path.is_file()]
    (root / "DEBIAN").mkdir()
    size = sum(path.stat().st_size for path in files)
    control = CONTROL.format(version=tree.version, maintainer=MAINTAINER, kilobytes=(size + 1023) // 1024, depends=dependencies(tree))
    (root / "DEBIAN/control").write_text(control)
    sums = subprocess.run(["md5sum", *(str(path.relative_to(root)) for path in files)], cwd=root, check=True, capture_output=True, text=True)
    (root / "DEBIAN/md5sums").write_text(sums.stdout)
    for path in [root, *root.rglob("*")]:
        path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)
    package = dist / f"aaco_{tree.version}_amd64.deb"
    date = {"SOURCE_DATE_EPOCH": str(source_date()), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    # -Zxz is dpkg's default, and takes a minute of one processor for these libraries; lintian knows no other for Debian 12.
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "-z6", "--build", str(root), str(package)], check=True, env=date, stdout=subprocess.DEVNULL)
    shutil.rmtree(root)
    return package
