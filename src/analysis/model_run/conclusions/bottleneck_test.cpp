// SPDX-License-Identifier: MIT
#include "analysis/model_run/conclusions/bottleneck.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/model_run/conclusions/signals.h"
#include "analysis/model_run/test_recording.h"
#include "base/files/file.h"

namespace aaco {
namespace {

Bottleneck class_of(const TestRun& run) { return analyse(record(run)).bottleneck; }

std::string explain(const Bottleneck& bottleneck) {
  std::string text = bottleneck.reason;
  for (const ClassScore& score : bottleneck.scores) {
    text += std::string("\n  ") + word_of(score.bottleneck_class) + " score " + std::to_string(score.score) +
            " coverage " + std::to_string(score.coverage);
  }
  return text;
}

void expect_class(const TestRun& run, BottleneckClass expected) {
  const Bottleneck bottleneck = class_of(run);
  EXPECT_EQ(bottleneck.bottleneck_class, expected) << explain(bottleneck);
}

TEST(Bottleneck, TinyOperatorsAreLaunchBound) { expect_class(tiny_ops(), BottleneckClass::kLaunchBound); }
TEST(Bottleneck, ALargeGemmIsComputeBound) { expect_class(large_gemm(), BottleneckClass::kComputeBound); }
TEST(Bottleneck, AStreamOutOfCacheIsMemoryBound) { expect_class(stream_out_of_cache(), BottleneckClass::kMemoryBound); }

TEST(Bottleneck, AStreamInCacheHasNoClass) { expect_class(stream_in_cache(), BottleneckClass::kUndetermined); }

TEST(Bottleneck, AnyOfThemSqueezedIsCpuBound) {
  for (const TestRun& run : {tiny_ops(), large_gemm(), stream_out_of_cache(), stream_in_cache()}) {
    expect_class(squeezed(run), BottleneckClass::kCpuBound);
  }
}

// Under a quota of half a processor: the same waiting, for which nobody else is to blame.
TEST(Bottleneck, AnyOfThemUnderAQuotaIsQuotaBound) {
  for (TestRun run : {tiny_ops(), large_gemm(), stream_out_of_cache(), stream_in_cache()}) {
    run.run_delay_share = 0.5;
    run.quota_share = 0.5;
    run.cpu_utilisation = 0.49;
    expect_class(run, BottleneckClass::kQuotaBound);
  }
}

// A quota that stopped nothing changes nothing, nor does one that is not recorded.
TEST(Bottleneck, AQuotaThatIsNotReachedIsNoCause) {
  TestRun run = squeezed(large_gemm());
  run.quota_share = 0;
  expect_class(run, BottleneckClass::kCpuBound);
}

TEST(Bottleneck, ABlockedMeasuringThreadIsCpuBound) {
  TestRun run = large_gemm();
  run.latency_ns *= 2;
  run.off_cpu_share = 0.5;
  run.cpu_utilisation = 0.5;
  expect_class(run, BottleneckClass::kCpuBound);
}

// The clock falls from 3 to 2 GHz and latency rises by the same ratio.
TEST(Bottleneck, AFallingClockIsThrottling) {
  TestRun run = large_gemm();
  run.processes = 1;
  for (int i = 0; i < 40; ++i) {
    run.frequencies_mhz.push_back(i < 20 ? 3000 : 2000);
  }
  run.latency_ns *= 1.2;
  expect_class(run, BottleneckClass::kThrottling);
}

TEST(Bottleneck, ASteadyClockIsNotThrottling) {
  TestRun run = large_gemm();
  run.frequencies_mhz.assign(40, 3000);
  expect_class(run, BottleneckClass::kComputeBound);
}

// At this share of the arithmetic roof, with a steady clock.
TestRun gemm_at(double share_of_roof) {
  TestRun run = large_gemm();
  run.latency_ns = *run.nodes[0].flops / (share_of_roof * kTestFlopsRoof) * 1e9;
  run.nodes[0].time_ns = run.latency_ns - 1e5;
  run.frequencies_mhz.assign(40, 3000);
  return run;
}

// All the rest speaks for compute-bound, and the arithmetic is far below its roof.
TEST(Bottleneck, AGemmFarBelowItsRoofIsUndeterminedAndSaysHowFar) {
  expect_class(gemm_at(0.5), BottleneckClass::kComputeBound);
  const Bottleneck bottleneck = class_of(gemm_at(0.4));
  EXPECT_EQ(bottleneck.bottleneck_class, BottleneckClass::kUndetermined) << explain(bottleneck);
  EXPECT_TRUE(bottleneck.reason.starts_with("flops_roof_fraction, which compute-bound rests on, is 0.4, and 0.43"))
      << bottleneck.reason;
}

// One thread of two: the arithmetic roof is half, so 42 % of the two-thread roof is 84 % of its own.
TEST(Bottleneck, AOneThreadGemmIsHeldAgainstTheRoofOfOneThread) {
  TestRun run = large_gemm();
  run.threads = 1;
  run.latency_ns *= 2;
  run.nodes[0].time_ns *= 2;
  expect_class(run, BottleneckClass::kComputeBound);
}

TEST(Bottleneck, WithoutRoofsAGemmIsUndeterminedAndSaysWhy) {
  TestRun run = large_gemm();
  run.roofs = false;
  const Bottleneck bottleneck = class_of(run);
  EXPECT_EQ(bottleneck.bottleneck_class, BottleneckClass::kUndetermined);
  EXPECT_FALSE(bottleneck.reason.empty());
}

TEST(Bottleneck, WithoutRoofsTinyOperatorsAreStillLaunchBound) {
  TestRun run = tiny_ops();
  run.roofs = false;
  expect_class(run, BottleneckClass::kLaunchBound);
}

TEST(Bottleneck, NothingRecordedIsUndetermined) {
  const Bottleneck bottleneck = analyse(Recording{}).bottleneck;
  EXPECT_EQ(bottleneck.bottleneck_class, BottleneckClass::kUndetermined);
  EXPECT_EQ(bottleneck.coverage, 0);
}

// The scaling of a sweep counts where it is known: latency that does not grow with the batch supports launch-bound.
TEST(Bottleneck, ScalingIsEvidence) {
  Recording recording = record(tiny_ops());
  const auto score = [&](std::optional<double> exponent) {
    recording.facts.batch_exponent = exponent;
    return analyse(recording).bottleneck.scores[0].score;
  };
  EXPECT_NEAR(score(0.1) - score({}), 0.05, 1e-9);
  EXPECT_NEAR(score(1.0) - score({}), 0, 1e-9);
}

TEST(Bottleneck, AGpuWithoutDeviceActivityHasNoDeviceEvidence) {
  TestRun run = large_gemm();
  run.device_kind = DeviceKind::kGpu;
  run.activity = NodeActivity::kHostEnqueue;
  const Analysis analysis = analyse(record(run));
  for (const char* id : {"kar_original",
                         "kar_optimized",
                         "gpu_active_ratio_sum",
                         "gpu_active_ratio_union",
                         "achieved_flops",
                         "flops_roof_fraction",
                         "achieved_bandwidth",
                         "bandwidth_roof_fraction",
                         "arithmetic_intensity",
                         "intensity_over_ridge",
                         "high_intensity_time_share",
                         "low_intensity_time_share",
                         "microkernel_fraction_count",
                         "microkernel_fraction_time",
                         "launch_rate",
                         "launch_tax_score",
                         "exposed_launch_time",
                         "cpu_overhead_ratio",
                         "dispatch_cost_share",
                         "dispatches_per_inference",
                         "profile_reconciliation"}) {
    const MetricValue* metric = analysis.metric(id);
    ASSERT_NE(metric, nullptr) << id;
    EXPECT_FALSE(metric->value) << id;
    EXPECT_EQ(quality_text(metric->quality), "no data: needs device activity") << id;
  }
  for (const Signal& signal : analysis.bottleneck.signals) {
    if (signal.bottleneck_class == BottleneckClass::kMemoryBound ||
        signal.bottleneck_class == BottleneckClass::kComputeBound) {
      EXPECT_FALSE(signal.value) << signal.name;
      EXPECT_EQ(signal.no_data_reason, "needs device activity") << signal.name;
    }
  }
  EXPECT_EQ(analysis.bottleneck.bottleneck_class, BottleneckClass::kUndetermined);
  EXPECT_EQ(analysis.node_time_kind, NodeActivity::kHostEnqueue);
  EXPECT_TRUE(analysis.offenders.empty());
}

TEST(Bottleneck, MoreThanARoofIsSuspectAndNoEvidence) {
  const Analysis analysis = analyse(record(stream_in_cache()));
  const MetricValue* fraction = analysis.metric("bandwidth_roof_fraction");
  // 51.2 MB in 660 us over 20 GB/s.
  EXPECT_NEAR(*fraction->value, 51.2e6 / 660e-6 / 20e9, 1e-3);
  EXPECT_TRUE(quality_text(fraction->quality).starts_with("suspect: ")) << quality_text(fraction->quality);
  for (const Signal& signal : analysis.bottleneck.signals) {
    if (signal.name == "bandwidth_roof_fraction") {
      EXPECT_FALSE(signal.value);
    }
  }
}

TEST(Bottleneck, RampIsLinearBetweenItsEnds) {
  EXPECT_DOUBLE_EQ(ramp(0.4, 0.2, 0.6), 0.5);
  EXPECT_DOUBLE_EQ(ramp(0.1, 0.2, 0.6), 0);
  EXPECT_DOUBLE_EQ(ramp(0.9, 0.2, 0.6), 1);
  EXPECT_DOUBLE_EQ(ramp(2000, 5000, 1000), 0.75);
}

// What a node takes on a processor tells nothing of a GPU.
TEST(Bottleneck, TheTimeOfANodeHasNoWeightOnAGpu) {
  const auto has_rule = [](const Bottleneck& bottleneck) {
    return std::ranges::any_of(bottleneck.signals,
                               [](const Signal& signal) { return signal.name == "mean_node_time"; });
  };
  TestRun run = tiny_ops();
  EXPECT_TRUE(has_rule(class_of(run)));
  run.device_kind = DeviceKind::kGpu;
  EXPECT_FALSE(has_rule(class_of(run)));
}

// A GPU run of a single kernel whose latency is so many times the kernel's, its host kept off the processors.
Bottleneck squeezed_on_gpu(double latency_factor) {
  TestRun run = squeezed(large_gemm());
  run.device_kind = DeviceKind::kGpu;
  run.activity = NodeActivity::kDeviceKernel;
  run.latency_ns = run.nodes[0].time_ns * latency_factor;
  return class_of(run);
}

const Signal& signal_of(const Bottleneck& bottleneck, std::string_view name) {
  return *std::ranges::find(bottleneck.signals, name, &Signal::name);
}

// The host runs ahead of the device: that it waits for a processor slows nothing while the device is busy.
TEST(Bottleneck, ABusyDeviceDoesNotWaitForASqueezedHost) {
  const Bottleneck busy = squeezed_on_gpu(1.05);
  EXPECT_NE(busy.bottleneck_class, BottleneckClass::kCpuBound) << explain(busy);
  EXPECT_EQ(signal_of(busy, "crowded_out_share").strength, 0);
  const Bottleneck idle = squeezed_on_gpu(4);  // no kernel in three quarters of the latency
  EXPECT_EQ(idle.bottleneck_class, BottleneckClass::kCpuBound) << explain(idle);
  EXPECT_EQ(signal_of(idle, "crowded_out_share").strength, 1);
}

TEST(Bottleneck, WhetherTheDeviceWaitedMustBeKnown) {
  TestRun run = squeezed(large_gemm());
  run.device_kind = DeviceKind::kGpu;
  run.activity = NodeActivity::kHostEnqueue;
  run.frequencies_mhz.assign(40, 3000);
  const Bottleneck bottleneck = class_of(run);
  EXPECT_EQ(bottleneck.bottleneck_class, BottleneckClass::kUndetermined) << explain(bottleneck);
  for (const char* name : {"crowded_out_share", "frequency_drop"}) {
    EXPECT_EQ(signal_of(bottleneck, name).no_data_reason, "whether the device waited for the host is not recorded");
  }
}

// A GPU has a clock of its own. Launches are the host's work, and go by the processors' clock.
TEST(Bottleneck, OnAGpuTheProcessorsClockSaysNothingOfTheDevice) {
  TestRun run = large_gemm();
  run.device_kind = DeviceKind::kGpu;
  run.activity = NodeActivity::kDeviceKernel;
  run.frequencies_mhz.assign(40, 3000);
  const Bottleneck bottleneck = class_of(run);
  int of_device = 0;
  for (const Signal& signal : bottleneck.signals) {
    if (signal.name == "frequency_held") {
      const bool of_launches = signal.bottleneck_class == BottleneckClass::kLaunchBound;
      EXPECT_EQ(signal.value.has_value(), of_launches) << word_of(signal.bottleneck_class);
      EXPECT_EQ(signal.no_data_reason, of_launches ? "" : "the processors' clock says nothing of the device");
      of_device += of_launches ? 0 : 1;
    }
  }
  EXPECT_EQ(of_device, 3);
}

// A GPU run of a single kernel whose latency is so many times the kernel's. The clock of the host's processors falls
// from 3 to 2 GHz, and latency rises by the same ratio.
Bottleneck slow_host_of_gpu(double latency_factor) {
  TestRun run = large_gemm();
  run.device_kind = DeviceKind::kGpu;
  run.activity = NodeActivity::kDeviceKernel;
  run.latency_ns = run.nodes[0].time_ns * latency_factor;
  for (int i = 0; i < 40; ++i) {
    run.frequencies_mhz.push_back(i < 20 ? 3000 : 2000);
  }
  return class_of(run);
}

TEST(Bottleneck, ABusyDeviceIsNotThrottledByItsHost) {
  const Bottleneck busy = slow_host_of_gpu(1.02);
  EXPECT_NE(busy.bottleneck_class, BottleneckClass::kThrottling) << explain(busy);
  EXPECT_EQ(signal_of(busy, "frequency_drop").strength, 0);
  const Bottleneck idle = slow_host_of_gpu(4);  // no kernel in three quarters of the latency
  EXPECT_EQ(signal_of(idle, "frequency_drop").strength, 1) << explain(idle);
}

TEST(Bottleneck, WeightsOfEachClassAddUpToOne) {
  std::map<BottleneckClass, double> weights;
  for (const SignalRule& rule : signal_rules()) {
    EXPECT_NE(find_metric(rule.metric), nullptr) << rule.metric;
    weights[rule.bottleneck_class] += rule.weight;
  }
  ASSERT_EQ(weights.size(), kBottleneckClasses.size());
  for (const BottleneckClass bottleneck_class : kBottleneckClasses) {
    EXPECT_NEAR(weights[bottleneck_class], 1, 1e-9) << word_of(bottleneck_class);
  }
}

Signal without_data(const SignalRule& rule) {
  return {rule.metric,  rule.bottleneck_class, {}, 0, rule.none_at, rule.full_at, rule.weight, 0, "1",
          rule.meaning, "not measured"};
}

// All signals of the class speak for it, but for the main one, which has so much strength.
Bottleneck with_main_strength(const SignalRule& main_rule, double strength) {
  std::vector<Signal> signals;
  for (const SignalRule& rule : signal_rules()) {
    Signal signal = without_data(rule);
    if (rule.bottleneck_class == main_rule.bottleneck_class) {
      const bool is_main = std::string_view(rule.metric) == main_rule.metric;
      signal.strength = is_main ? strength : 1;
      signal.value = rule.none_at + signal.strength * (rule.full_at - rule.none_at);
    }
    signals.push_back(signal);
  }
  return classify(signals);
}

TEST(Bottleneck, NoClassIsNamedWithoutWhatItIsAbout) {
  std::vector<std::string> classes;
  for (const SignalRule& rule : signal_rules()) {
    if (rule.weight >= kMainWeight) {
      classes.emplace_back(word_of(rule.bottleneck_class));
      EXPECT_EQ(with_main_strength(rule, 0.26).bottleneck_class, rule.bottleneck_class) << rule.metric;
      EXPECT_EQ(with_main_strength(rule, 0.24).bottleneck_class, BottleneckClass::kUndetermined) << rule.metric;
    }
  }
  EXPECT_EQ(classes, (std::vector<std::string>{"cpu-bound", "memory-bound", "compute-bound", "quota-bound",
                                               "copy-bound", "throttling"}));
}

// Scores over lines with random strengths, each with data or without.
std::vector<Signal> random_signals(std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Signal> signals;
  for (const SignalRule& rule : signal_rules()) {
    Signal signal = without_data(rule);
    if (uniform(random) < 0.6) {
      signal.value = 1;
      signal.strength = uniform(random) < 0.3 ? 1 : uniform(random);
    }
    signals.push_back(signal);
  }
  return signals;
}

TEST(BottleneckProperty, AMissingSignalThatArrivesLowersNobody) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 5'000; ++round) {
    const std::vector<Signal> before = random_signals(random);
    std::vector<Signal> after = before;
    Signal& arriving = after[random() % after.size()];
    if (arriving.value) {
      continue;
    }
    arriving.value = 1;
    arriving.strength = static_cast<double>(random() % 101) / 100;
    const Bottleneck first = classify(before);
    const Bottleneck second = classify(after);
    for (size_t i = 0; i < first.scores.size(); ++i) {
      ASSERT_GE(second.scores[i].score, first.scores[i].score - 1e-12);
      ASSERT_GE(second.scores[i].coverage, first.scores[i].coverage - 1e-12);
      ASSERT_GE(first.scores[i].score, 0);
      ASSERT_LE(first.scores[i].score, 1);
      ASSERT_LE(first.scores[i].score, first.scores[i].coverage + 1e-12);
      if (first.scores[i].bottleneck_class != arriving.bottleneck_class) {
        ASSERT_EQ(second.scores[i].score, first.scores[i].score);
      }
    }
  }
}

TEST(BottleneckProperty, RemovingDataNeverMakesAClassWinThatLostOnCoverage) {
  std::mt19937_64 random(12);
  for (int round = 0; round < 5'000; ++round) {
    std::vector<Signal> signals = random_signals(random);
    const Bottleneck before = classify(signals);
    Signal& removed = signals[random() % signals.size()];
    removed.value.reset();
    removed.strength = 0;
    const Bottleneck after = classify(signals);
    for (const ClassScore& score : before.scores) {
      if (score.coverage < kFewestCoverage - 1e-9) {
        ASSERT_NE(after.bottleneck_class, score.bottleneck_class);
      }
    }
  }
}

// The same over whole recordings: planes are taken away one after the other.
TEST(BottleneckProperty, LosingAPlaneNeverRaisesAScore) {
  std::mt19937_64 random(13);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int round = 0; round < 30; ++round) {
    TestRun run;
    run.nodes.resize(1 + random() % 20);
    double total = 0;
    for (size_t i = 0; i < run.nodes.size(); ++i) {
      const double time = std::pow(10, 2 + 5 * uniform(random));
      run.nodes[i] = {"n" + std::to_string(i), "Mul", time, time * 100 * uniform(random), time * 20 * uniform(random)};
      total += time;
    }
    run.latency_ns = total * (1 + uniform(random));
    run.run_delay_share = uniform(random) * 0.4;
    run.iterations = 20;
    const Recording whole = record(run);
    std::vector<Recording> poorer(4, whole);
    poorer[0].facts.roofs.reset();
    poorer[1].kernels.clear();
    poorer[2].facts.profiler_cost.reset();
    for (ProcessFacts& process : poorer[3].facts.process_facts) {
      process.run_delay_known = false;
      process.cpu_time_ns = 0;
    }
    const Bottleneck full = analyse(whole).bottleneck;
    for (const Recording& recording : poorer) {
      const Bottleneck less = analyse(recording).bottleneck;
      ASSERT_EQ(less.scores.size(), full.scores.size());
      size_t lost = 0;
      for (size_t i = 0; i < full.scores.size(); ++i) {
        EXPECT_GE(full.scores[i].score, 0);
        EXPECT_LE(full.scores[i].score, 1);
        EXPECT_LE(less.scores[i].score, full.scores[i].score + 1e-9) << word_of(full.scores[i].bottleneck_class);
        EXPECT_LE(less.scores[i].coverage, full.scores[i].coverage + 1e-9) << word_of(full.scores[i].bottleneck_class);
        lost += less.scores[i].coverage < full.scores[i].coverage - 1e-9 ? 1 : 0;
      }
      EXPECT_GT(lost, 0U) << "no class used what was taken away";
    }
  }
}

// docs/bottleneck-taxonomy.md shows the table of the code; AACO_PROMOTE=1 writes it there.
TEST(Bottleneck, TheDocumentShowsTheTableOfTheCode) {
  const std::string path = std::string(AACO_SOURCE_DIR) + "/docs/bottleneck-taxonomy.md";
  const std::string opening = "<!-- signals: begin -->\n";
  const std::string end = "<!-- signals: end -->";
  auto document = read_file(path);
  ASSERT_TRUE(document) << document.error().message;
  const size_t from = document->find(opening);
  const size_t to = document->find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  const size_t start = from + opening.size();
  if (std::getenv("AACO_PROMOTE") != nullptr) {
    ASSERT_TRUE(write_file_atomically(path, document->substr(0, start) + signal_table() + document->substr(to)));
    return;
  }
  EXPECT_EQ(document->substr(start, to - start), signal_table()) << "promote with AACO_PROMOTE=1";
}

// A reader takes "cpu-bound" for busy with arithmetic, which is another class.
TEST(BottleneckWords, SayWhatCpuBoundMeans) {
  EXPECT_EQ(bottleneck_words(BottleneckClass::kCpuBound), "kept off the processors (cpu-bound)");
  EXPECT_EQ(bottleneck_words(BottleneckClass::kQuotaBound), "stopped by a CPU quota (quota-bound)");
  EXPECT_EQ(bottleneck_words(BottleneckClass::kMemoryBound), "memory-bound");
}

}  // namespace
}  // namespace aaco
