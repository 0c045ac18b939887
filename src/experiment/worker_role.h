// SPDX-License-Identifier: MIT
// What a worker process can be told to do: one table, from the role's name to its function.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "base/json_value.h"
#include "base/result.h"

namespace aaco {

struct WorkerTask {
  std::filesystem::path plan_file;  // in the folder where the process leaves what it records, and its result
  JsonValue plan;
  int64_t process = 0;
};

struct WorkerRole {
  const char* name;
  Result<Json> (*work)(const WorkerTask& task);  // what the result file is to say
};

std::span<const WorkerRole> all_worker_roles();

// The worker's main: does its role, writes its result. Errors: kUsage for a role that the table does not have; the
// role's own.
Result<int> run_worker(const std::filesystem::path& plan_file, const std::string& worker_role, int64_t process);

}  // namespace aaco
