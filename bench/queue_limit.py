#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""queue_limit.py --aaco PROGRAM --device cuda:0 --out RAW.json [--connections 1,2,4,8,16,32]

The hardware queues that `aaco queue probe` finds, for each CUDA_DEVICE_MAX_CONNECTIONS and where it is not set: the setting is the right
answer. bench/overhead_page.py makes the page.
"""
import argparse
import json
import os
import tempfile

from harness import environment, json_of


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aaco", required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--connections", default="1,2,4,8,16,32")
    options = parser.parse_args()
    raw = {"environment": environment(options.aaco), "device": options.device, "queue_limits": []}
    with tempfile.TemporaryDirectory() as sessions:
        for connections in [None, *options.connections.split(",")]:
            os.environ.pop("CUDA_DEVICE_MAX_CONNECTIONS", None)
            if connections:
                os.environ["CUDA_DEVICE_MAX_CONNECTIONS"] = connections
            probe = json_of([options.aaco, "queue", "probe", "--device", options.device, "--streams", "16", "--processes", "3", "--json",
                             "--sessions", sessions])
            raw["queue_limits"].append({"connections": int(connections) if connections else None, "queue_limit": probe["queue_limit"],
                                        "queue_map": {key: probe["queue_map"][key] for key in ("streams", "queues", "reason")}})
            print(connections or "not set", probe["queue_limit"]["queues"], probe["queue_map"]["queues"], flush=True)
    with open(options.out, "w") as file:
        json.dump(raw, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
