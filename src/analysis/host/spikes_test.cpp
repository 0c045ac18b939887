// SPDX-License-Identifier: MIT
#include "analysis/host/spikes.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "analysis/host/test_host.h"

namespace aaco {
namespace {

using namespace test_host;

const SpikeCause* cause_of(const Spikes& spikes, HostCauseKind kind, const std::string& name) {
  for (const SpikeCause& cause : spikes.causes) {
    if (cause.kind == kind && cause.name == name) {
      return &cause;
    }
  }
  return nullptr;
}

// 1,000 iterations of which 10 were preempted for 5 ms each by "hog" and took as much longer, while "innocent" preempts
// a thread for 40 us at random moments, and an interrupt comes every 4 ms.
Recording injected(uint64_t seed) {
  Recording run = recording(1000);
  std::mt19937_64 random(seed);
  for (int64_t i = 0; i < 1000; ++i) {
    IterationRow& row = run.iterations[static_cast<size_t>(i)];
    row.t_start_ns = kStart_ns + 8 * kMs * i;
    row.t_end_ns = row.t_start_ns + kMs + static_cast<int64_t>(random() % 20'000);
  }
  for (int64_t i = 50; i < 1000; i += 100) {
    add_preemption(run, run.iterations[static_cast<size_t>(i)].t_start_ns + 200 * kUs, 5 * kMs, "hog");
    slow_down(run, i, 5 * kMs);
  }
  const int64_t length_ns = run.iterations.back().t_end_ns - kStart_ns;
  for (int64_t i = 0; i < 2000; ++i) {
    const auto at_ns = static_cast<int64_t>(random() % static_cast<uint64_t>(length_ns - kMs));
    add_preemption(run, kStart_ns + at_ns, 40 * kUs, "innocent", kWorker);
  }
  for (int64_t t = 0; t < length_ns; t += 4 * kMs) {
    add_event(run, HostEventKind::kInterrupt, kStart_ns + t + 17 * kUs, 6 * kUs, "timer");
  }
  return run;
}

TEST(Spikes, the_injected_cause_is_named_and_no_innocent_one) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const Spikes spikes = find_spikes(injected(seed));
    EXPECT_EQ(spikes.tested, 1000);
    ASSERT_EQ(spikes.slow.size(), 10) << seed;
    const SpikeCause* const hog = cause_of(spikes, HostCauseKind::kPreempted, "hog");
    ASSERT_NE(hog, nullptr);
    EXPECT_TRUE(hog->beyond_chance) << seed;
    EXPECT_EQ(hog, spikes.causes.data()) << seed;  // it ranks first
    EXPECT_EQ(hog->amount, 50 * kMs);
    EXPECT_EQ(hog->iterations, 10);
    EXPECT_LE(hog->p, 0.002);
    // By chance: 50 ms of 8 s, of 10 slow iterations of 6 ms each.
    EXPECT_NEAR(hog->amount_by_chance, 50e6 * 60e6 / 8e9, 0.5 * 50e6 * 60e6 / 8e9) << seed;
    const SpikeCause* const innocent = cause_of(spikes, HostCauseKind::kPreempted, "innocent");
    ASSERT_NE(innocent, nullptr);
    EXPECT_FALSE(innocent->beyond_chance) << seed << " p " << innocent->p;
    const SpikeCause* const timer = cause_of(spikes, HostCauseKind::kInterrupt, "timer");
    ASSERT_NE(timer, nullptr);
    EXPECT_FALSE(timer->beyond_chance) << seed << " p " << timer->p;
    for (const SlowIteration& iteration : spikes.slow) {
      EXPECT_EQ(iteration.iter_idx % 100, 50);
      EXPECT_NEAR(iteration.excess_ns(), 5e6, 2e4);
      ASSERT_FALSE(iteration.parts.empty());
      EXPECT_EQ(spikes.causes[iteration.parts[0].cause].name, "hog");
      EXPECT_EQ(iteration.parts[0].amount, 5 * kMs);
      EXPECT_EQ(iteration.parts[0].usual, 0);
    }
  }
}

// Of runs in which no cause has to do with the slow iterations, at most one in twenty may name any: 40 runs, of which
// more than 6 happen once in 33,000 times by chance at that rate.
TEST(Spikes, without_a_cause_none_is_named) {
  int named = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Recording run = injected(seed);
    std::erase_if(run.collected.rows<OffCpuRow>(), [](const OffCpuRow& row) { return row.next_name == "hog"; });
    const Spikes spikes = find_spikes(run);
    EXPECT_EQ(spikes.slow.size(), 10);
    named += std::ranges::any_of(spikes.causes, &SpikeCause::beyond_chance) ? 1 : 0;
  }
  EXPECT_LE(named, 6);
}

TEST(Spikes, events_without_a_length_are_counted) {
  Recording run = recording();
  for (const int64_t i : {20, 60}) {
    slow_down(run, i, kMs / 2);
    for (int64_t fault = 0; fault < 30; ++fault) {
      add_event(run, HostEventKind::kPageFault, start_of(i) + fault * kUs, 0);
    }
  }
  add_event(run, HostEventKind::kPageFault, start_of(30), 0);
  const Spikes spikes = find_spikes(run);
  ASSERT_EQ(spikes.slow.size(), 2);
  ASSERT_EQ(spikes.causes.size(), 1);
  EXPECT_TRUE(spikes.causes[0].is_counted);
  EXPECT_EQ(spikes.causes[0].amount, 60);
  EXPECT_TRUE(spikes.causes[0].beyond_chance) << spikes.causes[0].p;
}

TEST(Spikes, of_many_slow_ones_the_slowest_are_tested) {
  Recording run = recording(2000);
  for (int64_t i = 0; i < 200; ++i) {
    slow_down(run, 10 * i, kMs / 2 + i * kUs);
  }
  const Spikes spikes = find_spikes(run);
  EXPECT_EQ(spikes.slow.size(), kMostSlow);
  EXPECT_EQ(spikes.slow_left_out, 200 - kMostSlow);
  EXPECT_EQ(spikes.slow.front().iter_idx, 1980);  // 1,006 + 500 + 198 us; 1990: 1,002 + 500 + 199 us
}

TEST(Spikes, the_fence_is_of_the_quartiles) {
  Recording run = recording();  // 1,000 to 1,006 us: quartiles 1,001 and 1,005, fence 1,017 us
  slow_down(run, 0, 16 * kUs);  // 1,016 us
  EXPECT_TRUE(find_spikes(run).slow.empty());
  slow_down(run, 0, 20 * kUs);
  EXPECT_EQ(find_spikes(run).slow.size(), 1);
  EXPECT_EQ(find_spikes(run).no_rows, "recorded without --kernel-plane");
  EXPECT_EQ(find_spikes(recording(19)).no_iterations, "no process has 20 measured iterations in a phase");
}

}  // namespace
}  // namespace aaco
