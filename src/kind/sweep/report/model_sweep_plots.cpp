// SPDX-License-Identifier: MIT
#include "kind/sweep/report/model_sweep_plots.h"

#include "report/counted_points.h"

namespace aaco::report {

namespace {

template <class PointOf>
void add_points(plot::Chart& chart, const Scaling& scaling, PointOf point_of) {
  add_rows(chart, scaling.rows, &ScalingRow::batch, point_of);
}

}  // namespace

plot::Chart throughput_by_batch(const Scaling& scaling) {
  plot::Chart chart{
      .id = "throughput",
      .title = "Throughput by batch",
      .caption = "Iterations over elapsed time. Whiskers: 95 % interval over processes.",
      .x = {.title = "batch"},
      .y = {.title = "throughput", .quantity = plot::Quantity::kSi, .unit = "samples/s", .from_zero = true},
      .height = 300,
      .no_data = "no throughput was measured"};
  add_points(chart, scaling, [](const ScalingRow& row) {
    return row.samples_per_s ? std::optional(CountedPoint{0, row.samples_per_s->value, row.samples_per_s->interval})
                             : std::nullopt;
  });
  mark_saturation(chart, scaling.saturation_batch);
  return chart;
}

plot::Chart latency_by_batch(const Scaling& scaling) {
  plot::Chart chart{.id = "latency-by-batch",
                    .title = "Latency of a batch",
                    .caption = "Flat while the batch costs nothing more.",
                    .x = {.title = "batch"},
                    .y = {.title = "p50", .quantity = plot::Quantity::kDuration, .unit = "ns", .from_zero = true},
                    .width = kThirdWidth,
                    .height = kThirdHeight,
                    .no_data = "no batch was measured"};
  add_points(chart, scaling, [](const ScalingRow& row) {
    return std::optional(CountedPoint{0, row.latency_ns.value, row.latency_ns.interval});
  });
  return chart;
}

plot::Chart latency_per_sample(const Scaling& scaling) {
  plot::Chart chart{
      .id = "latency-per-sample",
      .title = "Latency per sample",
      .caption = "The batch's latency over its size.",
      .x = {.title = "batch"},
      .y = {.title = "p50 / batch", .quantity = plot::Quantity::kDuration, .unit = "ns", .from_zero = true},
      .width = kThirdWidth,
      .height = kThirdHeight,
      .no_data = "no batch was measured"};
  add_points(chart, scaling, [](const ScalingRow& row) {
    CountedPoint point{0, row.per_sample_ns, {}};
    if (const auto& interval = row.latency_ns.interval) {
      const auto batch = static_cast<double>(row.batch);
      point.interval = Interval{interval->low / batch, interval->high / batch};
    }
    return std::optional(point);
  });
  return chart;
}

plot::Chart gain_by_batch(const Scaling& scaling) {
  plot::Chart chart{.id = "gain-per-doubling",
                    .title = "Gain per doubling",
                    .caption = "Of throughput. Saturated under the dashed line.",
                    .x = {.title = "batch"},
                    .y = {.title = "gain", .quantity = plot::Quantity::kPercent, .from_zero = true},
                    .width = kThirdWidth,
                    .height = kThirdHeight,
                    .no_data = "needs two batches"};
  add_points(chart, scaling, [](const ScalingRow& row) {
    return row.gain_per_doubling ? std::optional(CountedPoint{0, *row.gain_per_doubling, row.gain_interval})
                                 : std::nullopt;
  });
  chart.annotations.push_back({.kind = plot::Annotation::Kind::kHorizontalLine, .from = kSaturationGain, .colour = 1});
  return chart;
}

}  // namespace aaco::report
