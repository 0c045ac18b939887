// SPDX-License-Identifier: MIT
#include "kind/sharded/analysis/comparable_steps.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <vector>

#include "base/format.h"
#include "base/statistics.h"

namespace aaco {

namespace {

constexpr double kClockTolerance = 0.02;
constexpr double kTaxTolerance = 0.2;
constexpr double kShareTolerance = 0.1;  // that a drift may move the share

std::optional<double> clock_of(std::span<const RecordedTurn> turns, int64_t rank, bool overlapped) {
  std::vector<double> clocks;
  for (const RecordedTurn& turn : turns) {
    if (turn.rank == rank && turn.overlapped == overlapped && turn.clock_mhz) {
      clocks.push_back(*turn.clock_mhz);
    }
  }
  return median(clocks);
}

std::string drift_text(const KernelGrowth& growth, std::span<const RecordedTurn> turns) {
  const std::string clocks = differing_clocks(turns);
  return !clocks.empty() ? clocks
                         : fmt::format(
                               "kernels that ran beside no communication took {} {} than one by one: the device was "
                               "{} by something else",
                               format_duration_ns(std::abs(growth.drift_ns())), growth.drift_ns() > 0 ? "more" : "less",
                               growth.drift_ns() > 0 ? "slowed down" : "held up one by one");
}

}  // namespace

std::string differing_clocks(std::span<const RecordedTurn> turns) {
  std::set<int64_t> ranks;
  for (const RecordedTurn& turn : turns) {
    ranks.insert(turn.rank);
  }
  for (const int64_t rank : ranks) {
    const std::optional<double> as_is = clock_of(turns, rank, true);
    const std::optional<double> one_by_one = clock_of(turns, rank, false);
    if (as_is && one_by_one && std::abs(*as_is - *one_by_one) > kClockTolerance * std::max(*as_is, *one_by_one)) {
      return fmt::format("the clocks differed: {:.0f} MHz as it is, {:.0f} MHz one by one on rank {}", *as_is,
                         *one_by_one, rank);
    }
  }
  return "";
}

std::string why_no_tax(const KernelGrowth& growth, std::span<const RecordedTurn> turns) {
  const double larger = std::max(std::abs(growth.all_ns), std::abs(growth.beside_ns));
  if (std::abs(growth.drift_ns()) > kTaxTolerance * larger) {
    return drift_text(growth, turns);
  }
  if (growth.beside_ns < 0) {
    return fmt::format("kernels beside communication took {} less than one by one: it is lost in what they differ by",
                       format_duration_ns(-growth.beside_ns));
  }
  return "";
}

std::string why_no_share(const OverlapSpeedup& speedup, double share, double idle_ns, const KernelGrowth& growth,
                         std::span<const RecordedTurn> turns) {
  if (std::abs(growth.drift_ns()) > kShareTolerance * (speedup.serial_ns - speedup.longest_ns) &&
      !why_no_tax(growth, turns).empty()) {
    return drift_text(growth, turns);
  }
  // The mean over pairs of turns may lie beyond an end where the times of all steps together do not.
  const bool all_beyond =
      share < 0 ? speedup.overlapped_ns > speedup.serial_ns : speedup.overlapped_ns < speedup.longest_ns;
  if ((share < 0 || share > 1) && !all_beyond) {
    return fmt::format("over turns a step takes {} on average: a share of {:.1f} %",
                       share < 0 ? "longer than its parts one after the other" : "less than the longest of them alone",
                       100 * share);
  }
  if (share < 0) {
    return fmt::format(
        "a step takes {}, longer than its parts one after the other, {}; the device is idle for {} of it",
        format_duration_ns(speedup.overlapped_ns), format_duration_ns(speedup.serial_ns), format_duration_ns(idle_ns));
  }
  if (share > 1) {
    return fmt::format("a step takes {}, less than the longest of its parts alone, {}",
                       format_duration_ns(speedup.overlapped_ns), format_duration_ns(speedup.longest_ns));
  }
  return "";
}

}  // namespace aaco
