// SPDX-License-Identifier: MIT
#include "ingest/kineto/kineto.h"
#include "ingest/nvidia/ncu_csv.h"
#include "ingest/nvidia/nsys_stats_csv.h"
#include "ingest/ort_profile.h"
#include "ingest/perfetto/perfetto.h"
#include "ingest/rocprof/rocprof_compute_csv.h"
#include "ingest/rocprof/rocprof_csv.h"
#include "ingest/rocprof/rocprof_json.h"
#include "ingest/rocprof/rocprofv3_csv.h"
#include "ingest/rocprof/rocprofv3_json.h"
#include "ingest/sqlite/database/database.h"
#include "ingest/sqlite/sqlite_trace.h"
#include "ingest/telemetry/amd_smi.h"
#include "ingest/telemetry/nvidia_smi.h"
#include "ingest/telemetry/smi_csv.h"
#include "ingest/telemetry/telemetry_csv.h"
#include "ingest/trace_format.h"

namespace aaco {

namespace {

Result<void> read_chrome_json(const TraceInput& input, EventTable& into) {
  return read_kineto(input.bytes, input.name, input.recording, into);
}

// In the order in which they are tried.
constexpr TraceFormat kFormats[] = {
    {"sqlite", "SQLite databases of Nsight Systems, rocpd, rpd, rocprof and rocprof-compute, plain, gzip or zstd",
     is_sqlite, read_sqlite_trace},
    {"rocprofv3-json", "rocprofv3's results.json", is_rocprofv3_json,
     [](const TraceInput& input, EventTable& into) { return read_rocprofv3_json(input, into); }},
    {"rocprof-json", "the first rocprof's results.json", is_rocprof_json, read_rocprof_json},
    {"amd-smi", "what rocm-smi --json or amd-smi --json printed", is_amd_smi, read_amd_smi},
    {"nvidia-smi", "what nvidia-smi -q -x printed", is_nvidia_smi, read_nvidia_smi},
    {"onnxruntime", "ONNX Runtime's profile (JSON), plain, gzip or zstd", is_ort_profile, read_chrome_json},
    {"kineto", "PyTorch profiler (Kineto) or any other trace in Chrome's JSON format, plain, gzip or zstd", is_kineto,
     read_chrome_json},
    {"rocprofv3-csv", "rocprofv3 CSV", is_rocprofv3_csv, read_rocprofv3_csv, rocprofv3_recording},
    {"rocprof-compute-csv", "rocprof-compute or omniperf CSV", is_rocprof_compute_csv, read_rocprof_compute_csv,
     rocprof_compute_recording, "rocprof"},
    {"rocprof-csv", "rocprof (v1) CSV", is_rocprof_csv, read_rocprof_csv, rocprof_recording, "rocprof"},
    {"ncu-csv", "Nsight Compute CSV (raw or details page)", is_ncu_csv, read_ncu_csv},
    {"nsys-stats-csv", "nsys stats CSV", is_nsys_stats_csv, read_nsys_stats_csv, nsys_stats_recording},
    {"nvidia-smi-csv", "nvidia-smi query CSV", is_nvidia_smi_csv, read_nvidia_smi_csv},
    {"rocm-smi-csv", "tables of rocm-smi samples (CSV)", is_rocm_smi_csv, read_rocm_smi_csv},
    {"amd-smi-csv", "what rocm-smi --csv or amd-smi --csv printed", is_smi_csv, read_smi_csv},
    {"perfetto", "Perfetto's protobuf traces (.pftrace)", is_perfetto,
     [](const TraceInput& input, EventTable& into) { return read_perfetto(input, into); }},
};

}  // namespace

std::span<const TraceFormat> all_trace_formats() { return kFormats; }

}  // namespace aaco
