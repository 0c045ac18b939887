# SPDX-License-Identifier: MIT
"""The workflow that configs/guard/github.yaml offers: GitHub's schema takes it, and the commands of its steps, but for the installation, do in a
repository what they say. Nothing installs aaco from a package index while docs/install.md says that it is on none.
usage: check_workflow.py AACO SOURCE"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import skipping  # noqa: E402

try:
    import check_jsonschema
    import yaml
except ImportError as error:
    skipping.skip(f"{error.name} is not installed (scripts/setup --tools)")

# `make bench` makes a program that sleeps, so that its time does not depend on how fast the machine is.
MAKEFILE = "bench:\n\tprintf '#!/bin/sh\\nexec sleep {}\\n' >bench && chmod +x bench\n"
# The wheel is on no index before it is released: where a step installs one, the program that was built stands in.
INSTALL = re.compile(r"\b(?:pip3?|pipx|uv)\"? (?:tool |pip )?install\b([^\n;&|]*)")
STANDS_IN = "aaco --version"
ON_NO_INDEX = "There is no package on an index yet"
INSTALLING = ("configs/guard/github.yaml", "README.md", "python/README.md", "docs/install.md", "docs/getting-started.md")


def from_index(text):
    """The names by which commands ask an index for aaco; a path, an address or a variable is none."""
    words = [word for arguments in INSTALL.findall(text) for word in shlex.split(arguments, comments=True)]
    return [word for word in words if re.fullmatch(r"aaco(?:\[[\w,]*\])?(?:[=<>~!].*)?", word)]


def check_installation(source, job):
    assert from_index("pip install aaco") == ["aaco"] and from_index("\"$A/bin/pip\" install -q 'aaco[cpu]==1'  # this") == ["aaco[cpu]==1"]
    assert not from_index('pip install "$AACO_WHEEL" && pip install "$(ls dist/aaco-*.whl)[cpu]" ./aaco-1.whl')
    if ON_NO_INDEX in (source / "docs" / "install.md").read_text():
        names = {page: from_index((source / page).read_text()) for page in INSTALLING}
        assert not any(names.values()), f"docs/install.md says that aaco is on no index, and it is installed from one: {names}"
    installs = [step["run"] for step in job["steps"] if INSTALL.search(step.get("run", ""))]
    variables = set(re.findall(r"\$(AACO_\w+)", " ".join(installs)))
    assert len(installs) == 1 and variables and variables <= set(job["env"]), (installs, job["env"])


def check_schema(path):
    words = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(path)]
    return subprocess.run(words, capture_output=True, text=True)


def git(folder, *words):
    who = ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def make_repository(folder, parent, change):
    """What actions/checkout leaves of a pull request with fetch-depth 2: the merge commit and its parents. The benchmark takes `parent` s on the base branch."""
    origin = folder / "origin"
    origin.mkdir()
    git(origin, "init", "--quiet")

    def commit(words, seconds):
        (origin / "Makefile").write_text(MAKEFILE.format(seconds))
        git(origin, "add", "Makefile")
        git(origin, "commit", "--quiet", "--message", words)

    commit("first", parent)
    git(origin, "checkout", "--quiet", "-b", "change")
    commit("change", change)
    git(origin, "checkout", "--quiet", "main")
    git(origin, "commit", "--quiet", "--allow-empty", "--message", "meanwhile")
    git(origin, "merge", "--quiet", "--no-ff", "--message", "pull request", "change")
    git(folder, "clone", "--quiet", "--depth", "2", origin.as_uri(), "repository")
    return folder / "repository"


def run_steps(workflow, aaco, folder, seconds):
    """Each step as GitHub runs it: bash -e with the variables of a pull request. The exit code of the last, what it printed, and its environment."""
    place = make_repository(folder, *seconds)
    programs = folder / "bin"
    programs.mkdir()
    (programs / "aaco").symlink_to(aaco)
    files = {name: folder / name.lower() for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_ENV")}
    for path in files.values():
        path.touch()
    (folder / "runner").mkdir()
    environment = {**os.environ, **{name: str(path) for name, path in files.items()}, "PATH": f"{programs}:{os.environ['PATH']}", "CI": "true", "GITHUB_ACTIONS": "true",
                   "GITHUB_BASE_REF": "main", "GITHUB_HEAD_REF": "change", "GITHUB_SHA": "c0ffee", "RUNNER_TEMP": str(folder / "runner"), "AACO_CACHE": str(folder / "cache")}
    for step in workflow["jobs"]["guard"]["steps"]:
        if "run" not in step:
            continue
        command = STANDS_IN if INSTALL.search(step["run"]) else step["run"]
        if "guard check" in command:  # a busy machine cannot tell 1 %
            command, replaced = re.subn("--budget 5m", "--budget 60s --min-effect 20", command)
            assert replaced == 1, command
        done = subprocess.run(["bash", "-e", "-c", command], cwd=place, env=environment, capture_output=True, text=True, timeout=120)
        if "guard check" not in command:
            assert done.returncode == 0, (step["name"], done.returncode, done.stdout, done.stderr)
    return done, place, files["GITHUB_STEP_SUMMARY"].read_text()


def main():
    aaco, source = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    path = source / "configs" / "guard" / "github.yaml"
    schema = check_schema(path)
    assert schema.returncode == 0, schema.stdout + schema.stderr
    text = path.read_text()
    with tempfile.TemporaryDirectory() as name:
        for wrong in (text.replace("runs-on:", "runs_on:"), text.replace("on: pull_request", "on: pull_requests"), text.replace("        run: make", "        runs: make")):
            damaged = pathlib.Path(name) / "damaged.yaml"
            damaged.write_text(wrong)
            assert wrong != text and check_schema(damaged).returncode == 1, "the schema takes anything"
    workflow = yaml.safe_load(text)
    check_installation(source, workflow["jobs"]["guard"])
    uploads = [step["with"]["path"] for step in workflow["jobs"]["guard"]["steps"] if step.get("uses", "").startswith("actions/upload-artifact")]
    for seconds, code, verdict in ((("0.025", "0.070"), 1, "regressed"), (("0.070", "0.025"), 0, "improved")):
        with tempfile.TemporaryDirectory() as name:
            done, place, summary = run_steps(workflow, aaco, pathlib.Path(name), seconds)
            if done.returncode == 4 and "crowded: other programs held" in done.stdout:
                print("too busy a machine to time commands: their verdicts are left out")
                code, verdict = 4, "invalid"
            assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
            assert verdict in done.stdout and summary.startswith("### ") and verdict in summary, (done.stdout, summary)
            assert ("::error title=bench regressed::" in done.stdout) == (code == 1), done.stdout
            assert not re.search(r"fatal|not found", done.stderr), done.stderr
            assert uploads == ["guard.*"] and {found.name for found in place.glob("guard.*")} == {"guard.xml", "guard.md"}, list(place.iterdir())
    print("summary: the schema, and the steps of a slower and of a faster change")


if __name__ == "__main__":
    main()
