#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes fuzz/corpus/fuzz_sqlite_traces: a small database of each format, with small pages, and two of nobody known."""
import pathlib
import sqlite3

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus" / "fuzz_sqlite_traces"
THREAD = (1 << 48) | (42 << 24) | 43

NSYS = f"""
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1, 'k'), (2, 'cudaLaunchKernel'), (3, 'worker');
CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1, 'HTOD', 'Host-to-Device');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, correlationId INT, globalPid INT,
  demangledName INT, gridX INT);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 20, 0, 7, 1, {THREAD - 43}, 1, 64), (30, 35, 0, 7, 2, 5, 9, 64);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, streamId INT, globalPid INT, bytes INT, copyKind INT);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (40, 50, 0, 7, 5, 4096, 1);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT, nameId INT);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 9, {THREAD}, 1, 2);
CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, textId INT, globalTid INT);
INSERT INTO NVTX_EVENTS VALUES (1, 9, 59, 'step', NULL, {THREAD}), (2, NULL, 59, NULL, 3, {THREAD}), (3, NULL, 34, 'm', NULL, 0);
CREATE TABLE ThreadNames (nameId INT, globalTid INT);
INSERT INTO ThreadNames VALUES (3, {THREAD});
CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT);
INSERT INTO TARGET_INFO_GPU VALUES (0, 'device');
CREATE TABLE SCHED_EVENTS (start INT);
INSERT INTO SCHED_EVENTS VALUES (1);
"""

RPD = """
CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT);
INSERT INTO rocpd_string VALUES (1, ''), (2, 'hipLaunchKernel'), (3, 'k'), (4, 'KernelExecution'), (5, 'UserMarker');
CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INT, tid INT, start INT, end INT, apiName_id INT, args_id INT);
INSERT INTO rocpd_api VALUES (9, 70, 71, 100, 110, 2, 1), (10, 70, 71, 90, 200, 5, 3);
CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INT, queueId INT, start INT, end INT, description_id INT, opType_id INT);
INSERT INTO rocpd_op VALUES (1, 2, 0, 120, 150, 3, 4), (2, 2, 0, 150, 140, 1, 4);
CREATE TABLE rocpd_api_ops (id INTEGER PRIMARY KEY, api_id INT, op_id INT);
INSERT INTO rocpd_api_ops VALUES (1, 9, 2), (2, 9, 1), (3, 9, 1);
CREATE TABLE rocpd_monitor (id INTEGER PRIMARY KEY, deviceId INT, monitorType TEXT, start INT, end INT, value TEXT);
INSERT INTO rocpd_monitor VALUES (1, 4, 'sclk', 130, 140, '134');
"""

ROCPD = """
CREATE TABLE rocpd_event_1 (id INTEGER PRIMARY KEY, category_id INT, stack_id INT, correlation_id INT);
INSERT INTO rocpd_event_1 VALUES (1, 1, 31, 0), (2, 1, 31, 0);
CREATE TABLE rocpd_string_1 (id INTEGER PRIMARY KEY, string TEXT);
INSERT INTO rocpd_string_1 VALUES (1, 'HIP_RUNTIME_API');
CREATE TABLE rocpd_info_agent_1 (id INTEGER PRIMARY KEY, type TEXT);
INSERT INTO rocpd_info_agent_1 VALUES (2, 'GPU');
CREATE TABLE rocpd_info_kernel_symbol_1 (id INTEGER PRIMARY KEY, kernel_name TEXT, display_name TEXT);
INSERT INTO rocpd_info_kernel_symbol_1 VALUES (8, 'k.kd', 'k');
CREATE TABLE rocpd_track_1 (id INTEGER PRIMARY KEY, agent_id INT, stream_id INT);
INSERT INTO rocpd_track_1 VALUES (1, 2, 6);
CREATE TABLE rocpd_timestamp_1 (id INTEGER PRIMARY KEY, value INT);
INSERT INTO rocpd_timestamp_1 VALUES (1, 100), (2, 120);
CREATE TABLE rocpd_kernel_dispatch_1 (id INTEGER PRIMARY KEY, track_id INT, kernel_id INT, start_id INT, end_id INT, event_id INT);
INSERT INTO rocpd_kernel_dispatch_1 VALUES (1, 1, 8, 1, 2, 2);
CREATE TABLE rocpd_memory_copy_1 (id INTEGER PRIMARY KEY, start INT, end INT, dst_agent_id INT, src_agent_id INT);
INSERT INTO rocpd_memory_copy_1 VALUES (1, 200, 210, 2, 0);
CREATE TABLE rocpd_arg_1 (id INTEGER PRIMARY KEY, event_id INT, name TEXT, value TEXT);
INSERT INTO rocpd_arg_1 VALUES (1, 2, 'stream', '0x0'), (2, 7, 'lost', '1');
"""

ROCPROF = """
CREATE TABLE HIP (BeginNs INT, EndNs INT, pid INT, tid INT, Name TEXT, "Index" INT, DurationNs INT);
INSERT INTO HIP VALUES (10, 20, 517, 518, 'hipLaunchKernel', 117, 10);
CREATE TABLE OPS (BeginNs INT, EndNs INT, "dev-id" INT, Name TEXT, "stream-id" INT, "Index" INT, DurationNs INT);
INSERT INTO OPS VALUES (30, 45, 2, 'k', 1, 117, 15);
CREATE TABLE KERN ("Index" INT, KernelName TEXT);
INSERT INTO KERN VALUES (0, 'k');
"""

COMPUTE = """
CREATE TABLE compute_workload (workload_id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO compute_workload VALUES (1, 'pi');
CREATE TABLE compute_kernel (kernel_uuid INTEGER PRIMARY KEY, kernel_name TEXT);
INSERT INTO compute_kernel VALUES (4, 'k');
CREATE TABLE compute_dispatch (kernel_uuid INT, gpu_id INT, start_timestamp INT, end_timestamp INT);
INSERT INTO compute_dispatch VALUES (4, 0, 500, 740);
CREATE TABLE compute_metric_definition (metric_uuid INTEGER PRIMARY KEY, name TEXT, metric_id TEXT);
INSERT INTO compute_metric_definition VALUES (9, 'VALU', '2.1.0');
CREATE TABLE compute_kernel_metric_value (metric_uuid INT, kernel_uuid INT, value_name TEXT, value FLOAT);
INSERT INTO compute_kernel_metric_value VALUES (9, 4, 'Avg', 12.5), (9, 4, 'Peak', NULL);
"""

HOSTILE = """
CREATE VIEW StringIds AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id FROM n) SELECT id, 'x' AS value FROM n;
CREATE TABLE KERN (KernelName TEXT, BeginNs INT, EndNs TEXT, cost AS (hex(zeroblob(1000))), PRIMARY KEY (KernelName)) WITHOUT ROWID;
INSERT INTO KERN VALUES ('k', 'soon', x'00ff');
"""


def main():
    CORPUS.mkdir(parents=True, exist_ok=True)
    databases = dict(nsys=NSYS, rpd=RPD, rocpd=ROCPD, rocprof=ROCPROF, compute=COMPUTE, hostile=HOSTILE, nobody="CREATE TABLE t (a INT);")
    for name, sql in databases.items():
        path = CORPUS / f"{name}.db"
        path.unlink(missing_ok=True)
        with sqlite3.connect(path) as connection:
            connection.executescript("PRAGMA page_size=512;" + sql)
        print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
