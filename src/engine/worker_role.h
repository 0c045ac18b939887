// SPDX-License-Identifier: MIT
// What a worker process can be told to do. Each kind of session has its roles (src/kind/all_kinds.h lists them all).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "base/json/json_value.h"
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

// The file in which process `process` of that role leaves its result.
std::filesystem::path result_path(const std::filesystem::path& folder, const std::string& role, int64_t process);

// The worker's main: does its role, writes its result. Errors: kUsage for a role that is not among `roles`; the
// role's own.
Result<int> run_worker(std::span<const WorkerRole> roles, const std::filesystem::path& plan_file,
                       const std::string& worker_role, int64_t process);

}  // namespace aaco
