// SPDX-License-Identifier: MIT
// Flags that the workshop's scripts have and that mean something else by name here, so that their command lines work.
// What has no meaning here is refused with the reason.
#pragma once

#include <string>
#include <vector>

#include "cli/command/command.h"

#include "base/result.h"
#include "kind/training/document/training_run_document.h"

namespace aaco {

struct WorkshopFlags {
  bool qkv_on = false;
  bool qkv_off = false;
  bool attention_on = false;
  bool attention_off = false;
  bool swiglu_on = false;
  bool swiglu_off = false;
  bool all_on = false;
  bool all_off = false;
  bool compiled = false;
  bool not_compiled = false;
  std::string compile_mode = "default";
  bool always_on = false;  // asked for what every run does
  bool validate = false;
  bool quick = false;
  std::string mode = "train";
  std::string profile_steps = "5";
  std::string sort_by;
  int64_t every = 10;  // taken, and not needed
  int64_t accumulation_steps = 1;
  std::vector<std::string> one_of_two;  // of two recorded runs
  bool ablation = false;
};

void add_workshop_flags(cli::Command command, WorkshopFlags& flags, TrainingRequest& request);
// Into the request what the flags mean. Errors: kUsage for a flag that means nothing here, with the reason.
Result<void> apply_workshop_flags(const WorkshopFlags& flags, TrainingRequest& request);

}  // namespace aaco
