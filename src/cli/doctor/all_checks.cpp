// SPDX-License-Identifier: MIT
#include <array>
#include <cctype>
#include <charconv>

#include "cli/doctor/check.h"

namespace aaco::doctor {

namespace {

// In the order of the table: what every run needs first.
constexpr std::array<Check, 8> kChecks{check_onnx_runtime, check_duckdb,      check_registries, check_folders,
                                       check_machine,      check_permissions, check_drivers,    check_tools};

}  // namespace

std::span<const Check> all_checks() { return kChecks; }

const char* state_name(State state) {
  switch (state) {
    case State::kOk:
      return "ok";
    case State::kMissing:
      return "missing";
    case State::kWrongVersion:
      return "wrong version";
  }
  return "";
}

void to_json(Json& json, const Finding& finding) {
  json = {{"group", finding.group},   {"name", finding.name},     {"state", state_name(finding.state)},
          {"detail", finding.detail}, {"remedy", finding.remedy}, {"essential", finding.essential}};
}

Finding found(std::string group, std::string name, std::string detail) {
  return {std::move(group), std::move(name), State::kOk, std::move(detail), "", false};
}

Finding missing(std::string group, std::string name, std::string detail, std::string remedy, bool essential) {
  return {std::move(group), std::move(name), State::kMissing, std::move(detail), std::move(remedy), essential};
}

std::vector<int> version_in(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (size_t start = 0; start < text.size(); ++start) {
    // A number that begins inside a word ("rocprofv3", "sm_90") is part of the name; "v1.4" is a version.
    const bool in_word =
        start > 0 && (std::isalnum(static_cast<unsigned char>(text[start - 1])) != 0 || text[start - 1] == '_');
    const bool after_v = start > 0 && text[start - 1] == 'v' &&
                         (start == 1 || std::isalnum(static_cast<unsigned char>(text[start - 2])) == 0);
    if (!is_digit(text[start]) || (in_word && !after_v)) {
      continue;
    }
    std::vector<int> version;
    const char* at = text.data() + start;
    const char* const end = text.data() + text.size();
    for (;;) {
      int part = 0;
      const auto [next, error] = std::from_chars(at, end, part);
      if (error != std::errc{}) {
        break;
      }
      version.push_back(part);
      at = next;
      if (at + 1 >= end || *at != '.' || !is_digit(at[1])) {
        break;
      }
      ++at;
    }
    if (version.size() > 1) {
      return version;
    }
    start = static_cast<size_t>(at - text.data());
  }
  return {};
}

}  // namespace aaco::doctor
