#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stands in for rocprofv3, rocprof-sys-run, rocprof-compute, nsys or ncu, by the name it is called as: answers --version, runs what it is given, and writes
what the tool would write of two kernels, in the tool's own columns. STAND_IN says how it goes wrong: old, mute (names no
version), fails, kills (the process is not run to its end), nothing, junk, no-export, waits."""
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import time

NAME = pathlib.Path(sys.argv[0]).name
MODE = os.environ.get("STAND_IN", "")
VERSIONS = {
    "rocprofv3": ["       version: {}", "  git_revision: 0123456789", "  library_arch: x86_64-linux-gnu"],
    "rocprof-sys-run": ["rocprof-sys-run v{} (rev: 0123456789, x86_64-linux-gnu)"],
    "rocprof-compute": ["-" * 40, "rocprofiler-compute version: {} (release)", "Git revision:     0123456", "-" * 40],
    "nsys": ["NVIDIA Nsight Systems version {}.225-246235244400v0"],
    "ncu": ["NVIDIA (R) Nsight Compute Command Line Profiler", "Copyright (c) 2018-2024 NVIDIA Corporation", "Version {}.0 (build 34861637)"],
}
NUMBERS = {"rocprofv3": ("1.0.0", "0.4.0"), "rocprof-sys-run": ("1.1.0", "0.0.9"), "rocprof-compute": ("3.2.0", "2.0.1"), "nsys": ("2024.6.2", "2021.3.1"), "ncu": ("2024.3.2", "2019.5.0")}

ROCPROF_KERNELS = """"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"
"KERNEL_DISPATCH","Agent 4",1,1,834,1,10,"fill(float*, int)",1,1000,1250,0,0,8,4,16,256,1,1,1024,1,1
"KERNEL_DISPATCH","Agent 4",2,2,834,2,11,"axpy(float*, int)",2,1300,1900,0,0,8,4,16,256,1,1,1024,1,1
"""
ROCPROF_CALLS = """"Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp","End_Timestamp"
"HIP_RUNTIME_API","hipLaunchKernel",830,834,1,900,950
"HIP_RUNTIME_API","hipLaunchKernel",830,834,2,960,980
"""
ROCPROF_MARKERS = """"Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp","End_Timestamp"
"MARKER_CORE_API","forward",830,834,3,880,990
"""
PMC_PERF = """Dispatch_ID,GPU_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,Wave_Size,Kernel_Name,Start_Timestamp,End_Timestamp,SQ_WAVES,GRBM_GUI_ACTIVE
0,4,1024,256,0,0,8,4,16,64,"fill(float*, int) [clone .kd]",1000,1250,16,500
1,4,1024,256,0,0,8,4,16,64,"axpy(float*, int) [clone .kd]",1300,1900,16,1200
"""
SYSINFO = "workload_name,command,timestamp,version,gpu_model,gpu_arch,cu_per_gpu\naaco,aaco worker,now,3,MI300X_A1,gfx942,304\n"
NSYS = """CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1, 'fill(float *, int)'), (2, 'axpy(float *, int)');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER,
  correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, gridX INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 1250, 0, 7, 1, 281475681320960, 1, 1, 4), (1300, 1900, 0, 13, 2, 281475681320960, 2, 2, 4);
"""
NCU = """==PROF== Connected to process 1896 (/usr/bin/aaco)
==PROF== Disconnected from process 1896
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","dram__bytes.sum","gpu__time_duration.sum"
"","","","","","","","","","","","Mbyte","us"
"0","1896","aaco","127.0.0.1","fill(float *, int)","1","7","(256, 1, 1)","(4, 1, 1)","0","9.0","1.5","3.25"
"1","1896","aaco","127.0.0.1","axpy(float *, int)","1","13","(256, 1, 1)","(4, 1, 1)","0","9.0","3.0","4.5"
"""


def varint(value):
    out = b""
    while value >= 0x80:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def perfetto():
    """What rocprof-sys writes of two kernels, as Perfetto's messages."""
    packets = [text(60, number(1, 70) + text(2, b"GPU [4] Queue [1]"))]
    for name, start, end in ((b"fill(float*, int)", 1000, 1250), (b"axpy(float*, int)", 1300, 1900)):
        packets.append(number(8, start) + text(11, number(9, 1) + number(11, 70) + text(23, name) + text(22, b"rocm_kernel_dispatch")))
        packets.append(number(8, end) + text(11, number(9, 2) + number(11, 70) + text(22, b"rocm_kernel_dispatch")))
    return b"".join(text(1, packet + number(10, 1)) for packet in packets)


def after(flag, arguments):
    """The value of a flag, written as two words or with an equals sign."""
    for i, argument in enumerate(arguments):
        if argument == flag:
            return arguments[i + 1]
        if argument.startswith(flag + "="):
            return argument.split("=", 1)[1]
    sys.exit(f"{NAME}: {flag} is missing in {arguments}")


def worker_of(arguments):
    """Where the tool's own flags end: at the program."""
    start = next(i for i, argument in enumerate(arguments) if argument.endswith("/aaco"))
    return arguments[start:]


def run(arguments):
    if "STAND_IN_PLAN" in os.environ:  # for the test: what the process is to do
        pathlib.Path(os.environ["STAND_IN_PLAN"]).write_bytes(pathlib.Path(worker_of(arguments)[2]).read_bytes())
    worker = subprocess.Popen(worker_of(arguments))
    signal.signal(signal.SIGTERM, lambda *_: (worker.terminate(), worker.wait(), sys.exit(143)))
    if MODE == "waits":
        pathlib.Path(os.environ["STAND_IN_READY"]).write_text("ready")
        time.sleep(60)
    if MODE == "kills":
        worker.kill()
        worker.wait()
        return 0
    if NAME == "rocprof-compute":  # which runs it once for each set of counters
        if worker.wait() != 0:
            return 1
        worker = subprocess.Popen(worker_of(arguments))
    return worker.wait()


def write(arguments):
    if NAME == "rocprofv3":
        folder = pathlib.Path(after("-d", arguments))
        prefix = after("-o", arguments)
        if after("--output-format", arguments) != "csv" or "--kernel-trace" not in arguments or "--marker-trace" not in arguments:
            sys.exit("rocprofv3: not the arguments that were meant")
        (folder / f"{prefix}_kernel_trace.csv").write_text("junk\n" if MODE == "junk" else ROCPROF_KERNELS)
        (folder / f"{prefix}_hip_api_trace.csv").write_text("junk\n" if MODE == "junk" else ROCPROF_CALLS)
        (folder / f"{prefix}_marker_api_trace.csv").write_text("junk\n" if MODE == "junk" else ROCPROF_MARKERS)
    elif NAME == "rocprof-sys-run":
        folder = pathlib.Path(after("--output", arguments))
        if os.environ.get("ROCPROFSYS_ROCM_DOMAINS") != "hip_runtime_api,marker_api,kernel_dispatch,memory_copy":
            sys.exit("rocprof-sys-run: not the domains that were meant")
        if os.environ.get("ROCPROFSYS_TIME_OUTPUT") != "OFF" or os.environ.get("ROCPROFSYS_OUTPUT_PATH") != str(folder) or "--trace" not in arguments:
            sys.exit("rocprof-sys-run: not the arguments that were meant")
        (folder / "perfetto-trace-834.proto").write_bytes(b"junk\n" if MODE == "junk" else perfetto())
        (folder / "wall_clock-834.txt").write_text("a table for people\n")
    elif NAME == "rocprof-compute":
        folder = pathlib.Path(after("--path", arguments))
        if arguments[0] != "profile" or after("--name", arguments) != "aaco" or "--no-roof" not in arguments:
            sys.exit("rocprof-compute: not the arguments that were meant")
        (folder / "pmc_perf.csv").write_text("junk\n" if MODE == "junk" else PMC_PERF)
        (folder / "sysinfo.csv").write_text("junk\n" if MODE == "junk" else SYSINFO)
    elif NAME == "nsys":
        if "cuda" not in after("--trace", arguments).split(","):
            sys.exit("nsys: not the arguments that were meant")
        pathlib.Path(after("--output", arguments) + ".nsys-rep").write_bytes(b"\x00report")
    else:
        if int(after("--launch-count", arguments)) > 1000 or after("--page", arguments) != "raw":
            sys.exit("ncu: not the arguments that were meant")
        pathlib.Path(after("--log-file", arguments)).write_text("junk\n" if MODE == "junk" else NCU)


def fail(arguments):
    if NAME == "ncu":  # which says so in its log
        pathlib.Path(after("--log-file", arguments)).write_text("==ERROR== ERR_NVGPUCTRPERM: no permission for counters\n")
    else:
        print(f"{NAME}: cannot open the device", file=sys.stderr)
    return 7


def export(arguments):
    if MODE == "no-export":
        print("nsys: the report is damaged", file=sys.stderr)
        return 1
    if after("--type", arguments) != "sqlite" or "--force-overwrite=true" not in arguments or not pathlib.Path(arguments[-1]).is_file():
        return 2
    database = sqlite3.connect(after("--output", arguments))
    if MODE != "junk":
        database.executescript(NSYS)
    database.close()
    return 0


def main(arguments):
    if arguments == ["--version"]:
        number = NUMBERS[NAME][1 if MODE == "old" else 0]
        print("\n".join(VERSIONS[NAME]).format("unknown" if MODE == "mute" else number))
        return 0
    if NAME == "nsys" and arguments[0] == "export":
        return export(arguments)
    if MODE == "fails":
        return fail(arguments)
    code = run(arguments)
    if code == 0 and MODE != "nothing":
        write(arguments)
    if code == 0 and MODE == "nothing" and NAME == "nsys":
        print("nsys: no data collected", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
