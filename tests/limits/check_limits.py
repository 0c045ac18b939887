#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_limits.py AACO [--full]: every command under limits: few descriptors, processes, threads, a small stack, little address
space, short files, no /proc, no /tmp, no home. Each run has to end in time, without a signal, with its usual exit code or that
of a resource, and with one error. Without --full each command meets a few of the limits, in turns."""
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from commands import COMMANDS, SLOW, Place

SECONDS = 60  # a hang is what does not end; a loaded machine is slow
OTHER_USER = 61234  # nobody else's, so that its processes are all ours
KIB, MIB = 1 << 10, 1 << 20
LOADER = "error while loading shared libraries"  # of the system: before the first line of ours


def limit(what, value):
    return lambda: resource.setrlimit(what, (value, value))


def soft_stack(value):
    return lambda: resource.setrlimit(resource.RLIMIT_STACK, (value, resource.getrlimit(resource.RLIMIT_STACK)[1]))


def as_other_user(processes):
    def become():
        os.setgroups([])
        os.setresgid(OTHER_USER, OTHER_USER, OTHER_USER)
        os.setresuid(OTHER_USER, OTHER_USER, OTHER_USER)
        resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))
    return become


def within(mount):
    """In a mount namespace of its own."""
    return ["unshare", "--mount", "sh", "-c", f'{mount} && exec "$@"', "sh"]


# name: what the child does before it is aaco, words before the command line, variables that go
LIMITS = {
    **{f"{n} descriptors": (limit(resource.RLIMIT_NOFILE, n), [], []) for n in (3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 24, 32)},
    **{f"{n} processes": (as_other_user(n), [], []) for n in (1, 2, 3, 4, 5, 6, 8, 12)},
    **{f"stack of {n >> 10} KiB": (limit(resource.RLIMIT_STACK, n), [], []) for n in (64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB)},
    "soft stack of 64 KiB": (soft_stack(64 * KIB), [], []),
    **{f"address space of {n >> 20} MiB": (limit(resource.RLIMIT_AS, n), [], []) for n in (192 * MIB, 256 * MIB, 384 * MIB, 512 * MIB, 1024 * MIB, 2048 * MIB)},
    **{f"files of {n} bytes": (limit(resource.RLIMIT_FSIZE, n), [], []) for n in (0, 1, 4096, 65536)},
    "no /proc": (None, within("mount -t tmpfs none /proc"), []),
    "no /tmp": (None, within("mount -t tmpfs -o ro none /tmp && mount -t tmpfs -o ro none /var/tmp"), ["TMPDIR"]),
    "no /sys": (None, within("mount -t tmpfs none /sys"), []),
    "no home": (None, [], ["HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "AACO_CACHE"]),
    "no children's ends": (lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN), [], []),
    "blocked signals": (lambda: signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32)), [], []),
}
NEEDS_ROOT = ("processes", "no /proc", "no /tmp", "no /sys")


def can_be_root():
    return os.geteuid() == 0 and subprocess.run(within("mount -t tmpfs none /proc") + ["true"], capture_output=True).returncode == 0


def problem_of(usual, done, command, name):
    code, stderr = done.returncode, done.stderr
    lines = [line for line in stderr.splitlines() if line.startswith("aaco: ")]
    if code < 0:
        return f"ended by {signal.Signals(-code).name}"
    if "terminate called" in stderr or "exception.]" in stderr:
        return "a library's words"
    if code == 127 and LOADER in stderr:
        return None
    if code == usual:
        return None
    if code not in ((3, 6) if not name.startswith("no ") else (2, 3, 6)):
        return f"exit code {code}, usually {usual}"
    if command == "doctor" and code == 3 and not lines:
        return None  # its page says what is missing
    if len(lines) != 1 or sum(line.startswith("hint: ") for line in stderr.splitlines()) > 1:
        return f"exit code {code} and {len(lines)} errors"
    return None


def run(place, command, name, usual):
    prepare, before, without = LIMITS[name]
    out = pathlib.Path(tempfile.mkdtemp(dir=place.folder, prefix="out"))
    out.chmod(0o777)
    environment = {key: value for key, value in place.environment.items() if key not in without}
    words = before + place.line(command, out)
    began = time.monotonic()
    try:
        done = subprocess.run(words, cwd=place.folder, env=environment, capture_output=True, text=True, errors="replace", timeout=SECONDS, preexec_fn=prepare,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as late:
        return f"has not ended in {SECONDS} s: {(late.stderr or b'')[-300:]}"
    except (OSError, subprocess.SubprocessError) as error:  # not even the program's start
        return None if "processes" not in name else f"{error}"
    finally:
        shutil.rmtree(out, ignore_errors=True)
    problem = problem_of(usual, done, command, name)
    if os.environ.get("AACO_TEST_TELL"):
        print(f"{command}, {name}: {done.returncode} in {time.monotonic() - began:.1f} s: {done.stderr[:300]!r}", flush=True)
    return problem and f"{problem}: {done.stderr.strip()[-400:]!r}"


def open_to_all(folder):
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o777 if path.is_dir() else 0o666)


def pairs(full, names, only):
    """Which commands meet which limits."""
    commands = [name for name in COMMANDS if not only or name in only]
    if full:
        return [(command, name) for command in commands for name in names]
    quick = [command for command in commands if command not in SLOW]
    return [(command, names[(5 * i + 17 * turn) % len(names)]) for i, command in enumerate(quick) for turn in range(2)]


def main(aaco, *options):
    full = "--full" in options
    only = [option.removeprefix("--only=") for option in options if option.startswith("--only=")]
    only_limits = [option.removeprefix("--limit=") for option in options if option.startswith("--limit=")]
    names = [name for name in LIMITS if not only_limits or any(part in name for part in only_limits)]
    if not can_be_root():
        left = [name for name in names if any(part in name for part in NEEDS_ROOT)]
        print(f"not root, or no namespaces here: {len(left)} limits are skipped: {', '.join(left)}")
        names = [name for name in names if name not in left]
    # Not below /tmp, which is taken away.
    with tempfile.TemporaryDirectory(dir=pathlib.Path.cwd(), prefix="limits") as temporary:
        folder = pathlib.Path(temporary)
        place = Place(aaco, folder)
        open_to_all(folder)
        usual = {}
        problems = []
        chosen = pairs(full, names, only)
        for command, name in chosen:
            if command not in usual:
                out = tempfile.mkdtemp(dir=folder)
                usual[command] = subprocess.run(place.line(command, out), cwd=folder, env=place.environment, capture_output=True).returncode
            problem = run(place, command, name, usual[command])
            if problem:
                problems.append(f"{command}, {name}: {problem}")
                print(problems[-1], flush=True)
    print(f"{len(chosen)} runs of {len(usual)} commands under {len({name for _, name in chosen})} limits, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
