// SPDX-License-Identifier: MIT
// What the packets of one writer share: names that were written once, defaults, and clocks of its own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "record/events/string_table.h"

namespace aaco::perfetto {

// Of InternedData's fields.
enum class InternedField : uint8_t { kCategory, kName, kAnnotationName, kText };
inline constexpr size_t kInternedFields = 4;

struct SequenceClock {
  int64_t last_ns = 0;      // of an incremental one
  int64_t to_trace_ns = 0;  // what makes its time the trace's
  int64_t ns_per_unit = 1;
  bool incremental = false;
};

struct Sequence {
  bool seen = false;   // a packet of it
  bool valid = false;  // its state begins where the writer said, and nothing was dropped since
  std::unordered_map<uint64_t, StringId> texts[kInternedFields];
  std::optional<uint64_t> default_clock;
  std::optional<uint64_t> default_track;
  std::vector<uint64_t> default_counters;       // the tracks of extra_counter_values
  std::vector<uint64_t> default_real_counters;  // and of extra_double_counter_values
  std::map<uint64_t, SequenceClock> clocks;
  std::map<uint64_t, int64_t> counters;  // by track: where the values are differences

  // The writer begins anew.
  void clear() {
    for (auto& table : texts) {
      table.clear();
    }
    default_clock.reset();
    default_track.reset();
    default_counters.clear();
    default_real_counters.clear();
    counters.clear();
  }
};

}  // namespace aaco::perfetto
