// SPDX-License-Identifier: MIT
#include "observe/telemetry/sampler.h"

#include <gtest/gtest.h>
#include <semaphore>

namespace aaco {

namespace {

// Counts its samples, and can be slow.
class CountingCollector : public Collector {
 public:
  CountingCollector(std::counting_semaphore<>& sampled, std::chrono::milliseconds takes)
      : sampled_(sampled), takes_(takes) {}
  void sample() override {
    std::this_thread::sleep_for(takes_);
    sampled_.release();
  }
  CollectorPlane plane() const override { return {}; }

 private:
  std::counting_semaphore<>& sampled_;
  std::chrono::milliseconds takes_;
};

}  // namespace

TEST(Sampler, SamplesUntilStoppedAndCountsThem) {
  std::counting_semaphore<> sampled(0);
  const auto sampler =
      Sampler::start(std::make_unique<CountingCollector>(sampled, std::chrono::milliseconds(0)), 1'000'000);
  ASSERT_TRUE(sampler);
  for (int i = 0; i < 5; ++i) {
    sampled.acquire();
  }
  const SamplerCost cost = (*sampler)->stop();
  EXPECT_GE(cost.samples, 5);
  EXPECT_GT(cost.median_ns.value(), 0);
  EXPECT_GT(cost.cpu_time_ns, 0);
  EXPECT_EQ((*sampler)->stop().samples, cost.samples);
}

TEST(Sampler, StopsWithoutWaitingForThePeriod) {
  std::counting_semaphore<> sampled(0);
  const int64_t hour_ns = int64_t{3600} * 1'000'000'000;
  const auto sampler =
      Sampler::start(std::make_unique<CountingCollector>(sampled, std::chrono::milliseconds(0)), hour_ns);
  ASSERT_TRUE(sampler);
  sampled.acquire();
  EXPECT_EQ((*sampler)->stop().samples, 1);  // would hang for an hour otherwise
}

// A sample of 5 periods passes 5 of them or more.
TEST(Sampler, CountsMissedPeriodsAndKeepsTheTimeline) {
  std::counting_semaphore<> sampled(0);
  const auto sampler =
      Sampler::start(std::make_unique<CountingCollector>(sampled, std::chrono::milliseconds(10)), 2'000'000);
  ASSERT_TRUE(sampler);
  for (int i = 0; i < 3; ++i) {
    sampled.acquire();
  }
  const SamplerCost cost = (*sampler)->stop();
  EXPECT_GE(cost.missed_periods, 3 * 5);
  EXPECT_GE(cost.median_ns.value(), 10e6);
}

TEST(Sampler, EveryCollectorDescribesItself) {
  for (const CollectorInfo& collector : all_collectors()) {
    EXPECT_EQ(find_collector(collector.id), &collector);
    EXPECT_STRNE(collector.one_line, "");
    EXPECT_STRNE(collector.text, "");
    EXPECT_STRNE(collector.needs, "");
    EXPECT_STRNE(collector.plane, "");
    EXPECT_FALSE(collector.tables.empty());
  }
  EXPECT_EQ(find_collector("none"), nullptr);
}

}  // namespace aaco
