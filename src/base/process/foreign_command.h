// SPDX-License-Identifier: MIT
// A command of the user's, run as the shell would: its input and output are its own, and it outlives aaco.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "base/command_signals.h"
#include "base/process/group_witness.h"
#include "base/result.h"

namespace aaco {

struct CommandEnd {
  int exit_code = 0;  // 128 and the signal's number where one ended it
  int signal = 0;
  double user_seconds = 0;  // of it and the children that it waited for
  double system_seconds = 0;
  std::optional<int64_t> peak_memory_bytes;  // none: it stayed below what aaco itself had taken when it forked
  int told = 0;                              // the first signal that came to aaco for it; 0: none
};

class ForeignCommand {
 public:
  // Starts it, with these variables beside the environment. Errors: kUsage where there is no such program or it cannot
  // be run; kResource, kInterrupted.
  static Result<ForeignCommand> start(const std::vector<std::string>& arguments,
                                      const std::vector<std::pair<std::string, std::string>>& environment);

  pid_t pid() const { return pid_; }
  // Calls `meanwhile` every so often until it has ended. SIGINT, SIGTERM and SIGHUP of aaco are the command's, once
  // each: what reached its process group is not passed on, what reached aaco alone is. It then has all the time it
  // wants; a second SIGINT ends it, by SIGTERM, and by SIGKILL 2 s later. Errors: those of `meanwhile`, which are told
  // once it has ended; kResource.
  Result<CommandEnd> wait(int every_ms, const std::function<Result<void>()>& meanwhile);

 private:
  ForeignCommand(pid_t pid, int64_t own_peak_kib, std::unique_ptr<CommandSignals> signals, GroupWitness witness)
      : pid_(pid), own_peak_kib_(own_peak_kib), signals_(std::move(signals)), witness_(std::move(witness)) {}

  pid_t pid_;
  int64_t own_peak_kib_;  // of aaco at the fork: the kernel counts the child's copy of it, and keeps that over exec
  std::unique_ptr<CommandSignals> signals_;
  GroupWitness witness_;
};

}  // namespace aaco
