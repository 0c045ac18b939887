// SPDX-License-Identifier: MIT
// The flags that say what is trained and how: shared by the subcommands of `aaco llama`. The names are the workshop's,
// with ours beside them.
#pragma once

#include "cli/command/command.h"
#include "cli/llama/workshop_flags.h"

#include "kind/training/document/training_run_document.h"

namespace aaco {

// Holds what was parsed until to_training_request() turns it into a request.
struct LlamaFlags {
  TrainingRequest request;
  std::string device;  // "": the first accelerator, else the CPU
  bool no_check = false;
  bool mixed_precision = false;  // the workshop's word for bf16
  bool always_on = false;        // asked for what every run does
  bool pages = false;            // write the report's page too
  bool no_telemetry = false;
  WorkshopFlags workshop;
};

void add_llama_flags(cli::Command command, LlamaFlags& flags);
// Errors: kUsage for a flag of the workshop that means nothing here.
Result<TrainingRequest> to_training_request(const LlamaFlags& flags, const Invocation& invocation);

}  // namespace aaco
