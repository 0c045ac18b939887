# SPDX-License-Identifier: MIT
"""What scripts/package runs."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import stage
from components import Problem

KINDS = ("wheel", "tarball", "deb")


def find_nvcc() -> str | None:
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    return shutil.which("nvcc") or shutil.which("nvcc", path=f"{home}/bin")


def build(jobs: str, daily: bool) -> Path:
    """Builds the program, and gives the folder in which the modules were built. The same flags as ever: the compiler's cache has most."""
    cuda = "on" if find_nvcc() else "off"
    modules = "build" if daily else "build-architectures"
    options = [f"-DAACO_HIP={'auto' if daily else 'on'}", f"-DAACO_CUDA={'auto' if daily else cuda}"]
    subprocess.run(["cmake", "--preset", "release"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", "build", "-j", jobs, "aaco"], check=True)
    if not daily:
        options += ["-DAACO_ARCHITECTURES=all", "-DAACO_TESTS=OFF", "-DAACO_BENCH=OFF"]
        subprocess.run(["cmake", "--preset", "release", "-B", modules, *options], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", modules, "-j", jobs, "modules"], check=True)
    return stage.SOURCE / modules


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/package")
    parser.add_argument("kinds", nargs="*", metavar="wheel|tarball|deb")
    parser.add_argument("--daily", action="store_true")
    parser.add_argument("--no-check", action="store_true")
    parser.add_argument("--no-build", action="store_true", help="take build/ as it is")
    parser.add_argument("--dist", type=Path, default=stage.SOURCE / "dist")
    arguments = parser.parse_args()
    if unknown := set(arguments.kinds) - set(KINDS):
        parser.error(f"unknown package: {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    os.chdir(stage.SOURCE)
    jobs = os.environ.get("AACO_JOBS", str(os.cpu_count()))
    if arguments.no_build:
        modules = stage.SOURCE / ("build" if arguments.daily else "build-architectures")
    else:
        for option in ("--tools", "--packages"):
            subprocess.run(["scripts/setup", option], check=True)
        modules = build(jobs, arguments.daily)
    arguments.dist.mkdir(parents=True, exist_ok=True)
    for kind in arguments.kinds or KINDS:
        if kind == "wheel":
            from wheel import build_wheel as make
        elif kind == "tarball":
            from tarball import build_tarball as make
        else:
            from debian import build_deb as make
        package = make(stage.SOURCE / "build", modules, arguments.dist)
        if not arguments.no_check:
            subprocess.run(["scripts/check_package", str(package)], check=True)
        print(f"{package}  {package.stat().st_size / 1e6:.1f} MB")
    if not find_nvcc():
        print("package: WITHOUT the CUDA module: no nvcc on the PATH or in CUDA_HOME; NVIDIA GPUs cannot be used with it", file=sys.stderr)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        sys.exit(f"package: {problem}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"package: {' '.join(map(str, error.cmd))}: exit code {error.returncode}\n{error.stderr or ''}")
