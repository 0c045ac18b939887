// SPDX-License-Identifier: MIT
#include "monitor/exposition.h"

#include <gtest/gtest.h>
#include <limits>

namespace aaco {
namespace {

MetricSet example() {
  MetricSet metrics;
  metrics.add({"aaco_gpu_temperature_celsius", MetricType::kGauge, "celsius", "of the chip"},
              {{"device", "a\"b\\c\nd"}}, 61.5);
  metrics.add({"aaco_samples", MetricType::kCounter, "", "samples \\ \"taken\""}, {}, 12345678901);
  metrics.add({"aaco_build", MetricType::kInfo, "", "which"}, {{"version", "1"}}, 1);
  return metrics;
}

TEST(Exposition, OpenMetrics) {
  EXPECT_EQ(exposition_text(example(), ExpositionFormat::kOpenMetrics),
            "# TYPE aaco_gpu_temperature_celsius gauge\n"
            "# UNIT aaco_gpu_temperature_celsius celsius\n"
            "# HELP aaco_gpu_temperature_celsius of the chip\n"
            "aaco_gpu_temperature_celsius{device=\"a\\\"b\\\\c\\nd\"} 61.5\n"
            "# TYPE aaco_samples counter\n"
            "# HELP aaco_samples samples \\\\ \\\"taken\\\"\n"
            "aaco_samples_total 12345678901\n"
            "# TYPE aaco_build info\n"
            "# HELP aaco_build which\n"
            "aaco_build_info{version=\"1\"} 1\n"
            "# EOF\n");
}

TEST(Exposition, PrometheusText) {
  EXPECT_EQ(exposition_text(example(), ExpositionFormat::kPrometheusText),
            "# HELP aaco_gpu_temperature_celsius of the chip\n"
            "# TYPE aaco_gpu_temperature_celsius gauge\n"
            "aaco_gpu_temperature_celsius{device=\"a\\\"b\\\\c\\nd\"} 61.5\n"
            "# HELP aaco_samples_total samples \\\\ \"taken\"\n"
            "# TYPE aaco_samples_total counter\n"
            "aaco_samples_total 12345678901\n"
            "# HELP aaco_build_info which\n"
            "# TYPE aaco_build_info gauge\n"
            "aaco_build_info{version=\"1\"} 1\n");
}

TEST(Exposition, WhatIsNoNumberIsNoPoint) {
  MetricSet metrics;
  metrics.add({"a", MetricType::kGauge, "", ""}, {}, std::numeric_limits<double>::quiet_NaN());
  metrics.add({"b", MetricType::kGauge, "", ""}, {}, std::numeric_limits<double>::infinity());
  EXPECT_EQ(exposition_text(metrics, ExpositionFormat::kOpenMetrics), "# EOF\n");
}

TEST(Exposition, TheFormatIsByAccept) {
  const auto is_open = [](const char* accept) { return exposition_format(accept) == ExpositionFormat::kOpenMetrics; };
  // As Prometheus 2.42 and 3 ask.
  EXPECT_TRUE(
      is_open("application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
              "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"));
  EXPECT_TRUE(
      is_open("application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
              "text/plain;version=0.0.4;q=0.5, */*;q=0.2"));
  EXPECT_TRUE(is_open("application/openmetrics-text"));
  EXPECT_FALSE(is_open("text/plain;version=0.0.4,application/openmetrics-text;q=0.5"));
  EXPECT_FALSE(is_open("application/openmetrics-text;version=2.0.0"));
  EXPECT_FALSE(is_open("application/openmetrics-text;q=0"));
  EXPECT_FALSE(is_open("application/openmetrics-text;q=x"));
  EXPECT_FALSE(is_open("*/*"));
  EXPECT_FALSE(is_open(""));
}

}  // namespace
}  // namespace aaco
