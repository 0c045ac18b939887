// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <pugixml.hpp>
#include <sstream>

#include "base/clock.h"
#include "base/text/characters.h"
#include "guard/output/ci_formats.h"
#include "guard/output/ci_issues.h"

namespace aaco {

namespace {

struct CaseCounts {
  int tests = 0;
  int failures = 0;
  int errors = 0;
};

void add_case(pugi::xml_node suite, const std::string& name, const GuardAnswer& answer, const CiIssue* issue,
              const std::string& output, CaseCounts& counts) {
  pugi::xml_node test = suite.append_child("testcase");
  test.append_attribute("name") = name.c_str();
  test.append_attribute("classname") =
      fmt::format("aaco.guard.{}.{}", answer.test.place.backend, answer.test.place.machine).c_str();
  test.append_attribute("time") = fmt::format("{:.3f}", answer.seconds).c_str();
  ++counts.tests;
  if (issue != nullptr) {
    pugi::xml_node problem = test.append_child(issue->is_error ? "failure" : "error");
    problem.append_attribute("message") = issue->message.c_str();
    problem.append_attribute("type") = issue->rule.c_str();
    problem.text().set(issue->message.c_str());
    (issue->is_error ? counts.failures : counts.errors) += 1;
  }
  if (!output.empty()) {
    test.append_child("system-out").text().set(output.c_str());
  }
}

}  // namespace

std::string junit_xml(const GuardAnswer& answer) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node suites = document.append_child("testsuites");
  pugi::xml_node suite = suites.append_child("testsuite");
  CaseCounts counts;
  for (const JudgedSample& sample : answer.samples) {
    GuardAnswer alone = answer;
    alone.samples = {sample};
    alone.gates.clear();
    const std::vector<CiIssue> issues = ci_issues(alone);
    add_case(suite, case_name(answer, sample), answer, issues.empty() ? nullptr : &issues.front(), one_line(sample),
             counts);
  }
  for (const JudgedGate& gate : answer.gates) {
    const CiIssue issue{"gate", answer.test.place.subject,
                        printable(fmt::format("{}: {}", gate.words, gate.value_words)), true, Severity::kHigh};
    add_case(suite, answer.test.place.subject + ": " + gate.words, answer, gate.passed ? nullptr : &issue,
             gate.value_words, counts);
  }
  if (counts.tests == 0) {
    const std::vector<CiIssue> issues = ci_issues(answer);
    add_case(suite, answer.test.place.subject, answer, &issues.front(), "", counts);
  }
  suite.append_attribute("name") = "aaco guard";
  suite.append_attribute("tests") = counts.tests;
  suite.append_attribute("failures") = counts.failures;
  suite.append_attribute("errors") = counts.errors;
  suite.append_attribute("time") = fmt::format("{:.3f}", answer.seconds).c_str();
  std::string start = format_utc(answer.test.recorded_ns);
  if (!start.empty() && start.back() == 'Z') {
    start.pop_back();  // the schema takes no zone
  }
  suite.append_attribute("timestamp") = start.c_str();
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

}  // namespace aaco
