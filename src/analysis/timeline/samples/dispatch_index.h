// SPDX-License-Identifier: MIT
// Kernels of a trace by the number of their dispatch, within one process of one recording.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/timeline/samples/sample_reader.h"
#include "base/memory/growing_array.h"
#include "record/events/event_row.h"
#include "record/events/event_table.h"

namespace aaco {

class DispatchIndex {
 public:
  enum class MatchCount : uint8_t { kOne, kNone, kSeveral };
  struct Kernel {
    MatchCount matches = MatchCount::kNone;
    EventRow row = kNoEvent;  // of one
  };

  DispatchIndex(const EventTable& events, const SampleReader& reader);

  // By its dispatch, else by its correlation. Several rows of one kernel on one device are one.
  Kernel kernel_of(EventRow event, const PcSample& sample) const;

 private:
  struct Entry {
    uint32_t process;
    EventRow row;
    int64_t id;
  };
  using Entries = GrowingArray<Entry>;

  static void sort(Entries& entries);
  Kernel find(const Entries& entries, uint32_t process, int64_t id) const;

  const EventTable& events_;
  std::vector<uint32_t> process_of_track_;
  Entries by_dispatch_;
  Entries by_correlation_;  // of kernels whose dispatch is not numbered
};

}  // namespace aaco
