// SPDX-License-Identifier: MIT
// Which rank holds the others up, and how, from what all ranks' watches say of themselves. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/sharded/sharded_step.h"

namespace aaco {

enum class HangClass : uint8_t { kDidNotEnqueue, kMismatch, kStuck, kDead, kSlow };
// "did not enqueue", "mismatch", "stuck in the kernel", "dead", "slow".
const char* word_of(HangClass hang);

// A rank as the others see it.
struct WatchedRank {
  int64_t rank = 0;
  bool alive = true;
  bool stopped = false;   // by a signal
  int64_t silent_ns = 0;  // since its watch last said anything
  int64_t steps_begun = 0;
  int64_t steps_done = 0;
  std::vector<ProgressWords> communicators;  // of the step begun last
};

struct Hang {
  int64_t rank = 0;
  HangClass kind = HangClass::kSlow;
  std::string text;  // one line, with rank and class
};

// Of ranks in their order, one of which has made no progress for the limit. `names`: by communicator, its collectives
// in the program's order. `groups`: by communicator and rank, which ranks it joins, as a number that they have in
// common; empty: all.
Hang find_hang(const std::vector<WatchedRank>& ranks, const std::vector<std::vector<std::string>>& names,
               const std::vector<std::vector<int64_t>>& groups = {});

}  // namespace aaco
