// SPDX-License-Identifier: MIT
#include "analysis/model_run/latency.h"

#include <cmath>
#include <gtest/gtest.h>

#include "analysis/model_run/test_recording.h"
#include "analysis/model_run/tokens.h"

namespace aaco {
namespace {

// Processes with the given latencies, one iteration each value.
Recording with_latencies(const std::vector<std::vector<int64_t>>& by_process,
                         IterationPhase phase = IterationPhase::kMeasure) {
  Recording recording;
  for (size_t process = 0; process < by_process.size(); ++process) {
    int64_t now = 0;
    for (size_t i = 0; i < by_process[process].size(); ++i) {
      recording.iterations.push_back(
          {static_cast<int64_t>(process), static_cast<int64_t>(i), phase, now, now + by_process[process][i], 0, {}});
      now += by_process[process][i] + 7;
    }
  }
  return recording;
}

const MetricValue& metric(const std::vector<MetricValue>& metrics, std::string_view id) {
  for (const MetricValue& value : metrics) {
    if (value.id == id) {
      return value;
    }
  }
  ADD_FAILURE() << "no metric " << id;
  return metrics.front();
}

// Medians 20, 40, 90: their median is 40. Pooled {10,20,30,40,40,40,80,90,100}: mean 50.
TEST(Latency, IsTheMedianOfProcessMedians) {
  const auto summaries = latency_summaries(with_latencies({{10, 20, 30}, {40, 40, 40}, {100, 80, 90}}));
  ASSERT_EQ(summaries.size(), 1U);
  const LatencySummary& latency = summaries[0];
  EXPECT_EQ(latency.phase, IterationPhase::kMeasure);
  EXPECT_EQ(latency.processes, 3);
  EXPECT_EQ(latency.iterations, 9);
  EXPECT_EQ(latency.process_medians_ns, (std::vector<double>{20, 40, 90}));
  EXPECT_DOUBLE_EQ(latency.p50_ns.value, 40);
  ASSERT_TRUE(latency.p50_ns.interval);
  EXPECT_LE(latency.p50_ns.interval->low, 40);
  EXPECT_GE(latency.p50_ns.interval->high, 40);
  EXPECT_DOUBLE_EQ(*latency.mean_ns, 50);
  EXPECT_DOUBLE_EQ(*latency.min_ns, 10);
  EXPECT_DOUBLE_EQ(*latency.max_ns, 100);
  // Within: 10/20, 0, 10/90; the median is 1/9. Between: sd(20, 40, 90) / 50 = sqrt(1300) / 50.
  EXPECT_NEAR(*latency.within_process_cv, 1.0 / 9, 1e-12);
  EXPECT_NEAR(*latency.between_process_cv, std::sqrt(1300.0) / 50, 1e-12);
}

TEST(Latency, TwoProcessesHaveNoInterval) {
  EXPECT_FALSE(latency_summaries(with_latencies({{10}, {20}}))[0].p50_ns.interval);
}

// The fewest iterations: 29 for p90, 59 for p95, 299 for p99.
TEST(Latency, TailsNeedEnoughIterations) {
  const auto summary_of = [](size_t count) {
    std::vector<int64_t> values;
    for (size_t i = 1; i <= count; ++i) {
      values.push_back(static_cast<int64_t>(i));
    }
    return latency_summaries(with_latencies({values}))[0];
  };
  EXPECT_FALSE(summary_of(28).p90_ns);
  EXPECT_TRUE(summary_of(29).p90_ns);
  EXPECT_FALSE(summary_of(58).p95_ns);
  EXPECT_TRUE(summary_of(59).p95_ns);
  EXPECT_FALSE(summary_of(298).p99_ns);
  // Type 7 on 1..299: 1 + 0.99 * 298.
  EXPECT_NEAR(*summary_of(299).p99_ns, 296.02, 1e-9);
}

// Processes of 100, 200 and 400 ns: the pooled p99 is 400, and their own tails lie a factor of 2 apart: 400 *
// 2^(+-4.303 / sqrt 3).
TEST(Latency, TheIntervalOfATailIsOverProcesses) {
  const std::vector<std::vector<int64_t>> apart{std::vector<int64_t>(299, 100), std::vector<int64_t>(299, 200),
                                                std::vector<int64_t>(299, 400)};
  const LatencySummary latency = latency_summaries(with_latencies(apart))[0];
  EXPECT_EQ(latency.p99_ns, 400);
  ASSERT_TRUE(latency.p99_interval_ns);
  const double factor = std::pow(2, student_t_quantile(0.975, 2) / std::sqrt(3.0));
  EXPECT_NEAR(latency.p99_interval_ns->low, 400 / factor, 1e-6);
  EXPECT_NEAR(latency.p99_interval_ns->high, 400 * factor, 1e-6);
}

TEST(Latency, AProcessWithTooFewIterationsForATailLeavesItWithoutAnInterval) {
  std::vector<std::vector<int64_t>> values(3, std::vector<int64_t>(299, 100));
  values[1].pop_back();
  const LatencySummary latency = latency_summaries(with_latencies(values))[0];
  EXPECT_TRUE(latency.p99_ns);
  EXPECT_FALSE(latency.p99_interval_ns);
  EXPECT_TRUE(latency.p95_interval_ns);
  EXPECT_FALSE(latency_summaries(with_latencies({values[0], values[0]}))[0].p99_interval_ns);
}

TEST(Latency, AMissingTailSaysWhatItNeeds) {
  const Recording recording = with_latencies({{10, 20, 30}});
  EXPECT_EQ(quality_text(metric(latency_metrics(recording, latency_summaries(recording)), "latency_p99").quality),
            "no data: needs 299 iterations, has 3");
}

// Batch 8 in 40 ns: 2e8 samples a second.
TEST(Throughput, CountsTheBatch) {
  Recording recording = with_latencies({{40}, {40}, {40}});
  recording.facts.batch = 8;
  EXPECT_DOUBLE_EQ(*metric(latency_metrics(recording, latency_summaries(recording)), "throughput").value, 2e8);
}

// 98 iterations of 100 ns and two stalls of 2000 ns, 7 ns between iterations: 100 in 98 * 100 + 2 * 2000 + 99 * 7 =
// 14,493 ns, where the median alone would give 100 in 10,000.
TEST(Throughput, IsIterationsOverElapsedTime) {
  std::vector<int64_t> stalled(100, 100);
  stalled[20] = stalled[70] = 2000;
  Recording recording = with_latencies({stalled, stalled, stalled});
  for (int64_t process = 0; process < 3; ++process) {  // a warm-up and a profiled iteration: neither counts
    recording.iterations.push_back({process, -1, IterationPhase::kWarmup, 1, 900'000, 0, {}});
    recording.iterations.push_back({process, 100, IterationPhase::kProfile, 1'000'000, 2'000'000, 0, {}});
  }
  const MetricValue throughput = metric(latency_metrics(recording, latency_summaries(recording)), "throughput");
  EXPECT_DOUBLE_EQ(*throughput.value, 100 / 14'493e-9);
  ASSERT_TRUE(throughput.interval);
  EXPECT_NEAR(throughput.interval->low, 100 / 14'493e-9, 1);
}

// A quota stops the process between iterations, which none of them sees: 10 iterations of 10 ns in 10 * 10 + 8 * 7 +
// 907.
TEST(Throughput, HoldsWhatLiesBetweenIterations) {
  Recording recording = with_latencies({std::vector<int64_t>(10, 10)});
  for (size_t i = 5; i < 10; ++i) {
    recording.iterations[i].t_start_ns += 900;
    recording.iterations[i].t_end_ns += 900;
  }
  EXPECT_DOUBLE_EQ(*metric(latency_metrics(recording, latency_summaries(recording)), "throughput").value, 10 / 1063e-9);
}

// Rates 1/(100 ns), 1/(200 ns), 1/(400 ns) of processes: the median, and half of Student's interval of their logarithms
// is 4.303 ln 2 / sqrt 3.
TEST(Throughput, ItsIntervalIsOverProcesses) {
  const Recording recording = with_latencies({{100}, {200}, {400}});
  const MetricValue throughput = metric(latency_metrics(recording, latency_summaries(recording)), "throughput");
  EXPECT_DOUBLE_EQ(*throughput.value, 1 / 200e-9);
  const double factor = std::pow(2, student_t_quantile(0.975, 2) / std::sqrt(3.0));
  EXPECT_NEAR(throughput.interval->low / (1 / 200e-9), 1 / factor, 1e-9);
  EXPECT_NEAR(throughput.interval->high / (1 / 200e-9), factor, 1e-9);
}

TEST(Throughput, WithoutTimesThereIsNone) {
  Recording recording;
  recording.iterations.push_back({0, 0, IterationPhase::kMeasure, 0, 0, 1.5, {}});
  const auto metrics = latency_metrics(recording, latency_summaries(recording));
  EXPECT_FALSE(metric(metrics, "throughput").value);
}

TEST(Latency, WarmUpNeverCounts) {
  EXPECT_TRUE(latency_summaries(with_latencies({{10, 20}}, IterationPhase::kWarmup)).empty());
}

TEST(Latency, AProcessThatWasNotStationaryIsSaid) {
  Recording recording = record(large_gemm());
  EXPECT_TRUE(latency_summaries(recording)[0].stationary);
  recording.facts.process_facts[1].stationary = false;
  EXPECT_FALSE(latency_summaries(recording)[0].stationary);
  EXPECT_TRUE(latency_summaries(recording)[1].stationary) << "profile has processes of its own";
}

// Profiled three times as slow in each process: a tax of 3, and no spread.
TEST(Latency, ProfilingTaxIsARatio) {
  Recording recording = with_latencies({{100, 100}, {100, 100}, {100, 100}});
  Recording profiled = with_latencies({{300}, {300}, {300}}, IterationPhase::kProfile);
  for (IterationRow& row : profiled.iterations) {
    row.process += 3;
    recording.iterations.push_back(row);
  }
  const auto metrics = latency_metrics(recording, latency_summaries(recording));
  EXPECT_NEAR(*metric(metrics, "profiling_tax").value, 3, 1e-12);
  EXPECT_NEAR(metric(metrics, "profiling_tax").interval->high, 3, 1e-9);
}

// Two requests a process: prefill of 1000 ns for 50 tokens at batch 2, then three tokens, one every 100 ns of which 90
// are the step and 10 lie between the steps.
Recording token_run() {
  Recording recording;
  recording.facts.batch = 2;
  recording.facts.prompt_tokens = 50;
  recording.facts.generated_tokens = 3;
  for (int64_t process = 0; process < 3; ++process) {
    int64_t now = 0;
    int64_t index = 0;
    for (int request = 0; request < 2; ++request) {
      recording.iterations.push_back({process, index++, IterationPhase::kPrefill, now, now + 1000, 0, {}});
      now += 1000;
      for (int64_t token = 0; token < 3; ++token) {
        recording.iterations.push_back({process, index++, IterationPhase::kDecode, now + 10, now + 100, 0, token});
        now += 100;
      }
      now += 5000;  // between requests: no token is awaited
    }
  }
  return recording;
}

TEST(Tokens, TimesAndRates) {
  const auto metrics = token_metrics(token_run());
  EXPECT_DOUBLE_EQ(*metric(metrics, "ttft").value, 1000);
  EXPECT_DOUBLE_EQ(*metric(metrics, "itl_p50").value, 100);
  EXPECT_EQ(quality_text(metric(metrics, "itl_p95").quality), "no data: needs 59 tokens, has 18");
  EXPECT_DOUBLE_EQ(*metric(metrics, "prefill_tokens_per_s").value, 2 * 50 / 1000e-9);
  EXPECT_DOUBLE_EQ(*metric(metrics, "decode_tokens_per_s").value, 2 / 100e-9);
}

// A sample of a token run is a request: two of them, at batch 2, from the first prefill's start to the last token's
// end, 1000 + 300 + 5000 + 1000 + 300 ns.
TEST(Throughput, OfATokenRunCountsRequests) {
  const Recording recording = token_run();
  EXPECT_DOUBLE_EQ(*metric(latency_metrics(recording, latency_summaries(recording)), "throughput").value,
                   2 * 2 / 7600e-9);
  Recording decode_only = recording;
  std::erase_if(decode_only.iterations, [](const IterationRow& row) { return row.phase == IterationPhase::kPrefill; });
  EXPECT_EQ(quality_text(metric(latency_metrics(decode_only, latency_summaries(decode_only)), "throughput").quality),
            "no data: not recorded: no request has its prefill");
}

// A step whose predecessor was not recorded has no inter-token latency.
TEST(Tokens, AGapIsNoLatency) {
  Recording recording = token_run();
  std::erase_if(recording.iterations, [](const IterationRow& row) { return row.token_idx == 1; });
  EXPECT_DOUBLE_EQ(*metric(token_metrics(recording), "itl_p50").value, 100);
}

TEST(Tokens, OtherRunsHaveNone) {
  const std::vector<MetricValue> metrics = token_metrics(record(large_gemm()));
  EXPECT_EQ(metrics.size(), token_metrics(token_run()).size());
  for (const MetricValue& value : metrics) {
    EXPECT_EQ(quality_text(value.quality), "no data: not a token run (--tokens P,G)") << value.id;
  }
}

}  // namespace
}  // namespace aaco
