// SPDX-License-Identifier: MIT
#include "ingest/telemetry/log_lines.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

#include "base/json/json_text.h"

namespace aaco {

namespace {

constexpr std::string_view kSpace = " \t\r\n";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

size_t log_lines_before_json(std::string_view text) {
  for (size_t from = 0;;) {
    const size_t first = text.find_first_not_of(kSpace, from);
    if (first == std::string_view::npos || !is_letter(text[first])) {
      return from;
    }
    const size_t end = text.find('\n', first);
    if (end == std::string_view::npos) {
      return text.size();
    }
    from = end + 1;
  }
}

void keep_log_line(std::string_view line, uint64_t number, uint32_t recording, EventTable& into) {
  const std::string json = json_string_text(line);
  into.metadata.push_back({recording, into.strings.intern(fmt::format("line {}", number)), into.strings.intern(json)});
}

void keep_log_lines(std::string_view text, uint32_t recording, EventTable& into) {
  for (uint64_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, text.find_last_not_of(kSpace, end) + 1);
    if (std::any_of(line.begin(), line.end(), is_letter)) {
      keep_log_line(line, number, recording, into);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace aaco
