// SPDX-License-Identifier: MIT
#include "monitor/monitor_metrics.h"

#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <tuple>

#include "monitor/column_metrics.h"

namespace aaco {
namespace {

GpuSampleRow gpu(int64_t t_ns, uint64_t bits, const char* vendor = gpu_vendor::kNvidia) {
  GpuSampleRow row;
  row.t_ns = t_ns;
  row.device = "0000:1b:00.0";
  row.vendor = vendor;
  row.core_clock_mhz = 1980;
  row.power_w = 687.5;
  row.temperature_c = 61;
  row.busy_pct = 25;
  set_clock_events(row, bits);
  return row;
}

CollectorReading reading_of(std::vector<GpuSampleRow> samples) {
  CollectorReading reading;
  reading.collector = "nvml";
  reading.state = CollectorState::kUp;
  for (const GpuSampleRow& sample : samples) {
    reading.totals.take(sample);
  }
  reading.samples = static_cast<int64_t>(samples.size());
  reading.rows.gpus = {samples.back()};
  return reading;
}

MetricSet metrics_of_one(const CollectorReading& reading) { return metrics_of(std::span(&reading, 1)); }

std::optional<double> value(const MetricSet& metrics, const char* name, const MetricLabels& labels = {}) {
  const MetricFamily* family = metrics.find(name);
  for (const MetricPoint& point : family == nullptr ? std::vector<MetricPoint>() : family->points) {
    const bool matches = std::all_of(labels.begin(), labels.end(), [&](const auto& label) {
      return std::find(point.labels.begin(), point.labels.end(), label) != point.labels.end();
    });
    if (matches) {
      return point.value;
    }
  }
  return std::nullopt;
}

TEST(MonitorMetrics, AreInBaseUnits) {
  const MetricSet metrics = metrics_of_one(reading_of({gpu(1, 0)}));
  EXPECT_DOUBLE_EQ(value(metrics, "aaco_gpu_core_clock_hertz").value(), 1.98e9);
  EXPECT_DOUBLE_EQ(value(metrics, "aaco_gpu_power_watts").value(), 687.5);
  EXPECT_DOUBLE_EQ(value(metrics, "aaco_gpu_temperature_celsius").value(), 61);
  EXPECT_DOUBLE_EQ(value(metrics, "aaco_gpu_busy_ratio").value(), 0.25);
  EXPECT_DOUBLE_EQ(value(metrics, "aaco_gpu_throttled").value(), 0);
  EXPECT_EQ(metrics.find("aaco_gpu_memory_clock_hertz"), nullptr);  // was not read
  EXPECT_EQ(metrics.find("aaco_gpu_clock_event_bits"), nullptr);
}

// 2 s throttled (between the first and the third sample), 1 s not; the events: 0x04 sw_power_cap, 0x01 gpu_idle.
TEST(MonitorMetrics, ThrottledTimeAddsUpAndAnEventStaysOnceSeen) {
  constexpr int64_t kSecond = 1'000'000'000;
  const MetricSet metrics =
      metrics_of_one(reading_of({gpu(kSecond, 4), gpu(2 * kSecond, 4), gpu(3 * kSecond, 4), gpu(4 * kSecond, 1)}));
  EXPECT_DOUBLE_EQ(value(metrics, "aaco_gpu_throttled_seconds").value(), 2);
  EXPECT_EQ(value(metrics, "aaco_gpu_clock_event", {{"event", "sw_power_cap"}}), 0);
  EXPECT_EQ(value(metrics, "aaco_gpu_clock_event", {{"event", "gpu_idle"}}), 1);
}

TEST(MonitorMetrics, AGapThatNobodyWatchedIsNotThrottledTime) {
  const MetricSet metrics = metrics_of_one(reading_of({gpu(1, 4), gpu(1 + 11'000'000'000, 4)}));
  EXPECT_DOUBLE_EQ(value(metrics, "aaco_gpu_throttled_seconds").value(), 0);
}

TEST(MonitorMetrics, ACollectorThatIsDownSaysWhyInOneOfThreeWords) {
  CollectorReading reading;
  reading.collector = "nvml";
  reading.why = "libnvidia-ml.so.1: cannot open shared object file";
  for (const auto& [state, reason] : {std::pair{CollectorState::kAbsent, "absent"},
                                      {CollectorState::kLost, "lost"},
                                      {CollectorState::kStalled, "stalled"}}) {
    reading.state = state;
    EXPECT_EQ(value(metrics_of_one(reading), "aaco_collector_up", {{"collector", "nvml"}, {"reason", reason}}), 0);
  }
}

TEST(MonitorMetrics, ContextSwitchesAreACounter) {
  CollectorReading reading;
  for (const int64_t delta : {100, 250}) {
    SystemRow row;
    row.context_switches = delta;
    reading.totals.take(row);
    reading.rows.host = {row};
  }
  EXPECT_DOUBLE_EQ(value(metrics_of_one(reading), "aaco_host_context_switches").value(), 350);
}

// The most that a row can hold: every column, and all 64 bits of an AMD device at once.
TEST(MonitorMetrics, AGpuHasAtMost200SeriesWithNamesThatPrometheusTakes) {
  GpuSampleRow row = gpu(1, ~uint64_t{0}, gpu_vendor::kAmd);
  std::apply(
      [&](const auto&... column) {
        const auto fill = [&]<class T>(T& member) {
          if constexpr (std::is_same_v<T, std::optional<double>> || std::is_same_v<T, std::optional<int64_t>>) {
            member = member.value_or(1);
          }
        };
        (fill(row.*column.member), ...);
      },
      RowSchema<GpuSampleRow>::columns());
  const MetricSet metrics = metrics_of_one(reading_of({row}));
  size_t series = 0;
  for (const MetricFamily& family : metrics.families()) {
    if (family.info.name.starts_with("aaco_gpu_")) {
      series += family.points.size();
    }
    EXPECT_TRUE(std::regex_match(family.info.name, std::regex("[a-z][a-z0-9_]*"))) << family.info.name;
    EXPECT_TRUE(family.info.unit.empty() || family.info.name.ends_with("_" + family.info.unit)) << family.info.name;
    EXPECT_FALSE(family.info.help.empty()) << family.info.name;
  }
  EXPECT_GT(series, 64U);
  EXPECT_LE(series, kMostSeriesOfGpu);
}

TEST(MonitorMetrics, EveryUnitOfTheTablesIsABaseUnit) {
  std::vector<ColumnInfo> columns = column_infos<GpuSampleRow>();
  const std::vector<ColumnInfo> host = column_infos<SystemRow>();
  columns.insert(columns.end(), host.begin(), host.end());
  for (const ColumnInfo& column : columns) {
    const auto metric = metric_of_column("x_", column);
    EXPECT_EQ(metric.has_value(), column.type != ColumnType::kString) << column.name;
    if (metric && column.unit != "1") {
      EXPECT_FALSE(metric->info.unit.empty()) << column.name << " in " << column.unit << ": add the unit";
    }
  }
}

TEST(MonitorMetrics, TheProcessHasMemoryAndFiles) {
  MetricSet metrics;
  add_process_metrics(metrics);
  EXPECT_GT(value(metrics, "process_resident_memory_bytes").value(), 1e6);
  EXPECT_GE(value(metrics, "process_open_fds").value(), 3);
  EXPECT_GT(value(metrics, "process_cpu_seconds").value(), 0);
}

}  // namespace
}  // namespace aaco
