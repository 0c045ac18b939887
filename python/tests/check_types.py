# SPDX-License-Identifier: MIT
"""check_types.py CACHE_FOLDER: mypy --strict on the Python module, and on a program that uses it as a user would."""

import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import mypy  # noqa: F401
except ImportError:
    print("skipped: mypy is not installed")
    sys.exit(77)

PYTHON = Path(__file__).resolve().parents[1]
USE = """\
import aaco

rows: list[dict[str, object]] = aaco.open("latest").sql("SELECT 1")
text: str = aaco.report("trace.json").text
ranges = aaco.ranges()

@ranges
def double(number: int) -> int:
    return 2 * number

reveal_type(double)
with ranges.range("load", batch=3):
    number: int = double(1)
"""
with tempfile.TemporaryDirectory() as folder:
    use = Path(folder) / "use.py"
    use.write_text(USE)
    ended = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(PYTHON / "mypy.ini"), "--cache-dir", sys.argv[1], "aaco", str(use)],
        cwd=PYTHON, capture_output=True, text=True,
    )  # fmt: skip
print(ended.stdout, ended.stderr, sep="")
if ended.returncode != 0 or 'Revealed type is "def (number: int) -> int"' not in ended.stdout.replace("builtins.", ""):
    sys.exit(1)
