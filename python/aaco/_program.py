# SPDX-License-Identifier: MIT
"""Calls the native program and returns what it printed."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from aaco._start import environment, program


class AacoError(Exception):
    """What the program said on its standard error: one line, and a hint. `exit_code` is the program's."""

    def __init__(self, message: str, exit_code: int = 0) -> None:
        super().__init__(message)
        self.exit_code = exit_code


# The report was made, and says that the trace lost something which figures need.
SEVERE_LOSS = 5


def run(*arguments: str, accepted: tuple[int, ...] = (0,)) -> str:
    """Standard output of `aaco ARGUMENTS`."""
    ended = subprocess.run([program(), *arguments], env=environment(), capture_output=True, check=False)
    if ended.returncode not in accepted:
        said = ended.stderr.decode("utf-8", "replace").strip()
        raise AacoError(said or f"aaco {arguments[0]} ended with exit code {ended.returncode}", ended.returncode)
    return ended.stdout.decode("utf-8", "replace")


def run_json(*arguments: str, accepted: tuple[int, ...] = (0,)) -> Any:
    return json.loads(run(*arguments, accepted=accepted))
