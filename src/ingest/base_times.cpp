// SPDX-License-Identifier: MIT
#include "ingest/base_times.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "ingest/event_time.h"

namespace aaco {

namespace {

constexpr std::string_view kKey = "baseTimeNanoseconds";

// A number, or one in quotation marks.
std::optional<int64_t> number_of(std::string_view json) {
  if (json.size() >= 2 && json.starts_with('"') && json.ends_with('"')) {
    json = json.substr(1, json.size() - 2);
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(json.data(), json.data() + json.size(), value);
  return error == std::errc() && end == json.data() + json.size() ? std::optional(value) : std::nullopt;
}

bool has_time(EventShape shape) { return shape != EventShape::kUntimed && shape != EventShape::kMetadata; }

}  // namespace

void use_base_times(EventTable& events, bool is_part) {
  std::vector<std::optional<int64_t>> bases(events.recordings.size());
  int64_t earliest = std::numeric_limits<int64_t>::max();
  int64_t latest = std::numeric_limits<int64_t>::min();
  std::string_view format;
  for (const TraceMetadata& each : events.metadata) {
    const auto base = events.strings[each.key] == kKey ? number_of(events.strings[each.value]) : std::nullopt;
    if (base && each.recording < bases.size()) {
      bases[each.recording] = base;
      earliest = std::min(earliest, *base);
      latest = std::max(latest, *base);
      format = events.recordings[each.recording].format;
    }
  }
  if (format.empty()) {
    return;
  }
  for (size_t i = 0; i < bases.size(); ++i) {
    if (!bases[i] && events.recordings[i].format == format) {
      events.losses.add(Loss::kNoBaseTime, [&] { return events.recordings[i].name; });
    }
  }
  if (earliest == latest) {
    return;
  }
  int64_t apart = 0;
  if (is_part || __builtin_sub_overflow(latest, earliest, &apart) || apart > kFarthestNs / 2) {
    events.losses.add(Loss::kNoBaseTime, [&] { return fmt::format("{} from {} to {} ns", kKey, earliest, latest); });
    return;
  }
  for (size_t row = 0; row < events.size(); ++row) {
    const auto& base = bases[events.tracks[events.track[row]].recording];
    if (base && has_time(events.shape[row])) {
      events.start_ns[row] += *base - earliest;
    }
  }
  const StringId common = events.strings.intern(fmt::format("{}", earliest));
  for (TraceMetadata& each : events.metadata) {
    each.value = events.strings[each.key] == kKey && bases[each.recording] ? common : each.value;
  }
}

}  // namespace aaco
