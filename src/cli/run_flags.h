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
  std::vector<std::string> shapes;
  std::vector<std::string> inputs;
  std::vector<std::string> expected;
  std::vector<std::string> options;
  std::vector<std::string> parameters;
  std::string pin;
  std::string tokens;
  bool no_roofs = false;
};

void add_run_flags(cli::Command command, RunFlags& flags);

// A flag of several values takes each word that follows it, the model's name too where this stands there by its place
// (`--dim a=1 model.onnx`): a word among `values` that is not `of_the_flag` is moved to the model where none is named.
void give_model_back(std::vector<std::string>& values, bool (*of_the_flag)(const std::string&), RunFlags& flags);

// "4": how many. `what` names it in the error. Errors: kUsage.
Result<int64_t> whole_number(const std::string& what, const std::string& text);

// Errors: kUsage for NAME=VALUE flags that are not so, a run without a model, and the like.
Result<RunRequest> to_request(RunFlags flags, const Invocation& invocation);

}  // namespace aaco
