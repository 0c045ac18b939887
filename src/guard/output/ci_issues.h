// SPDX-License-Identifier: MIT
// What of an answer is a problem: the one list that all CI formats write.
#pragma once

#include <string>
#include <vector>

#include "guard/judgement/guard_answer.h"

namespace aaco {

struct CiIssue {
  std::string rule;       // "regressed", "gate", "invalid", "inconclusive"
  std::string name;       // of the sample and subject
  std::string message;    // change and why, one line
  bool is_error = false;  // else a warning: nothing was decided
  Severity severity = Severity::kNone;
};

std::vector<CiIssue> ci_issues(const GuardAnswer& answer);
// Of a gate, as if it did not hold; of an open one that the measurement is invalid. Its limit is in the name, which
// tells the gates of a subject apart.
CiIssue gate_issue(const GuardAnswer& answer, const JudgedGate& gate);

// "resnet50" or "resnet50: batch 8"; of what one side alone has "resnet50: only in the test: batch 8". Each sample of
// an answer has another.
std::string case_name(const GuardAnswer& answer, const JudgedSample& sample);
// Change, reason, clock and cause in one line.
std::string one_line(const JudgedSample& sample);

// Stays the same for the same problem of the same subject, so that a CI system knows it again.
std::string fingerprint(const GuardAnswer& answer, const CiIssue& issue);

}  // namespace aaco
