// SPDX-License-Identifier: MIT
// Where things lie in a session bundle: sessions/<date>/<session_id>/..., and sessions/latest.
#pragma once

#include <string>

namespace aaco::layout {

inline constexpr int kSchemaVersion = 1;

inline constexpr const char* kSession = "session.json";
inline constexpr const char* kEnvironment = "env.json";
inline constexpr const char* kModelMeta = "model/model_meta.json";
inline constexpr const char* kGraphNodes = "model/graph_nodes.parquet";
inline constexpr const char* kGraphEdges = "model/graph_edges.parquet";
inline constexpr const char* kRuntimeConfig = "runtime/ort_config.json";
inline constexpr const char* kPartition = "runtime/partition.json";
inline constexpr const char* kMigraphxPartition = "runtime/migraphx_partition.json";
inline constexpr const char* kSystemEvents = "telemetry/system_events.parquet";
inline constexpr const char* kHostSampler = "telemetry/sampler.json";
inline constexpr const char* kGpuSampler = "telemetry/gpu_sampler.json";
inline constexpr const char* kKernelReader = "telemetry/kernel_reader.json";
inline constexpr const char* kCollectorPlanes = "telemetry/planes.json";
inline constexpr const char* kProfilerRaw = "profiler/ort_raw";
// What `--with TOOL` ran: one file about it, and a folder named as the tool with what it wrote.
inline constexpr const char* kToolOutput = "profiler";
inline constexpr const char* kTool = "profiler/tool.json";
// Of a training's --profile: one step with its phases, as tables of a trace, and as a file for viewers.
inline constexpr const char* kStep = "profiler/step";
inline constexpr const char* kStepFile = "report/step.json";
inline constexpr const char* kKernels = "profiler/kernels.parquet";
inline constexpr const char* kKernelGroups = "attribution/kernel_groups.parquet";
inline constexpr const char* kOpKernelMap = "attribution/op_to_kernel_map.parquet";
inline constexpr const char* kHostIterations = "attribution/host_iterations.parquet";
inline constexpr const char* kIterations = "metrics/inference_iters.parquet";
inline constexpr const char* kSummary = "metrics/inference_summary.json";
inline constexpr const char* kDerivedMetrics = "metrics/derived_metrics.json";
inline constexpr const char* kBottleneck = "metrics/bottleneck.json";
inline constexpr const char* kSweep = "metrics/sweep.json";
inline constexpr const char* kQueue = "metrics/queue.json";
inline constexpr const char* kQueuePoints = "metrics/queue_points.parquet";
inline constexpr const char* kQueueProbe = "metrics/queue_probe.json";
inline constexpr const char* kTraining = "metrics/training.json";
inline constexpr const char* kOverlap = "metrics/overlap.json";
inline constexpr const char* kObservation = "metrics/observation.json";
inline constexpr const char* kOffenders = "metrics/offenders.json";
inline constexpr const char* kTrace = "trace";
inline constexpr const char* kTraceRecordings = "trace/recordings.parquet";
inline constexpr const char* kTraceTracks = "trace/tracks.parquet";
inline constexpr const char* kTraceEvents = "trace/events.parquet";
inline constexpr const char* kTraceArguments = "trace/arguments.parquet";
inline constexpr const char* kTraceMetadata = "trace/metadata.parquet";
inline constexpr const char* kTraceLosses = "trace/losses.parquet";
inline constexpr const char* kTraceFiles = "trace/files.json";
inline constexpr const char* kTraceShard = "trace/shard.json";
// What `aaco trace report` says of an imported trace, as tables (analysis/timeline/tables).
inline constexpr const char* kAnalyses = "analysis";
inline std::string analysis_table(const std::string& name) { return std::string(kAnalyses) + "/" + name + ".parquet"; }
// And the plane of session.json that says whether they are there.
inline constexpr const char* kAnalysisPlane = "analysis";
inline constexpr const char* kDiff = "regress/diff.json";
inline constexpr const char* kBaselineRef = "regress/baseline_ref.json";
inline constexpr const char* kVerdict = "regress/verdict.json";
inline constexpr const char* kReport = "report/report.html";
inline constexpr const char* kJournals = "journal";
inline constexpr const char* kManifest = "manifest.json";

// Beside the date folders: a link to the session that was closed last.
inline constexpr const char* kLatest = "latest";

}  // namespace aaco::layout
