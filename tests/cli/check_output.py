#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_output.py AACO: what is printed arrives, or is missed: on a full disk the exit code is 6, and a reader that has
seen enough ends the program without a word, whatever the parent left set for SIGPIPE."""
import os
import signal
import subprocess
import sys

COMMANDS = (["completion", "bash"], ["doctor"], ["doctor", "--json"], ["--help"], ["run", "--help"])


def full_disk(aaco, command):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([aaco, *command], stdout=full, stderr=subprocess.PIPE, text=True)
    if done.returncode != 6 or not done.stderr.startswith("aaco: cannot write standard output: No space left on device\nhint: "):
        yield f"{command} > /dev/full: exit code {done.returncode}, {done.stderr}"


def closed_pipe(aaco, command, ignored):
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.Popen([aaco, *command], stdout=writer, stderr=subprocess.PIPE, restore_signals=False,
                               preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN if ignored else signal.SIG_DFL))
    os.close(writer)
    errors = process.stderr.read()
    if process.wait() != -signal.SIGPIPE or errors:
        yield f"{command} | true: exit code {process.returncode}, {errors}"


def main(aaco):
    problems = [problem for command in COMMANDS for check in
                (full_disk(aaco, command), closed_pipe(aaco, command, True), closed_pipe(aaco, command, False)) for problem in check]
    print("\n".join(problems) or f"{3 * len(COMMANDS)} outputs that did not arrive, all told apart")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
