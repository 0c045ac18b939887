// SPDX-License-Identifier: MIT
// Two sessions compared as their kind says: the one way of `aaco diff`, and of what judges itself against a baseline.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>

#include "kind/compared_session.h"
#include "verdict/diff.h"
#include "verdict/pair_comparisons.h"

namespace aaco {

struct ComparisonRequest {
  std::string sessions = "sessions";
  std::string baseline;    // a baseline file, a document, or a session
  std::string test;        // a session, whose kind says how
  CompareOptions options;  // without a source of drift: with what was measured on the machine of the test's session
};

struct SessionComparison {
  ComparedSession baseline;
  ComparedSession test;
  std::variant<Diff, PairComparisons> result;  // of runs, or of their samples
  std::string compared_value;                  // of a pair: "step"
};

// Errors: kUsage for sides that are not compared with each other. Sides of other work or machines are no error: their
// verdict is invalid.
Result<SessionComparison> compare_sessions(const ComparisonRequest& request);

Json verdict_json(const SessionComparison& comparison);
// `top`: of nodes, how many rows; pairs are verdicts, which are all shown.
report::Report build_comparison_summary(const SessionComparison& comparison, std::optional<size_t> top);
int exit_code_of(const SessionComparison& comparison, bool allow_inconclusive);

inline constexpr const char* kComparisons = "comparisons";  // folder beside those of dates

// Where a comparison of two recorded sessions belongs: beside both, in neither.
std::filesystem::path comparison_folder(const std::string& sessions, const SessionComparison& comparison);

Result<void> write_verdict(const SessionComparison& comparison, const std::filesystem::path& folder);

}  // namespace aaco
