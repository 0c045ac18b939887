// SPDX-License-Identifier: MIT
// The state of each rule for each series that it holds for, as in Prometheus: inactive, pending until it has held for
// the rule's `for`, then firing; inactive again as soon as it holds no more, or the series is gone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/text/enum_words.h"
#include "monitor/alerts/alert_rule.h"
#include "monitor/metric.h"

namespace aaco {

enum class AlertState { kInactive, kPending, kFiring };
template <>
inline constexpr EnumWords<AlertState, 3> kWordsOf<AlertState>{{"inactive", "pending", "firing"}};

struct AlertChange {
  const AlertRule* rule = nullptr;
  MetricLabels labels;  // of series and rule
  AlertState from = AlertState::kInactive;
  AlertState to = AlertState::kInactive;
  std::optional<double> value;  // none of absent(), of several series, and of one that is gone
};

// "firing GpuHot device=0000:1b:00.0: 91, aaco_gpu_temperature_celsius > 85"
std::string alert_words(const AlertChange& change);

class AlertStates {
 public:
  explicit AlertStates(std::vector<AlertRule> rules) : rules_(std::move(rules)), active_(rules_.size()) {}

  // `now_ns` is monotonic. Returns what changed, in the order of the rules.
  std::vector<AlertChange> step(const MetricSet& metrics, int64_t now_ns);
  // "aaco_alert_active" of those that are pending or firing, with the labels of series and rule.
  void add_metrics(MetricSet& metrics) const;
  const std::vector<AlertRule>& rules() const { return rules_; }

 private:
  struct Active {
    AlertState state = AlertState::kInactive;
    int64_t since_ns = 0;
    std::optional<double> value;
  };

  std::vector<AlertRule> rules_;
  std::vector<std::map<MetricLabels, Active>> active_;  // of each rule, by the labels of series and rule
};

}  // namespace aaco
