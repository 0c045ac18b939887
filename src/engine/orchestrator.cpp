// SPDX-License-Identifier: MIT
#include "engine/orchestrator.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/files/file.h"
#include "base/interrupt.h"
#include "base/json/json.h"
#include "base/process/limit_error.h"
#include "engine/ranks/nodes/node_group.h"
#include "engine/ranks/rank_id.h"
#include "engine/ranks/rank_processes.h"
#include "session/bundle/layout.h"
#include "session/collected_tables.h"

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
  return std::unique_ptr<Orchestrator>(new Orchestrator(std::move(session), std::move(start)));
}

fs::path Orchestrator::folder() const { return session_.path() / layout::kJournals; }

Result<void> Orchestrator::keep_trace() { return keep("trace", "trace"); }

Result<void> Orchestrator::keep(const std::string& left, const std::string& within_session) {
  const fs::path to = session_.path() / within_session;
  AACO_TRY(make_folders(to.parent_path()));
  std::error_code error;
  fs::rename(folder() / left, to, error);
  return error ? Result<void>(file_error(to, "move", error.value())) : session_.note_file(within_session);
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
  Result<Json> result = run_worker_process(spawn, worker_role, process);
  has_results_ = has_results_ || result;
  return result;
}

Result<std::vector<Json>> Orchestrator::run_ranks(const std::string& worker_role, int64_t ranks) {
  AACO_TRY(check_interrupt());
  remove_rank_ids(folder());
  has_results_ = true;  // what a rank says may come late
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
  for (const ToolProgram& tool : tools.tools) {
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
    AACO_TRY(session_.note_file(layout::kToolOutput));
    AACO_TRY(session_.note_file(layout::kTrace));
    AACO_TRY(session_.write_json_file(layout::kTool,
                                      runs.outcomes.size() == 1 ? Json(runs.outcomes.front()) : Json(runs.outcomes)));
  }
  return runs;
}

Result<void> Orchestrator::start_host_telemetry() {
  CollectorOptions options;
  options.measured_pid = &measured_pid_;
  AACO_ASSIGN(host_telemetry_, Telemetry::start(session_.path(), *find_collector("host"), options, sample_period_ns_));
  return {};
}

Result<void> Orchestrator::start_gpu_telemetry(const std::string& collector, const std::vector<std::string>& gpus) {
  const CollectorInfo& info = *find_collector(collector);
  CollectorOptions options;
  options.gpus = gpus;
  auto started = Telemetry::start(session_.path(), info, options, sample_period_ns_);
  if (const auto other = collector_after(collector); !started && other) {
    auto instead = Telemetry::start(session_.path(), *find_collector(*other), options, sample_period_ns_);
    Error both = started.error();
    if (instead) {
      started = std::move(instead);
    } else {
      both.message += "; " + instead.error().message;
      started = std::move(both);
    }
  }
  session_.info().planes[info.plane] =
      started ? PlaneState{PlaneStatus::kRecorded, ""} : PlaneState{PlaneStatus::kUnavailable, started.error().message};
  AACO_ASSIGN(gpu_telemetry_, std::move(started));
  return {};
}

void Orchestrator::start_kernel_plane() {
  if (!wants_kernel_plane_) {
    return;
  }
  const CollectorInfo& info = *find_collector("kernel");
  CollectorOptions options;
  options.measured_pid = &measured_pid_;
  auto started = Telemetry::start(session_.path(), info, options);
  session_.info().planes[info.plane] =
      started ? PlaneState{PlaneStatus::kRecorded, ""} : PlaneState{PlaneStatus::kUnavailable, started.error().message};
  if (started) {
    kernel_plane_ = std::move(*started);
    session_.info().planes[info.plane].reason = source_text(kernel_plane_->plane().source.value_or(PlaneSource()));
  }
  static_cast<void>(session_.save());  // for one that is killed; what cannot be saved now fails at its close
}

Result<void> Orchestrator::stop_host_telemetry() { return stop(host_telemetry_, layout::kHostSampler); }
Result<void> Orchestrator::stop_gpu_telemetry() { return stop(gpu_telemetry_, layout::kGpuSampler); }

void Orchestrator::stop_kernel_plane() {
  const std::string name = find_collector("kernel")->plane;
  if (const Result<void> stopped = stop(kernel_plane_, layout::kKernelReader); !stopped) {
    session_.info().planes[name].reason = "cut short: " + stopped.error().message;
    return;
  }
  for (const CollectorPlane& plane : planes_) {
    if (plane.name == name && plane.source) {
      session_.info().planes[name].reason = source_text(*plane.source);
    }
  }
}

Result<void> Orchestrator::keep_kernel_rows() {
  const std::vector<const char*> tables = find_collector("kernel")->tables;
  const auto is_stored = [&](const char* table) {
    std::error_code ignored;
    return fs::exists(session_.path() / collected_table_path(table), ignored);
  };
  if (!wants_kernel_plane_ || std::ranges::any_of(tables, is_stored)) {
    return {};
  }
  CollectedRows rows;
  std::vector<std::string> torn;  // the journals of an ended recording are whole
  AACO_TRY(read_collected_journals(session_.path(), rows, torn));
  return write_collected_tables(session_, rows);
}

Result<void> Orchestrator::stop(std::unique_ptr<Telemetry>& telemetry, const char* cost_file) {
  if (!telemetry) {
    return {};
  }
  AACO_ASSIGN(const Telemetry::Outcome outcome, std::exchange(telemetry, nullptr)->stop());
  planes_.push_back(outcome.plane);
  AACO_TRY(session_.write_json_file(layout::kCollectorPlanes, planes_));
  return session_.write_json_file(cost_file, outcome.cost);
}

// Nothing writes into the session any more when its manifest is made.
Result<void> Orchestrator::close(const Result<SessionEnd>& end, bool refused) {
  host_telemetry_.reset();
  gpu_telemetry_.reset();
  kernel_plane_.reset();
  return refused && !has_results_ && !end ? refuse_session(session_, end.error()) : close_session(session_, end);
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
  for (const ActiveStrategy& strategy : active) {
    AACO_TRY(strategy.strategy->start(*strategy.run));
    strategy.run->start_kernel_plane();
  }
  const auto is_left = [&](int64_t process) {  // a strategy may find that it needs no more
    return std::ranges::any_of(
        active, [&](const ActiveStrategy& strategy) { return process < strategy.strategy->processes(); });
  };
  for (int64_t process = 0; is_left(process); ++process) {
    for (size_t turn = 0; turn < active.size(); ++turn) {
      const ActiveStrategy& strategy = active[process % 2 == 0 ? turn : active.size() - 1 - turn];
      if (process < strategy.strategy->processes()) {
        AACO_TRY(strategy.strategy->run_process(*strategy.run, process));
      }
    }
  }
  return active.size() == 1 ? active.front().strategy->run_tool(*active.front().run) : Result<void>();
}

template <class Work>
auto caught(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& exception) {
    return error_of(exception);
  }
}

// How the session ends: what is stored is stored first, also of what was cut short.
Result<SessionEnd> conclude(const ActiveStrategy& strategy, const Result<void>& measured) {
  strategy.run->stop_kernel_plane();
  Result<SessionEnd> end = strategy.strategy->store(*strategy.run);
  if (const Result<void> kept = strategy.run->keep_kernel_rows(); end && !kept) {
    end = kept.error();
  }
  if (!measured) {
    return measured.error();
  }
  if (strategy.strategy->processes() > 0) {
    AACO_TRY(check_interrupt());
  }
  return end;
}

}  // namespace

std::vector<Result<void>> orchestrate(std::span<Strategy* const> strategies) {
  std::vector<ActiveStrategy> active;
  // What is thrown, for want of memory or of threads, closes the session too.
  const Result<void> measured = caught([&]() -> Result<void> {
    AACO_TRY(prepare_all(strategies, active));
    return measure(active);
  });
  std::vector<Result<void>> results(strategies.size(), measured);
  const bool refused = !measured && measured.error().kind == ErrorKind::kUsage;
  for (size_t i = 0; i < active.size(); ++i) {
    results[i] = active[i].run->close(caught([&] { return conclude(active[i], measured); }), refused);
  }
  return results;
}

Result<void> orchestrate(Strategy& strategy) {
  Strategy* const own_strategy = &strategy;
  return orchestrate(std::span(&own_strategy, 1)).front();
}

}  // namespace aaco
