#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_completion.py AACO SHELL: makes the completion script of a shell, and asks that shell what it offers. Exits with 77
where the shell is not here."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from skipping import skip  # noqa: E402

FILES = ["model.onnx", "one.html"]
FOLDERS = ["other"]
BACKENDS = ["cpu", "cuda", "dnnl", "migraphx", "openvino", "rocm", "tensorrt"]  # among others
MODELS = ["bert-base", "resnet50", "tiny-llama"]  # among others

# Words before the cursor, and what is offered: exactly, or with "..." at least.
CASES = [
    (["ru"], ["run"]),
    (["baseline", ""], ["save", "show", "list"]),
    (["sessions", "l"], ["list"]),
    (["sessions", "show", "la"], ["latest"]),
    (["completion", ""], ["bash", "zsh", "fish"]),
    (["report", "--format", ""], ["html", "md", "csv", "json", "text"]),
    (["report", "--format", "m"], ["md"]),
    (["diff", "--format", ""], ["text", "json", "html"]),
    (["run", "--model", "resn"], ["resnet50"]),
    (["run", "--model", ""], [*MODELS, *FILES, *FOLDERS, "..."]),
    (["run", "--backend", ""], [*BACKENDS, "..."]),
    (["run", "--model", "resnet50", "--backend", "mig"], ["migraphx"]),
    (["run", "--batch", ""], []),
    (["run", "--inter"], ["--inter-op-threads"]),
    (["run", "--model", "run", "--profi"], ["--profile"]),  # a value that is a command's name
    (["report", "--output", "on"], ["one.html"]),
    (["sessions", "list", "--sessions", "o"], ["other"]),
    (["sessions", "prune", "--dry"], ["--dry-run"]),
    (["llama", "lab", ""], [str(number) for number in range(1, 13)]),
    (["llama", "lab", "12", "--cas"], ["--case"]),
    (["worke"], []),
]
# What bash makes of an "=" in the line.
BASH_CASES = [
    (["report", "--format", "=", ""], ["html", "md", "csv", "json", "text"]),
    (["report", "--format", "=", "t"], ["text"]),
    (["report", "--format", "="], ["html", "md", "csv", "json", "text"]),
    (["run", "--input", "x", "=", "mod"], ["model.onnx"]),
    (["run", "--dim", "sequence", "=", ""], []),
]


def registries(folder):
    """A registry of one model, whose second name must not reach the shell: it would be expanded there."""
    (folder / "configs").mkdir()
    (folder / "configs" / "models.yaml").write_text("models:\n  from-the-registry:\n    path: m.onnx\n  '$(touch evil)':\n    path: m.onnx\n")
    (folder / "configs" / "backends.yaml").write_text("backends:\n  my-cpu:\n    provider: CPUExecutionProvider\n")


def commands_and_flags(aaco, words):
    """(words, what the help of the command lists there) for the command and all below it."""
    text = subprocess.run([aaco, *words, "--help-all"], capture_output=True, text=True, check=True).stdout
    yield [*words, "--"], re.findall(r"^  (?:-\w,)?(--[\w-]+)", text, re.M)
    if "Subcommands:" in text:
        names = re.findall(r"^  ([\w-]+) ", text[text.index("Subcommands:"):].split("\n\n")[0], re.M)
        yield [*words, ""], names
        for name in names:
            yield from commands_and_flags(aaco, [*words, name])


class Bash:
    cases = CASES + BASH_CASES
    check = ["bash", "-n"]

    def offered(self, script, words, folder):
        line = " ".join(f"'{word}'" for word in ["aaco", *words])
        program = f"source '{script}'; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _aaco; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        done = subprocess.run(["bash", "--norc", "-c", program], cwd=folder, capture_output=True, text=True, check=True)
        return [word for word in done.stdout.splitlines() if word], done.stderr


class Fish:
    cases = CASES
    check = ["fish", "--no-execute"]

    def offered(self, script, words, folder):
        program = f"source '{script}'; complete -C 'aaco {' '.join(words)}'"
        environment = {**os.environ, "HOME": str(folder.parent)}
        done = subprocess.run(["fish", "--no-config", "-c", program], cwd=folder, capture_output=True, text=True, env=environment, check=True)
        return [line.split("\t")[0].rstrip("/") for line in done.stdout.splitlines()], done.stderr


class Zsh:
    """zsh completes in its line editor only: the script is parsed, and its cases are held against the help."""

    cases = []
    check = ["zsh", "-n"]
    offered = None


def problems_of(shell, aaco, script, folder):
    expected = list(shell.cases) + [(words, [*names, "..."]) for words, names in commands_and_flags(aaco, [])]
    text = script.read_text()
    if "worker" in text or "touch" in text:
        yield "the script holds what it must not"
    for words, wanted in expected:
        if shell.offered is None:
            missing = [name for name in wanted if name != "..." and name not in text]
            if missing:
                yield f"{words}: not in the script: {missing}"
            continue
        offered, errors = shell.offered(script, words, folder)
        if errors:
            yield f"{words}: {errors}"
        least = [name for name in wanted if name != "..."]
        if not set(least) <= set(offered) or ("..." not in wanted and set(offered) != set(least)):
            yield f"{words}: {sorted(offered)} offered, not {wanted}"
    if shell.offered is not None:
        for words, name in ((["run", "--model", "from"], "from-the-registry"), (["run", "--backend", "my"], "my-cpu")):
            if shell.offered(script, words, folder)[0] != [name]:
                yield f"{words}: {name} of the registry is not offered"


def main(aaco, name):
    if shutil.which(name) is None:
        skip(f"{name} is not installed")
    shell = {"bash": Bash, "zsh": Zsh, "fish": Fish}[name]()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        registries(folder)
        environment = {**os.environ, "AACO_CONFIGS": str(folder / "configs")}
        made = subprocess.run([aaco, "completion", name], capture_output=True, text=True, check=True, env=environment)
        script = folder / "script"
        script.write_text(made.stdout)
        subprocess.run([*shell.check, str(script)], check=True)
        work = folder / "work"
        work.mkdir()
        for file in FILES:
            (work / file).touch()
        for inner in FOLDERS:
            (work / inner).mkdir()
        problems = list(problems_of(shell, aaco, script, work))
    print("\n".join(problems) or f"{name}: every command and flag of the help is offered")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
