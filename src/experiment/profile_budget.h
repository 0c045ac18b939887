// SPDX-License-Identifier: MIT
// How many iterations a profiled process may run, so that the profiler drops no event.
#pragma once

#include <cstdint>
#include <string>

namespace aaco {

inline constexpr int64_t kProfileWarmUpRuns = 5;  // before the profiled iterations, under the profiler too

struct ProfileBudget {
  int64_t iterations = 1;
  // Why these are fewer than were asked for; empty when they are not, and for "auto".
  std::string note;
};

// `requested`: a number or "auto". `events_per_run` is of the profiler, `executed_nodes` are rows an inference. At most
// 50 iterations, at most 100,000 rows, and warm-up included at most 900,000 events (ONNX Runtime's profiler keeps a
// million and drops the rest); at least 1.
ProfileBudget profile_budget(const std::string& requested, int64_t events_per_run, int64_t executed_nodes);

}  // namespace aaco
