// SPDX-License-Identifier: MIT
// Which of several processes this one is, where a launcher (mpirun, srun, torchrun) started them to do one job.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"

namespace aaco {

struct JobShare {
  int64_t index = 0;
  int64_t count = 1;
  std::string job;  // the same in all processes of the job, and in no other's
};

// From the environment: the first launcher of a list that says index and count. None without one, and of a job of one
// process. `variable`: a variable's value, null where it is not set. Errors: kUsage where the values make no sense, or
// nothing names the job.
Result<std::optional<JobShare>> job_share(const std::function<const char*(const char*)>& variable);

}  // namespace aaco
