// SPDX-License-Identifier: MIT
#include "analysis/host/off_cpu_stacks.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>

#include "analysis/host/measured_process.h"
#include "analysis/host/wait_place.h"
#include "base/text/characters.h"

namespace aaco {

namespace {

// A thread's name may hold what separates frames.
std::string frame_of_name(std::string_view name) {
  std::string frame = printable(name.empty() ? std::string_view("no name") : name);
  std::ranges::replace(frame, ';', ':');
  return frame;
}

std::string frames_of(std::string_view thread, const StackRow& stack) {
  std::string frames = frame_of_name(thread);
  for (const std::string& part : {stack.python_frames.value_or(""), stack.user_frames, stack.kernel_frames}) {
    if (!part.empty()) {
      frames += ";" + printable(part);
    }
  }
  return frames;
}

}  // namespace

OffCpuStacks off_cpu_stacks(const CollectedRows& rows, const std::vector<int64_t>& pids, StackSide side) {
  const StackIndex index(rows.rows<StackRow>());
  std::map<std::string, FoldedStack> folded;
  OffCpuStacks result;
  for (const OffCpuRow& row : rows.rows<OffCpuRow>()) {
    const bool waits = row.reason != OffCpuReason::kPreempted && row.reason != OffCpuReason::kExit;
    if (!waits || !is_span(row.t_start_ns, row.t_end_ns) || std::ranges::find(pids, row.process_id) == pids.end()) {
      continue;
    }
    const bool waker = side == StackSide::kWaker;
    const StackRow* const stack = index.find(waker ? row.waker_stack : row.stack);
    const int64_t length_ns = row.t_end_ns - row.t_start_ns;
    if (stack == nullptr) {
      result.without_stack_ns = saturating_sum(result.without_stack_ns, length_ns);
      continue;
    }
    FoldedStack& sum = folded[frames_of(waker ? row.waker_name.value_or("") : row.thread_name, *stack)];
    sum.total_ns = saturating_sum(sum.total_ns, length_ns);
    ++sum.spans;
    result.total_ns = saturating_sum(result.total_ns, length_ns);
  }
  for (auto& [frames, sum] : folded) {
    sum.frames = frames;
    result.stacks.push_back(std::move(sum));
  }
  std::ranges::stable_sort(result.stacks, [](const auto& a, const auto& b) { return a.total_ns > b.total_ns; });
  return result;
}

std::string folded_text(const OffCpuStacks& stacks) {
  std::string text;
  for (const FoldedStack& stack : stacks.stacks) {
    text += fmt::format("{} {}\n", stack.frames, stack.total_ns / 1000);
  }
  return text;
}

}  // namespace aaco
