// SPDX-License-Identifier: MIT
// One fresh process of a command, timed from exec to end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "observe/telemetry/other_load.h"

namespace aaco {

struct ProcessTimes {
  int64_t wall_ns = 0;
  int64_t user_ns = 0;  // processor time, of it and the children that it waited for
  int64_t system_ns = 0;
  int64_t peak_bytes = 0;
  int64_t minor_faults = 0;
  int64_t major_faults = 0;
  int64_t involuntary_switches = 0;
  std::optional<double> cycles;        // in user space
  std::optional<double> others_share;  // of the machine's processors, busy with other programs meanwhile
  int64_t quota_stopped_ns = 0;        // in which a CPU quota stopped aaco's control group, summed over processors
  int64_t heat_events = 0;             // times that heat lowered a processor's clock
};
void to_json(Json& json, const ProcessTimes& value);
void from_json(const Json& json, ProcessTimes& value);

// Input and output are /dev/null. It dies with aaco. Errors: kUsage where there is no such program, or it did not end
// with exit code 0 (with the last line that it wrote to stderr); kResource; kInterrupted.
Result<ProcessTimes> time_process(const std::vector<std::string>& arguments);

// Of the machine's processors, busy with other programs from `start` until now; `processes`: those timed meanwhile,
// whose own time is left out. None in less than 20 of the kernel's ticks, and where the kernel does not tell.
std::optional<double> others_share_since(const std::optional<ProcessorTimes>& start,
                                         const std::vector<ProcessTimes>& processes);

}  // namespace aaco
