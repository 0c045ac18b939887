// SPDX-License-Identifier: MIT
#include "analysis/devices/throttling.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

constexpr const char* kDevice = "0000:1b:00.0";

GpuSampleRow sample(int64_t t_ns, double mhz, std::optional<uint64_t> bits, double power_w = 400) {
  GpuSampleRow row;
  row.t_ns = t_ns;
  row.device = kDevice;
  row.vendor = gpu_vendor::kNvidia;
  row.core_clock_mhz = mhz;
  row.core_clock_target_mhz = 2'000;
  row.power_w = power_w;
  row.power_cap_w = 700;
  if (bits) {
    set_clock_events(row, *bits);
  }
  return row;
}

IterationRow iteration(int64_t start_ns, int64_t end_ns, IterationPhase phase = IterationPhase::kMeasure) {
  IterationRow row;
  row.phase = phase;
  row.t_start_ns = start_ns;
  row.t_end_ns = end_ns;
  return row;
}

// Samples every 100 from 0 on. The power cap holds at 300, 400 and 500: iterations of 10 before, of 15 within. That
// from 280 to 310 saw the change, the last reaches beyond the samples, and the warm-up is none.
TEST(Throttling, iterations_are_tied_to_the_state_around_them) {
  std::vector<GpuSampleRow> samples;
  for (int64_t t = 0; t <= 600; t += 100) {
    const bool held = t >= 300 && t <= 500;
    samples.push_back(sample(t, held ? 1'500 : 1'990, held ? 4 : 0, held ? 699 : 500));
  }
  const std::vector<IterationRow> iterations{iteration(0, 40, IterationPhase::kWarmup),
                                             iteration(110, 120),
                                             iteration(120, 130),
                                             iteration(130, 140),
                                             iteration(280, 310),
                                             iteration(310, 325),
                                             iteration(420, 435),
                                             iteration(590, 610)};
  const std::vector<Throttling> all = throttling(samples, {}, iterations);
  ASSERT_EQ(all.size(), 1U);
  const Throttling& device = all[0];
  EXPECT_EQ(device.device, kDevice);
  EXPECT_EQ(device.samples, 5);  // 200 to 600: measuring goes from 110 to 610
  EXPECT_DOUBLE_EQ(*device.held_share, 0.6);
  EXPECT_EQ(device.reason_shares, (std::map<std::string, double>{{"sw_power_cap", 0.6}}));
  EXPECT_DOUBLE_EQ(*device.below_target_share, 0.6);
  EXPECT_FALSE(device.target_is_highest);
  EXPECT_DOUBLE_EQ(*device.at_cap_share, 0.6);
  EXPECT_EQ(device.drops, 1);
  EXPECT_EQ(device.held_iterations, 2);
  EXPECT_EQ(device.held_p50_ns, 15);
  EXPECT_EQ(device.free_iterations, 3);
  EXPECT_EQ(device.free_p50_ns, 10);
  EXPECT_TRUE(device.throttled());
  EXPECT_EQ(throttling_words(device),
            "the clock of 0000:1b:00.0 was held down in 60 % of the samples (sw_power_cap 60 %)");
}

TEST(Throttling, idle_samples_and_bits_without_a_name_do_not_count) {
  std::vector<GpuSampleRow> samples{sample(0, 300, 4), sample(100, 1'990, uint64_t{1} << 40), sample(200, 1'990, 1)};
  samples[0].busy_pct = 10;
  const std::vector<IterationRow> iterations{iteration(0, 200)};
  const Throttling device = throttling(samples, {}, iterations)[0];
  EXPECT_EQ(device.samples, 2);
  EXPECT_EQ(device.held_share, 0);
  EXPECT_EQ(device.drops, 0);
  EXPECT_FALSE(device.throttled());
}

// Where no driver tells reasons, a clock below its target at the cap of power is evidence; one of them is none.
TEST(Throttling, without_reasons_the_clock_and_the_cap_tell) {
  std::vector<GpuSampleRow> samples{sample(0, 1'500, {}, 700), sample(100, 1'500, {}, 690)};
  const std::vector<IterationRow> iterations{iteration(0, 100)};
  Throttling device = throttling(samples, {}, iterations)[0];
  EXPECT_FALSE(device.held_share);
  EXPECT_EQ(device.share(), 1);
  EXPECT_TRUE(device.throttled());
  samples[0].power_w = samples[1].power_w = 300;
  device = throttling(samples, {}, iterations)[0];
  EXPECT_EQ(device.share(), 0);
  for (GpuSampleRow& row : samples) {
    row.core_clock_target_mhz.reset();
    row.core_clock_max_mhz.reset();
  }
  device = throttling(samples, {}, iterations)[0];
  EXPECT_FALSE(device.share());  // not known is not "no"
  EXPECT_FALSE(device.throttled());
}

TEST(Throttling, of_too_few_clocks_no_drop_is_known) {
  std::vector<GpuSampleRow> samples{sample(0, 1'900, 0), sample(100, 1'500, 0)};
  const std::vector<IterationRow> iterations{iteration(0, 100)};
  EXPECT_EQ(throttling(samples, {}, iterations)[0].drops, 1);
  samples[0].core_clock_mhz.reset();
  EXPECT_FALSE(throttling(samples, {}, iterations)[0].drops);
  samples[1].core_clock_mhz.reset();
  EXPECT_FALSE(throttling(samples, {}, iterations)[0].drops);
}

TEST(Throttling, samples_outside_of_measuring_are_no_data) {
  const std::vector<GpuSampleRow> samples{sample(0, 1'500, 4)};
  const std::vector<IterationRow> iterations{iteration(100, 200)};
  const Throttling device = throttling(samples, {}, iterations)[0];
  EXPECT_FALSE(device.share());
  EXPECT_EQ(device.no_data, "none of 1 samples was taken while the run measured and the device was busy");
}

// AMD names reasons by residencies, not by bits.
TEST(Throttling, reasons_by_name_count_too) {
  GpuSampleRow row = sample(50, 1'500, {});
  row.vendor = gpu_vendor::kAmd;
  set_throttle_names(row, {"power", "heat_hbm"});
  const std::vector<IterationRow> iterations{iteration(0, 100)};
  const Throttling device = throttling(std::vector{row}, {}, iterations)[0];
  EXPECT_EQ(device.held_share, 1);
  EXPECT_EQ(device.reason_shares, (std::map<std::string, double>{{"heat_hbm", 1}, {"power", 1}}));
}

// A count of the kernel is of the span since the sample before: an iteration within a span has that span's state.
TEST(Throttling, heat_of_processors) {
  std::vector<SystemRow> host(4);
  for (size_t i = 0; i < host.size(); ++i) {
    host[i].t_ns = static_cast<int64_t>(100 * i);
    host[i].cpu_throttles = i == 2 ? 3 : 0;
  }
  const std::vector<IterationRow> iterations{iteration(10, 20), iteration(110, 130), iteration(190, 210),
                                             iteration(250, 261)};
  const std::vector<Throttling> all = throttling({}, host, iterations);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].device, kProcessorsHeld);
  EXPECT_EQ(all[0].samples, 2);
  EXPECT_EQ(all[0].held_share, 0.5);
  EXPECT_FALSE(all[0].drops);  // their clocks are not sampled
  EXPECT_EQ(all[0].held_iterations, 1);
  EXPECT_EQ(all[0].held_p50_ns, 20);
  EXPECT_EQ(all[0].free_iterations, 2);
  EXPECT_EQ(throttling_words(all[0]), "clocks of the processors were held down in 50 % of the samples (heat 50 %)");
  for (SystemRow& row : host) {
    row.cpu_throttles.reset();
  }
  EXPECT_TRUE(throttling({}, host, iterations).empty());
}

}  // namespace
}  // namespace aaco
