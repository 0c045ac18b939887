// SPDX-License-Identifier: MIT
#include "monitor/alerts/alert_states.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace aaco {

namespace {

bool holds(const AlertExpression& expression, double value) {
  switch (expression.comparison) {
    case AlertComparison::kAbove:
      return value > expression.threshold;
    case AlertComparison::kAtLeast:
      return value >= expression.threshold;
    case AlertComparison::kBelow:
      return value < expression.threshold;
    case AlertComparison::kAtMost:
      return value <= expression.threshold;
    case AlertComparison::kEqual:
      return value == expression.threshold;
    case AlertComparison::kNotEqual:
      return value != expression.threshold;
  }
  return false;
}

// A label that a series does not have is as one of no text.
bool matches(const AlertExpression& expression, const MetricLabels& labels) {
  return std::all_of(expression.matchers.begin(), expression.matchers.end(), [&](const LabelMatcher& matcher) {
    const auto label = std::find_if(labels.begin(), labels.end(),
                                    [&](const auto& candidate) { return candidate.first == matcher.name; });
    return ((label == labels.end() ? "" : label->second) == matcher.value) == matcher.equal;
  });
}

// As Prometheus has it: the rule's label goes before the series'.
MetricLabels merged(const MetricLabels& series, const AlertRule& rule) {
  std::map<std::string, std::string> labels(series.begin(), series.end());
  for (const auto& [name, value] : rule.labels) {
    labels[name] = value;
  }
  return {labels.begin(), labels.end()};
}

// The alerts of the series for which the rule holds. Series that differ in a label of the rule alone are one alert, and
// it has no value: it would be that of any of them.
std::map<MetricLabels, std::optional<double>> holding_alerts(const AlertRule& rule, const MetricSet& metrics) {
  const AlertExpression& expression = rule.expression;
  std::map<MetricLabels, std::optional<double>> alerts;
  bool exists = false;
  for (const MetricFamily& family : metrics.families()) {
    if (sample_name(family.info) != expression.metric) {
      continue;
    }
    for (const MetricPoint& point : family.points) {
      const bool is_meant = matches(expression, point.labels);
      exists = exists || is_meant;
      if (is_meant && !expression.absent && holds(expression, point.value)) {
        const auto [alert, is_new] = alerts.try_emplace(merged(point.labels, rule), point.value);
        alert->second = is_new ? alert->second : std::nullopt;
      }
    }
  }
  if (expression.absent && !exists) {
    MetricLabels labels;
    for (const LabelMatcher& matcher : expression.matchers) {
      if (matcher.equal) {
        labels.emplace_back(matcher.name, matcher.value);
      }
    }
    alerts.emplace(merged(labels, rule), std::nullopt);
  }
  return alerts;
}

}  // namespace

std::vector<AlertChange> AlertStates::step(const MetricSet& metrics, int64_t now_ns) {
  std::vector<AlertChange> changes;
  for (size_t i = 0; i < rules_.size(); ++i) {
    const AlertRule& rule = rules_[i];
    std::map<MetricLabels, Active>& active = active_[i];
    const auto holding = holding_alerts(rule, metrics);
    for (auto alert = active.begin(); alert != active.end();) {
      if (holding.count(alert->first) == 0) {
        changes.push_back({&rule, alert->first, alert->second.state, AlertState::kInactive, std::nullopt});
        alert = active.erase(alert);
      } else {
        ++alert;
      }
    }
    for (const auto& [labels, value] : holding) {
      Active& state = active.try_emplace(labels, Active{AlertState::kInactive, now_ns, value}).first->second;
      state.value = value;
      const AlertState next = now_ns - state.since_ns >= rule.for_ns ? AlertState::kFiring : AlertState::kPending;
      if (next != state.state) {
        changes.push_back({&rule, labels, state.state, next, value});
        state.state = next;
      }
    }
  }
  return changes;
}

void AlertStates::add_metrics(MetricSet& metrics) const {
  const FamilyInfo info{kAlertMetric, MetricType::kGauge, "", "1: the rule holds, and is pending or firing"};
  for (size_t i = 0; i < rules_.size(); ++i) {
    for (const auto& [alert, active] : active_[i]) {
      std::map<std::string, std::string> labels(alert.begin(), alert.end());
      labels[kAlertNameLabel] = rules_[i].name;
      labels[kAlertStateLabel] = word_of(active.state);
      metrics.add(info, {labels.begin(), labels.end()}, 1);
    }
  }
}

std::string alert_words(const AlertChange& change) {
  std::string text = fmt::format("{} {}", word_of(change.to), change.rule->name);
  for (const auto& [name, value] : change.labels) {
    text += fmt::format(" {}={}", name, value);
  }
  return text + (change.value ? fmt::format(": {}, {}", *change.value, change.rule->text)
                              : fmt::format(": {}", change.rule->text));
}

}  // namespace aaco
