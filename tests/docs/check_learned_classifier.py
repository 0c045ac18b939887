#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_learned_classifier.py REPOSITORY: the shipped trees are those that bench/results/classifier.json judges, and the page is what it makes."""
import hashlib
import json
import pathlib
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
result = json.loads((root / "bench" / "results" / "classifier.json").read_text())
problems = [f"configs/classifier/{name}: is not the file that bench/results/classifier.json judges; run bench/classifier/train.py"
            for name, digest in result["sha256"].items() if hashlib.sha256((root / "configs" / "classifier" / name).read_bytes()).hexdigest() != digest]
header = json.loads((root / "configs" / "classifier" / "limits.trees").read_bytes().split(b"\n", 1)[0])
problems += [f"limits.trees: {key} differs from classifier.json" for key in ("features", "shown", "sure", "least_share") if header[key] != result[key]]
done = subprocess.run([sys.executable, "-B", str(root / "bench" / "classifier" / "card.py"), "--check"], capture_output=True, text=True)
problems += [done.stderr.strip()] if done.returncode else []
print("\n".join(problems) or "the trees and the page are those of bench/results/classifier.json")
sys.exit(bool(problems))
