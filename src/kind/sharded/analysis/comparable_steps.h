// SPDX-License-Identifier: MIT
// Whether steps as they are and steps one by one may be compared, and what may be said of it if not. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "kind/sharded/analysis/overlap_figures.h"

namespace aaco {

// What kernels take in a step as it is beyond what the same ones take one by one, mean over ranks.
struct KernelGrowth {
  double all_ns = 0;
  double beside_ns = 0;  // of those beside communication: the contention tax

  // Of kernels that ran beside nothing either time: not of communication's doing.
  double drift_ns() const { return all_ns - beside_ns; }
};

// Where a device's clock differed between the two by more than a fiftieth: that, with both; else "".
std::string differing_clocks(std::span<const RecordedTurn> turns);

// Why there is no tax; "": there is one. The growth of all kernels and of those beside communication must agree within
// a fifth of the larger: what else grew was not slowed down by communication, so that the device's speed changed.
std::string why_no_tax(const KernelGrowth& growth, std::span<const RecordedTurn> turns);

// Why there is no share; "": there is one. `idle_ns`: of the step as it is.
std::string why_no_share(const OverlapSpeedup& speedup, double share, double idle_ns, const KernelGrowth& growth,
                         std::span<const RecordedTurn> turns);

}  // namespace aaco
