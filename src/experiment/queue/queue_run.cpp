// SPDX-License-Identifier: MIT
#include "experiment/queue/queue_run.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/version.h"
#include "experiment/spawn.h"
#include "experiment/telemetry.h"
#include "observe/environment.h"
#include "session/journal_rows.h"
#include "session/layout.h"
#include "session/session.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

class QueueRun {
 public:
  QueueRun(const QueueRequest& request, std::optional<FoundTool> tool, const ProgressCallback& progress,
           SessionWriter session)
      : request_(request), tool_(std::move(tool)), progress_(progress), session_(std::move(session)) {}

  Result<QueueOutcome> run() {
    Result<void> measured = measure();
    if (measured && interrupted()) {
      measured = Error{ErrorKind::kInterrupted, "interrupted", ""};
    }
    const Result<void> stored = store();
    const Result<void> ended = measured ? stored : measured;
    if (!ended) {
      const Result<void> closed = session_.close(status_after(ended.error()), ended.error().message);
      return closed ? ended.error()
                    : Error{ended.error().kind,
                            ended.error().message + "; nor could its bundle be closed: " + closed.error().message,
                            ended.error().hint};
    }
    AACO_TRY(session_.close(SessionStatus::kComplete, ""));
    return std::move(outcome_);
  }

 private:
  Result<void> measure() {
    const fs::path folder = session_.path() / layout::kJournals;
    AACO_TRY(make_folders(folder));
    outcome_.bundle = session_.path();
    outcome_.created_utc = session_.info().created_utc;
    outcome_.request = request_;
    outcome_.request.folder = folder;
    spawn_ = {folder / "plan.json", folder, {}, nullptr};
    AACO_TRY(write_json(spawn_.plan_file, outcome_.request));
    AACO_TRY(session_.write_json_file(layout::kEnvironment, capture_environment(EnvironmentOptions())));
    AACO_ASSIGN(const Json inspection, step(role::kQueueCheck, 0, "checking"));
    AACO_ASSIGN(outcome_.inspection, from_json_value<QueueInspection>(inspection, role::kQueueCheck));
    if (!request_.device_choice.empty()) {
      outcome_.inspection.notes.push_back(request_.device_choice);
    }
    start_clocks();
    // With a profiled process for each measured one both take turns, ABBA: what drifts falls on both alike.
    for (int64_t process = 0; process < request_.processes; ++process) {
      const bool profile_first = request_.profile && process % 2 == 1;
      if (profile_first) {
        AACO_TRY(profile_process(process));
      }
      AACO_ASSIGN(const Json json, step(role::kQueueMeasure, process, "measuring"));
      AACO_ASSIGN(outcome_.processes.emplace_back(), from_json_value<QueueProcess>(json, role::kQueueMeasure));
      if (request_.profile && !profile_first) {
        AACO_TRY(profile_process(process));
      }
    }
    return tool_ ? measure_under_tool() : Result<void>();
  }

  // Of GPUs. Where they cannot be sampled the run goes on, and says why.
  void start_clocks() {
    const std::string& device = request_.devices.front();
    const auto collector = gpu_collector_of(device.substr(0, device.find(':')));
    if (!collector) {
      return;
    }
    for (const DeviceFacts& device_facts : outcome_.inspection.devices) {
      if (!device_facts.pci) {
        clocks_unavailable("GPU telemetry: the driver does not say where the device is plugged in");
        return;
      }
      gpus_.push_back(*device_facts.pci);
    }
    CollectorOptions options;
    options.gpus = gpus_;
    auto started = Telemetry::start(session_.path(), *find_collector(*collector), options);
    if (!started) {
      clocks_unavailable(started.error().message);
      return;
    }
    clocks_ = std::move(*started);
    session_.info().planes["telemetry_gpu"] = {PlaneStatus::kRecorded, ""};
  }

  void clocks_unavailable(const std::string& why) {
    session_.info().planes["telemetry_gpu"] = {PlaneStatus::kUnavailable, why};
    outcome_.inspection.notes.push_back(why);
  }

  Result<void> keep_clocks() {
    if (!clocks_) {
      return {};
    }
    AACO_ASSIGN(const Telemetry::Outcome taken, clocks_->stop());
    CollectedRows rows;
    AACO_TRY(read_collected_journals(session_.path(), rows, outcome_.inspection.notes));
    std::vector<MeasuredWindow> windows;
    for (const QueueProcess& process : outcome_.processes) {
      const auto first = std::find_if(iterations_.begin(), iterations_.end(), [&](const IterationRow& row) {
        return row.process == process.process && row.phase != phase::kWarmup;
      });
      if (first != iterations_.end()) {
        windows.push_back({first->t_start_ns, first->t_start_ns + process.wall_ns});
      }
    }
    outcome_.clocks = device_clocks(gpus_, rows.of<GpuSampleRow>(), windows);
    AACO_TRY(write_collected_tables(session_, rows));
    AACO_TRY(session_.write_json_file(layout::kCollectorPlanes, std::vector{taken.plane}));
    return session_.write_json_file(layout::kGpuSampler, taken.cost);
  }

  Result<void> profile_process(int64_t process) {
    AACO_ASSIGN(const Json json, step(role::kQueueProfile, request_.processes + process, "profiling"));
    AACO_ASSIGN(profiled_.emplace_back(), from_json_value<ProfiledQueueProcess>(json, role::kQueueProfile));
    return {};
  }

  // In a folder of its own, so that nobody takes its journal for one of an unprofiled process.
  Result<void> measure_under_tool() {
    AACO_TRY(go_on(fmt::format("running under {}", request_.with)));
    QueueRequest request = outcome_.request;
    const fs::path folder = spawn_.folder / request_.with;
    request.folder = folder;
    AACO_TRY(make_folders(folder));
    const SpawnOptions spawn{folder / "plan.json", folder, {}, nullptr};
    AACO_TRY(write_json(spawn.plan_file, request));
    AACO_ASSIGN(outcome_.tool, run_under_tool(*tool_, spawn, role::kQueueMeasure, 0, session_.path()));
    return session_.write_json_file(layout::kTool, Json(*outcome_.tool));
  }

  Result<void> go_on(const std::string& what) {
    if (interrupted()) {
      return Error{ErrorKind::kInterrupted, "interrupted", ""};
    }
    const auto total =
        static_cast<double>(1 + request_.processes * (request_.profile ? 2 : 1) + (tool_.has_value() ? 1 : 0));
    progress_(fmt::format("{} {}, {} streams", what, request_.workload, request_.streams), done_ / total);
    return {};
  }

  Result<Json> step(const char* worker_role, int64_t process, const char* what) {
    AACO_TRY(go_on(what));
    auto result = run_worker_process(spawn_, worker_role, process);
    done_ += 1;
    return result;
  }

  // Whatever there is by now.
  Result<void> store() {
    for (const QueueProcess& process : outcome_.processes) {
      AACO_TRY(keep(process, "measure"));
    }
    for (const ProfiledQueueProcess& profiled : profiled_) {
      AACO_TRY(keep(profiled.process, "profile"));
    }
    AACO_TRY(keep_clocks());
    const bool waits = request_.sync_mode != "none";
    outcome_.figures = queue_figures(outcome_.inspection.work, outcome_.processes, iterations_, waits);
    AACO_TRY(session_.write_rows<IterationRow>(layout::kIterations, iterations_));
    AACO_TRY(session_.write_json_file("request.json", Json(request_)));
    if (!profiled_.empty()) {
      AACO_ASSIGN(outcome_.profile, queue_profile(outcome_.request, outcome_.processes, profiled_, iterations_));
      AACO_TRY(keep_trace());
    }
    return session_.write_json_file(layout::kQueue, queue_document(outcome_));
  }

  Result<void> keep(const QueueProcess& process, const char* process_role) {
    AACO_ASSIGN(const auto rows,
                read_iteration_journal(spawn_.folder / iteration_journal_name(process.process), process.process));
    iterations_.insert(iterations_.end(), rows.begin(), rows.end());
    ProcessFacts facts;
    facts.process = process.process;
    facts.role = process_role;
    facts.pid = process.pid;
    facts.load_ms = process.load_ms;
    facts.warmup_iterations = request_.warmup;
    facts.stationary = process.stationary;
    session_.info().facts.process_facts.push_back(facts);
    return {};
  }

  // The first profiled process wrote its trace beside the journals, which a closed session does not keep.
  Result<void> keep_trace() {
    std::error_code error;
    fs::rename(spawn_.folder / "trace", session_.path() / "trace", error);
    if (error) {
      return file_error(session_.path() / "trace", "move", error.value());
    }
    return {};
  }

  const QueueRequest& request_;
  std::optional<FoundTool> tool_;
  const ProgressCallback& progress_;
  SessionWriter session_;
  SpawnOptions spawn_;
  double done_ = 0;
  QueueOutcome outcome_;
  std::vector<ProfiledQueueProcess> profiled_;
  std::vector<std::string> gpus_;  // PCI addresses
  std::unique_ptr<Telemetry> clocks_;
  std::vector<IterationRow> iterations_;
};

SessionInfo session_info_of(const QueueRequest& request) {
  SessionInfo info;
  info.kind = session_kind::kQueueRun;
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

}  // namespace

Result<QueueOutcome> run_queue(const QueueRequest& given, const ProgressCallback& progress) {
  AACO_ASSIGN(const QueueRequest request, complete_request(given));
  std::optional<FoundTool> tool;
  if (!request.with.empty()) {
    AACO_ASSIGN(tool, find_vendor_tool(request.with));
  }
  AACO_TRY(make_folders(request.sessions));
  AACO_ASSIGN(SessionWriter session, SessionWriter::create(request.sessions, session_info_of(request)));
  return QueueRun(request, std::move(tool), progress, std::move(session)).run();
}

QueueRunDocument queue_document(const QueueOutcome& outcome) {
  return {.version = program_version(),
          .created_utc = outcome.created_utc,
          .bundle = outcome.bundle.string(),
          .request = outcome.request,
          .work = outcome.inspection.work,
          .devices = outcome.inspection.devices,
          .communicator = outcome.inspection.communicator,
          .verification = outcome.inspection.verification,
          .notes = outcome.inspection.notes,
          .processes = outcome.processes,
          .figures = outcome.figures,
          .clocks = outcome.clocks,
          .profile = outcome.profile,
          .tool = outcome.tool};
}

}  // namespace aaco
