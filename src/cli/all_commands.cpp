// SPDX-License-Identifier: MIT
#include <vector>

#include "cli/command/command.h"

// In the order of `aaco --help`. A line for each, of a file that defines add_<name>_command.
#define AACO_COMMANDS(COMMAND) \
  COMMAND(run)                 \
  COMMAND(sweep)               \
  COMMAND(report)              \
  COMMAND(open)                \
  COMMAND(spikes)              \
  COMMAND(diff)                \
  COMMAND(baseline)            \
  COMMAND(guard)               \
  COMMAND(sessions)            \
  COMMAND(queue)               \
  COMMAND(llama)               \
  COMMAND(overlap)             \
  COMMAND(observe)             \
  COMMAND(monitor)             \
  COMMAND(serve)               \
  COMMAND(mcp)                 \
  COMMAND(trace)               \
  COMMAND(devices)             \
  COMMAND(doctor)              \
  COMMAND(completion)          \
  COMMAND(manual)              \
  COMMAND(answer)              \
  COMMAND(worker)

namespace aaco {

#define AACO_DECLARE(name) void add_##name##_command(cli::Command app, Invocation& invocation);
AACO_COMMANDS(AACO_DECLARE)

namespace {

#define AACO_ADDRESS(name) &add_##name##_command,
const std::vector<AddCommand> kCommands{AACO_COMMANDS(AACO_ADDRESS)};

}  // namespace

std::span<const AddCommand> all_commands() { return kCommands; }

}  // namespace aaco
