// SPDX-License-Identifier: MIT
#include "kind/model_run/request/profile_budget.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/text/number_text.h"

namespace aaco {

namespace {

constexpr int64_t kMostEvents = 900'000;
constexpr int64_t kMostRows = 100'000;
constexpr int64_t kMostIterations = 50;
constexpr int64_t kFewestProcesses = 3;

}  // namespace

ProfileBudget profile_budget(const std::string& requested, int64_t events_per_run, int64_t executed_nodes) {
  const int64_t by_events = kMostEvents / std::max<int64_t>(events_per_run, 1) - kProfileWarmUpRuns;
  const int64_t by_rows = kMostRows / std::max<int64_t>(executed_nodes, 1);
  const int64_t most = std::max<int64_t>(std::min({kMostIterations, by_events, by_rows}), 1);
  const std::optional<int64_t> asked = number_of_text<int64_t>(requested);
  if (!asked) {  // "auto"
    return {most, ""};
  }
  if (*asked <= most) {
    return {std::max<int64_t>(*asked, 1), ""};
  }
  const char* why = most >= by_events ? "the profiler would drop the events of more"
                    : most >= by_rows ? "a profile is kept to 100,000 rows"
                                      : "they are enough for a node's median";
  return {most, fmt::format("each profiled process runs {} of {} iterations: {}", most, *asked, why)};
}

int64_t profiled_processes(int64_t processes) {
  return std::min(processes, std::max(kFewestProcesses, (processes + 1) / 2));
}

std::optional<int64_t> profiled_after(int64_t process, int64_t processes) {
  const int64_t profiled = profiled_processes(processes);
  const int64_t before = process * profiled / processes;
  return (process + 1) * profiled / processes > before ? std::optional(before) : std::nullopt;
}

}  // namespace aaco
