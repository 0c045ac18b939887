// SPDX-License-Identifier: MIT
#include "kind/queue_run/analysis/queue_points.h"

namespace aaco {

std::vector<QueuePointRow> queue_points(const StreamScaling& scaling) {
  std::vector<QueuePointRow> rows;
  for (const StreamScalingRow& from : scaling.rows) {
    QueuePointRow row;
    row.streams = from.streams;
    row.used = from.used;
    row.throughput_per_s = from.throughput.value;
    row.per_stream_per_s = from.per_stream.value;
    row.efficiency = from.efficiency;
    row.gain_per_doubling = from.gain_per_doubling;
    if (const auto& interval = from.throughput.interval) {
      row.throughput_low_per_s = interval->low;
      row.throughput_high_per_s = interval->high;
    }
    if (const auto& interval = from.efficiency_interval) {
      row.efficiency_low = interval->low;
      row.efficiency_high = interval->high;
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace aaco
