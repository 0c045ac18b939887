// SPDX-License-Identifier: MIT
#include "report/host/off_cpu_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sinks.h"

namespace aaco::report {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

TEST(OffCpuChange, BothSidesStandBesideEachOther) {
  OffCpuMeans before, after;
  before.preempted_ns = 1e6;
  after.preempted_ns = 3e6;
  after.run_queue_ns = 2e6;
  const std::optional<Section> section = off_cpu_change_section(before, after);
  ASSERT_TRUE(section);
  const std::string text = render_lines(Report{.sections = {*section}});
  EXPECT_THAT(text, ContainsRegex("preempted +1[.]000 ms +3[.]000 ms +2[.]000 ms"));
  EXPECT_THAT(text, ContainsRegex("waited for a processor +no data +2[.]000 ms +no data"));
}

TEST(OffCpuChange, ASideWithoutRowsSaysSo) {
  EXPECT_FALSE(off_cpu_change_section(std::nullopt, std::nullopt));
  const std::optional<Section> section = off_cpu_change_section(std::nullopt, OffCpuMeans());
  ASSERT_TRUE(section);
  EXPECT_THAT(render_lines(Report{.sections = {*section}}), HasSubstr("recorded without --kernel-plane"));
}

}  // namespace
}  // namespace aaco::report
