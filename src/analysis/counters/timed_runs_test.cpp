// SPDX-License-Identifier: MIT
#include "analysis/counters/timed_runs.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "analysis/counters/kernel_counters.h"

namespace aaco {
namespace {

// Recordings as the first rocprof's tables are read.
class Runs {
 public:
  uint32_t recording(const std::string& name) {
    const auto number = static_cast<uint32_t>(table.recordings.size());
    table.recordings.push_back({name, "rocprof-csv"});
    Track track;
    track.device = 8;
    track.recording = number;
    table.tracks.push_back(track);
    return number;
  }
  void kernel(uint32_t recording, std::string_view name, int64_t index, int64_t grid, int64_t duration_ns,
              int64_t fetched = -1) {
    std::vector<Argument> arguments = {integer("Index", index), integer("grd", grid)};
    if (fetched >= 0) {
      arguments.push_back(integer("FETCH_SIZE", fetched));
      arguments.push_back(integer("WRITE_SIZE", 0));
    }
    const EventShape shape = duration_ns > 0 ? EventShape::kSlice : EventShape::kUntimed;
    table.add({index * 1000, duration_ns, kNoId, kNoId, table.strings.intern(name), kEmptyString, recording,
               EventKind::kKernel, shape},
              arguments);
  }
  // One that was counted, and one that was timed.
  void two(int64_t timed_grid = 64) {
    const uint32_t counted = recording("counters");
    const uint32_t timed = recording("results");
    kernel(counted, "a", 0, 64, 0, 10);
    kernel(counted, "b", 1, 64, 0, 30);
    kernel(timed, "b", 1, timed_grid, 2048);  // in whatever order the file has them
    kernel(timed, "a", 0, 64, 512);
  }
  const KernelCounters* kernel(const TraceCounters& counters, std::string_view name) const {
    for (const KernelCounters& kernel : counters.kernels) {
      if (kernel.recording == 0 && table.strings[kernel.name] == name) {
        return &kernel;
      }
    }
    return nullptr;
  }

  EventTable table;

 private:
  Argument integer(std::string_view key, int64_t value) {
    return {table.strings.intern(key), ArgumentType::kInteger, static_cast<uint64_t>(value)};
  }
};

TEST(TimedRuns, CountersTakeTheLengthsOfTheRunThatWasTimed) {
  Runs runs;
  runs.two();
  const TraceCounters counters = kernel_counters(runs.table);
  const KernelCounters* const b = runs.kernel(counters, "b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->duration_ns, 2048);
  EXPECT_EQ(b->timed, 1);
  EXPECT_EQ(b->timed_by, 1);
  ASSERT_NE(b->find("hbm_bandwidth"), nullptr);
  EXPECT_EQ(b->find("hbm_bandwidth")->value, 30 * 1024 / 2048.0);
  EXPECT_EQ(runs.kernel(counters, "a")->find("hbm_bandwidth")->value, 10 * 1024 / 512.0);
}

TEST(TimedRuns, OfOtherDispatchesTellNothing) {
  Runs other_grid;
  other_grid.two(128);
  const TraceCounters counters = kernel_counters(other_grid.table);
  EXPECT_EQ(other_grid.kernel(counters, "a")->timed, 0);
  EXPECT_FALSE(other_grid.kernel(counters, "a")->timed_by);
  EXPECT_EQ(other_grid.kernel(counters, "a")->find("hbm_bandwidth"), nullptr);
  Runs one_more;
  one_more.two();
  one_more.kernel(1, "a", 2, 64, 100);
  EXPECT_EQ(one_more.kernel(kernel_counters(one_more.table), "a")->timed, 0);
}

TEST(TimedRuns, OfSeveralNoneIsChosen) {
  Runs runs;
  runs.two();
  const uint32_t again = runs.recording("again");
  runs.kernel(again, "a", 0, 64, 600);
  runs.kernel(again, "b", 1, 64, 2000);
  EXPECT_EQ(runs.kernel(kernel_counters(runs.table), "a")->timed, 0);
}

TEST(TimedRuns, ARunThatHasTimesKeepsItsOwn) {
  Runs runs;
  const uint32_t counted = runs.recording("counters");
  const uint32_t timed = runs.recording("results");
  runs.kernel(counted, "a", 0, 64, 700, 10);
  runs.kernel(timed, "a", 0, 64, 512);
  const TraceCounters counters = kernel_counters(runs.table);
  EXPECT_EQ(runs.kernel(counters, "a")->duration_ns, 700);
  EXPECT_FALSE(runs.kernel(counters, "a")->timed_by);
}

}  // namespace
}  // namespace aaco
