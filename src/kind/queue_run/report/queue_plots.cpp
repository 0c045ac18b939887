// SPDX-License-Identifier: MIT
#include "kind/queue_run/report/queue_plots.h"

#include <fmt/format.h>

#include "kind/queue_run/analysis/queue_metrics.h"
#include "report/values.h"

namespace aaco::report {

namespace {

plot::Axis stream_axis(const StreamScaling& scaling) {
  std::vector<double> streams;
  for (const StreamScalingRow& row : scaling.rows) {
    streams.push_back(static_cast<double>(row.streams));
  }
  return count_axis("streams", streams);
}

template <class PointOf>
void add_points(plot::Chart& chart, const StreamScaling& scaling, PointOf point_of) {
  add_rows(chart, scaling.rows, &StreamScalingRow::streams,
           [&](const StreamScalingRow& row) { return std::optional(point_of(row)); });
}

struct Relation {
  QueueRelation relation;
  const char* name;
  int colour;
};

constexpr Relation kRelations[] = {{QueueRelation::kShared, "shared", 1},
                                   {QueueRelation::kSeparate, "separate", 0},
                                   {QueueRelation::kUnknown, "unknown", plot::kMuted}};

void add_square(plot::Series& series, int32_t row, int32_t column, const std::string& label) {
  series.start.push_back(column - 0.46);
  series.x.push_back(column + 0.46);
  series.y.push_back(row);
  series.labels.push_back(label);
}

std::string label_of(const char* relation, const StreamPair& pair) {
  return fmt::format("{}: streams {} and {}; waited {} of {} times, the other way round {} of {}", relation, pair.first,
                     pair.second, pair.waited, pair.votes, pair.reverse_waited, pair.reverse_votes);
}

}  // namespace

plot::Chart throughput_by_streams(const StreamScaling& scaling, const std::string& unit) {
  plot::Chart chart{.id = "throughput-by-streams",
                    .title = "Throughput over streams",
                    .caption = "Band and whiskers: 95 % interval over processes.",
                    .x = {.title = "streams"},
                    .y = {.title = "throughput", .quantity = plot::Quantity::kSi, .unit = unit, .from_zero = true},
                    .height = 300,
                    .no_data = "no throughput was measured"};
  add_points(chart, scaling, [](const StreamScalingRow& row) {
    return CountedPoint{0, row.throughput.value, row.throughput.interval};
  });
  mark_saturation(chart, scaling.saturation_streams);
  return chart;
}

plot::Chart efficiency_by_streams(const StreamScaling& scaling) {
  plot::Chart chart{.id = "efficiency-by-streams",
                    .title = "Scaling efficiency",
                    .caption = "Throughput per stream over that of the fewest streams. Dashed: it grows as they do.",
                    .x = {.title = "streams"},
                    .y = {.title = "efficiency", .quantity = plot::Quantity::kPercent, .from_zero = true},
                    .width = kThirdWidth,
                    .height = kThirdHeight,
                    .no_data = "needs two stream counts"};
  add_points(chart, scaling,
             [](const StreamScalingRow& row) { return CountedPoint{0, row.efficiency, row.efficiency_interval}; });
  chart.annotations.push_back({.kind = plot::Annotation::Kind::kHorizontalLine, .from = 1, .colour = 1});
  return chart;
}

plot::Chart throughput_per_stream(const StreamScaling& scaling, const std::string& unit) {
  plot::Chart chart{
      .id = "throughput-per-stream",
      .title = "Throughput of a stream",
      .caption = "The whole over the streams.",
      .x = {.title = "streams"},
      .y = {.title = "throughput / streams", .quantity = plot::Quantity::kSi, .unit = unit, .from_zero = true},
      .width = kThirdWidth,
      .height = kThirdHeight,
      .no_data = "no throughput was measured"};
  add_points(chart, scaling, [](const StreamScalingRow& row) {
    return CountedPoint{0, row.per_stream.value, row.per_stream.interval};
  });
  return chart;
}

plot::Chart latency_by_streams(const StreamScaling& scaling, const std::vector<LatencyLine>& lines) {
  plot::Chart chart{.id = "latency-by-streams",
                    .title = "Latency of an iteration",
                    .caption = "Intervals: 95 % over processes.",
                    .x = stream_axis(scaling),
                    .y = {.title = "latency", .quantity = plot::Quantity::kDuration, .unit = "ns", .from_zero = true},
                    .width = kThirdWidth,
                    .height = kThirdHeight,
                    .no_data = "the host waited for no single iteration (--sync-mode)"};
  int colour = 0;
  for (const LatencyLine& line : lines) {
    add_counted_points(chart, line.points, line.name, colour++);
  }
  return chart;
}

plot::Chart switch_gaps(const SwitchCost& independent, const SwitchCost& hand_off) {
  plot::Chart chart{.id = "switch-gaps",
                    .title = "From the end of a kernel to the start of the next",
                    .caption = "Medians over processes, from time stamps that the kernels write; whiskers: 95 %.",
                    .x = {.title = "gap", .quantity = plot::Quantity::kDuration, .unit = "ns", .from_zero = true},
                    .no_data = "no gap was measured"};
  plot::Series bars{.mark = plot::Mark::kBars};
  for (const MetricValue* gap : {&independent.one_stream_gap, &independent.switch_gap, &hand_off.switch_gap}) {
    if (!gap->value) {
      continue;
    }
    const MetricInfo* info = find_queue_metric(gap->id);
    const Interval interval = gap->interval.value_or(Interval{*gap->value, *gap->value});
    bars.x.push_back(*gap->value);
    bars.y.push_back(static_cast<double>(chart.y.categories.size()));
    bars.low.push_back(interval.low);
    bars.high.push_back(interval.high);
    bars.values.push_back(format_in_unit(*gap->value, "ns"));
    bars.labels.push_back(format_with_interval(*gap->value, gap->interval, "ns"));
    chart.y.categories.emplace_back(info != nullptr ? info->title : gap->id);
  }
  chart.series.push_back(std::move(bars));
  return chart;
}

plot::Chart queue_matrix(const QueueMap& map) {
  plot::Chart chart{.id = "queue-map",
                    .title = "Which streams share a hardware queue",
                    .caption =
                        "Row and column are streams. Each pair was probed in both orders; a stream shares its "
                        "queue with itself.",
                    .x = {.title = "stream", .whole_numbers = true, .min = -0.5, .max = map.streams - 0.5},
                    .no_data = "no pair was probed"};
  std::vector<plot::Series> series;
  for (const Relation& relation : kRelations) {
    series.push_back({.name = relation.name, .mark = plot::Mark::kSpans, .colour = relation.colour});
  }
  for (int32_t stream = 0; stream < map.streams; ++stream) {
    chart.y.categories.push_back(std::to_string(stream));
    add_square(series[0], stream, stream, "itself");
  }
  for (const StreamPair& pair : map.pairs) {
    for (size_t i = 0; i < std::size(kRelations); ++i) {
      if (kRelations[i].relation == pair.relation) {
        add_square(series[i], pair.first, pair.second, label_of(kRelations[i].name, pair));
        add_square(series[i], pair.second, pair.first, label_of(kRelations[i].name, pair));
      }
    }
  }
  std::erase_if(series, [](const plot::Series& one) { return one.x.empty(); });
  if (!map.pairs.empty()) {
    chart.series = std::move(series);
  }
  return chart;
}

plot::Chart launch_by_threads(std::span<const LaunchCost> costs) {
  std::vector<double> threads;
  std::vector<CountedPoint> calls;
  std::vector<CountedPoint> kernels;
  for (const LaunchCost& cost : costs) {
    if (cost.synchronised) {
      continue;
    }
    threads.push_back(cost.threads);
    if (cost.call_p50.value) {
      calls.push_back({static_cast<double>(cost.threads), *cost.call_p50.value, cost.call_p50.interval});
    }
    if (cost.per_kernel.value) {
      kernels.push_back({static_cast<double>(cost.threads), *cost.per_kernel.value, cost.per_kernel.interval});
    }
  }
  plot::Chart chart{.id = "launch-by-threads",
                    .title = "Launch cost over threads",
                    .caption = "A call as one thread sees it; a kernel: wall time over the launches of all threads.",
                    .x = count_axis("threads, a stream each", threads),
                    .y = {.title = "time", .quantity = plot::Quantity::kDuration, .unit = "ns", .from_zero = true},
                    .no_data = "no launch was measured"};
  add_counted_points(chart, calls, "call, median", 0);
  add_counted_points(chart, kernels, "per kernel", 1);
  return chart;
}

}  // namespace aaco::report
