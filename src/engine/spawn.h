// SPDX-License-Identifier: MIT
// Starts worker processes of this program, and reads what they found.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"

namespace aaco {

struct SpawnOptions {
  std::filesystem::path plan_file;
  std::filesystem::path folder;
  std::vector<int> processors;
  std::atomic<int64_t>* measured_pid = nullptr;                  // set while a worker runs, for the telemetry
  int stop_fd = -1;                                              // of ProcessOptions
  std::vector<std::pair<std::string, std::string>> environment;  // added to this process's
};

// Of a worker's exit code: one of ours, or the one that says that it could not be started (on the processors that were
// asked for). Whatever else ended it, a library that called exit() for instance, is a failure during the run.
ErrorKind kind_of_exit_code(int exit_code);

// What starts a worker, with the program's own path: for another program that is to start it.
Result<std::vector<std::string>> worker_command(const SpawnOptions& options, const std::string& worker_role,
                                                int64_t process);

// The result file of a worker. Errors: the worker's own (kind, message and hint as it printed them); kResource when a
// signal ended it, naming the signal, which `signal` is given where not null; kInterrupted when the user did.
Result<Json> run_worker_process(const SpawnOptions& options, const std::string& worker_role, int64_t process,
                                int* signal = nullptr);

}  // namespace aaco
