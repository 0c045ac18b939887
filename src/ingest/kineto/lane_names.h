// SPDX-License-Identifier: MIT
// What the names of a process and a thread in a trace say of the lane. The only list of such names.
#pragma once

#include <cstdint>
#include <string_view>

#include "record/events/event_table.h"

namespace aaco {

enum class LaneRole : uint8_t {
  kUnknown,
  kHostOps,
  kHostCalls,
  kHostRanges,
  kStream,        // what the device executed
  kCollectives,   // the same, of collectives: counted where no stream shows them
  kOps,           // the same by XLA's operations: counted where no stream shows it
  kAsyncOps,      // XLA's copies and collectives beside them: likewise
  kAllStreams,    // of all of the device's streams: likewise
  kDeviceRanges,  // modules, steps, scopes: they hold what other lanes show
  kDerived,       // worked out of other lanes
};

struct LaneName {
  LaneRole role = LaneRole::kUnknown;
  int64_t device = kNoId;  // as the names number it
  int64_t stream = kNoId;
  bool threads_are_devices = false;
};

// `process` is the process's name, or its id where it has none; likewise `thread`.
LaneName lane_of_names(std::string_view process, std::string_view thread);

// Whether a word of it is what devices are called ("GPU 0", "NPU", "cuda stream"): what lies there may be device work.
bool is_like_a_device(std::string_view name);

// Of a slice on a stream, by its name and, of Ascend's, the type of its task ("" where there is none).
EventKind kind_on_stream(std::string_view name, std::string_view task_type);

}  // namespace aaco
