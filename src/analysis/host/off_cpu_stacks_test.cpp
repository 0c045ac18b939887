// SPDX-License-Identifier: MIT
#include "analysis/host/off_cpu_stacks.h"

#include <gtest/gtest.h>

#include "analysis/host/test_host.h"

namespace aaco {
namespace {

using namespace test_host;

Recording waits() {
  Recording run = recording();
  add_stack(run, 1, "do_syscall_64;futex_wait", "main;run");
  add_stack(run, 2, "do_syscall_64;vfs_read", "main;load");
  add_stack(run, 3, "do_syscall_64;futex_wake", "work;done");
  for (const auto& [stack, ms] : {std::pair<int64_t, int64_t>{1, 3}, {1, 1}, {2, 2}}) {
    OffCpuRow& row = add_off_cpu(run, start_of(1), ms * kMs, OffCpuReason::kSleep);
    row.stack = stack;
    row.waker_stack = 3;
    row.waker_name = "pool;1";
  }
  add_off_cpu(run, start_of(9), 7 * kMs, OffCpuReason::kSleep);  // no stack
  add_preemption(run, start_of(10), 100 * kMs, "hog");           // no wait
  run.collected.rows<OffCpuRow>().back().stack = 1;
  return run;
}

TEST(OffCpuStacks, waits_are_summed_by_stack) {
  const OffCpuStacks stacks = off_cpu_stacks(waits().collected, {kPid}, StackSide::kWaiter);
  ASSERT_EQ(stacks.stacks.size(), 2);
  EXPECT_EQ(stacks.stacks[0].frames, "aaco;main;run;do_syscall_64;futex_wait");
  EXPECT_EQ(stacks.stacks[0].total_ns, 4 * kMs);
  EXPECT_EQ(stacks.stacks[0].spans, 2);
  EXPECT_EQ(stacks.total_ns, 6 * kMs);
  EXPECT_EQ(stacks.without_stack_ns, 7 * kMs);
  EXPECT_EQ(folded_text(stacks),
            "aaco;main;run;do_syscall_64;futex_wait 4000\naaco;main;load;do_syscall_64;vfs_read 2000\n");
  EXPECT_TRUE(off_cpu_stacks(waits().collected, {1}, StackSide::kWaiter).stacks.empty());
}

TEST(OffCpuStacks, wakers_are_those_that_released_it) {
  const OffCpuStacks stacks = off_cpu_stacks(waits().collected, {kPid}, StackSide::kWaker);
  ASSERT_EQ(stacks.stacks.size(), 1);
  EXPECT_EQ(stacks.stacks[0].frames, "pool:1;work;done;do_syscall_64;futex_wake");
  EXPECT_EQ(stacks.stacks[0].total_ns, 6 * kMs);
}

TEST(OffCpuStacks, names_steer_no_terminal_and_forge_no_line) {
  Recording run = recording();
  add_stack(run, 1, "futex_wait", "main;a\x1b[2Jb\nforged");
  OffCpuRow& row = add_off_cpu(run, start_of(1), kMs, OffCpuReason::kSleep);
  row.stack = 1;
  row.thread_name = "x\x1b[31m;\ny";
  EXPECT_EQ(folded_text(off_cpu_stacks(run.collected, {kPid}, StackSide::kWaiter)),
            "x [31m: y;main;a [2Jb forged;futex_wait 1000\n");
}

}  // namespace
}  // namespace aaco
