# SPDX-License-Identifier: MIT
"""What check_speed and check_tidy compare a checkout with, where nobody names a revision."""
import subprocess


def base_commit(root):
    """The commit at which the main branch was left; on the main branch the last commit but one."""
    def answer(*words):
        return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True).stdout.strip()

    head = answer("rev-parse", "HEAD")
    for branch in ("origin/main", "main"):
        left = answer("merge-base", "HEAD", branch)
        if left and left != head:
            return left
    return "HEAD~"
