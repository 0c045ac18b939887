// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>

#include "cli/doctor/check.h"

#include "base/json/json.h"

namespace aaco::doctor {

namespace {

// In the order of the table: what every run needs first.
constexpr std::array<Check, 11> kChecks{check_onnx_runtime, check_duckdb,   check_registries,  check_folders,
                                        check_machine,      check_workshop, check_permissions, check_kernel_plane,
                                        check_drivers,      check_tools,    check_guard};

}  // namespace

std::span<const Check> all_checks() { return kChecks; }

void to_json(Json& json, const Finding& finding) {
  json = {{"group", finding.group},   {"name", finding.name},     {"state", word_of(finding.state)},
          {"detail", finding.detail}, {"remedy", finding.remedy}, {"essential", finding.essential},
          {"vendor", finding.vendor}};
}

Finding finding_of(std::string group, std::string name, std::string detail) {
  return {std::move(group), std::move(name), State::kOk, std::move(detail), "", false, ""};
}

Finding missing(std::string group, std::string name, std::string detail, std::string remedy, bool essential) {
  return {std::move(group), std::move(name), State::kMissing, std::move(detail), std::move(remedy), essential, ""};
}

Finding of_vendor(std::string vendor, Finding finding) {
  finding.vendor = std::move(vendor);
  return finding;
}

std::vector<Finding> without_absent_vendors(const std::vector<Finding>& findings) {
  std::map<std::string, bool> present;
  std::map<std::string, std::string> names;
  for (const Finding& finding : findings) {
    present[finding.vendor] = present[finding.vendor] || finding.vendor.empty() || finding.state != State::kMissing;
    std::string& listed = names[finding.vendor];
    listed += (listed.empty() ? "" : ", ") + finding.name;
  }
  std::vector<Finding> kept;
  std::set<std::string> folded;
  for (const Finding& finding : findings) {
    if (present[finding.vendor]) {
      kept.push_back(finding);
    } else if (folded.insert(finding.vendor).second) {
      kept.push_back({"accelerators", finding.vendor + " GPUs", State::kNotNeeded,
                      fmt::format("none here; only they need {}", names[finding.vendor]), "", false, finding.vendor});
    }
  }
  std::ranges::stable_sort(kept, {}, [](const Finding& finding) { return finding.group == "accelerators"; });
  return kept;
}

}  // namespace aaco::doctor
