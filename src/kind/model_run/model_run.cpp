// SPDX-License-Identifier: MIT
#include "kind/model_run/model_run.h"

#include <cerrno>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <utility>

#include "analysis/model_run/profile/process_series.h"
#include "base/clock.h"
#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "base/format.h"
#include "base/json/json.h"
#include "base/statistics.h"
#include "engine/worker_role.h"
#include "kind/model_run/initial_facts.h"
#include "kind/model_run/load/run_load.h"
#include "kind/model_run/model_run_kind.h"
#include "kind/model_run/request/profile_budget.h"
#include "kind/model_run/roofs_on_need.h"
#include "kind/model_run/until/until_document.h"
#include "kind/model_run/worker/nonfinite.h"
#include "model/graph/denormal_weights.h"
#include "model/graph/onnx_skeleton.h"
#include "model/runtime/runtime_packages.h"
#include "record/journal/journal_rows.h"
#include "session/bundle/layout.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

Result<void> check_sessions_folder(const std::string& sessions) {
  AACO_TRY(make_folders(sessions));
  if (::access(sessions.c_str(), W_OK | X_OK) != 0) {
    return file_error(sessions, "write to", errno);
  }
  return {};
}

}  // namespace

Result<SessionStart> ModelRun::prepare() {
  progress_("preparing " + request_.model, 0);
  AACO_ASSIGN(tools_, find_vendor_tools(request_.with));
  AACO_ASSIGN(run_, resolve_run(request_));
  AACO_TRY(check_interrupt());
  AACO_TRY(check_sessions_folder(request_.sessions));
  AACO_TRY(inspect());
  AACO_TRY(check_interrupt());
  AACO_ASSIGN(work_, record_work(run_, inspection_));
  run_.notes.insert(run_.notes.end(), work_.notes.begin(), work_.notes.end());
  AACO_TRY(check_interrupt());
  RunFacts facts = initial_facts(request_, run_, inspection_);
  AACO_ASSIGN(const std::string roofs, add_roofs(facts, request_.measure_roofs, progress_));
  if (!roofs.empty()) {
    run_.notes.push_back(roofs);
  }
  AACO_TRY(check_interrupt());
  SessionStart start{request_.sessions, {}, request_.pin};
  start.info.kind = kModelRun.traits;
  start.info.command_line = request_.command_line;
  start.info.planes = planes_of(request_);
  start.info.facts = std::move(facts);
  start.info.facts.interleave_group = group_;
  start.kernel_plane = request_.kernel_plane;
  return start;
}

Result<void> ModelRun::inspect() {
  progress_("inspecting " + request_.model, 0);
  AACO_ASSIGN(const TemporaryFolder folder, TemporaryFolder::create());
  // A file that only the runtime understands is left to it.
  if (const auto graph = read_model_graph(run_.plan.model, GraphForm::kOriginal, {})) {
    run_.plan.index_limits = index_limits(*graph);
  } else if (is_too_large(graph.error())) {
    return graph.error();
  }
  run_.plan.folder = folder.path();
  const fs::path plan = folder.path() / "plan.json";
  AACO_TRY(write_json(plan, run_.plan));
  SpawnOptions spawn;
  spawn.plan_file = plan;
  spawn.folder = folder.path();
  spawn.processors = request_.pin;
  AACO_ASSIGN(inspection_, inspect_model(run_, spawn));
  const std::vector<std::string> owners = owners_of_runtime(inspection_.result.runtime_library);
  if (const std::string clash = runtime_clash(owners); !clash.empty()) {
    run_.notes.push_back(fmt::format("{}: {}", clash, clash_remedy(owners)));
  }
  run_.plan.flipped_masks = inspection_.result.flipped_masks;
  for (const std::string& mask : run_.plan.flipped_masks) {
    run_.notes.push_back(
        fmt::format("mask {} is made the other way: otherwise nothing was left, and an output was NaN", mask));
  }
  if (inspection_.result.allocates_outputs) {
    run_.notes.emplace_back(
        "an output has another shape than the model declares: the runtime allocates the outputs in each inference");
  }
  const ProfileBudget budget =
      profile_budget(run_.plan.iterations, inspection_.events_per_run, inspection_.executed_nodes);
  run_.plan.profile_iterations = budget.iterations;
  if (run_.plan.backend == "cpu" && inspection_.result.denormal_operands.value_or(false)) {
    denormals_ = count_denormal_weights(run_.plan.model);
    denormals_->operands = true;
    denormals_->as_zero_missing = request_.tokens ? "not measured with --tokens" : "";
  }
  if (request_.profile && !budget.note.empty()) {
    run_.notes.push_back(budget.note);
  }
  return {};
}

int64_t ModelRun::processes() const {
  if (!until_) {
    return request_.processes;
  }
  return until_->is_over() ? until_->processes() : kMostUntilProcesses;
}

Result<void> ModelRun::start(Orchestrator& run) {
  if (request_.until) {
    until_.emplace(*request_.until, request_.processes);
    first_start_ns_ = monotonic_ns();
  }
  AACO_TRY(write_model_files(run.session(), run_, inspection_, work_));
  AACO_TRY(run.write_plan(Json(run_.plan)));
  AACO_TRY(measure_device_roofs(run));
  if (!request_.telemetry) {
    return {};
  }
  run.set_sample_period(static_cast<int64_t>(1e9 / request_.telemetry_hz));
  AACO_TRY(run.start_host_telemetry());
  // All GPUs of the backend's vendor: which of them the runtime takes is not told. Without one the run goes on, and the
  // session says why.
  if (const auto collector = gpu_collector_of(run_.plan.backend)) {
    static_cast<void>(run.start_gpu_telemetry(*collector, {}));
  }
  return {};
}

Result<void> ModelRun::run_process(Orchestrator& run, int64_t process) {
  const int64_t total = request_.processes + (request_.profile ? profiled_processes(request_.processes) : 0);
  AACO_TRY(run_one(run, role::kMeasure, process, total));
  AACO_TRY(look_at_interval(run, process));
  if (const auto profiled = request_.profile ? profiled_after(process, request_.processes) : std::nullopt) {
    AACO_TRY(run_one(run, role::kProfile, first_profiled() + *profiled, total));
  }
  return process + 1 == processes() ? measure_as_zero(run) : Result<void>();
}

// As the figure will have it: the median of the phase that the run is judged by.
Result<void> ModelRun::look_at_interval(Orchestrator& run, int64_t process) {
  if (!until_) {
    return {};
  }
  Recording own;
  AACO_ASSIGN(own.iterations, read_iteration_journal(run.folder() / iteration_journal_name(process), process));
  SeriesByProcess series = process_series(own, primary_phase(own));
  const auto figure = series.empty() ? std::nullopt : median(series.begin()->second.latencies_ns);
  until_->add(figure, static_cast<double>(monotonic_ns() - first_start_ns_) / 1e9);
  return {};
}

double ModelRun::progress(int64_t total) const {
  return until_ ? until_->progress() : static_cast<double>(started_.size()) / static_cast<double>(total);
}

Result<void> ModelRun::run_one(Orchestrator& run, const std::string& worker_role, int64_t process, int64_t total) {
  AACO_TRY(check_interrupt());
  const char* const what = worker_role == role::kProfile ? "profiling" : "measuring";
  progress_(until_ ? fmt::format("{} process {}, until the interval is within {:.3g} %", what, started_.size() + 1,
                                 request_.until->target * 100)
                   : fmt::format("{} process {} of {}", what, started_.size() + 1, total),
            progress(total));
  started_.push_back({worker_role, process, std::nullopt});
  AACO_ASSIGN(const Json result, run.run(worker_role, process));
  AACO_ASSIGN(started_.back().result,
              from_json_value<WorkerResult>(result, result_path(run.folder(), worker_role, process).string()));
  return started_.back().result->interrupted ? Result<void>(Error{ErrorKind::kInterrupted, "interrupted", ""})
                                             : Result<void>();
}

// Of a GPU whose kernels will be known, in a process of its own. Without them the run goes on, and says why.
Result<void> ModelRun::measure_device_roofs(Orchestrator& run) {
  RunFacts& facts = run.session().info().facts;
  if (facts.device_kind != DeviceKind::kGpu || !request_.profile || !request_.measure_roofs) {
    return {};
  }
  progress_("measuring how fast the device goes at best", 0);
  const auto result = run.run(role::kRoofs, 0);
  AACO_TRY(check_interrupt());
  if (!result) {
    facts.roofs_unavailable = result.error().message;
    return {};
  }
  AACO_ASSIGN(const auto measured,
              from_json_value<WorkerResult>(*result, result_path(run.folder(), role::kRoofs, 0).string()));
  facts.roofs = measured.device_roofs;
  facts.roofs_unavailable.clear();
  return {};
}

// What denormal numbers cost: one short process more, in which they count as zero.
Result<void> ModelRun::measure_as_zero(Orchestrator& run) {
  if (!denormals_ || request_.tokens) {
    return {};
  }
  progress_("measuring with denormal numbers as zero", 1);
  const auto result = run.run(role::kAsZero, 0);
  AACO_TRY(check_interrupt());
  if (!result) {
    denormals_->as_zero_missing = result.error().message;
    return {};
  }
  AACO_ASSIGN(const auto measured,
              from_json_value<WorkerResult>(*result, result_path(run.folder(), role::kAsZero, 0).string()));
  denormals_->as_zero_p50_ns = measured.as_zero_p50_ns;
  denormals_->as_zero_iterations = measured.as_zero_iterations;
  if (denormals_->weights > 0 && measured.as_zero_p50_ns) {
    run_.notes.push_back(fmt::format(
        "denormal weights: {} of {} ({}); with --option session.set_denormal_as_zero=1 an inference took {} (median of "
        "{}, measured in one process more)",
        denormals_->weights, denormals_->weights_read, fmt::join(denormals_->tensors, ", "),
        format_duration_ns(*measured.as_zero_p50_ns), counted(measured.as_zero_iterations, "iteration", "iterations")));
  }
  return {};
}

Result<void> ModelRun::run_tool(Orchestrator& run) {
  if (tools_.tools.empty()) {
    return {};
  }
  run_.notes.insert(run_.notes.end(), tools_.left_out.begin(), tools_.left_out.end());
  progress_("running under " + request_.with, 1);
  AACO_ASSIGN(const ToolRuns runs, run.run_under(tools_, Json(run_.plan), role::kMeasure));
  for (const ToolOutcome& outcome : runs.outcomes) {
    run_.notes.push_back(fmt::format("{} ({}): {}, in {}", outcome.tool, outcome.version,
                                     counted(outcome.events, "event", "events"),
                                     (run.session().path() / outcome.folder).string()));
  }
  return runs.failure ? Result<void>(*runs.failure) : Result<void>();
}

// Samples that could not be stored fail no run: they are said in its notes and in its planes.
void ModelRun::stop_telemetry(Orchestrator& run) {
  if (const Result<void> kept = run.stop_host_telemetry(); !kept) {
    run.session().info().planes["telemetry_host"].reason = "cut short: " + kept.error().message;
    run_.notes.push_back("the telemetry was cut short: " + kept.error().message);
  }
  if (const auto kept = run.stop_gpu_telemetry(); !kept) {
    run.session().info().planes["telemetry_gpu"].reason = "cut short: " + kept.error().message;
    run_.notes.push_back("the GPU telemetry was cut short: " + kept.error().message);
  }
}

Result<SessionEnd> ModelRun::store(Orchestrator& run) {
  progress_("analysing", 1);
  stop_telemetry(run);
  SessionWriter& session = run.session();
  SessionInfo& info = session.info();
  RunRequest recorded = request_;
  if (until_) {
    AACO_TRY(keep_until(session, until_->facts()));
    info.facts.processes = recorded.processes = until_->processes();
  }
  AACO_TRY(session.write_json_file("request.json", Json(recorded)));
  AACO_ASSIGN(Recording recording, collect_recording(run.folder(), started_, inspection_, info.facts, run_.notes));
  if (const auto device = device_activity_state(started_)) {
    info.planes["device_activity"] = *device;
  }
  recording.planes = info.planes;
  recording.facts.denormals = denormals_;
  info.facts = recording.facts;
  outcome_.bundle = session.path();
  outcome_.status_reason = recording.facts.outputs_finite ? "" : nonfinite_reason(recording.facts);
  if (const std::string changed = changed_file(work_); !changed.empty()) {
    outcome_.status_reason = changed + " was changed while the run measured";
  }
  outcome_.status = outcome_.status_reason.empty() ? SessionStatus::kComplete : SessionStatus::kInvalid;
  outcome_.facts = recording.facts;
  outcome_.analysis = analyse(recording);
  outcome_.notes = run_.notes;
  outcome_.mismatches = inspection_.result.mismatches;
  outcome_.inputs = inspection_.result.inputs;
  outcome_.empty = inspection_.warnings;
  AACO_TRY(write_results(session, recording, outcome_.analysis, started_));
  if (request_.load) {
    AACO_TRY(keep_load(session, run.folder(), *request_.load, outcome_.notes));
  }
  return SessionEnd{outcome_.status, outcome_.status_reason};
}

}  // namespace aaco
