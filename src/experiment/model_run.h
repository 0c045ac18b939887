// SPDX-License-Identifier: MIT
// One run of a model, phase by phase; run_model.cpp puts one or two of them in order.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiment/bundle_content.h"
#include "experiment/inspection.h"
#include "experiment/resolve.h"
#include "experiment/run_outcome.h"
#include "experiment/run_request.h"
#include "experiment/spawn.h"
#include "experiment/telemetry.h"
#include "experiment/tool/tool_run.h"
#include "session/session.h"

namespace aaco {

// The phases are prepare(), begin(), run_process() for each process from 0 to processes(), run_tool(), finish(); each
// fills what the next needs. `request` and `progress` must outlive the run.
class ModelRun {
 public:
  // `group`: the interleave_group of the bundle, or empty.
  ModelRun(const RunRequest& request, const ProgressCallback& progress, std::string group)
      : request_(request), progress_(progress), group_(std::move(group)) {}

  // Resolves the request, inspects the model in a process of its own, makes the bundle. An error has left nothing
  // behind; after it no other phase may be called.
  Result<void> prepare();
  // Writes what is known of the model, the plan of the processes, and starts the telemetry.
  Result<void> begin();
  // Measuring process `process`, and the profiled one that comes after it. Errors: the worker's; kInterrupted.
  Result<void> run_process(int64_t process);
  // Where it was asked for: one process more, under a vendor's profiler. Errors: the tool's; kInterrupted.
  Result<void> run_tool();
  // Closes the bundle, whatever happened. `measured` is how begin() and the processes ended: its error, or else the
  // first one here, closes the bundle as interrupted or failed with what was recorded, and is returned.
  Result<RunOutcome> finish(const Result<void>& measured);

  int64_t processes() const { return request_.processes; }

 private:
  Result<void> inspect();
  Result<void> run_one(const std::string& worker_role, int64_t process, int64_t total);
  void start_gpu_telemetry();
  void stop_telemetry();
  Result<void> keep(const Result<Telemetry::Outcome>& taken, const char* cost_file);
  Result<RunOutcome> conclude();

  const RunRequest& request_;
  const ProgressCallback& progress_;
  std::string group_;
  std::optional<FoundTool> tool_;
  ResolvedRun run_;
  Inspection inspection_;
  std::atomic<int64_t> measured_pid_{0};
  std::vector<StartedProcess> started_;
  std::optional<SessionWriter> session_;
  SpawnOptions spawn_;
  std::unique_ptr<Telemetry> telemetry_;
  std::unique_ptr<Telemetry> gpu_telemetry_;
  std::vector<CollectorPlane> planes_;
};

}  // namespace aaco
