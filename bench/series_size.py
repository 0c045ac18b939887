#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""series_size.py --aaco PROGRAM --output bench/results/series-size.json: what `aaco guard series` takes for 100,000 builds, the reading of the CSV
file included, as wall and processor time of each of five runs; and whether each run says the same. A few seconds; needs numpy."""
import argparse
import json
import pathlib

from change_points import size
from harness import environment


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aaco", required=True)
    parser.add_argument("--output", required=True)
    asked = parser.parse_args()
    result = {"environment": environment(asked.aaco), "size": size(asked.aaco, runs=5)}
    pathlib.Path(asked.output).write_text(json.dumps(result, indent=1) + "\n")
    for row in result["size"]:
        print(f"{row['series']}: {row['changes']} changes, wall {min(row['wall_s']):.2f} to {max(row['wall_s']):.2f} s, user {max(row['user_s']):.2f} s at most")


if __name__ == "__main__":
    main()
