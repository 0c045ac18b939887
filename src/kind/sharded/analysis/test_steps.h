// SPDX-License-Identifier: MIT
// For tests: steps of two ranks, or of more in groups of two, with a stream each for computation, gathers, reductions
// and copies.
#pragma once

#include <string>
#include <vector>

#include "analysis/timeline/test_trace.h"

namespace aaco {

class TestSteps {
 public:
  static constexpr int64_t kStreams = 4;

  explicit TestSteps(int64_t ranks = 2) {
    for (int64_t rank = 0; rank < ranks; ++rank) {
      for (int64_t stream = 0; stream < kStreams; ++stream) {
        tracks_.push_back(trace_.stream(rank, rank, stream));
      }
    }
  }

  void kernel(int64_t rank, const std::string& name, int64_t start_ns, int64_t duration_ns, int64_t stream = 0) {
    trace_.add(track(rank, stream), EventKind::kKernel, name, start_ns, duration_ns);
  }
  void copy(int64_t rank, int64_t start_ns, int64_t duration_ns) {
    trace_.add(track(rank, 3), EventKind::kCopy, "copy", start_ns, duration_ns);
  }
  // 1000 bytes in all.
  void gather(int64_t rank, int64_t start_ns, int64_t duration_ns, int64_t stream = 1) {
    collective(rank, "all_gather", stream, start_ns, duration_ns, 125, 250);
  }
  void reduction(int64_t rank, int64_t start_ns, int64_t duration_ns, int64_t stream = 2) {
    collective(rank, "reduce_scatter", stream, start_ns, duration_ns, 250, 125);
  }
  const EventTable& table() const { return trace_.table; }

 private:
  uint32_t track(int64_t rank, int64_t stream) const { return tracks_[static_cast<size_t>(kStreams * rank + stream)]; }
  void collective(int64_t rank, const char* name, int64_t stream, int64_t start_ns, int64_t duration_ns, int64_t in,
                  int64_t out) {
    trace_.add(
        track(rank, stream), EventKind::kKernel, name, start_ns, duration_ns, kNoId,
        {trace_.text("Collective name", name), trace_.text("dtype", "Float"), trace_.integer("In msg nelems", in),
         trace_.integer("Out msg nelems", out), trace_.integer("Group size", 2),
         trace_.text("Process Group Name", name), trace_.text("Process Group Ranks", rank < 2 ? "[0, 1]" : "[2, 3]")});
  }

  TestTrace trace_;
  std::vector<uint32_t> tracks_;
};

// Two steps, the second 1000 ns behind the first. A step of rank 0: a [0, 100), the gather [40, 120), b [120, 200), the
// reduction [180, 260), c [270, 300). Rank 1 comes to the gather 20 ns later and ends with it; it comes to the
// reduction first, and its a takes 20 ns longer.
inline TestSteps two_steps() {
  TestSteps steps;
  for (const int64_t at_ns : {0, 1000}) {
    steps.kernel(0, "a", at_ns, 100);
    steps.gather(0, at_ns + 40, 80);
    steps.kernel(0, "b", at_ns + 120, 80);
    steps.reduction(0, at_ns + 180, 80);
    steps.kernel(0, "c", at_ns + 270, 30);
    steps.kernel(1, "a", at_ns, 120);
    steps.gather(1, at_ns + 60, 60);
    steps.kernel(1, "b", at_ns + 120, 80);
    steps.reduction(1, at_ns + 160, 100);
    steps.kernel(1, "c", at_ns + 270, 30);
  }
  return steps;
}

// The same on one stream, nothing beside anything: a 90, gather 50, b 80, reduction 60, c 30.
inline TestSteps steps_alone() {
  TestSteps steps;
  for (const int64_t at_ns : {0, 1000}) {
    for (const int64_t rank : {0, 1}) {
      steps.kernel(rank, "a", at_ns, 90);
      steps.gather(rank, at_ns + 90, 50, 0);
      steps.kernel(rank, "b", at_ns + 140, 80);
      steps.reduction(rank, at_ns + 220, 60, 0);
      steps.kernel(rank, "c", at_ns + 280, 30);
    }
  }
  return steps;
}

}  // namespace aaco
