// SPDX-License-Identifier: MIT
#include "report/trace/values.h"

#include <algorithm>

#include "base/format.h"
#include "trace/event_table.h"

namespace aaco::report {

Json id_json(int64_t id) { return id == kNoId ? Json() : Json(id); }

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

}  // namespace aaco::report
