// SPDX-License-Identifier: MIT
#include "guard/output/ci_issues.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files/file.h"
#include "base/text/characters.h"

namespace aaco {

std::string case_name(const GuardAnswer& answer, const JudgedSample& sample) {
  const std::string& name = sample.is_one_sided ? sample.comparison.reason : sample.name;
  return answer.test.place.subject + (name.empty() ? "" : ": " + printable(name));
}

std::string one_line(const JudgedSample& sample) {
  const std::string change = change_words(sample);
  std::vector<std::string> parts = why_lines(sample);
  if (!change.empty()) {
    parts.insert(parts.begin(), change);
  }
  return printable(fmt::format("{}", fmt::join(parts, "; ")));
}

CiIssue gate_issue(const GuardAnswer& answer, const JudgedGate& gate) {
  const std::string name = printable(fmt::format("{}: {}", answer.test.place.subject, gate.words));
  const std::string message = printable(gate.value_words);
  return gate.is_open ? CiIssue{verdict_name(Verdict::kInvalid), name, message, false, Severity::kNone}
                      : CiIssue{"gate", name, message, true, Severity::kHigh};
}

std::vector<CiIssue> ci_issues(const GuardAnswer& answer) {
  std::vector<CiIssue> issues;
  for (const JudgedGate& gate : answer.gates) {
    if (!gate.passed) {
      issues.push_back(gate_issue(answer, gate));
    }
  }
  for (const JudgedSample& sample : answer.samples) {
    const Verdict verdict = sample.comparison.verdict;
    if (verdict != Verdict::kEquivalent && verdict != Verdict::kImproved) {
      issues.push_back({verdict_name(verdict), case_name(answer, sample), one_line(sample),
                        verdict == Verdict::kRegressed, sample.comparison.severity});
    }
  }
  if (answer.samples.empty()) {  // gates that hold compare nothing
    issues.push_back({verdict_name(Verdict::kInconclusive), answer.test.place.subject, printable(answer.no_baseline),
                      false, Severity::kNone});
  }
  return issues;
}

std::string fingerprint(const GuardAnswer& answer, const CiIssue& issue) {
  const SeriesPlace& place = answer.test.place;
  return sha256_of(
      fmt::format("{}\n{}\n{}\n{}\n{}", place.subject, place.backend, place.machine, issue.rule, issue.name));
}

}  // namespace aaco
