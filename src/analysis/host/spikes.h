// SPDX-License-Identifier: MIT
// The slow iterations of a run, and what came with them more than chance brings.
//
// Slow: latency above the upper outer fence Q3 + 3 (Q3 - Q1) of its process and phase (Tukey, Exploratory Data
// Analysis, 1977: "far out" values), of at least 20 iterations. Test: with T the time from the first to the last tested
// iteration of a process, the events of a cause are moved by a random distance modulo T, 1,999 times, all processes at
// once. p = (1 + shifts in which the cause takes as much of the slow iterations' time) / 2,000 (Lotwick & Silverman, J.
// R. Stat. Soc. B 44, 1982, for the shift; Phipson & Smyth, Stat. Appl. Genet. Mol. Biol. 9, 2010, for the 1). Holm's
// levels keep the chance of any wrong cause at 5 %. docs/measuring/spikes.md works an example.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/host/host_cause.h"
#include "record/recording.h"

namespace aaco {

inline constexpr double kFenceRanges = 3;
inline constexpr size_t kFewestForFence = 20;
inline constexpr int kShifts = 1999;
inline constexpr double kSpikeLevel = 0.05;
inline constexpr size_t kMostSlow = 128;  // tested: each costs a look at every cause and shift

// A cause over all slow iterations.
struct SpikeCause {
  HostCauseKind kind = HostCauseKind::kUnknown;
  std::string name;
  bool is_counted = false;      // its events have no length: the next two are numbers of events
  int64_t amount = 0;           // ns within the slow iterations
  double amount_by_chance = 0;  // mean over the shifts
  int64_t iterations = 0;       // slow ones that it touches
  double p = 1;
  bool beyond_chance = false;
};

// A cause within one iteration.
struct SpikePart {
  size_t cause = 0;    // of Spikes::causes
  int64_t amount = 0;  // ns, or events
  double usual = 0;    // median of the same over the iterations of its process and phase that are not slow
};

struct SlowIteration {
  int64_t process = 0;
  int64_t iter_idx = 0;
  IterationPhase phase = IterationPhase::kUnknown;
  int64_t t_start_ns = 0;
  int64_t t_end_ns = 0;
  double median_ns = 0;          // of its process and phase
  std::vector<SpikePart> parts;  // what took most beyond the usual first; counted ones last

  double latency_ns() const { return static_cast<double>(t_end_ns - t_start_ns); }
  double excess_ns() const { return latency_ns() - median_ns; }
};

struct Spikes {
  int64_t tested = 0;               // iterations
  std::vector<SlowIteration> slow;  // the slowest beyond its median first, at most kMostSlow
  size_t slow_left_out = 0;         // beyond these
  std::vector<SpikeCause> causes;   // beyond chance first, then by amount beyond chance
  size_t causes_left_out = 0;
  std::string no_iterations;  // why there is nothing to test; empty where there is
  std::string no_rows;        // why no cause can be named: the session has no rows of the kernel or of samples
};

// The shifts are seeded: the same recording gives the same.
Spikes find_spikes(const Recording& recording);

}  // namespace aaco
