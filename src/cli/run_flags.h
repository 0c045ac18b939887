// SPDX-License-Identifier: MIT
// The flags that say which model runs how: shared by run and sweep.
#pragma once

#include <string>
#include <vector>

#include "cli/command/command.h"

#include "experiment/run_request.h"

namespace aaco {

// Holds what was parsed until to_request() turns it into a request.
struct RunFlags {
  RunRequest request;
  std::vector<std::string> dims;
  std::vector<std::string> inputs;
  std::vector<std::string> expected;
  std::vector<std::string> options;
  std::vector<std::string> parameters;
  std::string pin;
  std::string tokens;
  bool no_roofs = false;
};

void add_run_flags(cli::Command command, RunFlags& flags);

// Errors: kUsage for NAME=VALUE flags that are not so, and the like.
Result<RunRequest> to_request(const RunFlags& flags, const Invocation& invocation);

}  // namespace aaco
