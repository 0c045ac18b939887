# SPDX-License-Identifier: MIT
"""check_notebook.py FILE: runs a notebook on a recorded trace and session; every cell must end well, and the report must draw itself."""

import os
import sys
import tempfile
from pathlib import Path

try:
    import nbclient
    import nbformat
except ImportError:
    print("skipped: nbclient is not installed")
    sys.exit(77)

GOLDEN = Path(__file__).resolve().parents[2] / "tests/golden"
os.environ["AACO_NOTEBOOK_TRACE"] = str(GOLDEN / "traces/before_rank0.json")
os.environ["AACO_NOTEBOOK_SESSION"] = str(next((GOLDEN / "sessions/run_gpu").glob("*/*/session.json")).parent)

notebook = nbformat.read(sys.argv[1], as_version=4)
nbformat.validate(notebook)
with tempfile.TemporaryDirectory() as folder:
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": folder}}).execute()

drawn = [output["data"]["text/html"] for cell in notebook.cells for output in cell.get("outputs", []) if "text/html" in output.get("data", {})]
assert len(drawn) == 2 and all(each.startswith("<iframe") for each in drawn), "a report did not draw itself"
print(f"{sum(cell.cell_type == 'code' for cell in notebook.cells)} cells ended well")
