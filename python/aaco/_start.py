# SPDX-License-Identifier: MIT
"""Becomes the native program: nothing of Python stays. Imports as little as it can, because a user waits for it."""

import os
import sys


def program() -> str:
    """The native program beside this module; else one named by AACO_PROGRAM (a build)."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "native", "bin", "aaco")
    chosen = os.environ.get("AACO_PROGRAM") or beside
    if not os.access(chosen, os.X_OK):
        raise FileNotFoundError(f"aaco's program is not at {chosen}: install aaco again, or name it in AACO_PROGRAM")
    return chosen


def environment() -> dict[str, str]:
    """This process's, with the folders in which this interpreter finds packages: ONNX Runtime and vendors' libraries lie there."""
    standard = os.path.dirname(os.__file__)
    folders = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
    for folder in sys.path:
        known = folder in folders or folder == standard or folder.startswith(os.path.join(standard, "lib-dynload"))
        if folder and not known and ":" not in folder and os.path.isdir(folder):
            folders.append(folder)
    return {**os.environ, "AACO_PYTHON_PACKAGES": ":".join(folders)}


def main() -> None:
    """Does not return. Exit code 3, as the program's own for what is missing."""
    try:
        chosen = program()
        os.execve(chosen, [chosen, *sys.argv[1:]], environment())
    except OSError as error:
        print(f"aaco: {error}", file=sys.stderr)
        sys.exit(3)
