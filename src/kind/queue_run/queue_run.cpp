// SPDX-License-Identifier: MIT
#include "kind/queue_run/queue_run.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/json/json.h"
#include "base/version.h"
#include "engine/gpu_sampling.h"
#include "engine/orchestrator.h"
#include "engine/until_rule.h"
#include "kind/queue_run/queue_run_kind.h"
#include "observe/environment.h"
#include "record/journal/journal_rows.h"
#include "session/bundle/layout.h"
#include "session/session_document.h"

namespace aaco {

namespace {

SessionInfo session_info_of(const QueueRequest& request) {
  SessionInfo info;
  info.kind = kQueueRun.traits;
  info.command_line = request.command_line;
  info.planes["queue"] = {PlaneStatus::kRecorded, ""};
  info.planes["device_activity"] = request.profile        ? PlaneState{PlaneStatus::kRecorded, ""}
                                   : request.with.empty() ? PlaneState{PlaneStatus::kNotRequested, ""}
                                                          : PlaneState{PlaneStatus::kRecorded, "by " + request.with};
  info.planes["telemetry_gpu"] = {PlaneStatus::kUnavailable, "the device is no GPU"};
  info.facts.model_name = request.workload;
  info.facts.backend = fmt::format("{}", fmt::join(request.devices, ","));
  info.facts.dims = {{"streams", request.streams}};
  info.facts.processes = request.processes;
  info.facts.warmup_minimum = request.warmup;
  info.facts.iterations = std::to_string(request.iterations);
  info.facts.seed = static_cast<int64_t>(request.seed);
  return info;
}

class QueueRun : public Strategy {
 public:
  QueueRun(QueueRequest request, const ProgressCallback& progress)
      : request_(std::move(request)), progress_(progress) {}

  Result<SessionStart> prepare() override {
    AACO_ASSIGN(request_, complete_request(std::move(request_)));
    AACO_ASSIGN(tools_, find_vendor_tools(request_.with));
    AACO_TRY(make_folders(request_.sessions));
    return SessionStart{request_.sessions, session_info_of(request_), {}, nullptr, request_.kernel_plane};
  }

  Result<void> start(Orchestrator& run) override {
    document_.version = program_version();
    document_.bundle = run.session().path().string();
    document_.created_utc = run.session().info().created_utc;
    document_.request = request_;
    document_.request.folder = run.folder();
    AACO_TRY(run.write_plan(Json(document_.request)));
    AACO_TRY(run.session().write_json_file(layout::kEnvironment, capture_environment(EnvironmentOptions())));
    AACO_ASSIGN(const Json found, step(run, role::kQueueCheck, 0, "checking"));
    AACO_ASSIGN(QueueInspection inspection, from_json_value<QueueInspection>(found, role::kQueueCheck));
    document_.work = std::move(inspection.work);
    document_.devices = std::move(inspection.devices);
    document_.communicator = std::move(inspection.communicator);
    document_.verification = std::move(inspection.verification);
    document_.notes = std::move(inspection.notes);
    for (const std::string& note : {request_.device_choice, scale_note(request_)}) {
      if (!note.empty()) {
        document_.notes.push_back(note);
      }
    }
    const std::string& device = request_.devices.front();
    if (request_.until) {
      until_.emplace(*request_.until, request_.processes);
      first_start_ns_ = monotonic_ns();
    }
    sampling_.start(run, device.substr(0, device.find(':')), document_.devices, document_.notes);
    return {};
  }

  int64_t processes() const override {
    if (!until_) {
      return request_.processes;
    }
    return until_->is_over() ? until_->processes() : kMostUntilProcesses;
  }

  // With a profiled process for each measured one both take turns, ABBA: what drifts falls on both alike.
  Result<void> run_process(Orchestrator& run, int64_t process) override {
    const bool profile_first = request_.profile && process % 2 == 1;
    if (profile_first) {
      AACO_TRY(profile_process(run, process));
    }
    AACO_ASSIGN(const Json json, step(run, role::kQueueMeasure, process, "measuring"));
    AACO_ASSIGN(document_.processes.emplace_back(), from_json_value<QueueProcess>(json, role::kQueueMeasure));
    if (until_) {
      until_->add(iteration_ns(document_.processes.back()),
                  static_cast<double>(monotonic_ns() - first_start_ns_) / 1e9);
    }
    return request_.profile && !profile_first ? profile_process(run, process) : Result<void>();
  }

  Result<void> run_tool(Orchestrator& run) override {
    if (tools_.tools.empty()) {
      return {};
    }
    document_.notes.insert(document_.notes.end(), tools_.left_out.begin(), tools_.left_out.end());
    AACO_TRY(go_on(fmt::format("running under {}", request_.with)));
    AACO_ASSIGN(ToolRuns runs, run.run_under(tools_, Json(document_.request), role::kQueueMeasure));
    document_.tools = std::move(runs.outcomes);
    return runs.failure ? Result<void>(*runs.failure) : Result<void>();
  }

  // Whatever there is by now.
  Result<SessionEnd> store(Orchestrator& run) override {
    SessionWriter& session = run.session();
    for (const QueueProcess& process : document_.processes) {
      AACO_TRY(keep(run, process, ProcessRole::kMeasure));
    }
    for (const ProfiledQueueProcess& profiled : profiled_) {
      AACO_TRY(keep(run, profiled.process, ProcessRole::kProfile));
    }
    AACO_TRY(keep_clocks(run));
    if (until_) {
      document_.until = until_->facts();
      document_.request.processes = session.info().facts.processes = until_->processes();
    }
    const bool waits = request_.sync_mode != "none";
    document_.figures = queue_figures(document_.work, document_.processes, iterations_, waits);
    AACO_TRY(session.write_rows<IterationRow>(layout::kIterations, iterations_));
    AACO_TRY(session.write_json_file("request.json", Json(document_.request)));
    if (!profiled_.empty()) {
      AACO_ASSIGN(document_.profile, queue_profile(document_.request, document_.processes, profiled_, iterations_));
      AACO_TRY(run.keep_trace());  // of the first profiled process
    }
    AACO_TRY(write_document(session, layout::kQueue, document_, read_queue_run));
    return SessionEnd();
  }

  QueueRunDocument take_document() { return std::move(document_); }

 private:
  Result<void> keep_clocks(Orchestrator& run) {
    AACO_TRY(sampling_.stop(run, document_.notes));
    if (!sampling_.sampled()) {
      return {};
    }
    std::vector<MeasuredWindow> windows;
    for (const QueueProcess& process : document_.processes) {
      if (const auto window = measured_window(iterations_, process.process, process.wall_ns)) {
        windows.push_back(*window);
      }
    }
    document_.clocks = device_clocks(sampling_.gpus(), sampling_.samples(), windows);
    return {};
  }

  Result<void> profile_process(Orchestrator& run, int64_t process) {
    AACO_ASSIGN(const Json json, step(run, role::kQueueProfile, request_.processes + process, "profiling"));
    AACO_ASSIGN(profiled_.emplace_back(), from_json_value<ProfiledQueueProcess>(json, role::kQueueProfile));
    return {};
  }

  Result<void> go_on(const std::string& what) {
    AACO_TRY(check_interrupt());
    const auto total =
        static_cast<double>(1 + request_.processes * (request_.profile ? 2 : 1) + (tools_.tools.empty() ? 0 : 1));
    progress_(fmt::format("{} {}, {} streams", what, request_.workload, request_.streams),
              until_ ? until_->progress() : done_ / total);
    return {};
  }

  Result<Json> step(Orchestrator& run, const char* worker_role, int64_t process, const char* what) {
    AACO_TRY(go_on(what));
    auto result = run.run(worker_role, process);
    done_ += 1;
    return result;
  }

  Result<void> keep(Orchestrator& run, const QueueProcess& process, ProcessRole process_role) {
    AACO_ASSIGN(const auto rows,
                read_iteration_journal(run.folder() / iteration_journal_name(process.process), process.process));
    iterations_.insert(iterations_.end(), rows.begin(), rows.end());
    ProcessFacts facts;
    facts.process = process.process;
    facts.role = process_role;
    facts.pid = process.pid;
    facts.load_ms = process.load_ms;
    facts.warmup_iterations = request_.warmup;
    facts.stationary = process.stationary;
    run.session().info().facts.process_facts.push_back(facts);
    return {};
  }

  // As the figure has it: the median iteration, or where none is waited for alone the wall time of one.
  static std::optional<double> iteration_ns(const QueueProcess& process) {
    if (process.p50_ns || process.iterations == 0) {
      return process.p50_ns;
    }
    return static_cast<double>(process.wall_ns) / static_cast<double>(process.iterations);
  }

  QueueRequest request_;
  const ProgressCallback& progress_;
  std::optional<UntilRule> until_;
  int64_t first_start_ns_ = 0;
  ToolSet tools_;
  double done_ = 0;
  QueueRunDocument document_;
  std::vector<ProfiledQueueProcess> profiled_;
  GpuSampling sampling_;
  std::vector<IterationRow> iterations_;
};

Result<QueueRequest> recorded_request(const std::filesystem::path& bundle) {
  const std::filesystem::path file = bundle / "request.json";
  AACO_ASSIGN(const Json json, read_json(file));
  return from_json_value<QueueRequest>(json, file.string());
}

}  // namespace

Result<QueueRunDocument> run_queue(const QueueRequest& request, const ProgressCallback& progress) {
  QueueRun run(request, progress);
  AACO_TRY(orchestrate(run));
  return run.take_document();
}

QueueRequest request_again(QueueRequest recorded, const std::string& sessions) {
  recorded.sessions = sessions;
  recorded.folder.clear();
  recorded.until.reset();
  recorded.profile = false;
  recorded.with.clear();
  return recorded;
}

Result<std::vector<QueueRunDocument>> run_queues_in_turns(std::vector<QueueRequest> requests,
                                                          const ProgressCallback& progress) {
  std::vector<std::unique_ptr<QueueRun>> runs;
  std::vector<Strategy*> strategies;
  for (QueueRequest& request : requests) {
    runs.push_back(std::make_unique<QueueRun>(std::move(request), progress));
    strategies.push_back(runs.back().get());
  }
  for (const Result<void>& ended : orchestrate(strategies)) {
    AACO_TRY(ended);
  }
  std::vector<QueueRunDocument> documents;
  for (const std::unique_ptr<QueueRun>& run : runs) {
    documents.push_back(run->take_document());
  }
  return documents;
}

Result<std::pair<std::filesystem::path, std::filesystem::path>> rerun_queues(const std::filesystem::path& baseline,
                                                                             const std::filesystem::path& test,
                                                                             const std::string& sessions,
                                                                             const ProgressCallback& progress) {
  AACO_ASSIGN(QueueRequest first, recorded_request(baseline));
  AACO_ASSIGN(QueueRequest second, recorded_request(test));
  AACO_ASSIGN(const std::vector<QueueRunDocument> both,
              run_queues_in_turns(
                  {request_again(std::move(first), sessions), request_again(std::move(second), sessions)}, progress));
  return std::pair<std::filesystem::path, std::filesystem::path>(both.front().bundle, both.back().bundle);
}

}  // namespace aaco
