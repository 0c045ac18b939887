// SPDX-License-Identifier: MIT
// Which operator of a framework started what ran on a device: the innermost one on the thread of the launching call, as
// that began; else the one whose external id the call or the slice bears.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/timeline/device_work.h"
#include "analysis/timeline/launch_index.h"
#include "trace/event_table.h"

namespace aaco {

enum class OperatorLink : uint8_t {
  kByTime,
  kByExternalId,
  kNoOperator,  // the launching call is known, an operator is not
  kNoLaunch,    // not even that
};

struct LinkedSlice {
  static constexpr uint64_t kNone = UINT64_MAX;

  uint64_t event = 0;     // of the slice
  uint64_t op = kNone;    // of the operator
  uint64_t call = kNone;  // that launched it
  OperatorLink link = OperatorLink::kNoLaunch;
};

// Of one rank of a recording: all its threads and devices.
struct RankOperators {
  uint32_t recording = 0;
  int64_t rank = kNoId;
  std::vector<uint64_t> operators;  // rows, ascending
  std::vector<LinkedSlice> slices;  // by device, in the order of its slices
};

// Of each rank that has an operator, by recording and rank.
std::vector<RankOperators> link_operators(const EventTable& events, const std::vector<DeviceWork>& devices,
                                          const LaunchIndex& launches);

}  // namespace aaco
