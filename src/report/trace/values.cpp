// SPDX-License-Identifier: MIT
#include "report/trace/values.h"

#include <algorithm>
#include <fmt/format.h>

#include "analysis/timeline/names/people_words.h"
#include "base/format.h"
#include "base/json/json.h"
#include "base/text/characters.h"

namespace aaco::report {

Json known(int64_t id) { return id == kNoId ? Json() : Json(id); }

std::optional<double> ratio(int64_t part, int64_t whole) {
  return whole > 0 ? std::optional(static_cast<double>(part) / static_cast<double>(whole)) : std::nullopt;
}

std::string share_text(int64_t part, int64_t whole) {
  const auto share = ratio(part, whole);
  return share ? format_percent(*share, 2) : "no data";
}

std::string duration_text(int64_t ns) { return format_duration_ns(static_cast<double>(ns)); }

std::string spaced(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string people_words(std::string_view id) { return aaco::people_words(id); }

std::string device_name(int64_t device) {
  return device == kNoId ? "device (not named)" : fmt::format("device {}", device);
}

std::string of_rank(const std::string& what, const EventTable& events, uint32_t recording, int64_t rank) {
  return fmt::format(
      "{}{}{}", rank == kNoId ? "" : fmt::format("rank {} ", rank), what,
      events.recordings.size() < 2 ? "" : fmt::format(" ({})", printable(events.recordings[recording].name)));
}

}  // namespace aaco::report
