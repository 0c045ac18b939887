// SPDX-License-Identifier: MIT
// A sweep over streams as rows, for SQL.
#pragma once

#include <optional>
#include <vector>

#include "kind/queue_run/analysis/stream_scaling.h"
#include "record/table.h"

namespace aaco {

struct QueuePointRow {
  int64_t streams = 1;
  int64_t used = 1;
  double throughput_per_s = 0;
  std::optional<double> throughput_low_per_s;
  std::optional<double> throughput_high_per_s;
  double per_stream_per_s = 0;
  double efficiency = 1;
  std::optional<double> efficiency_low;
  std::optional<double> efficiency_high;
  std::optional<double> gain_per_doubling;
};

template <>
struct RowSchema<QueuePointRow> {
  using Row = QueuePointRow;
  static constexpr const char* kName = "queue_points";
  static constexpr const char* kMeaning = "one row per stream count of a sweep that has a throughput";
  static constexpr auto columns() {
    return std::tuple(
        row_column("streams", &Row::streams, "1", "streams of each device"),
        row_column("used", &Row::used, "1", "streams that the workload used, of all devices"),
        row_column("throughput_per_s", &Row::throughput_per_s, "1/s", "in the workload's unit, median over processes"),
        row_column("throughput_low_per_s", &Row::throughput_low_per_s, "1/s", "lower end of its 95 % interval"),
        row_column("throughput_high_per_s", &Row::throughput_high_per_s, "1/s", "upper end"),
        row_column("per_stream_per_s", &Row::per_stream_per_s, "1/s", "throughput over streams"),
        row_column("efficiency", &Row::efficiency, "1", "throughput per stream over that of the fewest streams"),
        row_column("efficiency_low", &Row::efficiency_low, "1", "lower end of its 95 % interval"),
        row_column("efficiency_high", &Row::efficiency_high, "1", "upper end"),
        row_column("gain_per_doubling", &Row::gain_per_doubling, "1", "of throughput, against the row before"));
  }
};

std::vector<QueuePointRow> queue_points(const StreamScaling& scaling);

}  // namespace aaco
