// SPDX-License-Identifier: MIT
#include "experiment/orchestrator.h"

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "experiment/ranks/nodes/node_group.h"
#include "experiment/ranks/rank_id.h"
#include "experiment/ranks/rank_processes.h"
#include "session/layout.h"

namespace aaco {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPlanFile = "plan.json";

Result<SpawnOptions> plan_in(const fs::path& folder, Json plan) {
  AACO_TRY(make_folders(folder));
  plan["folder"] = folder.string();
  SpawnOptions spawn;
  spawn.plan_file = folder / kPlanFile;
  spawn.folder = folder;
  AACO_TRY(write_json(spawn.plan_file, plan));
  return spawn;
}

}  // namespace

Result<std::unique_ptr<Orchestrator>> Orchestrator::create(SessionStart start) {
  AACO_ASSIGN(SessionWriter session, SessionWriter::create(start.sessions, std::move(start.info)));
  return std::unique_ptr<Orchestrator>(new Orchestrator(std::move(session), std::move(start.processors), start.nodes));
}

fs::path Orchestrator::folder() const { return session_.path() / layout::kJournals; }

Result<void> Orchestrator::keep_trace() { return keep("trace", "trace"); }

Result<void> Orchestrator::keep(const std::string& left, const std::string& within_session) {
  const fs::path to = session_.path() / within_session;
  AACO_TRY(make_folders(to.parent_path()));
  std::error_code error;
  fs::rename(folder() / left, to, error);
  return error ? Result<void>(file_error(to, "move", error.value())) : Result<void>();
}

Result<void> Orchestrator::write_plan(Json plan) {
  AACO_TRY(plan_in(folder(), std::move(plan)));
  return {};
}

SpawnOptions Orchestrator::spawn_options() const {
  SpawnOptions spawn;
  spawn.plan_file = folder() / kPlanFile;
  spawn.folder = folder();
  spawn.processors = processors_;
  return spawn;
}

Result<Json> Orchestrator::run(const std::string& worker_role, int64_t process) {
  AACO_TRY(check_interrupt());
  SpawnOptions spawn = spawn_options();
  spawn.measured_pid = &measured_pid_;
  return run_worker_process(spawn, worker_role, process);
}

Result<std::vector<Json>> Orchestrator::run_ranks(const std::string& worker_role, int64_t ranks) {
  AACO_TRY(check_interrupt());
  remove_rank_ids(folder());
  RankEnds ends = nodes_ != nullptr ? nodes_->run(spawn_options(), worker_role)
                                    : run_rank_processes(spawn_options(), worker_role, ranks);
  dead_rank_ = ends.dead_rank;
  if (ends.cause) {
    return *ends.cause;
  }
  std::vector<Json> results;
  for (const Result<JsonValue>& end : ends.by_rank) {
    results.push_back(**end);
  }
  return results;
}

Result<ToolRuns> Orchestrator::run_under(const ToolSet& tools, const Json& plan, const std::string& worker_role) {
  ToolRuns runs;
  for (const FoundTool& tool : tools.tools) {
    AACO_TRY(check_interrupt());
    AACO_ASSIGN(SpawnOptions spawn, plan_in(folder() / tool.tool->name, plan));
    spawn.processors = processors_;
    Result<ToolOutcome> outcome = run_under_tool(tool, spawn, worker_role, 0, session_.path());
    if (outcome) {
      runs.outcomes.push_back(std::move(*outcome));
    } else if (outcome.error().kind == ErrorKind::kInterrupted) {
      return outcome.error();
    } else if (!runs.failure) {
      runs.failure = outcome.error();
    }
  }
  if (!runs.outcomes.empty()) {
    AACO_TRY(write_trace_of_tools(runs.outcomes, session_.path()));
    AACO_TRY(session_.write_json_file(layout::kTool,
                                      runs.outcomes.size() == 1 ? Json(runs.outcomes.front()) : Json(runs.outcomes)));
  }
  return runs;
}

Result<void> Orchestrator::start_host_telemetry() {
  CollectorOptions options;
  options.measured_pid = &measured_pid_;
  AACO_ASSIGN(host_telemetry_, Telemetry::start(session_.path(), *find_collector("host"), options));
  return {};
}

Result<void> Orchestrator::start_gpu_telemetry(const std::string& collector, const std::vector<std::string>& gpus) {
  const CollectorInfo& info = *find_collector(collector);
  CollectorOptions options;
  options.gpus = gpus;
  auto started = Telemetry::start(session_.path(), info, options);
  session_.info().planes[info.plane] =
      started ? PlaneState{PlaneStatus::kRecorded, ""} : PlaneState{PlaneStatus::kUnavailable, started.error().message};
  AACO_ASSIGN(gpu_telemetry_, std::move(started));
  return {};
}

Result<void> Orchestrator::stop_host_telemetry() { return stop(host_telemetry_, layout::kHostSampler); }
Result<void> Orchestrator::stop_gpu_telemetry() { return stop(gpu_telemetry_, layout::kGpuSampler); }

Result<void> Orchestrator::stop(std::unique_ptr<Telemetry>& telemetry, const char* cost_file) {
  if (!telemetry) {
    return {};
  }
  AACO_ASSIGN(const Telemetry::Outcome taken, std::exchange(telemetry, nullptr)->stop());
  planes_.push_back(taken.plane);
  AACO_TRY(session_.write_json_file(layout::kCollectorPlanes, planes_));
  return session_.write_json_file(cost_file, taken.cost);
}

// Nothing writes into the session any more when its manifest is made.
Result<void> Orchestrator::close(const Result<SessionEnd>& end) {
  host_telemetry_.reset();
  gpu_telemetry_.reset();
  return close_session(session_, end);
}

Result<void> check_interrupt() {
  return interrupted() ? Result<void>(Error{ErrorKind::kInterrupted, "interrupted", ""}) : Result<void>();
}

namespace {

struct ActiveStrategy {
  Strategy* strategy;
  std::unique_ptr<Orchestrator> run;
};

Result<void> prepare_all(std::span<Strategy* const> strategies, std::vector<ActiveStrategy>& active) {
  for (Strategy* const strategy : strategies) {
    AACO_ASSIGN(SessionStart start, strategy->prepare());
    AACO_ASSIGN(auto run, Orchestrator::create(std::move(start)));
    active.push_back({strategy, std::move(run)});
  }
  return {};
}

Result<void> measure(std::span<const ActiveStrategy> active) {
  int64_t processes = 0;
  for (const ActiveStrategy& one : active) {
    AACO_TRY(one.strategy->start(*one.run));
    processes = std::max(processes, one.strategy->processes());
  }
  for (int64_t process = 0; process < processes; ++process) {
    for (size_t turn = 0; turn < active.size(); ++turn) {
      const ActiveStrategy& one = active[process % 2 == 0 ? turn : active.size() - 1 - turn];
      if (process < one.strategy->processes()) {
        AACO_TRY(one.strategy->run_process(*one.run, process));
      }
    }
  }
  return active.size() == 1 ? active.front().strategy->run_tool(*active.front().run) : Result<void>();
}

// How the session ends: what is stored is stored first, also of what was cut short.
Result<SessionEnd> conclude(const ActiveStrategy& one, const Result<void>& measured) {
  Result<SessionEnd> end = one.strategy->store(*one.run);
  if (!measured) {
    return measured.error();
  }
  if (one.strategy->processes() > 0) {
    AACO_TRY(check_interrupt());
  }
  return end;
}

}  // namespace

std::vector<Result<void>> orchestrate(std::span<Strategy* const> strategies) {
  std::vector<ActiveStrategy> active;
  Result<void> measured = prepare_all(strategies, active);
  if (measured) {
    measured = measure(active);
  }
  std::vector<Result<void>> results(strategies.size(), measured);
  for (size_t i = 0; i < active.size(); ++i) {
    results[i] = active[i].run->close(conclude(active[i], measured));
  }
  return results;
}

Result<void> orchestrate(Strategy& strategy) {
  Strategy* const one = &strategy;
  return orchestrate(std::span(&one, 1)).front();
}

}  // namespace aaco
