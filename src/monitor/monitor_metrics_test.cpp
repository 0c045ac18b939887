// SPDX-License-Identifier: MIT
#include "monitor/monitor_metrics.h"

#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "monitor/column_metrics.h"
#include "monitor/gpu_sources.h"

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

// Of gaps of 30, 45 and 91 s at an interval of 30 s the first two are time that was watched.
TEST(MonitorMetrics, AGapIsMeasuredByTheInterval) {
  constexpr int64_t kSecond = 1'000'000'000;
  CollectorReading reading;
  reading.totals = SampleTotals(30 * kSecond);
  for (const int64_t second : {1, 31, 76, 167}) {
    reading.totals.take(gpu(second * kSecond, 4));
  }
  EXPECT_DOUBLE_EQ(value(metrics_of_one(reading), "aaco_gpu_throttled_seconds").value(), 75);
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

// By metric and labels, how often each series is there.
std::map<std::pair<std::string, MetricLabels>, int> series_of(const MetricSet& metrics) {
  std::map<std::pair<std::string, MetricLabels>, int> series;
  for (const MetricFamily& family : metrics.families()) {
    for (const MetricPoint& point : family.points) {
      ++series[{family.info.name, point.labels}];
    }
  }
  return series;
}

// amdgpu and amd-smi on the same device; amd-smi alone has a second one.
std::vector<CollectorReading> readings_of_amd() {
  std::vector<CollectorReading> readings(2);
  for (CollectorReading& reading : readings) {
    reading.state = CollectorState::kUp;
    reading.rows.gpus = {gpu(1, 0, gpu_vendor::kAmd)};
  }
  readings[0].collector = "amdgpu";
  readings[1].collector = "amdsmi";
  readings[1].rows.gpus.push_back(gpu(1, 0, gpu_vendor::kAmd));
  readings[1].rows.gpus.back().device = "0000:2b:00.0";
  for (CollectorReading& reading : readings) {
    for (const GpuSampleRow& row : reading.rows.gpus) {
      reading.totals.take(row);
    }
  }
  return readings;
}

TEST(MonitorMetrics, AGpuThatTwoCollectorsReadIsThereOnce) {
  std::vector<CollectorReading> readings = readings_of_amd();
  readings[1].rows.gpus.front().power_w = 1;
  keep_one_source(readings);
  const MetricSet metrics = metrics_of(readings);
  for (const auto& [name, count] : series_of(metrics)) {
    EXPECT_EQ(count, 1) << name.first;
  }
  EXPECT_EQ(value(metrics, "aaco_gpu_power_watts", {{"device", "0000:1b:00.0"}}), 687.5);
  EXPECT_EQ(value(metrics, "aaco_gpu_power_watts", {{"device", "0000:2b:00.0"}}), 687.5);
  EXPECT_EQ(value(metrics, "aaco_gpu_throttled_seconds", {{"device", "0000:2b:00.0"}}), 0);
  EXPECT_EQ(readings[0].why, "");
  EXPECT_EQ(readings[1].why, "1 GPU is left to amdgpu");
}

// While amd-smi stood in, it counted what the driver's files did not show: the counter does not fall behind that.
TEST(MonitorMetrics, ThrottledTimeDoesNotFallWhenTheSourceChanges) {
  std::vector<CollectorReading> readings = readings_of_amd();
  GpuSampleRow row = gpu(1'000'000'001, 0, gpu_vendor::kAmd);
  row.throttled = 1;
  readings[1].totals.take(row);
  keep_one_source(readings);
  EXPECT_EQ(value(metrics_of(readings), "aaco_gpu_throttled_seconds", {{"device", "0000:1b:00.0"}}), 1);
}

// The driver's files no longer answer for the device: what is known of it without them is not there twice either.
TEST(MonitorMetrics, AmdSmiStandsInWhereTheDriversFilesCannotBeRead) {
  std::vector<CollectorReading> readings = readings_of_amd();
  GpuSampleRow unread;
  unread.t_ns = 2;
  unread.device = "0000:1b:00.0";
  unread.vendor = gpu_vendor::kAmd;
  unread.memory_total_bytes = 1;
  readings[0].rows.gpus = {unread};
  keep_one_source(readings);
  const MetricSet metrics = metrics_of(readings);
  for (const auto& [name, count] : series_of(metrics)) {
    EXPECT_EQ(count, 1) << name.first;
  }
  EXPECT_EQ(value(metrics, "aaco_gpu_power_watts", {{"device", "0000:1b:00.0"}}), 687.5);
  EXPECT_FALSE(value(metrics, "aaco_gpu_memory_total_bytes", {{"device", "0000:1b:00.0"}}));
  EXPECT_EQ(readings[0].why, "1 GPU is left to amdsmi");
  EXPECT_EQ(readings[1].why, "");
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
