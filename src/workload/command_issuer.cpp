// SPDX-License-Identifier: MIT
#include "workload/command_issuer.h"

#include <fmt/format.h>

namespace aaco {

Result<CommandIssuer> CommandIssuer::make(const Program& program, const ProgramTarget& target) {
  CommandIssuer issuer(program, target);
  issuer.events_.resize(static_cast<size_t>(program.events()));
  for (const Command& command : program.commands()) {
    if (command.kind == CommandKind::kRecord) {
      Device& device = *target.devices[static_cast<size_t>(command.stream)];
      AACO_ASSIGN(issuer.events_[static_cast<size_t>(command.index)], device.make_event(false));
    }
  }
  if (const auto given = static_cast<int32_t>(target.communicators.size()); given < program.communicators()) {
    return Error{ErrorKind::kBug,
                 fmt::format("a program of {} communicators was given {}", program.communicators(), given), ""};
  }
  return issuer;
}

Result<void> CommandIssuer::issue(const Command& command) {
  Stream& stream = *target_->streams[static_cast<size_t>(command.stream)];
  const auto index = static_cast<size_t>(command.index);
  switch (command.kind) {
    case CommandKind::kOp:
      stream.launch(command.op, command.to);
      break;
    case CommandKind::kCopy:
      stream.copy(command.to, command.from, command.bytes);
      break;
    case CommandKind::kSet:
      stream.set(command.to, command.value, command.bytes);
      break;
    case CommandKind::kRecord:
      stream.record(*events_[index]);
      break;
    case CommandKind::kWait:
      stream.wait(*events_[index]);
      break;
    case CommandKind::kCollective:
      issue_collective(program_->collectives()[index]);
      break;
    case CommandKind::kHostStep:
      AACO_TRY(stream.synchronize());
      return program_->host_steps()[index]();
  }
  return {};
}

void CommandIssuer::issue_collective(const CollectiveCommand& command) {
  std::vector<CollectivePart> parts;
  for (const CollectiveRank& rank : command.ranks) {
    parts.push_back({target_->streams[static_cast<size_t>(rank.stream)], rank.send, rank.receive});
  }
  target_->communicators[static_cast<size_t>(command.communicator)]->enqueue(command.collective, parts, command.count,
                                                                             command.dtype);
}

}  // namespace aaco
