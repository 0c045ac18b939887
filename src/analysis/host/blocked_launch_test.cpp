// SPDX-License-Identifier: MIT
#include "analysis/host/blocked_launch.h"

#include <gtest/gtest.h>

#include "analysis/host/test_host.h"

namespace aaco {
namespace {

using namespace test_host;

TEST(BlockedLaunches, a_gap_is_shared_out_among_what_held_its_thread) {
  Recording run = recording();
  add_stack(run, 5, "do_syscall_64;futex_wait", "main");
  add_stack(run, 6, "do_syscall_64;futex_wake", "worker");
  add_preemption(run, kStart_ns + 100 * kUs, 200 * kUs, "hog");
  OffCpuRow& wait = add_off_cpu(run, kStart_ns + 400 * kUs, 300 * kUs, OffCpuReason::kSleep);
  wait.run_queue_ns = 50 * kUs;
  wait.stack = 5;
  wait.waker_name = "worker";
  wait.waker_stack = 6;
  add_off_cpu(run, kStart_ns, 900 * kUs, OffCpuReason::kSleep, kWorker);       // another thread
  const LaunchGap gaps[] = {{{kStart_ns, kStart_ns + 600 * kUs}, kPid},        // holds 200 of the wait
                            {{kStart_ns + 600 * kUs, kStart_ns + kMs}, kPid},  // 50 of it, 50 in the queue
                            {{kStart_ns, kStart_ns + 10 * kUs}, 99}};          // of a thread that nobody watched
  const BlockedLaunches blocked = blocked_launches(gaps, run.collected);
  ASSERT_EQ(blocked.blockers.size(), 3);
  const LaunchBlocker& lock = blocked.blockers[0];
  EXPECT_EQ(cause_text(lock.kind, lock.name), "waited in lock (futex_wait)");
  EXPECT_EQ(lock.total_ns, 250 * kUs);
  EXPECT_EQ(lock.gaps, 2);
  EXPECT_EQ(lock.longest_ns, 200 * kUs);
  EXPECT_EQ(lock.stack, 5);
  EXPECT_EQ(lock.waker_name, "worker");
  EXPECT_EQ(lock.waker_stack, 6);
  EXPECT_EQ(cause_text(blocked.blockers[1].kind, blocked.blockers[1].name), "preempted by hog");
  EXPECT_EQ(blocked.blockers[1].total_ns, 200 * kUs);
  EXPECT_EQ(blocked.blockers[2].kind, HostCauseKind::kRunQueue);
  EXPECT_EQ(blocked.blockers[2].total_ns, 50 * kUs);
  EXPECT_EQ(blocked.gaps_ns, 1010 * kUs);
  EXPECT_EQ(blocked.unknown_ns, 10 * kUs);
  EXPECT_EQ(blocked.ran_ns, 500 * kUs);
}

TEST(BlockedLaunches, a_wait_within_a_fault_is_one_where_no_stack_tells) {
  Recording run = recording();
  add_event(run, HostEventKind::kPageFault, kStart_ns, 400 * kUs);
  add_off_cpu(run, kStart_ns + 10 * kUs, 300 * kUs, OffCpuReason::kDisk);
  add_off_cpu(run, kStart_ns + 500 * kUs, 100 * kUs, OffCpuReason::kDisk);
  const LaunchGap gaps[] = {{{kStart_ns, kStart_ns + kMs}, kPid}};
  const BlockedLaunches blocked = blocked_launches(gaps, run.collected);
  ASSERT_EQ(blocked.blockers.size(), 2);
  EXPECT_EQ(blocked.blockers[0].name, "page fault");
  EXPECT_EQ(blocked.blockers[0].total_ns, 300 * kUs);
  EXPECT_EQ(blocked.blockers[1].name, "not known: no stack");
}

}  // namespace
}  // namespace aaco
