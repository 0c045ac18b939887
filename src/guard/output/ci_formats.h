// SPDX-License-Identifier: MIT
// An answer in the forms that CI systems read. Each is held to its schema by tests/guard.
#pragma once

#include <string>

#include "guard/judgement/guard_answer.h"

namespace aaco {

// JUnit XML: a suite, a test case for each figure and gate. A regression is a <failure>, an invalid or inconclusive
// verdict an <error>: both make a CI red, and say which it was.
std::string junit_xml(const GuardAnswer& answer);

// GitHub's workflow commands, a line each ("::error title=...::..."): at most ten of each level, which is what GitHub
// shows of a step.
std::string github_annotations(const GuardAnswer& answer);

// GitLab's code quality report: a JSON array of issues, empty where nothing changed for the worse.
std::string gitlab_code_quality(const GuardAnswer& answer);

// SARIF 2.1.0.
std::string sarif(const GuardAnswer& answer);

}  // namespace aaco
