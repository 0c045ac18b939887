// SPDX-License-Identifier: MIT
// Formats for problems in source files. A slower program has no line: they name the file that a reader of the problem
// would look for first, and never a place in it.
#include <fmt/format.h>
#include <string>

#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/version.h"
#include "guard/output/ci_formats.h"
#include "guard/output/ci_issues.h"

namespace aaco {

namespace {

constexpr const char* kSarifSchema = "https://json.schemastore.org/sarif-2.1.0.json";

const char* gitlab_severity(const CiIssue& issue) {
  switch (issue.severity) {
    case Severity::kCritical:
      return "blocker";
    case Severity::kHigh:
      return "critical";
    case Severity::kMedium:
      return "major";
    case Severity::kLow:
      return "minor";
    default:
      return "info";
  }
}

// Relative, as both formats want it: the subject is no file, and says so by its folder.
std::string place_of(const GuardAnswer& answer) { return "performance/" + answer.test.place.subject; }

Json rules_json() {
  const auto rule = [](const char* id, const char* text) {
    return Json{{"id", id}, {"shortDescription", {{"text", text}}}};
  };
  return Json::array({rule("regressed", "The change made it slower"),
                      rule("gate", "A limit of the gates file is missed"),
                      rule("invalid", "What was measured cannot be compared"),
                      rule("inconclusive", "The measurement does not decide")});
}

}  // namespace

std::string gitlab_code_quality(const GuardAnswer& answer) {
  Json issues = Json::array();
  for (const CiIssue& issue : ci_issues(answer)) {
    issues.push_back({{"description", fmt::format("{} {}: {}", issue.name, issue.rule, issue.message)},
                      {"check_name", "aaco-guard-" + issue.rule},
                      {"fingerprint", fingerprint(answer, issue)},
                      {"severity", gitlab_severity(issue)},
                      {"location", {{"path", place_of(answer)}, {"lines", {{"begin", 1}}}}}});
  }
  return indented_json_text(issues);
}

std::string sarif(const GuardAnswer& answer) {
  Json results = Json::array();
  for (const CiIssue& issue : ci_issues(answer)) {
    const Json location{{"physicalLocation", {{"artifactLocation", {{"uri", place_of(answer)}}}}}};
    results.push_back({{"ruleId", issue.rule},
                       {"level", issue.is_error ? "error" : "warning"},
                       {"message", {{"text", fmt::format("{}: {}", issue.name, issue.message)}}},
                       {"locations", Json::array({location})},
                       {"partialFingerprints", {{"aacoGuard/v1", fingerprint(answer, issue)}}}});
  }
  const Json driver{{"name", "aaco guard"}, {"version", program_version()}, {"rules", rules_json()}};
  const Json run{{"tool", {{"driver", driver}}}, {"results", results}};
  return indented_json_text({{"$schema", kSarifSchema}, {"version", "2.1.0"}, {"runs", Json::array({run})}});
}

}  // namespace aaco
