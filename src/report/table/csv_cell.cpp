// SPDX-License-Identifier: MIT
#include "report/table/csv_cell.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text/characters.h"

namespace aaco::report {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Most cells: nothing to look at closer.
bool is_plain(std::string_view text) {
  const auto asks = [](char c) { return c < ' ' || c > '~' || c == ',' || c == '"'; };  // beyond ASCII too
  return !text.empty() && (is_letter(text[0]) || (text[0] >= '0' && text[0] <= '9')) &&
         std::none_of(text.begin(), text.end(), asks);
}

bool is_unit(char c) { return is_letter(c) || c == '%' || c == '/'; }

// "-3.5", "+1e9", "-43 %", "+1.2 ms"; not "-1+cmd", "--help".
bool is_number(std::string_view text) {
  text.remove_prefix(text.starts_with('+') ? 1 : 0);
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto [behind, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument) {
    return false;
  }
  std::string_view unit(behind, static_cast<size_t>(end - behind));
  unit.remove_prefix(unit.starts_with(' ') ? 1 : 0);
  return std::all_of(unit.begin(), unit.end(), is_unit);
}

bool may_be_formula(std::string_view text) {
  // The wide forms, which some spreadsheets take for the usual ones.
  constexpr std::array<std::string_view, 10> kStarts{"=",  "+",      "-",      "@",      "\t",
                                                     "\r", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
  const auto begins = [&](std::string_view part) {
    return std::any_of(kStarts.begin(), kStarts.end(), [&](std::string_view start) { return part.starts_with(start); });
  };
  const size_t first = text.find_first_not_of(" \n\"'");
  return text.size() > 1 && first != std::string_view::npos && begins(text.substr(first)) && !is_number(text);
}

}  // namespace

std::string csv_cell(std::string_view text) {
  if (is_plain(text)) {
    return std::string(text);
  }
  std::string safe = may_be_formula(text) ? "'" : "";
  safe += unsteering(text);
  if (safe.find_first_of(",\"\r\n") == std::string::npos && !safe.empty()) {
    return safe;
  }
  std::string quoted = "\"";
  for (const char c : safe) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + "\"";
}

}  // namespace aaco::report
