// SPDX-License-Identifier: MIT
#include "kind/model_run/load/load_request.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <utility>

namespace aaco {
namespace {

TEST(LoadRequest, RatesAndLimits) {
  const auto load = parse_load("20", {"ttft:200ms,tpot:20", "e2el:2s"});
  ASSERT_TRUE(load) << load.error().message;
  EXPECT_EQ(load->arrivals, Arrivals::kPoisson);
  EXPECT_EQ(load->rate_per_s, 20);
  EXPECT_EQ(load->ttft_ms, 200);
  EXPECT_EQ(load->tpot_ms, 20);
  EXPECT_EQ(load->e2el_ms, 2000);
  EXPECT_EQ(parse_load("uniform:0.5", {})->arrivals, Arrivals::kUniform);
  EXPECT_EQ(parse_load("poisson:0.5", {})->rate_per_s, 0.5);
  for (const char* arrivals : {"", "0", "-1", "nan", "inf", "1e7", "burst:3", "20/s", "uniform:"}) {
    EXPECT_FALSE(parse_load(arrivals, {})) << arrivals;
  }
  for (const char* limit :
       {"", "ttft", "ttft:", "ttft:0", "ttft:-1ms", "itl:5ms", "ttft:5h", "ttft:1,ttft:2", "ttft:nan"}) {
    EXPECT_FALSE(parse_load("20", {limit})) << limit;
  }
}

TEST(LoadRequest, ArrivalsAreOfTheRateAndOfTheSeed) {
  const LoadFacts uniform{Arrivals::kUniform, 4};
  EXPECT_EQ(arrival_times(uniform, 0, 0, 3), (std::vector<int64_t>{0, 250'000'000, 500'000'000}));
  const LoadFacts poisson{Arrivals::kPoisson, 1'000};
  const auto times = arrival_times(poisson, 3, 0, 20'000);
  EXPECT_TRUE(std::ranges::is_sorted(times));
  EXPECT_EQ(times, arrival_times(poisson, 3, 0, 20'000));
  EXPECT_NE(times, arrival_times(poisson, 3, 1, 20'000));
  EXPECT_NE(times, arrival_times(poisson, 4, 0, 20'000));
  EXPECT_NEAR(static_cast<double>(times.back()), 20e9, 0.6e9);  // four deviations: 1 ms * sqrt(20000)
  const auto short_gaps =
      std::count_if(times.begin() + 1, times.end(), [&, last = times.front()](int64_t time) mutable {
        return time - std::exchange(last, time) < 693'147;  // half of the gaps are shorter than ln 2 of the mean
      });
  EXPECT_NEAR(static_cast<double>(short_gaps), 10'000, 300);
}

TEST(LoadRequest, AutomaticNumbers) {
  EXPECT_EQ(automatic_requests({Arrivals::kPoisson, 50}, 1e6), 500);
  EXPECT_EQ(automatic_requests({Arrivals::kPoisson, 50}, 1e6, 2), 100);
  EXPECT_EQ(automatic_requests({Arrivals::kPoisson, 50}, 100e6), 200);  // saturated: twenty seconds of service
  EXPECT_EQ(automatic_requests({Arrivals::kPoisson, 0.1}, 1e6), 20);
  EXPECT_EQ(automatic_requests({Arrivals::kPoisson, 1e6}, 1e3), 100'000);
}

}  // namespace
}  // namespace aaco
