// SPDX-License-Identifier: MIT
// Which rows of a collector each command of a program leaves: a library may do one operation with several kernels, and
// another with none. Found out by giving the program to its streams once, command by command, and looking which
// launching calls were made within each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/backend.h"
#include "record/device/activity_table.h"
#include "workload/dispatch.h"

namespace aaco {

struct CommandRecord {
  int32_t stream = 0;            // of the program
  StringId name = kEmptyString;  // as the sink numbers names
  friend bool operator==(const CommandRecord&, const CommandRecord&) = default;
};

struct CommandRecords {
  std::vector<std::vector<CommandRecord>> commands;  // by command of the program, in the order of each stream
  std::string problem;                               // why it could not be found out; empty: it could
};

// One iteration from this thread, as DispatchMode::kSingle does it. All work before has ended; what the sink holds is
// taken away, and so is what this leaves in it. Errors: the collector's, a host step's, what a stream failed at.
Result<CommandRecords> find_command_records(const Program& program, const ProgramTarget& target,
                                            ActivityCollector& collector, ActivityTable& sink);

}  // namespace aaco
