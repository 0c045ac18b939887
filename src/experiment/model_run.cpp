// SPDX-License-Identifier: MIT
#include "experiment/model_run.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/temporary_folder.h"
#include "experiment/initial_facts.h"
#include "experiment/profile_budget.h"
#include "session/layout.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

Error interrupted_error() { return {ErrorKind::kInterrupted, "interrupted", ""}; }

Result<void> go_on() { return interrupted() ? Result<void>(interrupted_error()) : Result<void>(); }

Result<void> check_sessions_folder(const std::string& sessions) {
  AACO_TRY(make_folders(sessions));
  if (::access(sessions.c_str(), W_OK | X_OK) != 0) {
    return file_error(sessions, "write to", errno);
  }
  return {};
}

}  // namespace

Result<void> ModelRun::prepare() {
  progress_("preparing " + request_.model, 0);
  if (!request_.with.empty()) {
    AACO_ASSIGN(tool_, find_vendor_tool(request_.with));
  }
  AACO_ASSIGN(run_, resolve_run(request_));
  AACO_TRY(go_on());
  AACO_TRY(check_sessions_folder(request_.sessions));
  AACO_TRY(inspect());
  AACO_TRY(go_on());
  SessionInfo info;
  info.kind = request_.kind;
  info.command_line = request_.command_line;
  info.planes = planes_of(request_);
  info.facts = initial_facts(request_, run_, inspection_);
  info.facts.interleave_group = group_;
  AACO_ASSIGN(session_, SessionWriter::create(request_.sessions, std::move(info)));
  return {};
}

Result<void> ModelRun::inspect() {
  progress_("inspecting " + request_.model, 0);
  AACO_ASSIGN(const TemporaryFolder folder, TemporaryFolder::create());
  // A file that only the runtime understands is left to it.
  if (const auto graph = read_model_graph(run_.plan.model, "original", {})) {
    run_.plan.index_limits = index_limits(*graph);
  }
  run_.plan.folder = folder.path();
  const fs::path plan = folder.path() / "plan.json";
  AACO_TRY(write_json(plan, run_.plan));
  AACO_ASSIGN(inspection_, inspect_model(run_, {plan, folder.path(), request_.pin, nullptr}));
  const ProfileBudget budget =
      profile_budget(run_.plan.iterations, inspection_.events_per_run, inspection_.executed_nodes);
  run_.plan.profile_iterations = budget.iterations;
  if (request_.profile && !budget.note.empty()) {
    run_.notes.push_back(budget.note);
  }
  return {};
}

Result<void> ModelRun::begin() {
  AACO_TRY(write_model_files(*session_, run_, inspection_));
  const fs::path folder = session_->path() / layout::kJournals;
  AACO_TRY(make_folders(folder));
  run_.plan.folder = folder;
  spawn_ = {folder / "plan.json", folder, request_.pin, &measured_pid_};
  AACO_TRY(write_json(spawn_.plan_file, run_.plan));
  if (request_.telemetry) {
    CollectorOptions options;
    options.measured_pid = &measured_pid_;
    AACO_ASSIGN(telemetry_, Telemetry::start(session_->path(), *find_collector("host"), options));
    start_gpu_telemetry();
  }
  return {};
}

// All GPUs of the backend's vendor: which of them the runtime takes is not told. Where there is none the run goes on.
void ModelRun::start_gpu_telemetry() {
  const auto collector = gpu_collector_of(run_.plan.backend);
  if (!collector) {
    return;
  }
  const CollectorInfo& info = *find_collector(*collector);
  auto started = Telemetry::start(session_->path(), info, {});
  session_->info().planes[info.plane] =
      started ? PlaneState{PlaneStatus::kRecorded, ""} : PlaneState{PlaneStatus::kUnavailable, started.error().message};
  if (started) {
    gpu_telemetry_ = std::move(*started);
  }
}

Result<void> ModelRun::run_process(int64_t process) {
  const int64_t total = request_.processes + (request_.profile ? profiled_processes(request_.processes) : 0);
  AACO_TRY(run_one(role::kMeasure, process, total));
  const auto profiled = request_.profile ? profiled_after(process, request_.processes) : std::nullopt;
  return profiled ? run_one(role::kProfile, request_.processes + *profiled, total) : Result<void>();
}

Result<void> ModelRun::run_one(const std::string& worker_role, int64_t process, int64_t total) {
  AACO_TRY(go_on());
  progress_(fmt::format("{} process {} of {}", worker_role == role::kProfile ? "profiling" : "measuring",
                        started_.size() + 1, total),
            static_cast<double>(started_.size()) / static_cast<double>(total));
  started_.push_back({worker_role, process, std::nullopt});
  AACO_ASSIGN(started_.back().result, run_in_worker(spawn_, worker_role, process));
  return started_.back().result->interrupted ? Result<void>(interrupted_error()) : Result<void>();
}

// In a folder of its own, so that nobody takes its journal for one of an unprofiled process.
Result<void> ModelRun::run_tool() {
  if (!tool_) {
    return {};
  }
  AACO_TRY(go_on());
  progress_("running under " + request_.with, 1);
  WorkerPlan plan = run_.plan;
  const fs::path folder = spawn_.folder / request_.with;
  plan.folder = folder;
  AACO_TRY(make_folders(folder));
  const SpawnOptions spawn{folder / "plan.json", folder, request_.pin, nullptr};
  AACO_TRY(write_json(spawn.plan_file, plan));
  AACO_ASSIGN(const ToolOutcome outcome, run_under_tool(*tool_, spawn, role::kMeasure, 0, session_->path()));
  run_.notes.push_back(fmt::format("{} ({}): {} events, in {}", outcome.tool, outcome.version, outcome.events,
                                   (session_->path() / outcome.folder).string()));
  return session_->write_json_file(layout::kTool, Json(outcome));
}

// Samples that could not be stored fail no run: they are said in its notes and in its planes.
void ModelRun::stop_telemetry() {
  if (!telemetry_) {
    return;
  }
  const Result<void> stored = keep(std::exchange(telemetry_, nullptr)->stop(), layout::kHostSampler);
  if (!stored) {
    session_->info().planes["telemetry_host"].reason = "cut short: " + stored.error().message;
    run_.notes.push_back("the telemetry was cut short: " + stored.error().message);
  }
  if (!gpu_telemetry_) {
    return;
  }
  const Result<void> kept = keep(std::exchange(gpu_telemetry_, nullptr)->stop(), layout::kGpuSampler);
  if (!kept) {
    session_->info().planes["telemetry_gpu"].reason = "cut short: " + kept.error().message;
    run_.notes.push_back("the GPU telemetry was cut short: " + kept.error().message);
  }
}

// What the collector says of itself; its rows are still in the journals.
Result<void> ModelRun::keep(const Result<Telemetry::Outcome>& taken, const char* cost_file) {
  if (!taken) {
    return taken.error();
  }
  planes_.push_back(taken->plane);
  AACO_TRY(session_->write_json_file(layout::kCollectorPlanes, planes_));
  return session_->write_json_file(cost_file, taken->cost);
}

Result<RunOutcome> ModelRun::conclude() {
  SessionInfo& info = session_->info();
  AACO_TRY(session_->write_json_file("request.json", Json(request_)));
  AACO_ASSIGN(Recording recording,
              collect_recording(session_->path() / layout::kJournals, started_, inspection_, info.facts, run_.notes));
  recording.planes = info.planes;
  info.facts = recording.facts;
  RunOutcome outcome;
  outcome.bundle = session_->path();
  outcome.status = recording.facts.outputs_finite ? SessionStatus::kComplete : SessionStatus::kInvalid;
  outcome.status_reason = recording.facts.outputs_finite ? "" : "an output holds NaN or infinity";
  outcome.facts = recording.facts;
  outcome.analysis = analyse(recording);
  outcome.notes = run_.notes;
  outcome.mismatches = inspection_.result.mismatches;
  AACO_TRY(write_results(*session_, recording, outcome.analysis, started_));
  return outcome;
}

Result<RunOutcome> ModelRun::finish(const Result<void>& measured) {
  progress_("analysing", 1);
  stop_telemetry();
  Result<RunOutcome> outcome = conclude();
  const Result<void> ended = measured ? go_on() : measured;
  if (ended && outcome) {
    AACO_TRY(session_->close(outcome->status, outcome->status_reason));
    return outcome;
  }
  Error problem = !ended ? ended.error() : outcome.error();
  const auto closed = session_->close(status_after(problem), problem.message);
  if (!closed && closed.error().kind != problem.kind) {  // a disk that was full stays so
    problem.message += "; nor could its bundle be closed: " + closed.error().message;
  }
  return problem;
}

}  // namespace aaco
