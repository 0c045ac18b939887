// SPDX-License-Identifier: MIT
// The flags that say which model runs how: shared by run and sweep.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command/command.h"

#include "kind/model_run/request/run_request.h"

namespace aaco {

inline constexpr double kQuickSeconds = 0.5;  // of --quick, a process
inline constexpr int32_t kQuickProcesses = 3;
inline constexpr int64_t kQuickWarmUp = 5;  // at least: half of the usual

// Holds what was parsed until to_request() turns it into a request.
struct RunFlags {
  RunRequest request;
  std::vector<std::string> dims;
  std::vector<std::string> shapes;
  std::vector<std::string> inputs;
  std::vector<std::string> expected;
  std::vector<std::string> options;
  std::vector<std::string> parameters;
  std::string pin;
  std::string tokens;
  bool no_roofs = false;
  bool quick = false;
  std::optional<double> duration_s;  // of all processes
  std::optional<std::string> until;  // percent
  bool takes_until = false;          // whether the command has --until: set before add_run_flags()
};

void add_run_flags(cli::Command command, RunFlags& flags);

// A flag of several values takes each word that follows it, the model's name too where this stands there by its place
// (`--dim a=1 model.onnx`): a word among `values` that is not `of_the_flag` is moved to the model where none is named.
void give_model_back(std::vector<std::string>& values, bool (*of_the_flag)(const std::string&), RunFlags& flags);

// Errors: kUsage for NAME=VALUE flags that are not so, a run without a model, and the like.
Result<RunRequest> to_request(RunFlags flags, const Invocation& invocation);

}  // namespace aaco
