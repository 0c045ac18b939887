#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_workshop.py AACO PAGE: the workshop as a learner walks it. Every command line of the page in its order, as it is written, in one new
folder; of each lab's question the solution is looked up, given as the answer by the command line that the question names, and taken. Prints
each line's time; scripts/test --full runs it (two minutes on two processors)."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "from_the_originals"))
from table import commands_in  # noqa: E402

LABS = 12


class Walk:
    def __init__(self, aaco, folder):
        self.aaco, self.folder = aaco, folder
        self.environment = {**os.environ, "NO_COLOR": "1", "AACO_CONFIGS": str(pathlib.Path(__file__).resolve().parents[2] / "configs")}

    def run(self, line):
        began = time.monotonic()
        done = subprocess.run([self.aaco, *shlex.split(line)[1:]], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=600)
        print(f"{time.monotonic() - began:6.1f} s  exit {done.returncode}  {line}", flush=True)
        return done

    def answer(self, asked):
        """What is wrong with the answer to a lab's question."""
        named = re.search(r"^Answer:   (aaco llama lab .*) --answer VALUE ", asked, re.M)
        if not named:
            return "no answer is asked for"
        solution = re.search(r"^Solution: (.+?)(?: \((?:within|exactly).*)?$", self.run(f"{named[1]} --solution").stdout, re.M)
        if not solution:
            return "there is no solution"
        value = solution[1].split(" or ")[0].split()[0]
        done = self.run(f"{named[1]} --answer {value}")
        return "" if done.returncode == 0 and "Right: " in done.stdout else f"its solution {value} is refused: {done.stdout[-500:]}"


def main(aaco, page):
    problems, labs = [], set()
    with tempfile.TemporaryDirectory() as folder:
        walk = Walk(str(pathlib.Path(aaco).resolve()), folder)
        for number, line in commands_in(page):
            done = walk.run(line)
            where = f"{page}:{number}: {line}"
            complaint = [one for one in done.stderr.splitlines() if not re.match(r"\[ *\d+ %\] ", one)]
            if done.returncode != 0 or not done.stdout.strip() or complaint:
                problems.append(f"{where}: exit code {done.returncode}: {complaint}")
            elif lab := re.match(r"aaco llama lab (\d+)", line):
                labs.add(int(lab[1]))
                if wrong := walk.answer(done.stdout):
                    problems.append(f"{where}: {wrong}")
            pages = re.findall(r"^report +(\S+)$", done.stdout, re.M)
            if "--generate-report" in line and not (pages and all((pathlib.Path(folder) / one).is_file() for one in pages)):
                problems.append(f"{where}: there is no page")
        if labs != set(range(1, LABS + 1)):
            problems.append(f"{page}: has labs {sorted(labs)}")
        listed = walk.run("aaco llama lab").stdout
        if listed.count("solved") != LABS:
            problems.append(f"{listed.count('solved')} of {LABS} labs are solved at the end")
    print("\n".join(problems) or "summary: the whole workshop, as it is written")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
