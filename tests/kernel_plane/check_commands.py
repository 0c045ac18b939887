#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_commands.py AACO: each command that measures takes --kernel-plane, and its session and page hold what the kernel did with the measured threads;
which source recorded is said, in observe's output too; a run that is killed keeps its spans, its stacks and its source."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import skipping  # noqa: E402

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
MEASURING = {"queue run": "queue run tiny_kernel_stress --device cpu:0 --streams 2 --processes 1 --iterations 30 --warmup 2 --no-check".split(),
             "llama run": "llama run --preset nano --device cpu:0 --num-steps 3 --warmup 1 --processes 1 --no-check --no-telemetry".split(),
             "overlap run": f"overlap run --config {REPOSITORY}/configs/overlap/llama_nano.yaml --device cpu:0,cpu:1 --no-check "
                            "--override training.max_steps=3".split()}
SLEEPS = ["sh", "-c", "for i in $(seq 300); do sleep 0.1; done"]
failures = []


def expect(holds, what):
    print(f"{'good' if holds else 'BAD '} {what}")
    if not holds:
        failures.append(what)


def call(aaco, folder, *words, source=""):
    done = subprocess.run([aaco, *words], cwd=folder, capture_output=True, text=True, timeout=300,
                          env={**os.environ, "AACO_CACHE": str(folder / "cache"), "AACO_KERNEL_PLANE": source})
    expect(done.returncode == 0, f"{' '.join(words[:3])} ... ends with exit code 0 {done.stderr[-500:]}")
    return done


def plane_of(folder, session="latest"):
    info = json.loads((folder / "sessions" / session / "session.json").read_text())
    return info["planes"].get("kernel_plane", {})


def sql(aaco, folder, query):
    return call(aaco, folder, "trace", "sql", "--session", "latest", query, "--csv").stdout.splitlines()[1:]


def check_measuring(aaco, folder):
    for name, words in MEASURING.items():
        call(aaco, folder, *words, "--kernel-plane", "--quiet")
        expect(plane_of(folder).get("reason", "").startswith("ebpf"), f"{name}: its plane names the source: {plane_of(folder)}")
        spans = sql(aaco, folder, "select count(distinct process_id) from off_cpu where reason <> ''")
        expect(spans and int(spans[0]) >= (2 if name == "overlap run" else 1), f"{name}: spans of each measured process: {spans}")
        page = next((folder / "sessions" / "latest").glob("**/report.html"), None)
        expect(page is not None and "Kernel: threads and processors" in page.read_text(), f"{name}: its page has the section")
    call(aaco, folder, *MEASURING["queue run"], "--quiet")
    expect(plane_of(folder) == {} and not (folder / "sessions" / "latest" / "telemetry").exists(), "without the flag nothing is recorded")


def check_fallbacks(aaco, folder):
    for source, unseen in (("perf_event_open", "who woke it"), ("procfs", "single spans")):
        shown = " ".join(call(aaco, folder, "observe", "--planes", "host,kernel", "--", "sleep", "0.2", source=source).stderr.split())
        expect(f"kernel_plane is recorded in part, by {source}; not seen: " in shown and unseen in shown, f"observe names {source} and what it does not see")


def check_killed(aaco, folder):
    """The observer is killed once a stack lies in its journal: they are written each second."""
    observer = subprocess.Popen([aaco, "observe", "--planes", "host,kernel", "--", *SLEEPS], cwd=folder, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, start_new_session=True, env={**os.environ, "AACO_KERNEL_PLANE": ""})
    stacks = []
    deadline = time.monotonic() + 60
    while not stacks and time.monotonic() < deadline and observer.poll() is None:
        stacks = [path for path in (folder / "sessions").glob("*/*/journal/stacks.kernel.jrn") if path.parent.parent.name not in KNOWN and b"sleep" in path.read_bytes()]
        time.sleep(0.05)
    os.killpg(observer.pid, signal.SIGKILL)
    observer.wait()
    expect(bool(stacks), "a stack is in the journal before the observer's end")
    if stacks:
        session = stacks[0].parent.parent
        plane = json.loads((session / "session.json").read_text())["planes"]["kernel_plane"]
        expect(plane["reason"].startswith("ebpf"), f"the session of a killed observer names the source: {plane}")
        call(aaco, folder, "observe", "--recover", str(session))
        plane = json.loads((session / "session.json").read_text())["planes"]["kernel_plane"]
        expect(plane["reason"].startswith("ebpf") and "losses are not known" in plane["reason"], f"and still where it was recovered: {plane}")
        named = call(aaco, folder, "trace", "sql", "--session", str(session), "select count(*) from off_cpu join stacks using (stack)", "--csv").stdout.split()
        expect(len(named) == 2 and int(named[1]) > 0, f"its spans have their stacks: {named}")


KNOWN = set()


def main():
    aaco = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        call(aaco, folder, "observe", "--planes", "kernel", "--", "true")
        if not plane_of(folder).get("reason", "").startswith("ebpf"):
            skipping.skip(f"no eBPF here: {plane_of(folder).get('reason')}")
        check_measuring(aaco, folder)
        check_fallbacks(aaco, folder)
        KNOWN.update(path.name for path in (folder / "sessions").glob("*/*"))
        check_killed(aaco, folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
