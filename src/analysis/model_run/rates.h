// SPDX-License-Identifier: MIT
// Achieved FLOP/s and bytes/s against the roofs that were measured on this machine, for the whole run and for each
// node: the roofline model of Williams, Waterman and Patterson (CACM 2009).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/model_run/context.h"

namespace aaco {

// The roofs that this run can be held against. FLOP/s are of the precision that was executed; roofs of another thread
// count scale with the threads for arithmetic (each processor has its own units) and stay for memory (shared).
struct RunRoofs {
  std::optional<double> flops_per_s;
  std::optional<double> bytes_per_s;
  std::string flops_missing;  // why there is none
  std::string bytes_missing;
  std::string note;  // how they were adapted; "" when they are as measured

  // FLOP per byte at which both roofs meet.
  std::optional<double> ridge() const {
    return flops_per_s && bytes_per_s ? std::optional(*flops_per_s / *bytes_per_s) : std::nullopt;
  }
};
RunRoofs roofs_of(const Recording& recording);

// What holds work back. Latency: it takes less than 10 us a call, and twice what its roof allows.
enum class RoofBound : uint8_t { kUnknown, kCompute, kMemory, kLatency };
template <>
inline constexpr EnumWords<RoofBound, 4> kWordsOf<RoofBound>{{"unknown", "compute", "memory", "latency"}};

// The least time that work can take under the roofs, and which of them sets it.
struct RoofTime {
  double ns = 0;
  RoofBound bound = RoofBound::kUnknown;
};
std::optional<RoofTime> roof_time(const RunRoofs& roofs, const std::optional<double>& flops,
                                  const std::optional<double>& bytes);

// achieved_flops, flops_roof_fraction, achieved_bandwidth, bandwidth_roof_fraction, arithmetic_intensity,
// intensity_over_ridge, high_intensity_time_share, low_intensity_time_share, flops_coverage, bytes_coverage,
// movement_time_share.
std::vector<MetricValue> rate_metrics(const Context& context);

}  // namespace aaco
