// SPDX-License-Identifier: MIT
// Where a device's time went, each nanosecond of the window in exactly one class:
//
//   computation             at least one kernel other than communication, or a memory set, ran
//   exposed communication   a communication kernel ran, and no computation
//   exposed copy            a copy ran, and neither of the above
//   idle                    nothing ran
//
// Each class is built as a set of intervals, idle too, so that their disjointness and their sum can be checked and are.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "analysis/timeline/device_work.h"
#include "record/intervals.h"

namespace aaco {

// The lengths alone: what is kept of each device.
struct TimeShares {
  Span window;  // from the first start to the last end of the device's slices
  int64_t computation_ns = 0;
  int64_t exposed_communication_ns = 0;
  int64_t exposed_copy_ns = 0;
  int64_t idle_ns = 0;
  // Lengths of the unions, exposed or not, and of what computation hides of them.
  int64_t communication_ns = 0;
  int64_t copy_ns = 0;
  int64_t hidden_communication_ns = 0;                  // communication and computation at once
  std::array<uint64_t, kWorkClasses> slices = {};       // by class
  std::array<int64_t, kWorkClasses> slice_sum_ns = {};  // what a sum of durations says; not less than the union

  int64_t window_ns() const { return window.end_ns - window.start_ns; }
};

struct TimeBudget {
  SpanSet computation;
  SpanSet exposed_communication;
  SpanSet exposed_copy;
  SpanSet idle;
  TimeShares shares;
};

// Of any slices in any order; an empty budget for none.
TimeBudget time_budget(const EventTable& events, std::span<const DeviceSlice> slices);

}  // namespace aaco
