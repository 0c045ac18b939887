// SPDX-License-Identifier: MIT
#include "report/trace_page/trace_page.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

#include "analysis/timeline/tables/analysis_tables.h"
#include "analysis/timeline/test_trace.h"
#include "report/sinks.h"
#include "report/test_markup.h"
#include "report/trace_page/table_block.h"
#include "report/trace_page/trace_charts.h"

namespace aaco::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::string> table_ids(const Report& report) {
  std::vector<std::string> ids;
  for (const Section& section : report.sections) {
    for (const Block& block : section.blocks) {
      if (const auto* table = std::get_if<TableBlock>(&block)) {
        ids.push_back(table->id);
      }
    }
  }
  return ids;
}

class TracePage : public testing::Test {
 protected:
  TracePage() {
    origin_.files.push_back({"traces/<one>.json", "kineto", 1'000});
    const uint32_t stream = trace_.stream(3, 1, 7);
    trace_.add(stream, EventKind::kKernel, "gemm", 100, 50, 1);
    trace_.add(stream, EventKind::kKernel, "gemm", 200, 30);
    trace_.add(stream, EventKind::kKernel, std::string(300, 'k') + "<end>", 230, 7'000);
    trace_.add(trace_.thread(3), EventKind::kHostCall, "hipLaunchKernel", 0, 20, 1);
    summary_ = summarise_trace(trace_.table);
  }
  Report build(const TraceDetail& detail = {}) { return build_trace_report(origin_, trace_.table, summary_, detail); }

  TraceOrigin origin_;
  TestTrace trace_;
  TraceSummary summary_;
};

TEST_F(TracePage, ShowsEveryTableThatHasRowsAndCanEnd) {
  const std::vector<std::string> ids = table_ids(build({SIZE_MAX, true}));
  for (const AnalysisTable& table : all_analysis_tables()) {
    const std::string name = table.name;
    const bool left_out = name == "launch_queue_timeline" || name == "memory_timeline" ||
                          name == "collective_kernels" || name == "critical_path_parts" || name == "offenders";
    const bool rows = table.make(trace_.table, summary_).row_count > 0;
    EXPECT_EQ(std::count(ids.begin(), ids.end(), name), rows && !left_out ? 1 : 0) << name;
  }
  EXPECT_EQ(std::count(ids.begin(), ids.end(), "kernel_lengths"), 1);  // asked for by no section
}

TEST_F(TracePage, IsWellFormedInHtmlAndSaysTheSameInOthers) {
  const Report report = build();
  const std::string html = render_html(report);
  EXPECT_EQ(test::markup_problem(html), "");
  EXPECT_THAT(html, HasSubstr("plot-device-time"));
  EXPECT_THAT(html, HasSubstr("plot-timeline"));
  EXPECT_LT(html.find("class=\"headline\""), html.find("<section"));
  EXPECT_THAT(html, HasSubstr("plot-kernels-by-time"));
  EXPECT_THAT(html, HasSubstr("plot-queue-depth"));
  EXPECT_THAT(html, Not(HasSubstr("plot-memory-over-time")));  // nothing marks memory
  EXPECT_THAT(html, HasSubstr("kkk&lt;end&gt;\""));            // cut in the table, whole on hover
  EXPECT_THAT(render_markdown(report, ""), HasSubstr("| gemm |"));
  EXPECT_THAT(render_text(report), HasSubstr("kernel statistics"));
}

TEST_F(TracePage, CsvHoldsNumbersAsTheyWereFound) {
  const std::string csv = render_csv(build({SIZE_MAX, true}));
  EXPECT_TRUE(csv.starts_with("section,table,row,column,value,unit,low,high,no_data\n"));
  EXPECT_THAT(csv, HasSubstr("device-time,device_time,0,computation,7080,ns,,,\n"));
  EXPECT_THAT(csv, HasSubstr("kernels,kernel_statistics,0,name," + std::string(300, 'k') + "<end>,,,,\n"));
  EXPECT_THAT(csv, HasSubstr("source,files,0,on disk,1000,bytes,,,\n"));
}

TEST_F(TracePage, RowsThatAreLeftOutAreCounted) {
  const Report report = build({1, false});
  EXPECT_THAT(render_markdown(report, ""), HasSubstr("The first 1 of 2 rows."));
}

// Two of the recording 0, one of the recording 1, each 100 ns long.
constexpr uint32_t kRecordingOf[] = {0, 0, 1};
constexpr int64_t kStartOf[] = {1'000, 1'250, 9'000};

void expect_one_start_a_recording(const Charts& charts) {
  ASSERT_EQ(charts.size(), 1U);
  ASSERT_EQ(charts[0].series.size(), 3U);
  EXPECT_EQ(charts[0].series[0].x.front(), 0);
  EXPECT_EQ(charts[0].series[1].x.front(), 250) << "it began later, on the same clock";
  EXPECT_EQ(charts[0].series[2].x.front(), 0);
  EXPECT_THAT(charts[0].caption, HasSubstr("Each recording begins at its own start."));
}

TEST(TraceCharts, QueuesOfARecordingShareItsStart) {
  TraceSummary summary;
  for (size_t i = 0; i < std::size(kStartOf); ++i) {
    DeviceSummary& device = summary.devices.emplace_back();
    device.recording = kRecordingOf[i];
    device.device = static_cast<int64_t>(i);
    device.budget.window = {kStartOf[i], kStartOf[i] + 100};
    device.queue.timeline = {{kStartOf[i], 1}, {kStartOf[i] + 50, 2}};
  }
  expect_one_start_a_recording(queue_charts(EventTable(), summary));
  summary.devices.pop_back();
  EXPECT_THAT(queue_charts(EventTable(), summary).at(0).caption, Not(HasSubstr("own start")));
}

TEST(TraceCharts, MemoryOfARecordingSharesItsStart) {
  TraceSummary summary;
  for (size_t i = 0; i < std::size(kStartOf); ++i) {
    AllocatorUse& use = summary.memory.emplace_back();
    use.recording = kRecordingOf[i];
    use.device = static_cast<int64_t>(i);
    use.timeline = {{kStartOf[i], 1}, {kStartOf[i] + 50, 2}};
  }
  expect_one_start_a_recording(memory_charts(EventTable(), summary));
}

struct PlaceRow {
  int64_t rank = 0;
  std::optional<int64_t> empty;
  std::optional<int64_t> total_ns;
};

}  // namespace
}  // namespace aaco::report

namespace aaco {

template <>
struct RowSchema<report::PlaceRow> {
  static constexpr const char* kName = "places";
  static auto columns() {
    using Row = report::PlaceRow;
    return std::tuple(row_column("rank", &Row::rank, "", ""), row_column("empty", &Row::empty, "1", ""),
                      row_column("total_ns", &Row::total_ns, "ns", ""));
  }
};

namespace report {
namespace {

TEST(TableBlock, LeavesOutColumnsThatTellNothing) {
  const TableBlock block = table_block(to_table<PlaceRow>({{0, {}, 10}, {0, {}, 40}}), {});
  ASSERT_EQ(block.columns.size(), 1U);
  EXPECT_EQ(block.columns[0].title, "total");
  EXPECT_EQ(block.rows[0][0].bar, 0.25);
  EXPECT_EQ(block.rows[1][0].bar, 1);
  const TableBlock two = table_block(to_table<PlaceRow>({{0, {}, 10}, {1, {}, {}}}), {});
  ASSERT_EQ(two.columns.size(), 2U);
  EXPECT_EQ(two.columns[0].title, "rank");
  EXPECT_EQ(two.rows[1][1].reason, "no data");
  EXPECT_TRUE(table_block(to_table<PlaceRow>({}), {}).rows.empty());
}

}  // namespace
}  // namespace report
}  // namespace aaco
