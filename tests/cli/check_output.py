#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_output.py AACO: what is printed arrives, or is missed: on a full disk the exit code is 6, and a reader that has
seen enough ends the program without a word, whatever the parent left set for SIGPIPE; and an error's exit code is the
right one where stderr is full or closed, and no file that is opened takes the place of a closed descriptor."""
import os
import signal
import subprocess
import sys
import tempfile

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


def errors_nobody_reads(aaco):
    with tempfile.TemporaryDirectory() as folder, open("/dev/full", "wb") as full:
        missing = os.path.join(folder, "missing.json")
        trace = os.path.join(folder, "trace.json")
        with open(trace, "w") as file:
            file.write('{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 2}]}')
        for how in ({"stderr": full}, {"preexec_fn": lambda: os.close(2)}):
            done = subprocess.run([aaco, "trace", "report", missing], stdout=subprocess.DEVNULL, **how)
            if done.returncode != 2:
                yield f"trace report of a missing file with {how}: exit code {done.returncode}"
        for descriptor, expected in ((0, 0), (1, 6), (2, 0)):
            kept = {} if descriptor == 1 else {"stdout": subprocess.DEVNULL}
            done = subprocess.run([aaco, "trace", "report", trace], preexec_fn=lambda: os.close(descriptor), **kept)
            if done.returncode != expected:
                yield f"trace report with descriptor {descriptor} closed: exit code {done.returncode}"


def main(aaco):
    problems = [problem for command in COMMANDS for check in
                (full_disk(aaco, command), closed_pipe(aaco, command, True), closed_pipe(aaco, command, False)) for problem in check]
    problems += errors_nobody_reads(aaco)
    print("\n".join(problems) or f"{3 * len(COMMANDS) + 5} outputs that did not arrive, all told apart")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
