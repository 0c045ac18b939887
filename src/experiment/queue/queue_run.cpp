// SPDX-License-Identifier: MIT
#include "experiment/queue/queue_run.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/version.h"
#include "experiment/orchestrator.h"
#include "observe/environment.h"
#include "session/journal/journal_rows.h"
#include "session/layout.h"

namespace aaco {

namespace {

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

class QueueRun : public Strategy {
 public:
  QueueRun(QueueRequest request, const ProgressCallback& progress)
      : request_(std::move(request)), progress_(progress) {}

  Result<SessionStart> prepare() override {
    AACO_ASSIGN(request_, complete_request(std::move(request_)));
    if (!request_.with.empty()) {
      AACO_ASSIGN(tool_, find_vendor_tool(request_.with));
    }
    AACO_TRY(make_folders(request_.sessions));
    return SessionStart{request_.sessions, session_info_of(request_), {}};
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
    start_clocks(run);
    return {};
  }

  int64_t processes() const override { return request_.processes; }

  // With a profiled process for each measured one both take turns, ABBA: what drifts falls on both alike.
  Result<void> run_process(Orchestrator& run, int64_t process) override {
    const bool profile_first = request_.profile && process % 2 == 1;
    if (profile_first) {
      AACO_TRY(profile_process(run, process));
    }
    AACO_ASSIGN(const Json json, step(run, role::kQueueMeasure, process, "measuring"));
    AACO_ASSIGN(document_.processes.emplace_back(), from_json_value<QueueProcess>(json, role::kQueueMeasure));
    return request_.profile && !profile_first ? profile_process(run, process) : Result<void>();
  }

  Result<void> run_tool(Orchestrator& run) override {
    if (!tool_) {
      return {};
    }
    AACO_TRY(go_on(fmt::format("running under {}", request_.with)));
    AACO_ASSIGN(document_.tool, run.run_under(*tool_, Json(document_.request), role::kQueueMeasure));
    return {};
  }

  // Whatever there is by now.
  Result<SessionEnd> store(Orchestrator& run) override {
    SessionWriter& session = run.session();
    for (const QueueProcess& process : document_.processes) {
      AACO_TRY(keep(run, process, "measure"));
    }
    for (const ProfiledQueueProcess& profiled : profiled_) {
      AACO_TRY(keep(run, profiled.process, "profile"));
    }
    AACO_TRY(keep_clocks(run));
    const bool waits = request_.sync_mode != "none";
    document_.figures = queue_figures(document_.work, document_.processes, iterations_, waits);
    AACO_TRY(session.write_rows<IterationRow>(layout::kIterations, iterations_));
    AACO_TRY(session.write_json_file("request.json", Json(request_)));
    if (!profiled_.empty()) {
      AACO_ASSIGN(document_.profile, queue_profile(document_.request, document_.processes, profiled_, iterations_));
      AACO_TRY(run.keep_trace());  // of the first profiled process
    }
    AACO_TRY(session.write_json_file(layout::kQueue, document_));
    return SessionEnd();
  }

  QueueRunDocument take_document() { return std::move(document_); }

 private:
  // Of GPUs. Where they cannot be sampled the run goes on, and says why.
  void start_clocks(Orchestrator& run) {
    const std::string& device = request_.devices.front();
    const auto collector = gpu_collector_of(device.substr(0, device.find(':')));
    if (!collector) {
      return;
    }
    for (const DeviceFacts& facts : document_.devices) {
      if (!facts.pci) {
        const std::string why = "GPU telemetry: the driver does not say where the device is plugged in";
        run.session().info().planes["telemetry_gpu"] = {PlaneStatus::kUnavailable, why};
        document_.notes.push_back(why);
        return;
      }
      gpus_.push_back(*facts.pci);
    }
    const Result<void> started = run.start_gpu_telemetry(*collector, gpus_);
    if (!started) {
      document_.notes.push_back(started.error().message);
    }
    sampled_ = started.has_value();
  }

  Result<void> keep_clocks(Orchestrator& run) {
    if (!sampled_) {
      return {};
    }
    AACO_TRY(run.stop_gpu_telemetry());
    CollectedRows rows;
    AACO_TRY(read_collected_journals(run.session().path(), rows, document_.notes));
    std::vector<MeasuredWindow> windows;
    for (const QueueProcess& process : document_.processes) {
      const auto first = std::find_if(iterations_.begin(), iterations_.end(), [&](const IterationRow& row) {
        return row.process == process.process && row.phase != phase::kWarmup;
      });
      if (first != iterations_.end()) {
        windows.push_back({first->t_start_ns, first->t_start_ns + process.wall_ns});
      }
    }
    document_.clocks = device_clocks(gpus_, rows.of<GpuSampleRow>(), windows);
    return write_collected_tables(run.session(), rows);
  }

  Result<void> profile_process(Orchestrator& run, int64_t process) {
    AACO_ASSIGN(const Json json, step(run, role::kQueueProfile, request_.processes + process, "profiling"));
    AACO_ASSIGN(profiled_.emplace_back(), from_json_value<ProfiledQueueProcess>(json, role::kQueueProfile));
    return {};
  }

  Result<void> go_on(const std::string& what) {
    AACO_TRY(check_interrupt());
    const auto total =
        static_cast<double>(1 + request_.processes * (request_.profile ? 2 : 1) + (tool_.has_value() ? 1 : 0));
    progress_(fmt::format("{} {}, {} streams", what, request_.workload, request_.streams), done_ / total);
    return {};
  }

  Result<Json> step(Orchestrator& run, const char* worker_role, int64_t process, const char* what) {
    AACO_TRY(go_on(what));
    auto result = run.run(worker_role, process);
    done_ += 1;
    return result;
  }

  Result<void> keep(Orchestrator& run, const QueueProcess& process, const char* process_role) {
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

  QueueRequest request_;
  const ProgressCallback& progress_;
  std::optional<FoundTool> tool_;
  double done_ = 0;
  QueueRunDocument document_;
  std::vector<ProfiledQueueProcess> profiled_;
  std::vector<std::string> gpus_;  // PCI addresses
  bool sampled_ = false;
  std::vector<IterationRow> iterations_;
};

}  // namespace

Result<QueueRunDocument> run_queue(const QueueRequest& request, const ProgressCallback& progress) {
  QueueRun run(request, progress);
  AACO_TRY(orchestrate(run));
  return run.take_document();
}

}  // namespace aaco
