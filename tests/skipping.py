# SPDX-License-Identifier: MIT
"""How a test in Python skips: the line that scripts/ctest_counts reads, and the exit code that tests/CMakeLists.txt knows. skip_reasons.txt
beside it lists the reasons for which a test may skip where nothing should."""
import sys

EXIT_CODE = 77


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(EXIT_CODE)


def skip_without(path):
    """Data that is not in the repository."""
    skip(f"data not here: {path}")
