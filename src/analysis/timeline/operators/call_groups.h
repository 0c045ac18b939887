// SPDX-License-Identifier: MIT
// The calls of operators by what they were called with, and the time that each took itself: on the device, of what it
// launched; of a rank without a device, of its host's threads.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "analysis/timeline/operators/operator_links.h"
#include "analysis/timeline/operators/operator_works.h"

namespace aaco {

// Whether what a call took is work of the units and the memory that roofs are of.
enum class WorkPlace : uint8_t {
  kHere,
  kOperatorsWithin,  // on the host: operators within it do its work, and are listed themselves
  kOtherProvider,    // on the host: ONNX Runtime ran the node elsewhere
  kHostLink,         // copies between host and device
  kLinks,            // communication
};

struct KernelShare {
  StringId name = kEmptyString;
  uint64_t count = 0;
  int64_t total_ns = 0;
};

struct CallGroup {
  uint64_t count = 0;
  int64_t time_ns = 0;
  std::map<StringId, KernelShare> kernels;  // none of a host's
};

using CallGroups = std::map<std::pair<OperatorKey, WorkPlace>, CallGroup>;

// Calls that launched something; their time is the union of that.
CallGroups device_calls(const EventTable& events, const RankOperators& rank, OperatorWorks& works);

// All calls of a rank; their time is what their threads were in them and in no operator within.
CallGroups host_calls(const EventTable& events, const RankOperators& rank, OperatorWorks& works);

}  // namespace aaco
