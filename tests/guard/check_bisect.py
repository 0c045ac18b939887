# SPDX-License-Identifier: MIT
"""aaco guard bisect on a git repository that this makes: a commit that really computes longer, noise with a known answer, a search that is
interrupted and goes on, commits that do not build, and repositories without an answer.
usage: check_bisect.py AACO"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skipping  # noqa: E402

# Its own processor time: what else runs on the machine matters less.
COMPUTE = """import time, pathlib
start = time.process_time()
x = 0
for i in range(int(pathlib.Path("rounds").read_text())):
    x = (x * 31 + i) % 1000003
print("checked", x)
print(time.process_time() - start)
"""

# Noise of 1 % that each measurement draws anew: the count of measurements lies beside the repository.
DRAW = """import os, pathlib, random, sys, time
count = pathlib.Path(sys.argv[1])
number = int(count.read_text()) + 1 if count.exists() else 1
count.write_text(str(number))
if pathlib.Path("broken").exists():
    sys.exit(1)
if len(sys.argv) > 2 and number >= 4 and pathlib.Path(sys.argv[2]).exists():
    time.sleep(60)
print(float(pathlib.Path("rounds").read_text()) * (1 + random.Random(number).gauss(0, 0.01)))
"""


# On a machine whose speed jumps by 40 % after so many measurements.
JUMP = DRAW.replace("print(float", "print((1.4 if number // EVERY % 2 else 1) * float")


def git(folder, *words):
    environment = dict(os.environ, GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
    return subprocess.run(["git", "-c", "user.name=test", "-c", "user.email=test@example.com", *words], cwd=folder, check=True,
                          capture_output=True, text=True, env=environment).stdout.strip()


def repository(folder, script, rounds, broken=()):
    """One commit for each of `rounds`; their names."""
    os.makedirs(folder)
    git(folder, "init", "-q")
    names = []
    for i, count in enumerate(rounds):
        for name, text in (("measure.py", script), ("rounds", str(count)), ("number", str(i))):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        if i in broken:
            open(os.path.join(folder, "broken"), "w").close()
        elif os.path.exists(os.path.join(folder, "broken")):
            os.remove(os.path.join(folder, "broken"))
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", f"change {i}")
        names.append(git(folder, "rev-parse", "HEAD"))
    return names


def words_of(aaco, folder, names, *command):
    return [aaco, "guard", "bisect", "--repository", folder, "--state", folder + ".json", "--good", names[0], "--bad", names[-1], "--json", "--quiet",
            "--", sys.executable, "measure.py", *command]


def bisect(aaco, folder, names, *command, code=0):
    done = subprocess.run(words_of(aaco, folder, names, *command), capture_output=True, text=True)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return json.loads(done.stdout) if done.stdout else done.stderr


def runs_of(folder):
    """Of the command, as the state tells: the good commit is measured beside the others."""
    with open(folder + ".json") as file:
        return sum(2 if "reference" in row else 1 for row in json.load(file)["measured"])


def main():
    aaco = sys.argv[1]
    if shutil.which("git") is None:
        skipping.skip("git is not installed")
    with tempfile.TemporaryDirectory() as place:
        # A loop that is six times as long, measured for real: other programs on the machine disturb a smaller step.
        folder = os.path.join(place, "real")
        names = repository(folder, COMPUTE, [150_000] * 6 + [900_000] * 6)
        answer = bisect(aaco, folder, names)
        assert answer["first_slow"] == names[6], answer
        assert answer["end"] == "decided" and answer["builds"] <= 12, answer
        assert git(folder, "worktree", "list").count("\n") == 0, "checkouts are left behind"

        # 64 commits at +3 %, noise of 1 %.
        folder = os.path.join(place, "drawn")
        names = repository(folder, DRAW, [1000] * 41 + [1030] * 23)
        answer = bisect(aaco, folder, names, folder + ".count")
        assert answer["first_slow"] == names[41], answer
        assert answer["builds"] <= 20, answer
        whole, runs = answer["measurements"], runs_of(folder)

        # From its state, the same command says the same without a measurement.
        again = bisect(aaco, folder, names, folder + ".count")
        assert {**again, "others_share": 0} == {**answer, "others_share": 0}
        with open(folder + ".count") as file:
            assert int(file.read()) == runs > whole

        # Half of the state is where an interrupted search was: it measures only what is missing.
        with open(folder + ".json") as file:
            state = json.load(file)
        state["measured"] = state["measured"][:whole // 2]
        with open(folder + ".json", "w") as file:
            json.dump(state, file)
        half = runs_of(folder)
        rest = bisect(aaco, folder, names, folder + ".count")
        assert rest["first_slow"] == names[41], rest
        with open(folder + ".count") as file:
            assert int(file.read()) == runs + runs_of(folder) - half

        # A state that leaves out a commit that is none is damaged.
        with open(folder + ".json") as file:
            state = json.load(file)
        for none in (len(names), 10**18, -1, 1.5):
            with open(folder + ".json", "w") as file:
                json.dump({**state, "skipped": [none]}, file)
            assert "is damaged" in bisect(aaco, folder, names, folder + ".count", code=2)
        with open(folder + ".json", "w") as file:
            json.dump(state, file)

        # A machine whose speed jumps: what the good commit takes beside each tells the speed.
        for every in ("9", "16"):
            folder = os.path.join(place, "jumps" + every)
            names = repository(folder, JUMP.replace("EVERY", every), [1000] * 19 + [1050] * 13)
            answer = bisect(aaco, folder, names, folder + ".count")
            assert answer["first_slow"] == names[19] and answer["end"] == "decided", answer
            assert answer["change"]["interval"][0] < 1.05 < answer["change"]["interval"][1], answer

        # Whoever interrupts it finds no checkout, and the same command goes on. SIGKILL leaves some; the next run clears them.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            folder = os.path.join(place, f"ended{number}")
            names = repository(folder, DRAW, [1000] * 4 + [1500] * 4)
            with open(os.path.join(place, f"wait{number}"), "w") as file:
                file.write("")
            waiting = [folder + ".count", os.path.join(place, f"wait{number}")]
            run = subprocess.Popen(words_of(aaco, folder, names, *waiting), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(1000):
                if os.path.exists(folder + ".count") and open(folder + ".count").read() == "4":
                    break
                time.sleep(0.02)
            os.kill(run.pid, number)
            _, errors = run.communicate(timeout=30)
            assert run.returncode == (-9 if number == signal.SIGKILL else 130), (run.returncode, errors)
            if number != signal.SIGKILL:
                assert "goes on from here" in errors, errors
                assert git(folder, "worktree", "list").count("\n") == 0 and not os.path.exists(folder + ".json.trees"), "checkouts are left behind"
            with open(folder + ".json") as file:
                assert len(json.load(file)["measured"]) >= 2
            os.remove(waiting[1])
            assert bisect(aaco, folder, names, *waiting)["first_slow"] == names[4]
            assert git(folder, "worktree", "list").count("\n") == 0 and not os.path.exists(folder + ".json.trees"), "checkouts are left behind"

        # Nor does one that fails leave any.
        folder = os.path.join(place, "failed")
        names = repository(folder, DRAW, [1000] * 4, broken=(3, ))
        assert "cannot be built and measured" in bisect(aaco, folder, names, folder + ".count", code=2)
        assert git(folder, "worktree", "list").count("\n") == 0 and not os.path.exists(folder + ".json.trees"), "checkouts are left behind"

        # A state of another search is refused.
        folder = os.path.join(place, "drawn")
        names = git(folder, "rev-list", "--reverse", "HEAD").split()
        assert "another search" in bisect(aaco, folder, names[:-1], folder + ".count", code=2)

        # A commit that cannot be measured is left out, and the commits that may be meant are named.
        folder = os.path.join(place, "broken")
        names = repository(folder, DRAW, [1000] * 4 + [1500] * 4, broken=(3, ))
        answer = bisect(aaco, folder, names, folder + ".count", code=4)
        assert answer["skipped"] == [names[3]], answer
        likely = [row["commit"] for row in answer["commits"] if row["probability"] > 0.1]
        assert likely == names[3:5], answer

        # Nothing became slower; the ends in the wrong order; no such commit.
        folder = os.path.join(place, "same")
        names = repository(folder, DRAW, [1000] * 4)
        assert bisect(aaco, folder, names, folder + ".count", code=4)["end"] == "not slower"
        assert "does not come before" in bisect(aaco, folder, names[::-1], folder + ".count", code=2)
        assert "no commit" in bisect(aaco, folder, ["nowhere", names[0]], folder + ".count", code=2)
    print("ok")


if __name__ == "__main__":
    main()
