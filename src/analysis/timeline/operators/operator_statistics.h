// SPDX-License-Identifier: MIT
// What the operators of a framework cost, on the device and on the host: which operator launched what, by name and by
// the shapes of its inputs.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/timeline/operators/operator_links.h"
#include "record/events/event_table.h"

namespace aaco {

struct OperatorStatistics {
  StringId name = kEmptyString;    // of a node of ONNX Runtime the operator's type
  StringId shapes = kEmptyString;  // of its inputs, as the file writes them; empty in statistics by name alone
  uint64_t count = 0;
  uint64_t launched = 0;     // device slices that it launched itself
  int64_t self_ns = 0;       // sum of their durations
  int64_t total_ns = 0;      // and of what operators within it launched; each slice once
  int64_t host_ns = 0;       // of its thread, by the union of its spans
  int64_t host_self_ns = 0;  // and in no operator within it
};

// How many device slices of a rank were put down to operators how.
struct OperatorLinks {
  uint64_t by_time = 0;
  uint64_t by_external_id = 0;
  uint64_t no_operator = 0;
  uint64_t no_launch = 0;
};

// Of one rank of a recording: all its threads and devices.
struct OperatorWork {
  uint32_t recording = 0;
  int64_t rank = kNoId;
  OperatorLinks links;
  int64_t device_ns = 0;                    // sum of all its device slices' durations
  std::vector<OperatorStatistics> by_name;  // longest self time first, then longest total, then longest host self
  std::vector<OperatorStatistics> by_shape;
};

// Of each of the ranks.
std::vector<OperatorWork> operator_statistics(const EventTable& events, const std::vector<RankOperators>& ranks);

}  // namespace aaco
