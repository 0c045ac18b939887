// SPDX-License-Identifier: MIT
#include "kind/queue_probe/analysis/kernel_stamps.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numeric>

namespace aaco {

namespace {

// Indices by start. Of equal starts the one enqueued first.
std::vector<size_t> execution_order(std::span<const KernelStamp> kernels) {
  std::vector<size_t> order(kernels.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return kernels[a].start_ns != kernels[b].start_ns ? kernels[a].start_ns < kernels[b].start_ns : a < b;
  });
  return order;
}

double duration_of(const KernelStamp& kernel) { return static_cast<double>(kernel.end_ns - kernel.start_ns); }

bool is_within(const KernelStamp& kernel, double offset_ns) {
  return offset_ns >= 0 && offset_ns <= duration_of(kernel);
}

// Where the enqueueing order binds, which is within a stream, or everywhere.
std::string order_problem(std::span<const KernelStamp> kernels, bool fixed_order) {
  std::map<int32_t, size_t> latest;
  for (size_t i = 0; i < kernels.size(); ++i) {
    const int32_t chain = fixed_order ? 0 : kernels[i].stream;
    const auto [entry, first] = latest.try_emplace(chain, i);
    if (!first && kernels[i].start_ns < kernels[entry->second].start_ns) {
      return fmt::format("kernels came out of order: number {} began before number {}", i + 1, entry->second + 1);
    }
    entry->second = i;
  }
  return "";
}

std::string overlap_problem(std::span<const KernelStamp> kernels) {
  size_t overlapped = 0;
  double largest = 0;
  std::optional<size_t> running;  // the one that ends last so far
  for (const size_t i : execution_order(kernels)) {
    if (running) {
      const double overlap = static_cast<double>(kernels[*running].end_ns - kernels[i].start_ns);
      const double shorter = std::min(duration_of(kernels[i]), duration_of(kernels[*running]));
      if (overlap > 0 && overlap > kCoResidentShare * shorter) {
        ++overlapped;
        largest = std::max(largest, overlap);
      }
    }
    if (!running || kernels[i].end_ns > kernels[*running].end_ns) {
      running = i;
    }
  }
  return overlapped == 0 ? ""
                         : fmt::format("kernels overlapped: {} of {} ran beside another, up to {:.0f} ns", overlapped,
                                       kernels.size(), largest);
}

void take_smallest_difference(std::vector<int64_t> values, int64_t& smallest) {
  std::sort(values.begin(), values.end());
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i] > values[i - 1]) {
      smallest = std::min(smallest, values[i] - values[i - 1]);
    }
  }
}

}  // namespace

std::string stamp_problem(std::span<const KernelStamp> kernels) {
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (kernels[i].start_ns < 0 || kernels[i].end_ns <= 0) {
      return fmt::format("kernel {} of {} left no time stamp", i + 1, kernels.size());
    }
    if (kernels[i].end_ns < kernels[i].start_ns) {
      return fmt::format("kernel {} of {} ends before it begins", i + 1, kernels.size());
    }
    if (!is_within(kernels[i], kernels[i].start_lag_ns) || !is_within(kernels[i], kernels[i].end_lead_ns)) {
      return fmt::format("kernel {} of {}: the mean of its blocks' times lies outside of it", i + 1, kernels.size());
    }
  }
  return "";
}

std::string chain_problem(std::span<const KernelStamp> kernels, bool fixed_order) {
  if (kernels.size() < 2) {
    return "fewer than two kernels";
  }
  for (const std::string& problem :
       {stamp_problem(kernels), order_problem(kernels, fixed_order), overlap_problem(kernels)}) {
    if (!problem.empty()) {
      return problem;
    }
  }
  return "";
}

int64_t reordered_kernels(std::span<const KernelStamp> kernels) {
  int64_t reordered = 0;
  int64_t latest_start = std::numeric_limits<int64_t>::min();
  for (const KernelStamp& kernel : kernels) {
    reordered += kernel.start_ns < latest_start ? 1 : 0;
    latest_start = std::max(latest_start, kernel.start_ns);
  }
  return reordered;
}

std::vector<StampGap> stamp_gaps(std::span<const KernelStamp> kernels) {
  std::vector<StampGap> gaps;
  const std::vector<size_t> order = execution_order(kernels);
  for (size_t i = 1; i < order.size(); ++i) {
    const KernelStamp& before = kernels[order[i - 1]];
    const KernelStamp& after = kernels[order[i]];
    const auto edges_ns = static_cast<double>(after.start_ns - before.end_ns);
    gaps.push_back({edges_ns + after.start_lag_ns + before.end_lead_ns, -edges_ns, after.stream != before.stream});
  }
  return gaps;
}

std::optional<double> clock_step_ns(std::span<const KernelStamp> kernels) {
  std::vector<int64_t> readings;
  std::vector<int64_t> durations;
  for (const KernelStamp& kernel : kernels) {
    readings.insert(readings.end(), {kernel.start_ns, kernel.end_ns});
    durations.push_back(kernel.end_ns - kernel.start_ns);
  }
  constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  int64_t smallest = kNone;
  take_smallest_difference(std::move(readings), smallest);
  take_smallest_difference(std::move(durations), smallest);
  return smallest == kNone ? std::nullopt : std::optional(static_cast<double>(smallest));
}

}  // namespace aaco
