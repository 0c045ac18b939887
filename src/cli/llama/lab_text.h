// SPDX-License-Identifier: MIT
// A lab as a terminal shows it, and as JSON.
#pragma once

#include <optional>
#include <string>

#include "base/json/json_value.h"
#include "kind/training/lab/lab.h"

namespace aaco {

// What a learner did: no answer, or one, and whether it is right; and whether the solution is to be shown.
struct LabAttempt {
  std::optional<std::string> answer;
  bool right = false;
  bool solution = false;
};

// Title, what is to be learnt, what was measured, the question.
std::string lab_question_text(const Lab& lab, const LabMeasurement& measurement);
// How to answer: by `command`, the command line of the question, with the answer.
std::string lab_invitation_text(const Lab& lab, const LabMeasurement& measurement, const std::string& command);
// What came of the attempt: nothing where there is no answer and no solution.
std::string lab_outcome_text(const Lab& lab, const LabMeasurement& measurement, const LabAttempt& attempt);

// The answer, the way and the meaning only after a right answer or with the solution.
Json lab_json(const Lab& lab, const LabMeasurement& measurement, const LabAttempt& attempt);

}  // namespace aaco
