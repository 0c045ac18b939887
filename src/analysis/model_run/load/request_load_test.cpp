// SPDX-License-Identifier: MIT
#include "analysis/model_run/load/request_load.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace aaco {
namespace {

// Four requests, served one after the other in 10 s each; times in seconds.
//
//   arrival  0  2  4  32
//   start    0 10 20  32
//   end     10 20 30  42
class Load : public testing::Test {
 protected:
  Load() {
    add(0, 0, 10);
    add(2, 10, 20);
    add(4, 20, 30);
    add(32, 32, 42);
  }
  void add(int64_t arrival_s, int64_t start_s, int64_t end_s, int64_t process = 0) {
    requests_.push_back({process,
                         static_cast<int64_t>(requests_.size()),
                         arrival_s * kSecond,
                         start_s * kSecond,
                         {},
                         end_s * kSecond,
                         {}});
  }
  std::optional<double> value(const char* id) {
    for (const MetricValue& metric : load_metrics(load_, requests_, has_tokens_)) {
      if (metric.id == id) {
        return metric.value;
      }
    }
    ADD_FAILURE() << id;
    return std::nullopt;
  }

  static constexpr int64_t kSecond = 1'000'000'000;
  LoadFacts load_{Arrivals::kPoisson, 0.1};
  std::vector<RequestRow> requests_;
  bool has_tokens_ = false;
};

TEST_F(Load, LatencyCountsFromTheArrivalAndNotFromTheStart) {
  EXPECT_DOUBLE_EQ(*value("load_latency_p50"), 14e9);  // of 10, 18, 26 and 10
  EXPECT_DOUBLE_EQ(*value("load_wait_p50"), 4e9);      // of 0, 8, 16 and 0
  EXPECT_EQ(value("load_latency_p99"), std::nullopt);  // four requests tell no tail
}

TEST_F(Load, ThroughputAndQueueAreOverTheTimeFromTheFirstArrivalToTheLastEnd) {
  EXPECT_DOUBLE_EQ(*value("load_throughput"), 4 / 42.0);
  EXPECT_DOUBLE_EQ(*value("load_busy"), 40 / 42.0);
  EXPECT_DOUBLE_EQ(*value("load_queue_mean"), 24 / 42.0);
  EXPECT_DOUBLE_EQ(*value("load_queue_max"), 2);
  EXPECT_DOUBLE_EQ(*value("load_offered"), 3 / 32.0 * 10);
}

TEST_F(Load, TheQueueOverTime) {
  const auto points = queue_over_time(requests_by_process(requests_).at(0));
  ASSERT_EQ(points.size(), 4U);  // 2: one waits, 4: two, 10: one begins, 20: the other
  const int64_t expected[][2] = {{2, 1}, {4, 2}, {10, 1}, {20, 0}};
  for (size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(points[i].time_ns, expected[i][0] * kSecond) << i;
    EXPECT_EQ(points[i].waiting, expected[i][1]) << i;
  }
}

// Of two processes, one of whose requests take 10 s and the other's 5 s: 0.1 and 0.2 requests a second can be served.
TEST_F(Load, WhatCanBeServedIsNeverLessThanWhatWas) {
  add(0, 0, 5, 1);
  add(32, 32, 37, 1);
  EXPECT_DOUBLE_EQ(*value("load_capacity"), 0.15);
  EXPECT_DOUBLE_EQ(*value("load_arrived"), 4 / 64.0);
  EXPECT_DOUBLE_EQ(*value("load_offered"), 4 / 64.0 / 0.15);
  EXPECT_LE(*value("load_throughput"), *value("load_capacity"));
}

// Pairs that arrive together, each in a busy period of its own: 116 requests are 58 periods, and the next makes 59.
TEST_F(Load, ATailNeedsAsManyBusyPeriodsAsElseRequests) {
  requests_.clear();
  for (int64_t i = 0; i < 58; ++i) {
    add(100 * i, 100 * i, 100 * i + 10);
    add(100 * i, 100 * i + 10, 100 * i + 20);
  }
  EXPECT_EQ(value("load_latency_p95"), std::nullopt);
  EXPECT_EQ(value("load_wait_p95"), std::nullopt);
  add(5'719, 5'720, 5'730);  // within the last
  EXPECT_EQ(value("load_latency_p95"), std::nullopt);
  requests_.pop_back();
  add(5'720, 5'720, 5'730);  // as it ends
  EXPECT_DOUBLE_EQ(*value("load_latency_p95"), 20e9);
  EXPECT_DOUBLE_EQ(*value("load_wait_p95"), 10e9);
}

// 70 ns are the clock's and the loop's.
TEST_F(Load, ARequestThatFindsTheServerIdleDoesNotWait) {
  for (RequestRow& row : requests_) {
    row.t_start_ns = row.t_arrival_ns + 70;
    row.t_end_ns = row.t_arrival_ns + kSecond;
  }
  EXPECT_DOUBLE_EQ(*value("load_wait_p50"), 0);
  for (size_t i = 0; i < 3; ++i) {
    requests_[i].t_start_ns = 9 * kSecond;
    requests_[i].t_end_ns = 10 * kSecond;
  }
  EXPECT_DOUBLE_EQ(*value("load_wait_p50"), 6e9);  // of 9, 7, 5 and 0
}

TEST_F(Load, WhereArrivalsAreFasterLatencyIsNoFigure) {
  add(31, 42, 52);  // five arrivals in 32 s, each of 10 s
  EXPECT_GT(*value("load_offered"), 1);
  EXPECT_EQ(value("load_latency_p50"), std::nullopt);
  EXPECT_EQ(value("load_wait_p50"), std::nullopt);
  EXPECT_DOUBLE_EQ(*value("load_throughput"), 5 / 52.0);
}

TEST_F(Load, GoodRequestsHoldEveryLimit) {
  EXPECT_EQ(value("load_goodput"), std::nullopt);
  load_.e2el_ms = 18'000;  // 10, 18 and 10 s hold it
  EXPECT_DOUBLE_EQ(*value("load_good_share"), 0.75);
  EXPECT_DOUBLE_EQ(*value("load_goodput"), 3 / 42.0);
  load_.ttft_ms = 100'000;  // no request has a first token: none is known to hold it
  EXPECT_DOUBLE_EQ(*value("load_good_share"), 0);
}

TEST_F(Load, TokensOfARequest) {
  has_tokens_ = true;
  for (RequestRow& row : requests_) {
    row.t_first_token_ns = row.t_start_ns + 4 * kSecond;
    row.tokens = 4;
  }
  EXPECT_DOUBLE_EQ(*value("load_ttft_p50"), 8e9);  // of 4, 12, 20 and 4
  EXPECT_DOUBLE_EQ(*value("load_tpot_p50"), 2e9);  // 6 s for three tokens more
  load_.ttft_ms = 12'000;
  load_.tpot_ms = 2'000;
  EXPECT_DOUBLE_EQ(*value("load_good_share"), 0.75);
  load_.tpot_ms = 1'999;
  EXPECT_DOUBLE_EQ(*value("load_good_share"), 0);
}

TEST_F(Load, ImpossibleTimesAreLeftOut) {
  add(50, 49, 60);
  add(50, 55, 55);
  EXPECT_DOUBLE_EQ(*value("load_throughput"), 4 / 42.0);
}

// Each begins half a microsecond after it came: two readings of a clock, and no queue.
TEST(LoadQueue, ReadingTheClockIsNoWaiting) {
  const std::vector<RequestRow> requests{{0, 0, 0, 500, {}, 8'000, {}}, {0, 1, 20'000, 20'500, {}, 28'000, {}}};
  EXPECT_TRUE(queue_over_time(requests).empty());
  const std::vector<RequestRow> waiting{{0, 0, 0, 500, {}, 8'000, {}}, {0, 1, 7'000, 8'100, {}, 9'000, {}}};
  ASSERT_EQ(queue_over_time(waiting).size(), 2U);
  EXPECT_EQ(queue_over_time(waiting).front().waiting, 1);
}

// Poisson arrivals at a server that takes 1 ms each: M/D/1. With half the load a request waits rho / (2 (1 - rho)) =
// 0.5 services in the mean (Pollaczek and Khinchin), and so long is the queue in the mean, times the rate: 0.25.
TEST(LoadQueue, PoissonArrivalsWaitAsTheFormulaSays) {
  constexpr double kServiceNs = 1e6;
  constexpr double kRho = 0.5;
  constexpr int kRequests = 200'000;
  std::mt19937_64 random(7);
  std::vector<RequestRow> requests;
  double arrival_ns = 0;
  int64_t free_ns = 0;
  for (int i = 0; i < kRequests; ++i) {
    arrival_ns += -std::log((static_cast<double>(random() >> 11) + 0.5) * 0x1p-53) * kServiceNs / kRho;
    const auto arrived_ns = static_cast<int64_t>(arrival_ns);
    const int64_t start_ns = std::max(arrived_ns, free_ns);
    free_ns = start_ns + static_cast<int64_t>(kServiceNs);
    requests.push_back({0, i, arrived_ns, start_ns, {}, free_ns, {}});
  }
  for (const MetricValue& metric : load_metrics({Arrivals::kPoisson, kRho * 1e9 / kServiceNs}, requests, false)) {
    if (metric.id == "load_queue_mean") {
      EXPECT_NEAR(*metric.value, kRho * kRho / (2 * (1 - kRho)), 0.01);
    } else if (metric.id == "load_busy" || metric.id == "load_offered") {
      EXPECT_NEAR(*metric.value, kRho, 0.005);
    } else if (metric.id == "load_latency_p50") {
      EXPECT_NEAR(*metric.value, kServiceNs, 0.03 * kServiceNs);  // half of the requests find nobody
    }
  }
}

}  // namespace
}  // namespace aaco
