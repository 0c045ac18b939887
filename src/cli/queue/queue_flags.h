// SPDX-License-Identifier: MIT
// The flags that say how a workload is run: shared by the subcommands of `aaco queue`.
#pragma once

#include <string>
#include <vector>

#include "cli/command/command.h"

#include "kind/queue_run/document/workload_request.h"

namespace aaco {

// Holds what was parsed until to_request() turns it into a request.
struct QueueFlags {
  QueueRequest request;
  std::string device;  // ids, by comma; "": the first device that there is
  std::vector<std::string> parameters;
  bool no_check = false;
};

// What is taken where the user names no device: the first accelerator, else the CPU; and why.
struct DefaultDevice {
  std::string id;
  std::string why;  // "no device was named: cuda:0 is the first"
};
DefaultDevice default_device();

void add_queue_flags(cli::Command command, QueueFlags& flags);
void add_profile_flag(cli::Command command, QueueFlags& flags);

// Errors: kUsage for what is no NAME=VALUE.
Result<QueueRequest> to_request(const QueueFlags& flags, const Invocation& invocation);

}  // namespace aaco
