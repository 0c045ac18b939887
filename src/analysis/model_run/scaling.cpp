// SPDX-License-Identifier: MIT
#include "analysis/model_run/scaling.h"

#include <cmath>
#include <fmt/format.h>
#include <map>

#include "analysis/metric/metric.h"
#include "analysis/model_run/results.h"
#include "base/json/json.h"

namespace aaco {

namespace {

ScalingRow row_of(const ScalingPoint& point) {
  const auto batch = static_cast<double>(point.batch);
  ScalingRow row;
  row.batch = point.batch;
  row.latency_ns = point.latency_ns;
  row.elapsed_ns = point.elapsed_ns;
  row.per_sample_ns = point.latency_ns.value / batch;
  if (point.elapsed_ns) {
    row.samples_per_s = Estimate{batch * 1e9 / point.elapsed_ns->value, {}};
    if (const auto& interval = point.elapsed_ns->interval) {
      row.samples_per_s->interval = Interval{batch * 1e9 / interval->high, batch * 1e9 / interval->low};
    }
  }
  return row;
}

void add_gain(const ScalingRow& previous, ScalingRow& row) {
  if (!row.samples_per_s || !previous.samples_per_s) {
    return;
  }
  const Estimate& now = *row.samples_per_s;
  const Estimate& before = *previous.samples_per_s;
  const double doublings = std::log2(static_cast<double>(row.batch) / static_cast<double>(previous.batch));
  const auto gain = [&](double throughput, double other) { return std::pow(throughput / other, 1 / doublings) - 1; };
  row.gain_per_doubling = gain(now.value, before.value);
  if (now.interval && before.interval) {
    row.gain_interval =
        Interval{gain(now.interval->low, before.interval->high), gain(now.interval->high, before.interval->low)};
  }
}

// The first row from `from` on that gains again: what lies before it is no saturation.
const ScalingRow* next_rise(const std::vector<ScalingRow>& rows, size_t from) {
  for (size_t i = from; i < rows.size(); ++i) {
    if (rows[i].gain_per_doubling.value_or(0) >= kSaturationGain) {
      return &rows[i];
    }
  }
  return nullptr;
}

void add_saturation(Scaling& scaling, const ScalingAxis& axis) {
  for (size_t i = 1; i < scaling.rows.size(); ++i) {
    const ScalingRow& row = scaling.rows[i];
    if (!row.gain_per_doubling) {
      scaling.saturation = fmt::format("no data: the throughput of {} {} is not recorded", axis.singular,
                                       scaling.rows[i - 1].samples_per_s ? row.batch : scaling.rows[i - 1].batch);
      return;
    }
    if (*row.gain_per_doubling >= kSaturationGain) {
      continue;
    }
    if (row.gain_interval && row.gain_interval->high >= kSaturationGain) {
      scaling.saturation =
          fmt::format("inconclusive from {} {} on: the interval of the gain reaches {:.0f} % a doubling", axis.singular,
                      scaling.rows[i - 1].batch, row.gain_interval->high * 100);
      continue;
    }
    if (const ScalingRow* const later = next_rise(scaling.rows, i + 1)) {
      scaling.saturation =
          fmt::format("not found: no gain from {} {} to {}, yet {:.0f} % a doubling up to {}", axis.singular,
                      scaling.rows[i - 1].batch, row.batch, *later->gain_per_doubling * 100, later->batch);
      return;
    }
    scaling.saturation_batch = scaling.rows[i - 1].batch;
    scaling.saturation = row.gain_interval
                             ? "measured"
                             : fmt::format("measured without an interval: needs 3 processes a {}", axis.singular);
    return;
  }
  if (scaling.saturation.empty()) {
    scaling.saturation = scaling.rows.size() < 2
                             ? fmt::format("needs two {}", axis.several)
                             : fmt::format("not reached up to {} {}", axis.singular, scaling.rows.back().batch);
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

std::optional<Estimate> elapsed_of(const Analysis& analysis, int64_t batch) {
  const MetricValue* throughput = analysis.metric("throughput");
  if (throughput == nullptr || !throughput->value || !(*throughput->value > 0)) {
    return std::nullopt;
  }
  const double samples_ns = static_cast<double>(batch) * 1e9;
  Estimate elapsed_ns{samples_ns / *throughput->value, {}};
  if (const auto& interval = throughput->interval; interval && interval->low > 0) {
    elapsed_ns.interval = Interval{samples_ns / interval->high, samples_ns / interval->low};
  }
  return elapsed_ns;
}

Scaling scaling_of(const std::vector<ScalingPoint>& points, const ScalingAxis& axis) {
  std::map<int64_t, ScalingPoint> by_batch;
  for (const ScalingPoint& point : points) {
    if (point.batch > 0 && point.latency_ns.value > 0 && (!point.elapsed_ns || point.elapsed_ns->value > 0)) {
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

AACO_JSON_FIELDS(ScalingPoint, batch, latency_ns, elapsed_ns)
AACO_JSON_FIELDS(ScalingRow, batch, latency_ns, elapsed_ns, samples_per_s, per_sample_ns, gain_per_doubling,
                 gain_interval)
AACO_JSON_FIELDS(Scaling, rows, saturation_batch, saturation, batch_exponent)

}  // namespace aaco
