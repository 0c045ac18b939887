// SPDX-License-Identifier: MIT
// How much of a run is profiled: how many processes, and how many iterations each, so that the profiler drops no event.
#pragma once

#include <cstdint>
#include <optional>
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

// Profiled processes beside `processes` measuring ones: half as many, but at least the three that an interval needs, as
// far as there are so many.
int64_t profiled_processes(int64_t processes);

// The profiled process, from 0, that runs after measuring process `process`; none after the others. They are spread
// evenly, so that both kinds see the same drift of the machine.
std::optional<int64_t> profiled_after(int64_t process, int64_t processes);

}  // namespace aaco
