// SPDX-License-Identifier: MIT
// The streams of a program by what activity records call them: device and the device's own number of the stream.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "trace/device_activity.h"
#include "workload/dispatch.h"

namespace aaco {

class StreamNumbers {
 public:
  explicit StreamNumbers(const ProgramTarget& target);

  // None where the record is of no stream of the program.
  std::optional<int32_t> of(const ActivityRecord& record) const;

 private:
  std::map<std::pair<uint32_t, uint64_t>, int32_t> numbers_;
};

}  // namespace aaco
