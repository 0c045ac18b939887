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

// Ant's schema has the output of a suite, not of a case.
struct SuiteText {
  CaseCounts counts;
  std::string output;
};

void add_case(pugi::xml_node suite, const std::string& name, const GuardAnswer& answer, const CiIssue* issue,
              const std::string& output, SuiteText& text) {
  pugi::xml_node test = suite.append_child("testcase");
  test.append_attribute("name") = name.c_str();
  test.append_attribute("classname") =
      fmt::format("aaco.guard.{}.{}", answer.test.place.backend, answer.test.place.machine).c_str();
  test.append_attribute("time") = fmt::format("{:.3f}", answer.seconds).c_str();
  ++text.counts.tests;
  if (issue != nullptr) {
    pugi::xml_node problem = test.append_child(issue->is_error ? "failure" : "error");
    problem.append_attribute("message") = issue->message.c_str();
    problem.append_attribute("type") = issue->rule.c_str();
    problem.text().set(issue->message.c_str());
    (issue->is_error ? text.counts.failures : text.counts.errors) += 1;
  }
  if (!output.empty()) {
    text.output += fmt::format("{}: {}\n", name, output);
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
  suite.append_child("properties");
  SuiteText text;
  for (const JudgedSample& sample : answer.samples) {
    GuardAnswer alone = answer;
    alone.samples = {sample};
    alone.gates.clear();
    const std::vector<CiIssue> issues = ci_issues(alone);
    add_case(suite, case_name(answer, sample), answer, issues.empty() ? nullptr : &issues.front(), one_line(sample),
             text);
  }
  for (const JudgedGate& gate : answer.gates) {
    const CiIssue issue = gate_issue(answer, gate);
    add_case(suite, issue.name, answer, gate.passed ? nullptr : &issue, issue.message, text);
  }
  if (answer.samples.empty()) {
    GuardAnswer without_gates = answer;  // which are cases of their own
    without_gates.gates.clear();
    const std::vector<CiIssue> issues = ci_issues(without_gates);
    add_case(suite, answer.test.place.subject, answer, &issues.front(), "", text);
  }
  suite.append_child("system-out").text().set(text.output.c_str());
  std::string warnings;
  for (const std::string& file : answer.damaged) {
    warnings += printable(file) + "\n";
  }
  suite.append_child("system-err").text().set(warnings.c_str());
  suite.append_attribute("package") = "aaco.guard";
  suite.append_attribute("id") = 0;
  suite.append_attribute("hostname") = answer.test.place.machine.c_str();
  suite.append_attribute("name") = "aaco guard";
  suite.append_attribute("tests") = text.counts.tests;
  suite.append_attribute("failures") = text.counts.failures;
  suite.append_attribute("errors") = text.counts.errors;
  suite.append_attribute("time") = fmt::format("{:.3f}", answer.seconds).c_str();
  std::string start = format_utc(answer.test.recorded_ns);
  if (!start.empty() && start.back() == 'Z') {
    start.pop_back();  // the schema takes no zone
  }
  suite.append_attribute("timestamp") = start.c_str();
  std::ostringstream file;
  document.save(file, "  ");
  return file.str();
}

}  // namespace aaco
