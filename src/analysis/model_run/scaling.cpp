// SPDX-License-Identifier: MIT
#include "analysis/model_run/scaling.h"

#include <cmath>
#include <fmt/format.h>
#include <map>

#include "analysis/metric/metric.h"
#include "analysis/model_run/latency.h"
#include "base/json.h"

namespace aaco {

namespace {

ScalingRow row_of(const ScalingPoint& point) {
  const double samples_ns = static_cast<double>(point.batch) * 1e9;
  ScalingRow row{point.batch,
                 point.latency_ns,
                 {samples_ns / point.latency_ns.value, {}},
                 point.latency_ns.value / static_cast<double>(point.batch),
                 {},
                 {}};
  if (const auto& interval = point.latency_ns.interval) {
    row.samples_per_s.interval = Interval{samples_ns / interval->high, samples_ns / interval->low};
  }
  return row;
}

void add_gain(const ScalingRow& previous, ScalingRow& row) {
  const double doublings = std::log2(static_cast<double>(row.batch) / static_cast<double>(previous.batch));
  const auto gain = [&](double throughput, double before) { return std::pow(throughput / before, 1 / doublings) - 1; };
  row.gain_per_doubling = gain(row.samples_per_s.value, previous.samples_per_s.value);
  if (row.samples_per_s.interval && previous.samples_per_s.interval) {
    row.gain_interval = Interval{gain(row.samples_per_s.interval->low, previous.samples_per_s.interval->high),
                                 gain(row.samples_per_s.interval->high, previous.samples_per_s.interval->low)};
  }
}

void add_saturation(Scaling& scaling, const ScalingAxis& axis) {
  for (size_t i = 1; i < scaling.rows.size(); ++i) {
    const ScalingRow& row = scaling.rows[i];
    if (*row.gain_per_doubling >= kSaturationGain) {
      continue;
    }
    if (row.gain_interval && row.gain_interval->high >= kSaturationGain) {
      scaling.saturation =
          fmt::format("inconclusive from {} {} on: the interval of the gain reaches {:.0f} % a doubling", axis.one,
                      scaling.rows[i - 1].batch, row.gain_interval->high * 100);
      continue;
    }
    scaling.saturation_batch = scaling.rows[i - 1].batch;
    scaling.saturation =
        row.gain_interval ? "measured" : fmt::format("measured without an interval: needs 3 processes a {}", axis.one);
    return;
  }
  if (scaling.saturation.empty()) {
    scaling.saturation = scaling.rows.size() < 2
                             ? fmt::format("needs two {}", axis.several)
                             : fmt::format("not reached up to {} {}", axis.one, scaling.rows.back().batch);
  }
}

// Least squares.
std::optional<double> exponent_of(const std::vector<ScalingRow>& rows) {
  std::vector<double> x;
  std::vector<double> y;
  for (const ScalingRow& row : rows) {
    x.push_back(std::log(static_cast<double>(row.batch)));
    y.push_back(std::log(row.latency_ns.value));
  }
  if (x.size() < 2) {
    return std::nullopt;
  }
  const double mean_x = *mean(x);
  const double mean_y = *mean(y);
  double products = 0;
  double squares = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    products += (x[i] - mean_x) * (y[i] - mean_y);
    squares += (x[i] - mean_x) * (x[i] - mean_x);
  }
  return products / squares;
}

}  // namespace

Scaling scaling_of(const std::vector<ScalingPoint>& points, const ScalingAxis& axis) {
  std::map<int64_t, ScalingPoint> by_batch;
  for (const ScalingPoint& point : points) {
    if (point.batch > 0 && point.latency_ns.value > 0) {
      by_batch.try_emplace(point.batch, point);
    }
  }
  Scaling scaling;
  for (const auto& [batch, point] : by_batch) {
    scaling.rows.push_back(row_of(point));
  }
  for (size_t i = 1; i < scaling.rows.size(); ++i) {
    add_gain(scaling.rows[i - 1], scaling.rows[i]);
  }
  add_saturation(scaling, axis);
  scaling.batch_exponent = exponent_of(scaling.rows);
  return scaling;
}

AACO_JSON_FIELDS(ScalingPoint, batch, latency_ns)
AACO_JSON_FIELDS(ScalingRow, batch, latency_ns, samples_per_s, per_sample_ns, gain_per_doubling, gain_interval)
AACO_JSON_FIELDS(Scaling, rows, saturation_batch, saturation, batch_exponent)

}  // namespace aaco
