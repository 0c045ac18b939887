# SPDX-License-Identifier: MIT
"""aaco guard series on the labelled benchmark series of SAP (small_2021, CC-BY-4.0, not in the repository): 5 of 5 labelled changes within 10
builds, none of the 20 others alarmed. The folder is $AACO_DATA, else shared/data beside the repository.
usage: check_labelled_series.py AACO SOURCE"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skipping  # noqa: E402


def main():
    aaco, source = sys.argv[1:]
    folder = pathlib.Path(os.environ.get("AACO_DATA") or pathlib.Path(source).parent / "shared" / "data") / "sap-small-2021"
    if not folder.is_dir():
        skipping.skip_without(folder)
    hits, alarms, clean = 0, [], 0
    for line in (folder / "metadata" / "dataset_details.csv").read_text().splitlines()[1:]:
        _, name, label = line.split(";")
        rows = [(int(row[0]), int(row[1]), row[2]) for row in list(csv.reader((folder / "data" / name).open()))[1:]]
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("build,value\n" + "".join(f"{build},{value}\n" for _, build, value in sorted(rows, key=lambda row: row[1])))
            file.flush()
            done = subprocess.run([aaco, "guard", "series", "--json", "--file", file.name], capture_output=True, text=True, check=True)
        changes = json.loads(done.stdout)[0]["changes"]
        if int(label) == 0:
            clean += 1
            alarms += [name] if changes else []
        else:
            order = sorted({build for _, build, _ in rows})
            first_slow = order.index(next(build for index, build, _ in rows if index == int(label))) + 1
            hits += any(abs(change["index"] - first_slow) <= 10 for change in changes)
    assert clean == 20 and not alarms, alarms
    assert hits == 5, hits
    print("ok")


if __name__ == "__main__":
    main()
