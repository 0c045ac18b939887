#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_rights.py TEST_OBSERVE

Which source the kernel plane takes with which rights: capabilities one by one, system calls that a filter refuses, a kernel
that hides its types. Needs root, which it gives up in each case.
"""
import ctypes
import os
import pathlib
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import skipping  # noqa: E402

BPF, PERF_EVENT_OPEN = 321, 298  # of x86-64
EPERM, ENOSYS = 1, 38


def refuse(calls, error):
    """A seccomp filter under which these system calls return `error`."""
    load, equal, give = 0x20, 0x15, 0x06
    program = [(load, 0, 0, 0)]  # the number of the call
    for i, call in enumerate(calls):
        program.append((equal, len(calls) - i, 0, call))
    program += [(give, 0, 0, 0x7FFF0000), (give, 0, 0, 0x00050000 | error)]
    code = b"".join(struct.pack("HBBI", *line) for line in program)
    buffer = ctypes.create_string_buffer(code)
    libc = ctypes.CDLL(None, use_errno=True)

    def apply():
        filters = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program), ctypes.addressof(buffer)))
        if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, filters, 0, 0) != 0:
            os._exit(99)

    return apply


def source(test, before=(), limit=None):
    done = subprocess.run([*before, test, "--gtest_filter=KernelLadder.the_best_source_that_is_allowed_is_taken"],
                          capture_output=True, text=True, timeout=120, preexec_fn=limit)
    if done.returncode == 127 and "apply capabilities" in done.stderr:
        return None  # root itself lacks it here
    lines = [line for line in done.stdout.splitlines() if line.startswith("source: ")]
    if done.returncode != 0 or len(lines) != 1:
        sys.exit(f"{before}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-1000:]}")
    return lines[0].removeprefix("source: ")


def with_capabilities(names):
    set_of = "-all" + "".join(f",+{name}" for name in names)
    return ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", f"--inh-caps={set_of}", f"--ambient-caps={set_of}",
            f"--bounding-set={set_of}"]


def main():
    test = sys.argv[1]
    if os.geteuid() != 0 or shutil.which("setpriv") is None or shutil.which("unshare") is None:
        skipping.skip("needs root, setpriv and unshare")
    if not source(test).startswith("ebpf"):
        skipping.skip("no eBPF here, even as root")
    failures = []

    def expect(title, said, name, *words):
        good = said.split(";")[0] == name and all(word in said for word in words)
        print(f"{'good' if good else 'BAD '} {title}: {said}")
        if not good:
            failures.append(title)

    rights = "cap_bpf,cap_perfmon"
    expect("no capability", source(test, with_capabilities([])), "perf_event_open", rights)
    for name in ("bpf", "perfmon", "sys_ptrace", "sys_resource", "dac_read_search", "syslog", "checkpoint_restore", "ipc_lock"):
        said = source(test, with_capabilities([name]))
        if said is None:
            print(f"none CAP_{name.upper()} alone: root lacks it here")
        else:
            expect(f"CAP_{name.upper()} alone", said, "perf_event_open", rights)
    expect("CAP_BPF and CAP_PERFMON", source(test, with_capabilities(["bpf", "perfmon"])), "ebpf")
    for error, title in ((EPERM, "EPERM"), (ENOSYS, "ENOSYS")):
        expect(f"bpf() gives {title}", source(test, limit=refuse([BPF], error)), "perf_event_open", rights)
        expect(f"bpf() and perf_event_open() give {title}", source(test, limit=refuse([BPF, PERF_EVENT_OPEN], error)), "procfs",
               rights, "perf_event_open is not allowed")
    hide = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /sys/kernel/btf && exec "$@"', "sh"]
    expect("no types of the kernel", source(test, hide), "perf_event_open", "CONFIG_DEBUG_INFO_BTF")
    apart = ["unshare", "--pid", "--fork", "--mount-proc"]
    expect("a PID namespace of its own", source(test, apart), "ebpf")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
