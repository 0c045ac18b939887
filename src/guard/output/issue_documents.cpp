// SPDX-License-Identifier: MIT
// Formats for problems in source files. A slower program has no line: they name a file for each subject, and its first
// character, because GitHub's code scanning and GitLab want a place.
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
  // Code scanning shows no rule without the three texts.
  const auto rule = [](const char* id, const char* level, const char* title, const char* text, const char* help) {
    return Json{{"id", id},
                {"shortDescription", {{"text", title}}},
                {"fullDescription", {{"text", text}}},
                {"help", {{"text", help}}},
                {"defaultConfiguration", {{"level", level}}}};
  };
  return Json::array(
      {rule("regressed", "error", "The change made it slower",
            "aaco measured both sides and the slowdown is larger than the smallest change that matters.",
            "The message names the change, its interval and its cause. aaco guard bisect finds the commit."),
       rule("gate", "error", "A limit of the gates file does not hold",
            "The median over processes is beyond the limit, or the figure was not recorded.",
            "Make it faster, or change the limit in the gates file."),
       rule("invalid", "warning", "The two sides cannot be compared",
            "A side was throttled or crowded, or did other work, or ran on another machine.",
            "Measure the same work on one quiet machine."),
       rule("inconclusive", "warning", "The measurement does not decide",
            "The interval of the change holds both a slowdown and none, or there is no baseline.",
            "Give --budget more time, or record a baseline with aaco guard record.")});
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
    const Json region{{"startLine", 1}, {"startColumn", 1}, {"endLine", 1}, {"endColumn", 2}};
    const Json location{{"physicalLocation", {{"artifactLocation", {{"uri", place_of(answer)}}}, {"region", region}}}};
    const std::string mark = fingerprint(answer, issue);
    results.push_back({{"ruleId", issue.rule},
                       {"level", issue.is_error ? "error" : "warning"},
                       {"message", {{"text", fmt::format("{}: {}", issue.name, issue.message)}}},
                       {"locations", Json::array({location})},
                       {"partialFingerprints", {{"primaryLocationLineHash", mark}, {"aacoGuard/v1", mark}}}});
  }
  const Json driver{{"name", "aaco guard"}, {"version", program_version()}, {"rules", rules_json()}};
  // Another subject of the same commit is another analysis: its file does not replace this one.
  const std::string category = fmt::format("aaco-guard/{}/", answer.test.place.subject);
  const Json run{{"tool", {{"driver", driver}}}, {"automationDetails", {{"id", category}}}, {"results", results}};
  return indented_json_text({{"$schema", kSarifSchema}, {"version", "2.1.0"}, {"runs", Json::array({run})}});
}

}  // namespace aaco
