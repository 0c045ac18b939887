// SPDX-License-Identifier: MIT
#include "analysis/host/host_iteration.h"

#include <gtest/gtest.h>

#include "analysis/host/test_host.h"

namespace aaco {
namespace {

using namespace test_host;

const HostIterationRow* row_of(const std::vector<HostIterationRow>& rows, int64_t iteration, int64_t thread) {
  for (const HostIterationRow& row : rows) {
    if (row.iter_idx == iteration && row.thread_id == thread) {
      return &row;
    }
  }
  return nullptr;
}

TEST(HostIterations, add_up_by_reason_and_end_at_the_iteration) {
  Recording run = recording();
  add_preemption(run, start_of(3) + 100 * kUs, 50 * kUs, "hog");
  add_preemption(run, start_of(3) + 300 * kUs, 20 * kUs, "sshd");
  OffCpuRow& sleep = add_off_cpu(run, start_of(3) + 400 * kUs, 200 * kUs, OffCpuReason::kSleep);
  sleep.run_queue_ns = 30 * kUs;
  sleep.cpu_before = 0;
  sleep.cpu_after = 1;
  // 100 us of it lie in iteration 4, the rest between it and 3.
  add_off_cpu(run, start_of(4) - 500 * kUs, 600 * kUs, OffCpuReason::kDisk);
  const std::vector<HostIterationRow> rows = host_iterations(run);
  ASSERT_EQ(rows.size(), 2);
  const HostIterationRow& third = *row_of(rows, 3, kPid);
  EXPECT_EQ(third.thread_name, "aaco");
  EXPECT_EQ(third.off_cpu_ns, 270 * kUs);
  EXPECT_EQ(third.preempted_ns, 70 * kUs);
  EXPECT_EQ(third.sleep_ns, 200 * kUs);
  EXPECT_EQ(third.uninterruptible_ns, 0);
  EXPECT_EQ(third.other_ns, 0);
  EXPECT_EQ(third.run_queue_ns, 100 * kUs);  // both preemptions, and 30 us behind the wakeup
  EXPECT_EQ(third.preemptions, 2);
  EXPECT_EQ(third.preempted_by, "hog");
  EXPECT_EQ(third.migrations, 1);
  EXPECT_EQ(third.page_faults, std::nullopt);  // no row of such a kind: nothing is known
  const HostIterationRow& fourth = *row_of(rows, 4, kPid);
  EXPECT_EQ(fourth.off_cpu_ns, 100 * kUs);
  EXPECT_EQ(fourth.uninterruptible_ns, 100 * kUs);
  EXPECT_EQ(fourth.run_queue_ns, std::nullopt);  // its wakeup was not seen
  EXPECT_EQ(fourth.preempted_by, std::nullopt);
}

TEST(HostIterations, a_thread_that_did_not_run_has_no_row) {
  Recording run = recording();
  add_off_cpu(run, start_of(2) - 500 * kUs, 9 * kMs, OffCpuReason::kSleep, kWorker);
  const std::vector<HostIterationRow> rows = host_iterations(run);
  EXPECT_EQ(row_of(rows, 2, kWorker), nullptr);
  EXPECT_EQ(row_of(rows, 4, kWorker), nullptr);
  ASSERT_EQ(rows.size(), 1);  // in the sixth it came back
  EXPECT_EQ(rows[0].iter_idx, 6);
  EXPECT_EQ(rows[0].off_cpu_ns, 500 * kUs);
}

TEST(HostIterations, count_faults_and_interrupts_of_threads) {
  Recording run = recording();
  for (int64_t i = 0; i < 5; ++i) {
    add_event(run, HostEventKind::kPageFault, start_of(7) + i * kUs, 0, "", kWorker);
  }
  add_event(run, HostEventKind::kInterrupt, start_of(7) + 20 * kUs, 3 * kUs, "virtio0", kWorker);
  add_event(run, HostEventKind::kSoftInterrupt, start_of(7) + 23 * kUs, 4 * kUs, "NET_RX", kWorker);
  add_event(run, HostEventKind::kPageFault, start_of(7) + 1500 * kUs, 0, "", kWorker);  // behind its end
  const std::vector<HostIterationRow> rows = host_iterations(run);
  ASSERT_EQ(rows.size(), 1);
  EXPECT_EQ(rows[0].page_faults, 5);
  EXPECT_EQ(rows[0].interrupts, 2);
  EXPECT_EQ(rows[0].interrupt_ns, 7 * kUs);
  EXPECT_EQ(rows[0].off_cpu_ns, std::nullopt);
}

TEST(HostIterations, rows_of_others_and_impossible_times_are_left_out) {
  Recording run = recording();
  add_preemption(run, start_of(1), 10 * kUs, "hog");
  run.collected.rows<OffCpuRow>().back().process_id = 1;
  add_preemption(run, start_of(1) + 10, -5, "hog");
  EXPECT_TRUE(host_iterations(run).empty());
  EXPECT_TRUE(host_iterations(recording()).empty());
}

}  // namespace
}  // namespace aaco
