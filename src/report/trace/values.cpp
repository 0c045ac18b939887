// SPDX-License-Identifier: MIT
#include "report/trace/values.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/format.h"
#include "base/json.h"
#include "base/text/characters.h"

namespace aaco::report {

Json id_json(int64_t id) { return id == kNoId ? Json() : Json(id); }

Json timeline_json(const std::vector<MostInPart>& timeline) {
  Json list = Json::array();
  for (const MostInPart& part : timeline) {
    list.push_back({{"start_ns", part.start_ns}, {"most", part.most}});
  }
  return list;
}

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

std::string of_rank(const std::string& what, const EventTable& events, uint32_t recording, int64_t rank) {
  return fmt::format(
      "{}{}{}", rank == kNoId ? "" : fmt::format("rank {} ", rank), what,
      events.recordings.size() < 2 ? "" : fmt::format(" ({})", printable(events.recordings[recording].name)));
}

}  // namespace aaco::report
