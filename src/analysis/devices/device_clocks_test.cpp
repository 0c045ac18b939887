// SPDX-License-Identifier: MIT
#include "analysis/devices/device_clocks.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace aaco {
namespace {

GpuSampleRow sample(int64_t t_ns, double mhz, std::optional<uint64_t> bits) {
  GpuSampleRow row;
  row.t_ns = t_ns;
  row.device = "0000:1b:00.0";
  row.vendor = gpu_vendor::kNvidia;
  row.core_clock_mhz = mhz;
  if (bits) {
    set_clock_events(row, *bits);
  }
  return row;
}

// Of six samples the first and the fourth are outside of both windows; of the four within, one cannot tell what
// throttled, two of the other three were held down by power, one of these by heat too. Idle is no throttling.
TEST(DeviceClocks, OnlyOfTheMeasuredIterations) {
  const std::vector<GpuSampleRow> samples{sample(50, 300, 4),     sample(100, 1'980, 1),
                                          sample(150, 1'500, 4),  sample(250, 100, 4 | 0x40),
                                          sample(300, 1'400, {}), sample(400, 1'600, 4 | 0x40)};
  const std::vector<MeasuredWindow> windows{{100, 200}, {300, 400}};
  const std::vector<DeviceClocks> all = device_clocks({"0000:1b:00.0"}, samples, windows);
  ASSERT_EQ(all.size(), 1U);
  const DeviceClocks& clocks = all[0];
  EXPECT_EQ(clocks.samples, 4);
  EXPECT_DOUBLE_EQ(*clocks.core_clock_p50_mhz, 1'550);
  EXPECT_DOUBLE_EQ(*clocks.core_clock_min_mhz, 1'400);
  EXPECT_DOUBLE_EQ(*clocks.throttled_share, 2.0 / 3);
  EXPECT_EQ(clocks.reason_shares,
            (std::map<std::string, double>{{"hw_thermal_slowdown", 1.0 / 3}, {"sw_power_cap", 2.0 / 3}}));
  EXPECT_FALSE(clocks.power_p50_w);
  EXPECT_FALSE(clocks.memory_clock_p50_mhz);
  EXPECT_EQ(clocks.no_data, "");
  EXPECT_TRUE(Json(clocks)["power_p50_w"].is_null());
}

// As of AMD's counters of how long each cause held the clocks down: names, and no bits.
TEST(DeviceClocks, ThrottlingMayHaveNamesAlone) {
  std::vector<GpuSampleRow> samples{sample(100, 1'500, {}), sample(150, 1'600, {})};
  set_throttle_names(samples[0], {"ppt0", "thermal"});
  set_throttle_names(samples[1], {});
  const std::vector<MeasuredWindow> windows{{100, 200}};
  const std::vector<DeviceClocks> clocks = device_clocks({"0000:1b:00.0"}, samples, windows);
  EXPECT_DOUBLE_EQ(clocks.at(0).throttled_share.value(), 0.5);
  EXPECT_EQ(clocks.at(0).reason_shares, (std::map<std::string, double>{{"ppt0", 0.5}, {"thermal", 0.5}}));
}

TEST(DeviceClocks, SayWhyThereIsNone) {
  const std::vector<DeviceClocks> none = device_clocks({"0000:1b:00.0"}, {}, {});
  ASSERT_EQ(none.size(), 1U);
  EXPECT_EQ(none[0].no_data, "no sample was taken");
  EXPECT_FALSE(none[0].throttled_share);
  const std::vector<GpuSampleRow> outside{sample(50, 300, 4)};
  const std::vector<MeasuredWindow> windows{{100, 120}};
  EXPECT_EQ(device_clocks({}, outside, windows)[0].no_data,
            "none of 1 samples fell within the measured iterations: more --iterations");
}

}  // namespace
}  // namespace aaco
