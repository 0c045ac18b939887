// SPDX-License-Identifier: MIT
#include "report/trace_diff/trace_diff_report.h"

#include <gtest/gtest.h>

#include "analysis/timeline/test_trace.h"
#include "base/json/json.h"
#include "report/sinks.h"

namespace aaco::report {
namespace {

std::string diff_text(const TestTrace& before, const TestTrace& after) {
  return render_lines(build_trace_diff_report(diff_traces(before.table, after.table), {}, {}, 5));
}

TEST(TraceDiffReport, SaysWhichTraceHasNoDeviceWork) {
  TestTrace with;
  with.add(with.stream(kNoId, 0, 7), EventKind::kKernel, "k", 0, 1'000);
  TestTrace without;
  without.add(without.thread(), EventKind::kHostOp, "aten::add", 0, 1'000);
  const std::string neither = diff_text(without, without);
  EXPECT_NE(neither.find("neither trace has device activity with times: nothing is compared"), neither.npos);
  EXPECT_EQ(neither.find("device time"), neither.npos);
  EXPECT_EQ(neither.find("matched by"), neither.npos);
  EXPECT_TRUE(diff_text(with, without).starts_with("after has no device activity with times\n"));
  EXPECT_TRUE(diff_text(without, with).starts_with("before has no device activity with times\n"));
  const std::string both = diff_text(with, with);
  EXPECT_EQ(both.find("no device activity"), both.npos);
  EXPECT_NE(both.find("matched by name; not both traces have operators"), both.npos);
}

// Kernel k: 2 of 1 us before, 3 of 2 us after; j is gone.
class TraceDiffReportOfBoth : public testing::Test {
 protected:
  TraceDiffReportOfBoth() {
    const uint32_t stream = before_.stream(kNoId, 0, 7);
    before_.add(stream, EventKind::kKernel, "k", 0, 1'000);
    before_.add(stream, EventKind::kKernel, "k", 2'000, 1'000);
    before_.add(stream, EventKind::kKernel, "j", 4'000, 500);
    const uint32_t later = after_.stream(kNoId, 0, 7);
    for (int64_t i = 0; i < 3; ++i) {
      after_.add(later, EventKind::kKernel, "k", i * 3'000, 2'000);
    }
  }
  Report report(size_t most) const {
    return build_trace_diff_report(diff_traces(before_.table, after_.table), {}, {}, most);
  }

  TestTrace before_;
  TestTrace after_;
};

void name_device(TestTrace& trace, const char* name) {
  trace.table.metadata.push_back(
      {0, trace.table.strings.intern("deviceProperties"),
       trace.table.strings.intern(Json::array({{{"id", 0}, {"name", name}}, {{"id", 1}, {"name", name}}}).dump())});
}

// Two kinds of devices: the difference is theirs as well.
TEST_F(TraceDiffReportOfBoth, OtherDevicesAreSaid) {
  name_device(before_, "A100");
  EXPECT_EQ(render_lines(report(5)).find("devices differ"), std::string::npos) << "one side does not tell";
  name_device(after_, "H100");
  const std::string text = render_lines(report(5));
  EXPECT_NE(text.find("the devices differ: A100 / H100; the change is theirs too"), text.npos) << text;
  const TraceDiff same = diff_traces(before_.table, before_.table);
  EXPECT_FALSE(on_other_devices(same));
  EXPECT_EQ(trace_diff_json(same, {}, {})["devices"]["after"], Json::array({"A100"}));
}

TEST_F(TraceDiffReportOfBoth, LinesHaveSignsAndBothSides) {
  const std::string text = render_lines(report(5));
  EXPECT_TRUE(text.starts_with("device time 2.500 us in 3 executions -> 6.000 us in 3: +3.500 us (140.00 %)\n"))
      << text;
  EXPECT_NE(text.find(" k 100.0 %\n"  // of what grew: j went the other way
                      "  1. +4.000 us in k: 2 -> 3 executions, mean 1.000 us -> 2.000 us\n"
                      "  2. -500.0 ns in j: vanished, 1 execution\n"
                      "  quality: before: no launch (3): "),
            text.npos)
      << text;
  EXPECT_LT(text.find("by count"), text.find("losses")) << "the answer before what was lost";
  EXPECT_NE(text.find("+4.000 us"), text.npos) << text;
  EXPECT_NE(text.find("2 -> 3"), text.npos) << text;
  EXPECT_NE(text.find("1.000 us -> 2.000 us"), text.npos) << text;
  EXPECT_NE(text.find("500.0 ns -> -"), text.npos) << text;
  EXPECT_NE(text.find("vanished\n"), text.npos) << text;
  EXPECT_EQ(text.find("before.count"), text.npos) << text;
  const std::string first = render_lines(report(1));
  EXPECT_EQ(first.find("500.0 ns -> -"), first.npos) << first;
  EXPECT_NE(first.find("1 other "), first.npos) << first;
}

TEST_F(TraceDiffReportOfBoth, APageHasWhatLinesHaveAndCsvTheNumbersAlone) {
  const std::string page = render_html(report(5));
  for (const char* part : {"By kernel", "By operator", "2 -&gt; 3", "+4.000 us", "vanished"}) {
    EXPECT_NE(page.find(part), page.npos) << part;
  }
  EXPECT_EQ(page.find("total_ns"), page.npos);
  const std::string csv = render_csv(report(SIZE_MAX));
  EXPECT_NE(csv.find("kernels,kernel_changes,0,before.count,2,1,"), csv.npos) << csv;
  EXPECT_NE(csv.find("kernels,kernel_changes,0,change,4000,ns,"), csv.npos) << csv;
  EXPECT_EQ(csv.find("->"), csv.npos) << csv;
}

TEST_F(TraceDiffReportOfBoth, RowsAsDataNestAndKeepNulls) {
  const Json json = trace_diff_json(diff_traces(before_.table, after_.table), {}, {});
  EXPECT_EQ(json["kernels"][0]["before"], (Json{{"count", 2}, {"total_ns", 2'000}}));
  EXPECT_EQ(json["kernels"][0]["change_ns"], 4'000);
  EXPECT_TRUE(json["kernels"][0]["operator"].is_null());
  EXPECT_EQ(json["kernels"][1]["state"], "vanished");
}

}  // namespace
}  // namespace aaco::report
