// SPDX-License-Identifier: MIT
// Time off a processor by stack: where threads waited, and where those were that woke them. The folded form is that of
// flame graphs: frames from the outermost on, ; between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/collected_rows.h"

namespace aaco {

enum class StackSide : uint8_t { kWaiter, kWaker };

struct FoldedStack {
  std::string frames;  // "thread name;user frames;kernel frames"
  int64_t total_ns = 0;
  int64_t spans = 0;
};

struct OffCpuStacks {
  std::vector<FoldedStack> stacks;  // the longest first
  int64_t total_ns = 0;             // of the spans that have a stack
  int64_t without_stack_ns = 0;     // of those that have none
};

// Spans of these processes; preempted ones are left out: where a thread is preempted says nothing of why.
OffCpuStacks off_cpu_stacks(const CollectedRows& rows, const std::vector<int64_t>& pids, StackSide side);

// "frames count" a line, counts in microseconds, as flamegraph.pl and speedscope read it.
std::string folded_text(const OffCpuStacks& stacks);

}  // namespace aaco
