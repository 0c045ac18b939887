// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "monitor/alerts/alert_rule.h"
#include "monitor/alerts/alert_states.h"

namespace aaco {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

constexpr const char* kRules = R"(groups:
  - name: gpus
    rules:
      - alert: GpuHot
        expr: aaco_gpu_temperature_celsius{vendor="nvidia"} > 85
        for: 30s
        labels: {severity: page}
        annotations: {summary: the GPU is hot}
      - alert: NoGpu
        expr: absent(aaco_gpu_power_watts)
)";

std::string fault(const std::string& text) {
  const auto rules = parse_alert_rules(text, "r.yaml");
  return rules ? "" : rules.error().message;
}

MetricSet temperatures(std::initializer_list<std::pair<const char*, double>> devices) {
  MetricSet metrics;
  for (const auto& [device, celsius] : devices) {
    const FamilyInfo info{"aaco_gpu_temperature_celsius", MetricType::kGauge, "celsius", ""};
    metrics.add(info, {{"device", device}, {"vendor", "nvidia"}}, celsius);
    metrics.add(info, {{"device", device}, {"vendor", "amd"}}, 99);
  }
  return metrics;
}

std::string words(const std::vector<AlertChange>& changes) {
  std::string text;
  for (const AlertChange& change : changes) {
    text += alert_words(change) + "\n";
  }
  return text;
}

TEST(AlertRules, AreThoseOfAFileOfPrometheus) {
  const auto rules = parse_alert_rules(kRules, "r.yaml");
  ASSERT_TRUE(rules) << rules.error().message;
  ASSERT_EQ(rules->size(), 2U);
  EXPECT_EQ((*rules)[0].name, "GpuHot");
  EXPECT_EQ((*rules)[0].for_ns, 30 * kSecond);
  EXPECT_EQ((*rules)[0].labels.at("severity"), "page");
  EXPECT_EQ((*rules)[0].expression.threshold, 85);
  EXPECT_EQ((*rules)[0].expression.matchers.at(0).value, "nvidia");
  EXPECT_TRUE((*rules)[1].expression.absent);
}

TEST(AlertRules, AFaultHasItsLine) {
  const std::string head = "groups:\n- name: a\n  rules:\n  - alert: A\n";
  EXPECT_EQ(fault(head + "    expr: x > 1\n    fro: 1s\n"), "r.yaml:6: fro is not known here");
  EXPECT_EQ(fault(head + "    expr: x >\n"), "r.yaml:5: expr: '' is no number");
  EXPECT_EQ(fault(head + "    expr: rate(x[5m]) > 1\n"),
            "r.yaml:5: expr: '(x[5m]) > 1' is no comparison with a number");
  EXPECT_EQ(fault(head + "    expr: x > 1\n    for: soon\n"), "r.yaml:6: for: 'soon' is no duration");
  EXPECT_EQ(fault(head + "    expr: x > 1\n    labels: {1a: b}\n"), "r.yaml:6: '1a' is no name of a label");
  EXPECT_EQ(fault(head + "    expr: aaco_alert_active >= 0\n"),
            "r.yaml:5: expr: aaco_alert_active is what the rules make");
  EXPECT_EQ(fault(head + "    expr: absent(aaco_alert_active)\n"),
            "r.yaml:5: expr: aaco_alert_active is what the rules make");
  for (const char* name : {"alertname", "alertstate"}) {
    EXPECT_EQ(fault(head + "    expr: x > 1\n    labels:\n      a: b\n      " + name + ": c\n"),
              std::string("r.yaml:8: each alert has its own ") + name);
  }
  EXPECT_EQ(fault(head + "    labels: {vendor: a}\n    expr: x{vendor!=\"b\"} > 1\n"),
            "r.yaml:5: label vendor is the metric's");
  EXPECT_EQ(fault(head + "    for: 1s\n"), "r.yaml:4: a rule without expr");
  EXPECT_EQ(fault(head + "    expr: x > 1\n  - alert: A\n    expr: x > 2\n"), "r.yaml:6: a second alert A");
  EXPECT_EQ(fault("groups:\n- rules: x\n"), "r.yaml:2: a list is wanted here");
  EXPECT_EQ(fault("- a\n"), "r.yaml:1: there is no groups with its value here");
  EXPECT_NE(fault("a: [\n").find("r.yaml:"), std::string::npos);
}

TEST(AlertRules, ExpressionsThatAreNone) {
  for (const char* text : {"", "x", "x >", "> 1", "1 > x", "x > 1 or y > 2", "x{a=\"b\" > 1", "x{a=~\"b\"} > 1",
                           "x{a=b} > 1", "x{a=\"b} > 1", "absent(x", "absent(x) > 1", "x = 1", "x{=\"a\"} > 1"}) {
    EXPECT_FALSE(parse_alert_expression(text)) << text;
  }
  const auto expression = parse_alert_expression(" x { a = \"b\\\"c\" , d != \"e\" } <= -1.5e3 ");
  ASSERT_TRUE(expression) << expression.error().message;
  EXPECT_EQ(expression->matchers.at(0).value, "b\"c");
  EXPECT_FALSE(expression->matchers.at(1).equal);
  EXPECT_EQ(expression->comparison, AlertComparison::kAtMost);
  EXPECT_EQ(expression->threshold, -1500);
}

TEST(AlertStates, PendingThenFiringThenInactive) {
  AlertStates states({parse_alert_rules(kRules, "r.yaml")->front()});
  EXPECT_EQ(words(states.step(temperatures({{"a", 80}, {"b", 80}}), 0)), "");
  EXPECT_EQ(words(states.step(temperatures({{"a", 90}, {"b", 80}}), 10 * kSecond)),
            "pending GpuHot device=a severity=page vendor=nvidia: 90, aaco_gpu_temperature_celsius{vendor=\"nvidia\"} "
            "> 85\n");
  EXPECT_EQ(words(states.step(temperatures({{"a", 91}, {"b", 80}}), 39 * kSecond)), "");
  EXPECT_EQ(
      words(states.step(temperatures({{"a", 92}, {"b", 80}}), 40 * kSecond)),
      "firing GpuHot device=a severity=page vendor=nvidia: 92, aaco_gpu_temperature_celsius{vendor=\"nvidia\"} > 85\n");
  MetricSet metrics;
  states.add_metrics(metrics);
  ASSERT_EQ(metrics.families().size(), 1U);
  EXPECT_EQ(metrics.families()[0].points.at(0).labels, (MetricLabels{{"alertname", "GpuHot"},
                                                                     {"alertstate", "firing"},
                                                                     {"device", "a"},
                                                                     {"severity", "page"},
                                                                     {"vendor", "nvidia"}}));
  EXPECT_EQ(
      words(states.step(temperatures({{"a", 85}, {"b", 80}}), 41 * kSecond)),
      "inactive GpuHot device=a severity=page vendor=nvidia: aaco_gpu_temperature_celsius{vendor=\"nvidia\"} > 85\n");
  // Its time begins anew.
  EXPECT_EQ(states.step(temperatures({{"a", 86}}), 42 * kSecond).at(0).to, AlertState::kPending);
}

// Two series that a rule's label makes alike are one alert, whose value would be that of either.
TEST(AlertStates, ALabelOfTheRuleMakesNoSeriesTwice) {
  AlertStates states(
      {{"A", "t > 1", *parse_alert_expression("aaco_gpu_temperature_celsius > 1"), 0, {{"device", "all"}}, {}}});
  EXPECT_EQ(words(states.step(temperatures({{"a", 2}, {"b", 3}}), 0)),
            "firing A device=all vendor=amd: t > 1\nfiring A device=all vendor=nvidia: t > 1\n");
  MetricSet metrics;
  states.add_metrics(metrics);
  ASSERT_EQ(metrics.families().at(0).points.size(), 2U);
  EXPECT_NE(metrics.families()[0].points[0].labels, metrics.families()[0].points[1].labels);
  EXPECT_EQ(words(states.step(temperatures({{"a", 1}, {"b", 3}}), 1)), "");  // one of them still holds
}

TEST(AlertStates, AbsentHoldsUntilTheSeriesIsThere) {
  AlertStates states({parse_alert_rules(kRules, "r.yaml")->back()});
  EXPECT_EQ(states.step(temperatures({{"a", 1}}), 0).at(0).to, AlertState::kFiring);
  MetricSet metrics;
  metrics.add({"aaco_gpu_power_watts", MetricType::kGauge, "watts", ""}, {}, 0);
  EXPECT_EQ(states.step(metrics, 1).at(0).to, AlertState::kInactive);
}

TEST(AlertStates, ACounterHasItsNameOfPrometheus) {
  AlertStates states({{"A", "x_total > 1", *parse_alert_expression("x_total > 1"), 0, {}, {}}});
  MetricSet metrics;
  metrics.add({"x", MetricType::kCounter, "", ""}, {}, 2);
  EXPECT_EQ(states.step(metrics, 0).size(), 1U);
}

}  // namespace
}  // namespace aaco
