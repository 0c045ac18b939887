// SPDX-License-Identifier: MIT
#include "kind/model_run/bundle_content.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <set>

#include "analysis/bundle_json.h"
#include "analysis/host/host_iteration.h"
#include "analysis/model_run/link/device_work.h"
#include "base/files/file.h"
#include "base/json/json.h"
#include "ingest/ort_profile.h"
#include "kind/model_run/worker/profiler_calibration.h"
#include "observe/environment.h"
#include "observe/host_files.h"
#include "record/journal/event_journal.h"
#include "record/journal/journal_rows.h"
#include "session/bundle/layout.h"
#include "session/collected_tables.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

Result<void> collect_iterations(const fs::path& folder, const StartedProcess& started, Recording& recording,
                                std::vector<std::string>& warnings) {
  const fs::path journal = folder / iteration_journal_name(started.process);
  std::error_code error;
  if (!fs::exists(journal, error)) {
    return {};
  }
  bool torn = false;
  AACO_ASSIGN(const auto rows, read_iteration_journal(journal, started.process, &torn));
  recording.iterations.insert(recording.iterations.end(), rows.begin(), rows.end());
  if (torn) {
    warnings.push_back(fmt::format("process {}: its journal ends in a torn row", started.process));
  }
  return {};
}

// What the device did in a profiled process, each row with the node that launched it.
Result<std::vector<KernelRow>> collect_device_work(const StartedProcess& started, const std::vector<KernelRow>& nodes,
                                                   const Recording& recording, std::vector<std::string>& warnings) {
  if (started.result->device_journal.empty()) {
    return std::vector<KernelRow>();
  }
  bool torn = false;
  AACO_ASSIGN(const EventTable events, read_event_journal(started.result->device_journal, &torn));
  if (torn) {
    warnings.push_back(fmt::format("process {}: the journal of its device ends in a torn record", started.process));
  }
  for (const LossTable::Entry& loss : events.losses.entries()) {
    warnings.push_back(fmt::format("process {}: {} of the device's records: {}", started.process, loss.count,
                                   loss_info(loss.loss).name));
  }
  std::vector<IterationRow> iterations;
  std::ranges::copy_if(recording.iterations, std::back_inserter(iterations),
                       [&](const IterationRow& row) { return row.process == started.process; });
  return device_work(events, {started.process, nodes, iterations, started.result->profile_clock_error_ns});
}

// The prompts' runs, of other shapes, are in no figure of a node.
void keep_decode_steps(int64_t process, const std::vector<IterationRow>& iterations, std::vector<KernelRow>& kernels) {
  std::set<int64_t> steps;
  for (const IterationRow& row : iterations) {
    if (row.process == process && row.phase == IterationPhase::kProfile) {
      steps.insert(row.iter_idx);
    }
  }
  std::erase_if(kernels, [&](const KernelRow& row) { return !steps.contains(row.iter_idx); });
}

Result<void> collect_profile(const StartedProcess& started, Recording& recording, std::vector<ProfilerCost>& costs,
                             std::vector<std::string>& warnings) {
  if (started.role != role::kProfile || !started.result || !started.result->profiler_cost) {
    return {};
  }
  OrtProfileOptions options;
  options.process = started.process;
  options.time_zero_ns = started.result->profile_zero_ns;
  options.skip_runs = started.result->profile_skip_runs;
  options.activity =
      recording.facts.device_kind == DeviceKind::kGpu ? NodeActivity::kHostEnqueue : NodeActivity::kHostKernel;
  AACO_ASSIGN(OrtProfile profile, read_ort_profile(started.result->profile_file, options));
  ProfilerCost cost = *started.result->profiler_cost;
  if (profile.runs != started.result->iterations) {
    cost.event_limit_hit = true;
    warnings.push_back(fmt::format("process {}: the profile holds {} of {} iterations", started.process, profile.runs,
                                   started.result->iterations));
  }
  cost.events_lost = profile.events_lost;
  for (const std::string& loss : profile.losses) {
    warnings.push_back(loss);
  }
  if (recording.facts.prompt_tokens > 0) {
    keep_decode_steps(started.process, recording.iterations, profile.kernels);
  }
  AACO_ASSIGN(std::vector<KernelRow> device, collect_device_work(started, profile.kernels, recording, warnings));
  recording.kernels.insert(recording.kernels.end(), std::make_move_iterator(profile.kernels.begin()),
                           std::make_move_iterator(profile.kernels.end()));
  recording.kernels.insert(recording.kernels.end(), std::make_move_iterator(device.begin()),
                           std::make_move_iterator(device.end()));
  costs.push_back(cost);
  return {};
}

Result<void> move_raw_profile(SessionWriter& session, const StartedProcess& started) {
  if (started.role != role::kProfile || !started.result) {
    return {};
  }
  const fs::path raw = session.path() / layout::kProfilerRaw;
  AACO_TRY(make_folders(raw));
  AACO_TRY(gzip_file(started.result->profile_file, raw / fmt::format("process_{}.json.gz", started.process)));
  return session.note_file(layout::kProfilerRaw);
}

}  // namespace

Result<Recording> collect_recording(const fs::path& folder, const std::vector<StartedProcess>& processes,
                                    const Inspection& inspection, RunFacts facts, std::vector<std::string>& warnings) {
  Recording recording;
  recording.facts = std::move(facts);
  std::vector<ProfilerCost> costs;
  for (const StartedProcess& started : processes) {
    AACO_TRY(collect_iterations(folder, started, recording, warnings));
    AACO_TRY(collect_profile(started, recording, costs, warnings));
    if (started.result) {
      recording.facts.process_facts.push_back(started.result->facts);
      recording.facts.outputs_finite = recording.facts.outputs_finite && started.result->outputs_finite;
    }
  }
  recording.facts.profiler_cost = over_processes(costs);
  AACO_TRY(read_collected_journals(folder.parent_path(), recording.collected, warnings));
  recording.nodes = inspection.original.nodes;
  recording.nodes.insert(recording.nodes.end(), inspection.optimized.nodes.begin(), inspection.optimized.nodes.end());
  recording.edges = inspection.original.edges;
  recording.edges.insert(recording.edges.end(), inspection.optimized.edges.begin(), inspection.optimized.edges.end());
  return recording;
}

std::optional<PlaneState> device_activity_state(const std::vector<StartedProcess>& processes) {
  for (const StartedProcess& started : processes) {
    if (started.result && !started.result->device_journal_missing.empty()) {
      return PlaneState{PlaneStatus::kUnavailable, started.result->device_journal_missing};
    }
  }
  const bool recorded = std::ranges::any_of(processes, [](const StartedProcess& started) {
    return started.result && !started.result->device_journal.empty();
  });
  return recorded ? std::optional(PlaneState{PlaneStatus::kRecorded, ""}) : std::nullopt;
}

Result<void> write_model_files(SessionWriter& session, const ResolvedRun& run, const Inspection& inspection,
                               const WorkRecord& work) {
  EnvironmentOptions environment;
  environment.model_path = run.plan.model;
  environment.model_sha256 = run.model_file.sha256;
  environment.libraries["onnxruntime"] = inspection.result.runtime_version;
  if (const auto library = hash_file(inspection.result.runtime_library)) {
    environment.libraries["onnxruntime_sha256"] = library->sha256;
  }
  environment.run["pin"] = run.pin.empty() ? "not pinned" : format_processor_list(run.pin);
  AACO_TRY(session.write_json_file(layout::kEnvironment, capture_environment(environment)));
  AACO_TRY(session.write_json_file(layout::kModelMeta, model_meta_json(inspection.original)));
  std::vector<GraphNodeRow> nodes = inspection.original.nodes;
  nodes.insert(nodes.end(), inspection.optimized.nodes.begin(), inspection.optimized.nodes.end());
  AACO_TRY(session.write_rows<GraphNodeRow>(layout::kGraphNodes, nodes));
  std::vector<GraphEdgeRow> edges = inspection.original.edges;
  edges.insert(edges.end(), inspection.optimized.edges.begin(), inspection.optimized.edges.end());
  AACO_TRY(session.write_rows<GraphEdgeRow>(layout::kGraphEdges, edges));
  Json config;
  config["runtime_version"] = inspection.result.runtime_version;
  config["provider"] = run.provider->provider;
  config["provider_options"] = run.plan.provider_options;
  config["session_entries"] = run.plan.session_entries;
  config["custom_ops"] = run.plan.custom_ops;
  config["graph_optimization_level"] = "all";
  config["intra_op_threads"] = inspection.result.intra_op_threads;
  config["inter_op_threads"] = run.plan.inter_op_threads;
  config["io_binding"] = inspection.result.bound_on_device ? "device" : "host";
  config["precision_executed"] = inspection.precision_executed;
  config["inputs"] = inspection.result.inputs;
  config["outputs"] = inspection.result.outputs;
  config["work"] = work.facts;
  config["warnings"] = inspection.warnings;
  AACO_TRY(session.write_json_file(layout::kRuntimeConfig, config));
  AACO_TRY(session.write_json_file(layout::kPartition, inspection.partition));
  if (run.plan.backend == "migraphx") {
    AACO_TRY(session.write_json_file(layout::kMigraphxPartition, inspection.partition));
  }
  return {};
}

Result<void> write_results(SessionWriter& session, const Recording& recording, const Analysis& analysis,
                           const std::vector<StartedProcess>& processes) {
  AACO_TRY(session.write_rows<IterationRow>(layout::kIterations, recording.iterations));
  AACO_TRY(write_collected_tables(session, recording.collected));
  if (!recording.kernels.empty()) {
    AACO_TRY(session.write_rows<KernelRow>(layout::kKernels, recording.kernels));
  }
  for (const StartedProcess& started : processes) {
    AACO_TRY(move_raw_profile(session, started));
  }
  return write_analysis(session, recording, analysis);
}

Result<void> write_analysis(SessionWriter& session, const Recording& recording, const Analysis& analysis) {
  if (!recording.kernels.empty()) {
    AACO_TRY(session.write_rows<OpKernelRow>(layout::kOpKernelMap, analysis.ops));
    AACO_TRY(session.write_rows<KernelGroupRow>(layout::kKernelGroups, analysis.groups));
  }
  if (const std::vector<HostIterationRow> rows = host_iterations(recording); !rows.empty()) {
    AACO_TRY(session.write_rows<HostIterationRow>(layout::kHostIterations, rows));
  }
  AACO_TRY(session.write_json_file(layout::kSummary, inference_summary_json(analysis, recording.facts)));
  AACO_TRY(session.write_json_file(layout::kDerivedMetrics, derived_metrics_json(analysis)));
  AACO_TRY(session.write_json_file(layout::kBottleneck, bottleneck_json(analysis)));
  return session.write_json_file(layout::kOffenders, offenders_json(analysis));
}

}  // namespace aaco
