#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""watch_cost.py --aaco PROGRAM --watch-cost build/bench/watch_cost --out bench/results/watch-cost.json [ARGUMENT...]: what watch_cost prints, with
where and with what it was measured."""
import argparse
import json
import pathlib

from harness import environment, json_of


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aaco", required=True)
    parser.add_argument("--watch-cost", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("arguments", nargs="*")
    asked = parser.parse_args()
    result = {"environment": environment(asked.aaco), **json_of([asked.watch_cost, *asked.arguments])}
    pathlib.Path(asked.out).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
