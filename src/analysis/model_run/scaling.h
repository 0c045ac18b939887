// SPDX-License-Identifier: MIT
// How latency and throughput scale with the batch: the result of a sweep, and evidence for the classifier.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/statistics.h"

namespace aaco {

struct Analysis;

struct ScalingPoint {
  int64_t batch = 1;
  Estimate latency_ns;
  std::optional<Estimate> elapsed_ns;  // per inference, stalls and pauses included; none: not recorded
};

// One batch with what follows from its times.
struct ScalingRow {
  int64_t batch = 1;
  Estimate latency_ns;
  std::optional<Estimate> elapsed_ns;     // per inference
  std::optional<Estimate> samples_per_s;  // batch / elapsed_ns
  double per_sample_ns = 0;               // latency_ns / batch
  // Growth of throughput per doubling of the batch from the previous point: (T / T_previous)^(1 / log2(b / b_previous))
  // - 1. The interval takes both throughputs at their worst. None where one of them is not known.
  std::optional<double> gain_per_doubling;
  std::optional<Interval> gain_interval;
};

// Throughput is saturated where a doubling of the batch gains less than this.
inline constexpr double kSaturationGain = 0.10;

struct Scaling {
  std::vector<ScalingRow> rows;             // by batch
  std::optional<int64_t> saturation_batch;  // first batch from which the next doubling gains less than kSaturationGain
  std::string saturation;                   // how sure that is, or why there is none
  std::optional<double>
      batch_exponent;  // slope of ln latency over ln batch: 0 latency does not grow, 1 it grows as the batch
};

// What the batches are called, where they are something else that grows.
struct ScalingAxis {
  const char* singular = "batch";
  const char* several = "batches";
};

// Per inference, of a run's throughput; none where the run has none.
std::optional<Estimate> elapsed_of(const Analysis& analysis, int64_t batch);

// Points in any order; batches and times positive; of two points with one batch the first counts.
Scaling scaling_of(const std::vector<ScalingPoint>& points, const ScalingAxis& axis = {});

void to_json(Json& json, const ScalingPoint& value);
void from_json(const Json& json, ScalingPoint& value);
void to_json(Json& json, const ScalingRow& value);
void from_json(const Json& json, ScalingRow& value);
void to_json(Json& json, const Scaling& value);
void from_json(const Json& json, Scaling& value);

}  // namespace aaco
