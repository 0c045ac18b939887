// SPDX-License-Identifier: MIT
// What patterns look at, and what they have in common.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/timeline/advice/finding.h"
#include "analysis/timeline/operators/operator_links.h"
#include "analysis/timeline/operators/operator_works.h"
#include "analysis/timeline/trace_summary.h"

namespace aaco {

// A span in which a device had nothing to do, and what its launching thread was in.
struct LongIdle {
  LongHeldIdle idle;
  // Operators, calls and ranges of the launching thread that cover at least half of the span, the outermost first.
  std::vector<EventRow> covering;
};

// The longest window of each rank's devices.
class LongestWindows {
 public:
  explicit LongestWindows(const std::vector<DeviceSummary>& devices);
  // In ns; 0 where the rank has no device.
  int64_t window_ns(uint32_t recording, int64_t rank) const;

 private:
  std::map<std::pair<uint32_t, int64_t>, int64_t> windows_ns_;  // by recording and rank
};

struct AdviceInput {
  const EventTable& events;
  const TraceSummary& summary;  // all but its findings and offenders
  const std::vector<RankOperators>& operators;
  OperatorWorks& works;
  const std::vector<std::vector<LongIdle>>& long_idles;  // of each device
  const LongestWindows& windows;
};

// Of the window, below which nothing is worth a line: the same for all that is named as a trace's offender.
inline constexpr double kLeastShare = 0.01;

// Its place and its window are the device's.
TraceFinding finding_of(std::string pattern, const DeviceSummary& device);
TraceFinding finding_of(std::string pattern, const LongestWindows& windows, uint32_t recording, int64_t rank);

bool worth_a_line(const TraceFinding& finding);

// `mark` in lower case.
bool has_mark(std::string_view text, std::string_view mark);

// "1.204 ms"
std::string time_text(int64_t ns);

// Names by time, for `where` and for evidence.
class TimeByName {
 public:
  void add(StringId name, int64_t ns);
  // At most three, the longest first, each printable and short.
  std::vector<std::string> longest(const StringTable& strings) const;
  const std::map<StringId, int64_t>& all() const { return times_ns_; }

 private:
  std::map<StringId, int64_t> times_ns_;
};

// The names with commas between, in quotation marks.
std::string quoted(const std::vector<std::string>& names);

}  // namespace aaco
