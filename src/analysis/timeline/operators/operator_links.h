// SPDX-License-Identifier: MIT
// Which operator of a framework started what ran on a device: the innermost one on the thread of the launching call, as
// that began; else the one whose external id the call or the slice bears.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/timeline/device_work.h"
#include "analysis/timeline/lookup/row_groups.h"
#include "record/events/event_row.h"
#include "record/events/event_table.h"

namespace aaco {

enum class OperatorLink : uint8_t {
  kByTime,
  kByExternalId,
  kNoOperator,  // the launching call is known, an operator is not
  kNoLaunch,    // not even that
};

struct LinkedSlice {
  EventRow event = 0;        // of the slice
  EventRow op = kNoEvent;    // of the operator
  EventRow call = kNoEvent;  // that launched it
  OperatorLink link = OperatorLink::kNoLaunch;
};

// Of one rank of a recording: all its threads and devices.
struct RankOperators {
  uint32_t recording = 0;
  int64_t rank = kNoId;
  std::vector<EventRow> operators;    // ascending
  std::vector<int64_t> host_self_ns;  // of each: how long its thread was in it, and in no operator within it
  std::vector<LinkedSlice> slices;    // by device, in the order of its slices
};

// Of each rank that has an operator, by recording and rank.
std::vector<RankOperators> link_operators(const EventTable& events, const std::vector<DeviceWork>& devices);

// Indices of RankOperators::slices by track, those of the rank alone, and on each by start and row.
RowGroups linked_stream_order(const EventTable& events, const RankOperators& rank);

}  // namespace aaco
