// SPDX-License-Identifier: MIT
#include "kind/copy/copy_run.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/json/json.h"
#include "base/version.h"
#include "engine/orchestrator.h"
#include "kind/copy/copy_kind.h"
#include "kind/copy/copy_worker.h"
#include "observe/environment.h"
#include "session/bundle/layout.h"
#include "session/session_document.h"

namespace aaco {

namespace {

class CopyRun : public Strategy {
 public:
  CopyRun(const CopyRequest& request, const ProgressCallback& progress)
      : progress_(progress), times_(request.directions.size()), states_(request.directions.size()) {
    document_.request = request;
  }

  Result<SessionStart> prepare() override {
    const CopyRequest& request = document_.request;
    SessionStart start{request.sessions, {}, {}};
    start.info.kind = kCopyOverlap.traits;
    start.info.command_line = request.command_line;
    start.info.planes["copies"] = {PlaneStatus::kRecorded, ""};
    start.info.facts.model_name =
        fmt::format("{} x {}, {:g} MiB", request.matrix_size, request.matrix_size, request.copy_mb);
    start.info.facts.backend = request.device;
    start.info.facts.processes = request.processes;
    start.info.facts.warmup_minimum = request.warmup;
    start.info.facts.iterations = std::to_string(request.rounds);
    start.info.facts.seed = static_cast<int64_t>(request.seed);
    return start;
  }

  Result<void> start(Orchestrator& run) override {
    document_.version = program_version();
    document_.bundle = run.session().path().string();
    document_.created_utc = run.session().info().created_utc;
    AACO_TRY(run.write_plan(Json(document_.request)));
    return run.session().write_json_file(layout::kEnvironment, capture_environment(EnvironmentOptions()));
  }

  int64_t processes() const override { return document_.request.processes; }

  Result<void> run_process(Orchestrator& run, int64_t process) override {
    const int64_t all = processes();
    progress_(fmt::format("copying beside products on {}", document_.request.device),
              static_cast<double>(process) / static_cast<double>(all + 1));
    AACO_ASSIGN(const Json found, run.run(role::kCopyMeasure, process));
    document_.device_name = found.value("device_name", "");
    AACO_ASSIGN(const auto of_process,
                from_json_value<std::vector<CopyTimes>>(found.value("times", Json::array()), role::kCopyMeasure));
    AACO_ASSIGN(const auto states,
                from_json_value<std::vector<CopyStates>>(found.value("states", Json::array()), role::kCopyMeasure));
    for (size_t i = 0; i < std::min({times_.size(), of_process.size(), states.size()}); ++i) {
      times_[i].push_back(of_process[i]);
      states_[i].push_back(states[i]);
    }
    return process + 1 == all ? record(run) : Result<void>();
  }

  Result<SessionEnd> store(Orchestrator& run) override {
    for (size_t i = 0; i < times_.size(); ++i) {
      CopyFigures figures = copy_figures(document_.request.directions[i], std::move(times_[i]), std::move(states_[i]));
      if (i < records_.size()) {
        figures.records = records_[i];
      }
      document_.directions.push_back(std::move(figures));
    }
    AACO_TRY(write_document(run.session(), layout::kOverlap, copy_json(document_), read_copy_document));
    return SessionEnd();
  }

  CopyDocument take_document() { return std::move(document_); }

 private:
  // Where copies are recorded at all, every one must be there: one of another size is not what was asked for.
  Result<void> record(Orchestrator& run) {
    const auto found = run.run(role::kCopyRecord, 0);
    if (!found && found.error().kind == ErrorKind::kUnavailable) {
      return {};
    }
    if (!found) {
      return found.error();
    }
    AACO_ASSIGN(records_, from_json_value<std::vector<CopyRecords>>(*found, role::kCopyRecord));
    for (size_t i = 0; i < std::min(records_.size(), times_.size()); ++i) {
      const CopyRecords& records = records_[i];
      if (records.copies != records.rounds && (records.copies != 0 || records.other_bytes != 0)) {
        return Error{ErrorKind::kInvalid,
                     fmt::format("{}: {} copies of {} bytes are in the device's records of {} rounds",
                                 word_of(document_.request.directions[i]), records.copies,
                                 document_.request.copy_bytes(), records.rounds),
                     "the copies were not of the size that was asked for, or records were lost"};
      }
    }
    return {};
  }

  const ProgressCallback& progress_;
  std::vector<std::vector<CopyTimes>> times_;  // by direction
  std::vector<std::vector<CopyStates>> states_;
  std::vector<CopyRecords> records_;  // likewise; empty: the device does not record
  CopyDocument document_;
};

}  // namespace

Result<CopyDocument> run_copy_overlap(const CopyRequest& request, const ProgressCallback& progress) {
  CopyRun run(request, progress);
  AACO_TRY(orchestrate(run));
  return run.take_document();
}

}  // namespace aaco
