// SPDX-License-Identifier: MIT
// Gives one command of a program to its stream.
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "workload/dispatch.h"

namespace aaco {

class CommandIssuer {
 public:
  // Makes the program's events. `program` and `target` must outlive the issuer.
  static Result<CommandIssuer> make(const Program& program, const ProgramTarget& target);

  // May be called by several threads for commands of different streams.
  Result<void> issue(const Command& command);

 private:
  CommandIssuer(const Program& program, const ProgramTarget& target) : program_(&program), target_(&target) {}
  void issue_collective(const CollectiveCommand& command);

  const Program* program_;
  const ProgramTarget* target_;
  std::vector<std::unique_ptr<Event>> events_;
};

}  // namespace aaco
