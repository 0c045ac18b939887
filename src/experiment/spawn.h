// SPDX-License-Identifier: MIT
// Starts worker processes of this program, one at a time or one per rank, and reads what they found.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json_value.h"
#include "base/result.h"
#include "experiment/worker_plan.h"

namespace aaco {

struct SpawnOptions {
  std::filesystem::path plan_file;
  std::filesystem::path folder;
  std::vector<int> processors;
  std::atomic<int64_t>* measured_pid = nullptr;  // set while a worker runs, for the telemetry
  int stop_fd = -1;                              // of ProcessOptions
};

// What starts a worker, with the program's own path: for another program that is to start it.
Result<std::vector<std::string>> worker_command(const SpawnOptions& options, const std::string& worker_role,
                                                int64_t process);

// The result file of a worker. Errors: the worker's own (kind, message and hint as it printed them); kResource when a
// signal ended it, naming the signal; kInterrupted when the user did.
Result<Json> run_worker_process(const SpawnOptions& options, const std::string& worker_role, int64_t process);

struct RankEnds {
  std::vector<Result<JsonValue>> by_rank;  // as run_worker_process
  std::optional<Error> cause;              // where one failed: what the first one failed at
  std::optional<int64_t> dead_rank;        // where that was that a signal ended it
};

// So many processes at once, numbered from 0. When one has failed, the others have four seconds to notice that and say
// so; then they are ended, as by an interrupt: none that waits for a rank that is gone waits forever.
RankEnds run_rank_processes(const SpawnOptions& options, const std::string& worker_role, int64_t ranks);

// The same as what a model's worker found.
Result<WorkerResult> run_in_worker(const SpawnOptions& options, const std::string& worker_role, int64_t process);

}  // namespace aaco
