// SPDX-License-Identifier: MIT
#include "analysis/host/steady_off_cpu.h"

#include <gtest/gtest.h>

#include "analysis/host/test_host.h"
#include "analysis/model_run/results.h"
#include "analysis/model_run/test_recording.h"

namespace aaco {
namespace {

using namespace test_host;

TEST(SteadyOffCpu, SharesOutAThreadsTime) {
  Recording run = recording();                                          // steady from 1 s on
  add_preemption(run, kStart_ns - 50 * kUs, 80 * kUs, "hog", kWorker);  // 30 us in the phase
  OffCpuRow& sleep = add_off_cpu(run, kStart_ns + kMs, 500 * kUs, OffCpuReason::kSleep);
  sleep.run_queue_ns = 100 * kUs;
  add_off_cpu(run, kStart_ns + kMs, 900 * kUs, OffCpuReason::kSleep, kWorker);  // waits for work
  const auto sum = steady_off_cpu(run.collected, run.facts.process_facts[0]);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->run_queue_ns, 130 * kUs);
  EXPECT_EQ(sum->blocked_ns, 400 * kUs);
  EXPECT_FALSE(steady_off_cpu(recording().collected, run.facts.process_facts[0]));
}

// A run whose own counters tell nothing (no schedstat) while its two threads waited for a processor a third of the
// time.
Recording squeezed_without_schedstat() {
  Recording run = record(squeezed(large_gemm()));
  for (ProcessFacts& process : run.facts.process_facts) {
    process.pid = 4000 + process.process;
    const int64_t step_ns = (process.t_end_ns - process.t_start_ns) / 100;
    for (int64_t i = 0; i < 100; ++i) {
      for (const int64_t thread : {process.pid, process.pid + 100}) {
        OffCpuRow row;
        row.process_id = process.pid;
        row.thread_id = thread;
        row.t_start_ns = process.t_start_ns + i * step_ns;
        row.t_end_ns = row.t_start_ns + process.run_delay_ns / 200;
        row.reason = OffCpuReason::kPreempted;
        row.next_name = "hog";
        run.collected.rows<OffCpuRow>().push_back(row);
      }
    }
    process.run_delay_known = false;
    process.run_delay_ns = process.off_cpu_ns = 0;
  }
  return run;
}

TEST(SteadyOffCpu, TheClassifierReadsItWhereSchedstatIsMissing) {
  Recording run = squeezed_without_schedstat();
  const Analysis analysis = analyse(run);
  EXPECT_NEAR(analysis.metric("run_delay_share")->value.value_or(0), 0.33, 0.001);
  EXPECT_EQ(analysis.bottleneck.bottleneck_class, BottleneckClass::kCpuBound);
  run.collected.rows<OffCpuRow>().clear();
  const Analysis without = analyse(run);
  EXPECT_EQ(without.metric("run_delay_share")->value, std::nullopt);
  EXPECT_NE(without.bottleneck.bottleneck_class, BottleneckClass::kCpuBound);
}

}  // namespace
}  // namespace aaco
