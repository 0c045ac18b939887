// SPDX-License-Identifier: MIT
// Two commands in turns: baseline, test, test, baseline, ... so that what changes on the machine meets both alike.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/result.h"
#include "guard/command/command_sample.h"
#include "observe/telemetry/other_load.h"

namespace aaco {

// Called after each process: how many were measured on both sides.
using PairProgress = std::function<void(int64_t processes)>;

class InterleavedCommands {
 public:
  InterleavedCommands(TimedCommand baseline, TimedCommand test)
      : baseline_(std::move(baseline)), test_(std::move(test)) {}

  // Runs each side so often; the times do not count. The longest time of a pair of them.
  Result<int64_t> warm_up(int64_t runs);
  // Until there are so many pairs; false where `end_ns` (monotonic) came first.
  Result<bool> measure(int64_t pairs, int64_t end_ns, const PairProgress& progress);

  // Of the machine's processors, held by other programs from the first pair until now, the commands' own time left out.
  // None in less than 20 of the kernel's ticks, and where the kernel does not tell.
  std::optional<double> others_share() const;

  const TimedCommand& baseline() const { return baseline_; }
  const TimedCommand& test() const { return test_; }

 private:
  TimedCommand baseline_;
  TimedCommand test_;
  std::optional<ProcessorTimes> first_pair_;
};

}  // namespace aaco
