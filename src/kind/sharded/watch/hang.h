// SPDX-License-Identifier: MIT
// Which rank holds the others up, and how, from what all ranks' watches say of themselves. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kind/sharded/analysis/sharded_hang.h"
#include "workload/sharded/sharded_step.h"

namespace aaco {

enum class HangClass : uint8_t { kDidNotEnqueue, kMismatch, kStuck, kDead, kSlow };
// "did not enqueue", "mismatch", "stuck in the kernel", "dead", "slow".
const char* word_of(HangClass hang);

// How far a process has come behind its last step.
enum class TeardownStage : int32_t { kNone, kBegun, kTrainingFreed, kEnded };

// A rank as the others see it.
struct WatchedRank {
  int64_t rank = 0;
  bool alive = true;
  bool stopped = false;   // by a signal
  bool sets_up = false;   // its host has not enqueued its first step to the end
  int64_t silent_ns = 0;  // since its watch last said anything
  int64_t steps_begun = 0;
  int64_t steps_enqueued = 0;  // whole
  int64_t steps_done = 0;
  TeardownStage teardown = TeardownStage::kNone;
  std::vector<ProgressWords> communicators;  // of the step begun last
  std::vector<HungCollective> collectives;   // the last that its host enqueued
};

struct Hang {
  int64_t rank = 0;
  HangClass kind = HangClass::kSlow;
  std::string text;  // one line, with rank and class
};

// "rank 1 slow: what".
Hang hang_of(int64_t rank, HangClass kind, const std::string& what);

// Of ranks in their order, one of which has made no progress for the limit. `names`: by communicator, its collectives
// in the program's order. `groups`: by communicator and rank, which ranks it joins, as a number that they have in
// common; empty: all.
Hang find_hang(const std::vector<WatchedRank>& ranks, const std::vector<std::vector<std::string>>& names,
               const std::vector<std::vector<int64_t>>& groups = {});

// Whether the others wait, by all that is known, for ranks that still load libraries, choose algorithms, connect or
// capture: that is no step without progress.
bool wait_for_set_up(const std::vector<WatchedRank>& ranks);

// A rank that enqueued another collective than the program has; none: none did.
std::optional<Hang> find_mismatch(const std::vector<WatchedRank>& ranks,
                                  const std::vector<std::vector<std::string>>& names);

}  // namespace aaco
