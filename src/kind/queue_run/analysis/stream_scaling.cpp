// SPDX-License-Identifier: MIT
#include "kind/queue_run/analysis/stream_scaling.h"

#include <map>

#include "analysis/metric/metric.h"
#include "analysis/model_run/latency.h"

namespace aaco {

namespace {

// scaling.h knows the time of a batch: that in which s streams do s pieces of work at throughput T is s / T.
ScalingPoint as_batch(int64_t streams, const Estimate& throughput) {
  const double work = static_cast<double>(streams) * 1e9;
  Estimate time_ns{work / throughput.value, {}};
  if (const auto& interval = throughput.interval) {
    time_ns.interval = Interval{work / interval->high, work / interval->low};
  }
  return {streams, time_ns, time_ns};
}

Estimate scaled(const Estimate& estimate, double factor) {
  Estimate result{estimate.value * factor, {}};
  if (estimate.interval) {
    result.interval = Interval{estimate.interval->low * factor, estimate.interval->high * factor};
  }
  return result;
}

StreamScalingRow row_of(const StreamPoint& point, const Estimate& throughput, const StreamPoint& first) {
  StreamScalingRow row;
  row.streams = point.streams;
  row.used = point.used;
  row.throughput = throughput;
  row.per_stream = scaled(throughput, 1 / static_cast<double>(std::max<int64_t>(1, point.used)));
  const double growth = static_cast<double>(point.streams) / static_cast<double>(first.streams);
  row.efficiency = throughput.value / *median(first.process_throughputs) / growth;
  if (const auto ratio = welch_log_ratio(first.process_throughputs, point.process_throughputs, 0.95);
      ratio && point.streams != first.streams) {
    // The interval is about the ratio of geometric means; the value is one of medians.
    row.efficiency_interval = Interval{std::min(ratio->interval.low / growth, row.efficiency),
                                       std::max(ratio->interval.high / growth, row.efficiency)};
  }
  return row;
}

}  // namespace

StreamPoint stream_point(int64_t streams, const QueueWork& work, const std::vector<QueueProcess>& processes) {
  StreamPoint point;
  point.streams = streams;
  point.used = work.used_streams;
  for (const QueueProcess& process : processes) {
    if (const std::optional<double> throughput = units_per_s(process)) {
      point.process_throughputs.push_back(*throughput);
    }
  }
  return point;
}

StreamScaling stream_scaling(const std::vector<StreamPoint>& points) {
  StreamScaling result;
  std::map<int64_t, const StreamPoint*> by_streams;
  for (const StreamPoint& point : points) {
    by_streams.try_emplace(point.streams, &point);
  }
  std::vector<ScalingPoint> batches;
  const StreamPoint* first = nullptr;
  for (const auto& [streams, point] : by_streams) {
    const auto throughput = estimate_over_processes(point->process_throughputs);
    if (streams < 1 || !throughput) {
      result.without_throughput.push_back(streams);
      continue;
    }
    first = first == nullptr ? point : first;
    batches.push_back(as_batch(streams, *throughput));
    result.rows.push_back(row_of(*point, *throughput, *first));
  }
  const Scaling scaling = scaling_of(batches, {"stream count", "stream counts"});
  for (size_t i = 0; i < result.rows.size(); ++i) {
    result.rows[i].gain_per_doubling = scaling.rows[i].gain_per_doubling;
    result.rows[i].gain_interval = scaling.rows[i].gain_interval;
  }
  result.saturation_streams = scaling.saturation_batch;
  result.saturation = scaling.saturation;
  return result;
}

}  // namespace aaco
