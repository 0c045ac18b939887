// SPDX-License-Identifier: MIT
// Alert rules in the form of Prometheus' rule files, so that one file serves both; of its expressions the simplest: a
// metric compared with a number, and absent().
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text/enum_words.h"

namespace aaco {

enum class AlertComparison { kAbove, kAtLeast, kBelow, kAtMost, kEqual, kNotEqual };
template <>
inline constexpr EnumWords<AlertComparison, 6> kWordsOf<AlertComparison>{{">", ">=", "<", "<=", "==", "!="}};

struct LabelMatcher {
  std::string name;
  std::string value;
  bool equal = true;  // else: anything but this
};

struct AlertExpression {
  std::string metric;  // as Prometheus has it, with _total and _info
  std::vector<LabelMatcher> matchers;
  bool absent = false;  // holds where there is no such series
  AlertComparison comparison = AlertComparison::kAbove;
  double threshold = 0;
};

// The metric that the rules make, and the labels that it has of each.
inline constexpr const char* kAlertMetric = "aaco_alert_active";
inline constexpr const char* kAlertNameLabel = "alertname";
inline constexpr const char* kAlertStateLabel = "alertstate";

struct AlertRule {
  std::string name;
  std::string text;  // of the expression
  AlertExpression expression;
  int64_t for_ns = 0;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
};

// "aaco_gpu_temperature_celsius{vendor="amd"} > 90". Errors: kUsage saying what is wrong, without a place.
Result<AlertExpression> parse_alert_expression(std::string_view text);

// Errors: kUsage, "FILE:LINE: what", for YAML that is none, a key that is not known, a rule without name or expression,
// a label that is none, or that the alert or its metric has already; a rule of kAlertMetric, which would feed on
// itself; two rules of one name.
Result<std::vector<AlertRule>> parse_alert_rules(std::string_view text, const std::string& file);
Result<std::vector<AlertRule>> read_alert_rules(const std::filesystem::path& file);

}  // namespace aaco
