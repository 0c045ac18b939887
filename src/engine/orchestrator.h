// SPDX-License-Identifier: MIT
// The parent of a run: makes the session, writes the plan, starts worker processes, samples beside them, looks for
// interrupts, and closes the session exactly once. What is run is a strategy's to say.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "engine/spawn.h"
#include "engine/strategy.h"
#include "engine/telemetry.h"
#include "engine/tool/tool_run.h"

namespace aaco {

// One session of a strategy, and what goes on for it.
class Orchestrator {
 public:
  // Errors: those of SessionWriter::create; nothing is left behind then.
  static Result<std::unique_ptr<Orchestrator>> create(SessionStart start);

  SessionWriter& session() { return session_; }
  // Of the session: the plan, and what processes leave; a session that is complete does not keep it.
  std::filesystem::path folder() const;

  // For all processes from now on, with `folder` as one of its fields.
  Result<void> write_plan(Json plan);
  // One process to its end. Errors: the worker's; kInterrupted, also before it is started.
  Result<Json> run(const std::string& worker_role, int64_t process);
  // One process per rank, all at once, numbered from 0, on all nodes where there are several; they find each other by
  // an id in folder() (ranks/rank_id.h). Errors: what the first that failed failed at. The others are ended then,
  // within seconds.
  Result<std::vector<Json>> run_ranks(const std::string& worker_role, int64_t ranks);
  // Of the last run_ranks(): whose process a signal ended, where that was the first failure.
  std::optional<int64_t> dead_rank() const { return dead_rank_; }
  // One more under each of the vendors' profilers, in a folder of its own, so that nobody takes its journal for one of
  // an undisturbed process. What the tools did is in the session's profiler/tool.json, what they recorded in its trace;
  // a tool that fails keeps none of the others from running. Errors: those of storing it; kInterrupted.
  Result<ToolRuns> run_under(const ToolSet& tools, const Json& plan, const std::string& worker_role);

  // Into the session what a process wrote as its trace in folder(), which a closed session does not keep. Errors:
  // naming the file.
  Result<void> keep_trace();
  // Likewise, any file or folder that a process left there.
  Result<void> keep(const std::string& left, const std::string& within_session);

  // Time between two samples of the telemetry that is started from now on.
  void set_sample_period(int64_t period_ns) { sample_period_ns_ = period_ns; }
  // Samples of this machine, and of the process that runs. Errors: the journal's, the collector's.
  Result<void> start_host_telemetry();
  // Of GPUs (PCI addresses; empty: all that the collector sees). The session's plane says whether there are samples;
  // an error is the reason why not, and the run can go on.
  Result<void> start_gpu_telemetry(const std::string& collector, const std::vector<std::string>& gpus);
  // End the sampling; what the collector says of itself is stored, its rows are in the journals. Nothing to do where it
  // was not started. Errors: of what could not be stored.
  Result<void> stop_host_telemetry();
  Result<void> stop_gpu_telemetry();

  // orchestrate() alone calls these, for each strategy alike.
  // What the kernel does with the threads of all processes that are started from now on, where the strategy wants that.
  // The session's plane says by which way, or why not; the run goes on without it.
  void start_kernel_plane();
  // A row that could not be stored cuts the plane short, which it says, and fails no run.
  void stop_kernel_plane();
  // Its rows, as tables of the session, where the strategy stored no rows of collectors itself. Errors: of storing
  // them.
  Result<void> keep_kernel_rows();

 private:
  friend std::vector<Result<void>> orchestrate(std::span<Strategy* const> strategies);
  Orchestrator(SessionWriter session, SessionStart start)
      : session_(std::move(session)),
        processors_(std::move(start.processors)),
        nodes_(start.nodes),
        wants_kernel_plane_(start.kernel_plane) {}
  SpawnOptions spawn_options() const;
  // `refused`: before anything was measured, the command line was found to be wrong.
  Result<void> close(const Result<SessionEnd>& end, bool refused);
  Result<void> stop(std::unique_ptr<Telemetry>& telemetry, const char* cost_file);

  SessionWriter session_;
  std::vector<int> processors_;
  NodeGroup* nodes_;
  bool wants_kernel_plane_;
  std::atomic<int64_t> measured_pid_{0};
  bool has_results_ = false;  // of any process
  std::optional<int64_t> dead_rank_;
  int64_t sample_period_ns_ = kDefaultSamplePeriodNs;
  std::unique_ptr<Telemetry> host_telemetry_;
  std::unique_ptr<Telemetry> gpu_telemetry_;
  std::unique_ptr<Telemetry> kernel_plane_;
  std::vector<CollectorPlane> planes_;
};

// kInterrupted where the user did that.
Result<void> check_interrupt();

// The strategies in one time span, a session each; their processes take turns, ABBA, so that what drifts linearly
// cancels within two pairs. One result for each: what ended all of them early, or else what went wrong when its own
// session was stored or closed. Whatever happens, every session that was made is closed; where its first process finds
// the command line to be wrong, there is none.
std::vector<Result<void>> orchestrate(std::span<Strategy* const> strategies);
Result<void> orchestrate(Strategy& strategy);

}  // namespace aaco
