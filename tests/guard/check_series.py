# SPDX-License-Identifier: MIT
"""aaco guard series: change points of a file and of the history; damaged files.
usage: check_series.py AACO"""
import json
import os
import random
import subprocess
import sys
import tempfile


def run(aaco, *words, code=0):
    done = subprocess.run([aaco, "guard", *words], capture_output=True, text=True)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout if code == 0 else done.stderr


def write(path, text):
    with open(path, "w") as file:
        file.write(text)
    return path


def main():
    aaco = sys.argv[1]
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "values.csv")
        # Three processes a build, columns in another order, a quoted label with a comma.
        lines = ["value,machine,build"]
        for build in range(60):
            level = 100 * (1.04 if build >= 35 else 1) * draw.gauss(1, 0.005)
            lines += [f'{level * draw.gauss(1, 0.01)!r},a,"build, {build}"' for _ in range(3)]
        write(path, "\n".join(lines) + "\n")
        document = json.loads(run(aaco, "series", "--file", path, "--json"))[0]
        assert document["builds"] == 60 and document["judged"], document
        change, = document["changes"]
        assert abs(change["index"] - 35) <= 2 and change["build"] == f"build, {change['index']}", change
        low, high = change["interval"]
        assert low < 1.04 < high and high - low < 0.02, change
        assert json.loads(run(aaco, "series", "--file", path, "--json", "--min-effect", "10"))[0]["changes"] == []
        text = run(aaco, "series", "--file", path)
        assert text.startswith(f"{path}: 1 change in 60 builds\n") and f"build, {change['index']}"[:12] in text, text

        write(path, "build,value\n" + "".join(f"{i},1\n" for i in range(9)))
        assert "too short to tell: 9 builds" in run(aaco, "series", "--file", path)
        for text, problem in (("a,b\n1,2\n", "no header with the columns"), ("build,value\n1,fast\n", ":2: no number"), ("build,value\n1\n", ":2: 1 column, and 2 in the header"), ("build,value\n1,2,5\n", ":2: 3 columns, and 2 in the header"),
                              ("build,value\n", "no row behind the header"), ("build,value\n1,2\n2,1e308\n", ":3: 1e+308 is no measured value"),
                              ("build,value\n1,-1e-200\n", ":2: -1e-200 is no measured value"), ("build,value\n1,inf\n", ":2: no number"),
                              ("", "no header"), ("build,value\n1,nan\n", ":2: no number")):
            write(path, text)
            assert problem in run(aaco, "series", "--file", path, code=2), text
        run(aaco, "series", "--file", os.path.join(place, "nothing.csv"), code=2)
        # A series of any sign is one, and who meant durations is told.
        write(path, "build,value\n" + "".join(f"{i},{1 if i < 9 else -2}\n" for i in range(18)))
        done = subprocess.run([aaco, "guard", "series", "--file", path], capture_output=True, text=True, check=True)
        assert ":11: -2 is no duration" in done.stderr and "1 change in 18 builds" in done.stdout, done

        # From the history: recordings of one commit are one build.
        history = os.path.join(place, "history")
        for build in range(12):
            level = 10 if build < 6 else 15
            for _ in range(2 if build == 3 else 1):
                values = ",".join(f"{level * draw.gauss(1, 0.01):.4f}ms" for _ in range(3))
                run(aaco, "record", "--value", f"latency={values}", "--subject", "thing", "--commit", f"{build:040x}", "--history", history)
        rows = json.loads(run(aaco, "series", "--history", history, "--subject", "thing", "--json"))
        changes = [row for row in rows if row["changes"]]
        assert changes and changes[0]["builds"] == 12, rows
        assert changes[0]["changes"][0]["build"] == f"{6:040x}", changes
        assert 1.4 < changes[0]["changes"][0]["ratio"] < 1.6
        # As for gates: the name of a given value is a figure.
        for figure in ("latency", "value"):
            row, = json.loads(run(aaco, "series", "--history", history, "--figure", figure, "--json"))
            assert row["builds"] == 12 and "latency value" in row["series"], row
        run(aaco, "series", "--history", history, "--figure", "p99", code=2)
        assert "no recording of other" in run(aaco, "series", "--history", history, "--subject", "other", code=2)
    print("ok")


if __name__ == "__main__":
    main()
