# SPDX-License-Identifier: MIT
"""The wheel: the installed tree below aaco/native, the Python module beside it, metadata. The same sources give the same bytes.

Where it would be larger than LARGEST, the GPU modules are wheels of their own, aaco-cuda and aaco-hip, which add files to the same folder
and which the extras ask for in the same version.
"""

from __future__ import annotations

import base64
import hashlib
import shutil
import time
import zipfile
from pathlib import Path

from components import IN_MODULES, Component, Problem, sbom
from stage import LIBRARIES, SOURCE, Tree, add_licences, check_needs, make_tree, source_date, source_time

TAG = "py3-none-manylinux_2_34_x86_64"
COMPRESSION = 9  # of zlib: the smallest
LARGEST = 65 * 1000 * 1000  # bytes: a package index takes 100 MB, a user waits for less

# ONNX Runtime is the user's choice: its packages own one folder, and pip cannot exclude one by another.
EXTRAS = {
    "cpu": ["onnxruntime>=1.31"],
    "cuda": ["onnxruntime-gpu[cuda,cudnn]>=1.31"],
    "migraphx": ["onnxruntime-migraphx>=1.27"],
    "arrow": ["pyarrow>=15"],
}


# Files of each module, and the extra that wants it.
MODULE_FILES = {
    "cuda": (("libaaco_cuda.so", "libaaco_observe_cuda.so"), "cuda"),
    "hip": (("libaaco_hip.so",), "migraphx"),
}

Files = dict[str, tuple[bytes, int]]  # content and mode by name


def licence_of(parts: list[Component]) -> str:
    """Of all that a wheel holds, as PEP 639 wants it."""
    return " AND ".join(sorted({f"({each.licence})" if " " in each.licence else each.licence for each in parts} | {"MIT"}))


def head(name: str, version: str, summary: str, parts: list[Component], licence_files: list[str]) -> list[str]:
    return [
        "Metadata-Version: 2.4",
        f"Name: {name}",
        f"Version: {version}",
        f"Summary: {summary}",
        f"License-Expression: {licence_of(parts)}",
        *(f"License-File: {name}" for name in licence_files),
        "Requires-Python: >=3.10",
    ]


def metadata(tree: Tree, licence_files: list[str], apart: tuple[str, ...]) -> str:
    summary = "Profiles ONNX models, traces, hardware queues and training on AMD, NVIDIA and CPU"
    lines = [
        *head("aaco", tree.version, summary, tree.components, licence_files),
        "Classifier: Environment :: Console",
        "Classifier: Operating System :: POSIX :: Linux",
        "Classifier: Programming Language :: C++",
        "Classifier: Programming Language :: Python :: 3",
        "Classifier: Topic :: System :: Benchmark",
        "Classifier: Typing :: Typed",
        "Description-Content-Type: text/markdown",
    ]
    for extra, requirements in EXTRAS.items():
        lines.append(f"Provides-Extra: {extra}")
        requirements = requirements + [f"aaco-{module}=={tree.version}" for module in apart if MODULE_FILES[module][1] == extra]
        lines += [f'Requires-Dist: {requirement}; extra == "{extra}"' for requirement in requirements]
    return "\n".join(lines) + "\n\n" + (SOURCE / "python/README.md").read_text()


def record_line(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def write_zip(path: Path, files: Files, record: str) -> None:
    """Sorted, with one date, so that nothing of this machine gets in."""
    date = time.gmtime(source_date())[:6]
    lines = "".join(record_line(name, files[name][0]) for name in sorted(files)) + f"{record},,\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=COMPRESSION) as archive:
        for name, (content, mode) in [*sorted(files.items()), (record, (lines.encode(), 0o644))]:
            info = zipfile.ZipInfo(name, date)
            info.external_attr = (0o100000 | mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3  # Unix, which has modes
            archive.writestr(info, content)


def wheel_head(files: Files, info: str, bill: str, text: str, name: str) -> None:
    files[f"{info}/sboms/{name}.cdx.json"] = (bill.encode(), 0o644)
    files[f"{info}/METADATA"] = (text.encode(), 0o644)
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: aaco\nRoot-Is-Purelib: false\nTag: {TAG}\n".encode(), 0o644)


def wheel_files(tree: Tree, licences: Path, apart: tuple[str, ...] = ()) -> Files:
    """Each file of the wheel but RECORD; without the modules that are `apart`."""
    check_needs(tree)
    add_licences(tree, licences)
    shutil.copyfile(SOURCE / "LICENSE", licences / "LICENSE")
    left_out = {name for module in apart for name in MODULE_FILES[module][0]}
    files: Files = {}
    for path in sorted(tree.prefix.rglob("*")):
        if path.is_file() and path.name not in left_out:
            mode = 0o755 if path.parent.name == "bin" else 0o644
            files[f"aaco/native/{path.relative_to(tree.prefix)}"] = (path.read_bytes(), mode)
    for path in sorted((SOURCE / "python/aaco").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            files[f"aaco/{path.relative_to(SOURCE / 'python/aaco')}"] = (path.read_bytes(), 0o644)
    info = f"aaco-{tree.version}.dist-info"
    licence_files = sorted(path.name for path in licences.iterdir())
    for name in licence_files:
        files[f"{info}/licenses/{name}"] = ((licences / name).read_bytes(), 0o644)
    bill = sbom("aaco", tree.version, tree.prefix, tree.components, source_time())
    wheel_head(files, info, bill, metadata(tree, licence_files, apart), "aaco")
    launcher = (SOURCE / "python/packaging/launcher").read_bytes()
    files[f"aaco-{tree.version}.data/scripts/aaco"] = (launcher, 0o755)
    return files


def module_files(tree: Tree, module: str) -> Files:
    """Each file of a module's own wheel but RECORD."""
    names, _ = MODULE_FILES[module]
    files: Files = {}
    for name in names:
        path = tree.prefix / LIBRARIES / name
        if path.exists():
            files[f"aaco/native/{LIBRARIES}/{name}"] = (path.read_bytes(), 0o644)
    parts = [each for each in tree.components if each.name in IN_MODULES or (each.name == "nvidia-cuda-runtime" and module == "cuda")]
    info = f"aaco_{module}-{tree.version}.dist-info"
    files[f"{info}/licenses/LICENSE"] = ((SOURCE / "LICENSE").read_bytes(), 0o644)
    for each in parts:
        if each.licence_file:
            files[f"{info}/licenses/{each.name}"] = (Path(each.licence_file).read_bytes(), 0o644)
    licence_files = sorted(name.rsplit("/", 1)[1] for name in files if "/licenses/" in name)
    lines = head(f"aaco-{module}", tree.version, f"The {module.upper()} module of aaco", parts, licence_files)
    lines.append(f"Requires-Dist: aaco=={tree.version}")
    bill = sbom(f"aaco-{module}", tree.version, tree.prefix, parts, source_time())
    wheel_head(files, info, bill, "\n".join(lines) + "\n", f"aaco-{module}")
    return files


def stage(build: Path, modules_build: Path, work: Path) -> Tree:
    return make_tree(build, modules_build, work / "native", ("program", "configs", "completions", "docs"))


def write_wheel(dist: Path, name: str, version: str, files: Files) -> Path:
    wheel = dist / f"{name}-{version}-{TAG}.whl"
    write_zip(wheel, files, f"{name}-{version}.dist-info/RECORD")
    return wheel


def build_wheel(build: Path, modules_build: Path, dist: Path, largest: int = LARGEST) -> Path:
    """aaco's wheel; those of the modules, where there are any, lie beside it."""
    work = dist / "work-wheel"
    tree = stage(build, modules_build, work)
    wheel = write_wheel(dist, "aaco", tree.version, wheel_files(tree, work / "licences"))
    if wheel.stat().st_size > largest:
        print(f"{wheel.name} would have {wheel.stat().st_size / 1e6:.1f} MB: the GPU modules become wheels of their own")
        apart = tuple(tree.modules)
        wheel = write_wheel(dist, "aaco", tree.version, wheel_files(tree, work / "licences", apart))
        for module in apart:
            write_wheel(dist, f"aaco_{module}", tree.version, module_files(tree, module))
        if wheel.stat().st_size > largest:
            raise Problem(f"{wheel.name} has {wheel.stat().st_size / 1e6:.1f} MB, more than {largest / 1e6:.0f}")
    shutil.rmtree(work)
    return wheel
