// SPDX-License-Identifier: MIT
// Limits that a recording must keep whatever the baseline was, in YAML:
//
//   gates:
//     - figure: p99        # median, mean, p90, p99, elapsed, time_per_unit, cycles, value, rate
//       at_most: 12ms
//       subject: resnet50  # absent: each subject
//       name: latency      # absent: each sample
//     - figure: rate
//       at_least: 800
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "guard/judgement/guard_answer.h"
#include "guard/store/guard_rows.h"

namespace aaco {

struct GuardGate {
  std::string figure;
  std::string subject;  // by its name or its slug (names_subject); "": each
  std::string name;     // "": each
  double limit = 0;     // ns for a time
  bool is_time = false;
  bool at_least = false;  // else at most
};

// Errors: kUsage with file and line: no YAML, keys that are not known, a limit that nothing can miss.
Result<std::vector<GuardGate>> parse_gates(std::string_view text, const std::string& file);
Result<std::vector<GuardGate>> read_gates(const std::filesystem::path& file);

// Pure. Of each gate that is for this subject: the median over processes, of the sample that is farthest beyond it. A
// figure that was not recorded does not hold; nor, where the gate has no name, does one that any of `samples` lacks
// (expected_samples, guard_entry.h). What an invalid recording misses is open: a crowd makes nothing slower.
std::vector<JudgedGate> judge_gates(const std::vector<GuardGate>& gates, const GuardEntry& entry,
                                    const std::set<std::string>& samples);

}  // namespace aaco
