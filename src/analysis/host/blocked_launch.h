// SPDX-License-Identifier: MIT
// What held a launching thread while a device was idle for want of a launch: each gap is shared out among the spans in
// which that thread was off a processor; in the rest it ran.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/host/host_cause.h"
#include "record/collected_rows.h"
#include "record/intervals.h"

namespace aaco {

struct LaunchGap {
  Span span;
  int64_t thread_id = 0;  // of the system
};

struct LaunchBlocker {
  HostCauseKind kind = HostCauseKind::kUnknown;  // kPreempted, kRunQueue or kWait
  std::string name;
  int64_t total_ns = 0;
  int64_t gaps = 0;  // that it has a part in
  // Of the longest of its spans: where the thread waited, and who released it.
  int64_t longest_ns = 0;
  std::optional<int64_t> stack;
  std::optional<std::string> waker_name;
  std::optional<int64_t> waker_stack;
};

// The three add up to the gaps' length.
struct BlockedLaunches {
  std::vector<LaunchBlocker> blockers;  // the longest first
  int64_t gaps_ns = 0;
  int64_t ran_ns = 0;      // the thread had a processor
  int64_t unknown_ns = 0;  // of threads of which the session has no span
};

BlockedLaunches blocked_launches(std::span<const LaunchGap> gaps, const CollectedRows& rows);

}  // namespace aaco
