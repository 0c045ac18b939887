# SPDX-License-Identifier: MIT
"""What is in a package beside aaco's own code, and its SBOM: CycloneDX 1.6, as PEP 770 wants it in a wheel."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from elf import run


class Problem(Exception):
    """A package that must not be made, with the reason."""


@dataclass(frozen=True)
class Component:
    name: str
    version: str
    licence: str  # SPDX expression
    linkage: str  # "bundled library", "compiled in"
    purl: str
    files: tuple[str, ...] = ()  # below the package's prefix
    licence_file: str = ""  # on this machine; its text goes into the package


# SPDX expressions of what Debian's packages hold; their copyright files, which are packed too, have the texts.
LICENCES = {
    "libprotobuf32": "BSD-3-Clause",
    "libisal2": "BSD-3-Clause",
    "libzstd1": "BSD-3-Clause OR GPL-2.0-only",
    "libsimdjson14": "Apache-2.0",
    "libsqlite3-0": "blessing",
    "libpugixml1v5": "MIT",
    "libre2-9": "BSD-3-Clause",
    "libfmt9": "MIT",
    "libyaml-cpp0.7": "MIT",
    "libssl3": "Apache-2.0",
    "zlib1g": "Zlib",
    "libopenblas0-pthread": "BSD-3-Clause",
    "libgfortran5": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libquadmath0": "LGPL-2.1-or-later",
    # headers, and what static linking takes from archives
    "libcli11-dev": "BSD-3-Clause",
    "nlohmann-json3-dev": "MIT",
    "libboost1.74-dev": "BSL-1.0",
    "libbpf-dev": "LGPL-2.1-only OR BSD-2-Clause",
    "libelf-dev": "GPL-2.0-or-later OR LGPL-3.0-or-later",
    "libstdc++-12-dev": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libgcc-12-dev": "GPL-3.0-or-later WITH GCC-exception-3.1",
}
COMPILED_IN = ("libcli11-dev", "nlohmann-json3-dev", "libboost1.74-dev", "libbpf-dev", "libelf-dev")
IN_MODULES = ("libstdc++-12-dev", "libgcc-12-dev")


def debian_component(package: str, linkage: str, files: tuple[str, ...] = ()) -> Component:
    if package not in LICENCES:
        raise Problem(f"{package} has no licence in python/packaging/components.py")
    version = run("dpkg-query", "-W", "-f=${Version}", package)
    return Component(
        package, version, LICENCES[package], linkage, f"pkg:deb/debian/{quote(package)}@{quote(version)}?arch=amd64", files,
        f"/usr/share/doc/{package}/copyright",
    )  # fmt: skip


def owner_of(library: Path) -> str:
    """Debian's package of a library's file."""
    real = library.resolve()
    for path in (str(real), str(real).removeprefix("/usr")):
        try:
            return run("dpkg-query", "-S", path).split(":")[0]
        except Exception:  # noqa: BLE001: the file is known by its other path
            continue
    raise Problem(f"no Debian package owns {library}")


def duckdb_component(deps: Path, files: tuple[str, ...]) -> Component:
    # In a process of its own: the library starts threads.
    ask = "import ctypes, sys; f = ctypes.CDLL(sys.argv[1]).duckdb_library_version; f.restype = ctypes.c_char_p; print(f().decode())"
    version = run(sys.executable, "-c", ask, str(deps / "duckdb/lib/libduckdb.so")).strip().removeprefix("v")
    return Component("duckdb", version, "MIT", "bundled library", f"pkg:github/duckdb/duckdb@v{version}", files,
                     str(deps / "duckdb/lib/LICENSE"))  # fmt: skip


def onnxruntime_component(deps: Path, files: tuple[str, ...]) -> Component:
    library = next((deps / "onnxruntime/lib").glob("libonnxruntime.so.*.*"))
    version = library.name.removeprefix("libonnxruntime.so.")
    return Component("onnxruntime", version, "MIT", "bundled library", f"pkg:pypi/onnxruntime@{version}", files,
                     str(deps / "onnxruntime/lib/LICENSE"))  # fmt: skip


def onnx_component(source: Path) -> Component:
    """onnx.proto, of which protoc made code."""
    found = re.search(r"^onnx_version=(\S+)$", (source / "scripts/setup").read_text(), re.MULTILINE)
    if not found:
        raise Problem("scripts/setup names no onnx_version")
    return Component("onnx", found[1], "Apache-2.0", "compiled in", f"pkg:pypi/onnx@{found[1]}")


def dashboard_components(source: Path) -> list[Component]:
    """Libraries in the pages of `aaco serve`; scripts/dashboard writes licenses.txt."""
    folder = source / "dashboard"
    locked = json.loads((folder / "package-lock.json").read_text())["packages"]
    listed = []
    for name in locked[""]["dependencies"]:
        version, licence = locked[f"node_modules/{name}"]["version"], locked[f"node_modules/{name}"]["license"]
        listed.append(Component(name.rsplit("/", 1)[-1], version, licence, "compiled in", f"pkg:npm/{quote(name)}@{version}", (),
                                str(folder / "dist/licenses.txt")))  # fmt: skip
    return listed


def cuda_component(nvcc: str) -> Component:
    found = re.search(r"release [\d.]+, V([\d.]+)", run(nvcc, "--version"))
    if not found:
        raise Problem(f"{nvcc} --version names no version")
    version = found[1]
    return Component("nvidia-cuda-runtime", version, "LicenseRef-NVIDIA-CUDA-EULA", "compiled in",
                     f"pkg:generic/nvidia-cuda-runtime@{version}")  # fmt: skip


def sbom(name: str, version: str, prefix: Path, components: list[Component], modified: str) -> str:
    """`modified`: ISO 8601. The serial number is made of the content, so that the same package has the same SBOM."""
    listed = []
    for component in sorted(components, key=lambda each: each.name):
        entry: dict[str, object] = {
            "type": "library",
            "bom-ref": component.purl,
            "name": component.name,
            "version": component.version,
            "purl": component.purl,
            "licenses": [
                {"license": {"name": component.licence}}
                if component.licence.startswith("LicenseRef-")
                else {"expression": component.licence}
            ],
            "properties": [{"name": "aaco:linkage", "value": component.linkage}],
        }
        if component.files:
            entry["components"] = [
                {
                    "type": "file",
                    "bom-ref": f"file:{file}",
                    "name": file,
                    "hashes": [{"alg": "SHA-256", "content": hashlib.sha256((prefix / file).read_bytes()).hexdigest()}],
                }
                for file in component.files
            ]
        listed.append(entry)
    root = f"pkg:pypi/{name}@{version}"
    document: dict[str, object] = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": modified,
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": name,
                "version": version,
                "purl": root,
                "licenses": [{"expression": "MIT"}],
            },
        },
        "components": listed,
        "dependencies": [{"ref": root, "dependsOn": [component.purl for component in sorted(components, key=lambda each: each.name)]}],
    }
    content = json.dumps(document, sort_keys=True)
    document["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_URL, content).urn
    return json.dumps(document, indent=1) + "\n"
