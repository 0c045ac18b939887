// SPDX-License-Identifier: MIT
#include "guard/judgement/same_software.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

#include "base/json/json.h"
#include "guard/subject/guard_entry.h"
#include "verdict/identity/environment_diff.h"

namespace aaco {

namespace {

constexpr std::array<std::string_view, 3> kSoftware{"driver", "library", "kernel"};

bool is_software(const LockboxDifference& difference) {
  return difference.performance_relevant && (std::ranges::find(kSoftware, difference.category) != kSoftware.end() ||
                                             difference.key.starts_with("software."));
}

}  // namespace

std::string why_other_software(const GuardRecord& baseline_record, const Json& baseline, const GuardRecord& test_record,
                               const Json& test) {
  const std::string program = recorded_program(baseline_record);
  if (program.empty() || program != recorded_program(test_record)) {
    return "the baseline was recorded by another build of aaco, or does not say by which";
  }
  for (const LockboxDifference& difference : compare_environments(baseline, test)) {
    if (is_software(difference)) {
      return fmt::format("the baseline had other software ({} {} / {}), which both sides would have now",
                         difference.key, difference.a, difference.b);
    }
  }
  return "";
}

}  // namespace aaco
