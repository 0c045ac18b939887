# SPDX-License-Identifier: MIT
"""check_site.py REPOSITORY SITE: the documents build as a static site, and each link and anchor in them leads somewhere."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from skipping import skip  # noqa: E402

try:
    import mkdocs  # noqa: F401
except ImportError:
    skip("mkdocs is not installed")

repository, site = map(pathlib.Path, sys.argv[1:])
done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", site], cwd=repository, capture_output=True, text=True,
                      env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
pages = sorted(path.name for path in site.rglob("*.html"))
documents = list((repository / "docs").rglob("*.md"))
print(done.stderr or f"{len(pages)} pages of {len(documents)} documents")
sys.exit(1 if done.returncode != 0 or len(pages) < len(documents) else 0)
