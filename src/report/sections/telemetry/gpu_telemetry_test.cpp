// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"
#include "report/sections/sections.h"
#include "report/test_session.h"

namespace aaco::report {
namespace {

std::string text_of(const Section& section) {
  std::string text;
  for (const auto& block : section.blocks) {
    if (const auto* paragraph = std::get_if<Paragraph>(&block)) {
      text += paragraph->text + "\n";
    } else if (const auto* chart = std::get_if<ChartBlock>(&block)) {
      text += "chart " + chart->chart.id + "\n";
    } else if (const auto* table = std::get_if<TableBlock>(&block)) {
      text += "table " + table->id + "\n";
    }
  }
  return text;
}

// An MI300X whose firmware names power as what held the clock down, in every sample.
TEST(GpuTelemetry, shows_series_and_what_held_the_clock_down) {
  OpenSession session = test::whole_session();
  const auto telemetry = [&] {
    const Analysis analysis;
    const Json none;
    const Input input{session.recording, analysis, session.info, SessionStatus::kComplete, {}, none, nullptr, none};
    const auto section = telemetry_section(input);
    return section ? text_of(*section) : std::string();
  };
  EXPECT_THAT(telemetry(), testing::Not(testing::HasSubstr("gpu")));
  EXPECT_THAT(telemetry(), testing::Not(testing::HasSubstr("table throttling")));
  for (const SystemRow& host : session.recording.collected.rows<SystemRow>()) {
    GpuSampleRow row;
    row.t_ns = host.t_ns;
    row.device = "0000:43:00.0";
    row.vendor = gpu_vendor::kAmd;
    row.core_clock_mhz = 1'500;
    row.power_w = 749;
    set_throttle_names(row, {"power"});
    session.recording.collected.rows<GpuSampleRow>().push_back(row);
  }
  const std::string text = telemetry();
  EXPECT_THAT(text, testing::HasSubstr("chart telemetry-gpu-clock\n"));
  EXPECT_THAT(text, testing::HasSubstr("chart telemetry-gpu-power\n"));
  EXPECT_THAT(text, testing::HasSubstr("chart telemetry-gpu-held\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("chart telemetry-gpu-memory\n")));
  EXPECT_THAT(text, testing::HasSubstr("No data, because the driver does not tell: GPU temperature"));
  EXPECT_THAT(text, testing::HasSubstr("Throttled: the clock of 0000:43:00.0 was held down in 100 % of the samples "
                                       "(power 100 %)."));
  EXPECT_THAT(text, testing::HasSubstr("table throttling\n"));
}

}  // namespace
}  // namespace aaco::report
