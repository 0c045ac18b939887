// SPDX-License-Identifier: MIT
#include "report/trace_page/idle_wait.h"

#include <algorithm>
#include <fmt/format.h>

#include "analysis/timeline/waiting_call.h"
#include "base/text/characters.h"
#include "report/trace/values.h"

namespace aaco::report {

namespace {

// Of all streams together: an upper bound of the time in which something ran.
int64_t device_time_within(const EventTable& events, size_t call) {
  const uint32_t recording = events.tracks[events.track[call]].recording;
  int64_t sum_ns = 0;
  for (size_t i = 0; i < events.size(); ++i) {
    const bool works =
        events.kind[i] == EventKind::kKernel || events.kind[i] == EventKind::kCopy || events.kind[i] == EventKind::kSet;
    if (works && events.shape[i] == EventShape::kSlice && events.tracks[events.track[i]].recording == recording) {
      sum_ns += std::max<int64_t>(
          0, std::min(events.end_ns(i), events.end_ns(call)) - std::max(events.start_ns[i], events.start_ns[call]));
    }
  }
  return sum_ns;
}

}  // namespace

std::string longest_idle_wait(const EventTable& events, int64_t unexplained_ns) {
  size_t longest = events.size();
  int64_t longest_ns = unexplained_ns / 2;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.duration_ns[i] > longest_ns && events.kind[i] == EventKind::kHostCall &&
        events.shape[i] == EventShape::kSlice && waits_for_device(events.strings[events.name[i]])) {
      longest = i;
      longest_ns = events.duration_ns[i];
    }
  }
  if (longest == events.size() || device_time_within(events, longest) > longest_ns / 10) {
    return "";
  }
  const std::string name = printable(events.strings[events.name[longest]]);
  const bool copies = name.find("emcpy") != std::string::npos;
  return fmt::format("{},{} for {}", name, copies ? " a copy that blocks the host," : "", duration_text(longest_ns));
}

}  // namespace aaco::report
