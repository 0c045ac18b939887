// SPDX-License-Identifier: MIT
// A timed command as a side of a comparison: each process is one iteration, whose time is that of the process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json/json_value.h"
#include "guard/command/timed_process.h"
#include "verdict/named_sample.h"

namespace aaco {

struct TimedCommand {
  std::string title;  // what is measured: the same on both sides
  std::vector<std::string> arguments;
  std::string program_sha256;           // of the file that arguments[0] names; "" where it is not known
  std::vector<ProcessTimes> processes;  // in the order in which they ran
  // Of the machine's processors, busy with other programs while all of them ran: one process may be too short to tell.
  std::optional<double> others_share;
};
void to_json(Json& json, const TimedCommand& value);
void from_json(const Json& json, TimedCommand& value);

// `environment`: the lockbox. `group`: equal on both sides of interleaved processes; "" of others. What others held is
// that over all processes where it is known, as a check judges it, else the most of any process.
NamedSample command_sample(const TimedCommand& command, const Json& environment, const std::string& created_utc,
                           const std::string& group);

// Both sides as if all processes had run at one clock: of each process's time the part in which its program ran is
// scaled by its own clock, cycles over processor time, beside that of the baseline. None where a process has no cycles.
struct SidesAtOneClock {
  NamedSample baseline;
  NamedSample test;
  double clock_ratio = 1;  // of medians, test over baseline
};
std::optional<SidesAtOneClock> at_one_clock(const TimedCommand& baseline, const TimedCommand& test,
                                            const NamedSample& baseline_times, const NamedSample& test_times);

// What changed beside the time, in one sentence: user and system time, waiting, page faults, memory. "" where nothing
// is known of a side.
std::string command_cause(const TimedCommand& baseline, const TimedCommand& test);

}  // namespace aaco
