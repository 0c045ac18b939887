// SPDX-License-Identifier: MIT
// One run of a model, as the orchestrator's strategy; run_model.cpp has it run one or two of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/orchestrator.h"
#include "engine/progress.h"
#include "engine/until_rule.h"
#include "kind/model_run/bundle_content.h"
#include "kind/model_run/inspection.h"
#include "kind/model_run/request/resolve.h"
#include "kind/model_run/request/run_request.h"
#include "kind/model_run/run_outcome.h"
#include "kind/model_run/work_record.h"

namespace aaco {

// `request` and `progress` must outlive the run.
class ModelRun : public Strategy {
 public:
  // `group`: the interleave_group of the bundle, or empty.
  ModelRun(const RunRequest& request, const ProgressCallback& progress, std::string group)
      : request_(request), progress_(progress), group_(std::move(group)) {}

  // Resolves the request, inspects the model in a process of its own.
  Result<SessionStart> prepare() override;
  // Writes what is known of the model, the plan of the processes, and starts the telemetry.
  Result<void> start(Orchestrator& run) override;
  int64_t processes() const override;
  // A measuring process, and the profiled one that comes after it.
  Result<void> run_process(Orchestrator& run, int64_t process) override;
  Result<void> run_tool(Orchestrator& run) override;
  Result<SessionEnd> store(Orchestrator& run) override;

  // After store().
  RunOutcome take_outcome() { return std::move(outcome_); }

 private:
  Result<void> inspect();
  Result<void> run_one(Orchestrator& run, const std::string& worker_role, int64_t process, int64_t total);
  Result<void> look_at_interval(Orchestrator& run, int64_t process);
  // Profiled processes are numbered behind all measuring ones that there can be.
  int64_t first_profiled() const { return request_.until ? kMostUntilProcesses : request_.processes; }
  double progress(int64_t total) const;
  Result<void> measure_as_zero(Orchestrator& run);
  Result<void> measure_device_roofs(Orchestrator& run);
  void stop_telemetry(Orchestrator& run);

  const RunRequest& request_;
  const ProgressCallback& progress_;
  std::string group_;
  ToolSet tools_;
  ResolvedRun run_;
  Inspection inspection_;
  WorkRecord work_;
  std::optional<DenormalFacts> denormals_;
  std::vector<StartedProcess> started_;
  std::optional<UntilRule> until_;
  int64_t first_start_ns_ = 0;
  RunOutcome outcome_;
};

}  // namespace aaco
