// SPDX-License-Identifier: MIT
#include <array>

#include "cli/doctor/check.h"

#include "base/json.h"

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

}  // namespace aaco::doctor
