// SPDX-License-Identifier: MIT
// How a workload's streams are shared out among copies and parts of its work.
#pragma once

#include <algorithm>
#include <cstdint>

#include "workload/builder.h"

namespace aaco {

// Consecutive streams.
struct StreamShare {
  int32_t first = 0;
  int32_t count = 1;

  // Of number `part` of things dealt out in turn.
  int32_t stream(int64_t part) const { return first + static_cast<int32_t>(part % count); }
  // What part `part` of `parts` gets for itself; where the parts are more than the streams, several get the same one.
  StreamShare part(int64_t part, int64_t parts) const {
    if (parts >= count) {
      return {stream(part), 1};
    }
    const auto before = static_cast<int32_t>(part * count / parts);
    return {first + before, static_cast<int32_t>((part + 1) * count / parts) - before};
  }
  // The stream for number `role` of several roles: the last stream takes all roles that are left.
  int32_t role(int32_t role) const { return first + std::min(role, count - 1); }
};

// Items [first, first + count) of a list that is cut into parts.
struct ItemRange {
  int64_t first = 0;
  int64_t count = 0;
};

inline ItemRange item_range(int64_t items, int64_t part, int64_t parts) {
  const int64_t first = part * items / parts;
  return {first, (part + 1) * items / parts - first};
}

inline constexpr int32_t kStreamsPerCopy = 8;
// The declaration of "scale", the same in all workloads that have copies.
inline constexpr Parameter kScaleParameter{
    "scale", "streams", "streams: another copy of the work for every 8 streams begun; fixed: one copy"};

inline StreamShare all_streams(const WorkloadBuilder& builder) { return {0, builder.streams()}; }

// How many copies of the work the parameter "scale" asks for.
inline Result<int64_t> copies_of_work(const WorkloadBuilder& builder, int32_t streams_per_copy) {
  AACO_ASSIGN(const size_t fixed, builder.parameters().choice("scale", {{"streams", "fixed"}}));
  return fixed != 0 ? int64_t{1} : int64_t{(builder.streams() + streams_per_copy - 1) / streams_per_copy};
}

}  // namespace aaco
