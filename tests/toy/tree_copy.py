# SPDX-License-Identifier: MIT
"""A copy of the tree, its release build included, that a patch is applied to and built in: an overlay that only one process sees, at the
same path, so that the build goes on from what is built."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def run_in_a_copy(script, root):
    """Starts the script again with `root` and a folder for outputs, in a mount namespace of its own where `root` is a copy on write; 77
    where that is not allowed."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("upper", "work", "outputs"):
            pathlib.Path(folder, name).mkdir()
        mount = 'mount --make-rprivate / && mount -t overlay overlay -o "lowerdir=$0,upperdir=$1/upper,workdir=$1/work" "$0" || exit 77; '
        namespace = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]
        done = subprocess.run([*namespace, "bash", "-c", mount + 'cd "$0" && exec "$2" -B "$3" "$0" "$1/outputs"', root, folder, sys.executable, script])
    if done.returncode == 77:
        print("summary: not checked: no overlay can be mounted here")
    return done.returncode


def apply_patch(tree, patch):
    """The files that are new, and the lines that change in others."""
    parts = re.split(r"^diff --git ", patch.read_text(), flags=re.M)[1:]
    files = [re.search(r"^\+\+\+ b/(.*)", part, re.M).group(1) for part in parts if "\nnew file mode" in part]
    lines = [line for part in parts if "\nnew file mode" not in part for line in part.splitlines() if re.match(r"[+-](?![+-]{2} )", line)]
    subprocess.run(["git", "apply", patch], cwd=tree, check=True)
    return files, lines


def build(tree):
    subprocess.run(["ninja", "-C", "build", "aaco"], cwd=tree, check=True)
    return tree / "build" / "bin" / "aaco"


def verdict(what, outputs):
    """`outputs`: pairs of a name and whether it has what it should. The exit code."""
    outputs = list(outputs)
    missing = [name for name, shown in outputs if not shown]
    print(f"summary: {what} in {len(outputs) - len(missing)} outputs of {len(outputs)}" + "".join(f"; not in {name}" for name in missing))
    return 1 if missing else 0
