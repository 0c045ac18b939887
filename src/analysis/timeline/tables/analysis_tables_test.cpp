// SPDX-License-Identifier: MIT
#include "analysis/timeline/tables/analysis_tables.h"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "analysis/timeline/test_trace.h"

namespace aaco {
namespace {

class AnalysisTables : public testing::Test {
 protected:
  AnalysisTables() {
    const uint32_t stream = trace_.stream(3, 1, 7);
    trace_.add(stream, EventKind::kKernel, "gemm", 100, 50, 1);
    trace_.add(stream, EventKind::kKernel, "gemm", 200, 30);
    trace_.add(stream, EventKind::kKernel, "ncclK", 230, 10, kNoId,
               {trace_.text("Collective name", "allreduce"), trace_.integer("Group size", 2)});
    trace_.add(trace_.thread(3), EventKind::kHostCall, "hipLaunchKernel", 0, 20, 1);
    summary_ = summarise_trace(trace_.table);
  }

  Table table(const std::string& name) {
    for (const AnalysisTable& each : all_analysis_tables()) {
      if (name == each.name) {
        return each.make(trace_.table, summary_);
      }
    }
    ADD_FAILURE() << name;
    return {};
  }
  static std::vector<int64_t> integers(const Table& table, const char* column) {
    return std::get<std::vector<int64_t>>(table.find(column)->values);
  }

  TestTrace trace_;
  TraceSummary summary_;
};

TEST_F(AnalysisTables, HaveTheirNamesAndAValueInEachRow) {
  for (const AnalysisTable& each : all_analysis_tables()) {
    const Table table = each.make(trace_.table, summary_);
    EXPECT_EQ(table.name, each.name);
    EXPECT_FALSE(table.columns.empty()) << each.name;
    for (const TableColumn& column : table.columns) {
      const size_t values = std::visit([](const auto& list) { return list.size(); }, column.values);
      EXPECT_EQ(values, table.row_count) << each.name << "." << column.info.name;
      EXPECT_TRUE(column.valid.empty() || column.valid.size() == table.row_count) << each.name;
    }
  }
}

// Three kernels of 50, 30 and 10 ns, and one of exactly 4 us.
TEST_F(AnalysisTables, KernelsOfAPowerOfFourBeginAClass) {
  trace_.add(trace_.stream(3, 1, 7), EventKind::kKernel, "gemm", 1'000, 4'000);
  trace_.add(trace_.stream(3, 1, 7), EventKind::kCopy, "CopyHtoD", 6'000, 4'000);
  summary_ = summarise_trace(trace_.table);
  const Table lengths = table("kernel_lengths");
  EXPECT_EQ(integers(lengths, "from_ns"), (std::vector<int64_t>{0, 4'000}));
  EXPECT_EQ(integers(lengths, "below_ns"), (std::vector<int64_t>{1'000, 16'000}));
  EXPECT_EQ(integers(lengths, "count"), (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(integers(lengths, "total_ns"), (std::vector<int64_t>{90, 4'000}));
  EXPECT_DOUBLE_EQ(std::get<std::vector<double>>(lengths.find("share")->values)[0], 90.0 / 4'090);
}

// One slice has a launch: from the end of its call, at 20 ns, to its own end it is in the queue.
TEST_F(AnalysisTables, TheQueueOverTimeIsThatOfTheReport) {
  const Table timeline = table("launch_queue_timeline");
  const LaunchQueue& queue = summary_.devices.at(0).queue;
  ASSERT_GT(timeline.row_count, 0U);
  EXPECT_EQ(timeline.row_count, queue.timeline.size());
  const std::vector<int64_t> depths = integers(timeline, "max_depth");
  EXPECT_EQ(*std::max_element(depths.begin(), depths.end()), 1);
  EXPECT_EQ(depths.back(), 0);
}

TEST_F(AnalysisTables, MemoryOverTime) {
  const auto mark = [&](int64_t at_ns, int64_t bytes, int64_t total) {
    const std::vector<Argument> arguments = {trace_.integer("Bytes", bytes), trace_.integer("Device Type", 1),
                                             trace_.integer("Device Id", 0), trace_.integer("Total Allocated", total)};
    trace_.table.add({at_ns, 0, kNoId, kNoId, trace_.table.strings.intern("[memory]"), kEmptyString, 0,
                      EventKind::kOther, EventShape::kInstant},
                     arguments);
  };
  mark(0, 100, 100);
  mark(1'000, 50, 150);
  mark(9'000, -150, 0);
  summary_ = summarise_trace(trace_.table);
  const Table timeline = table("memory_timeline");
  const std::vector<int64_t> bytes = integers(timeline, "max_bytes");
  EXPECT_EQ(*std::max_element(bytes.begin(), bytes.end()), 150);
  EXPECT_EQ(bytes.front(), 100);
  EXPECT_EQ(integers(timeline, "start_ns").front(), 0);
}

TEST_F(AnalysisTables, DeviceTimeAddsUp) {
  const Table time = table("device_time");
  ASSERT_EQ(time.row_count, 1);
  EXPECT_EQ(integers(time, "rank")[0], 3);
  EXPECT_EQ(integers(time, "device")[0], 1);
  EXPECT_EQ(integers(time, "window_ns")[0], 140);
  EXPECT_EQ(integers(time, "computation_ns")[0], 80);
  EXPECT_EQ(integers(time, "exposed_communication_ns")[0], 10);
  EXPECT_EQ(integers(time, "exposed_copy_ns")[0], 0);
  EXPECT_EQ(integers(time, "idle_ns")[0], 50);
  const std::vector<int64_t> causes = integers(table("idle_causes"), "total_ns");
  EXPECT_EQ(std::accumulate(causes.begin(), causes.end(), int64_t{0}), 50);
}

TEST_F(AnalysisTables, KernelsAndCollectives) {
  const Table kernels = table("kernel_statistics");
  ASSERT_EQ(kernels.row_count, 2);
  EXPECT_EQ(std::get<std::vector<std::string>>(kernels.find("name")->values)[0], "gemm");
  EXPECT_EQ(integers(kernels, "count")[0], 2);
  EXPECT_EQ(integers(kernels, "total_ns")[0], 80);
  const Table collectives = table("collective_kernels");
  ASSERT_EQ(collectives.row_count, 1);
  EXPECT_EQ(integers(collectives, "event")[0], 2);
  EXPECT_EQ(integers(collectives, "exposed_ns")[0], 10);
  EXPECT_EQ(collectives.find("blocking_ns")->valid[0], 0);
  EXPECT_EQ(table("launch_queue").row_count, 1);
}

TEST_F(AnalysisTables, FiguresOfCountersWithAndWithoutData) {
  trace_.add(trace_.stream(3, 1, 7), EventKind::kKernel, "gemm", 500, 0, kNoId,
             {trace_.integer("TCC_HIT_sum", 30), trace_.integer("TCC_MISS_sum", 10)});
  summary_ = summarise_trace(trace_.table);
  const Table counters = table("kernel_counters");
  const auto& metrics = std::get<std::vector<std::string>>(counters.find("metric")->values);
  const auto row_of = [&](const char* metric) {
    return static_cast<size_t>(std::find(metrics.begin(), metrics.end(), metric) - metrics.begin());
  };
  const size_t hits = row_of("l2_hit_rate");
  ASSERT_LT(hits, counters.row_count);
  EXPECT_EQ(std::get<std::vector<double>>(counters.find("value")->values)[hits], 75);
  EXPECT_EQ(counters.find("missing")->valid[hits], 0);
  const size_t waves = row_of("waves");
  ASSERT_LT(waves, counters.row_count);
  EXPECT_EQ(counters.find("value")->valid[waves], 0);
  EXPECT_EQ(std::get<std::vector<std::string>>(counters.find("missing")->values)[waves], "SQ_WAVES");
}

TEST_F(AnalysisTables, OfNothingHaveColumnsAndNoRows) {
  for (const AnalysisTable& each : all_analysis_tables()) {
    const Table table = each.make(EventTable(), TraceSummary());
    EXPECT_EQ(table.row_count, 0) << each.name;
    EXPECT_FALSE(table.columns.empty()) << each.name;
  }
}

// Of communication kernels each of which is a part of the critical path, as is the gap behind it.
TEST(TablePieces, OneBehindTheOtherAreTheTable) {
  TestTrace trace;
  const uint32_t stream = trace.stream(0, 0, 7);
  for (size_t i = 0; i < TablePieces::kRows + 3; ++i) {
    trace.add(stream, EventKind::kKernel, "ncclK", static_cast<int64_t>(10 * i), 5);
  }
  const TraceSummary summary = summarise_trace(trace.table);
  for (const AnalysisTable& each : all_analysis_tables()) {
    const Table whole = each.make(trace.table, summary);
    TablePieces pieces(each, trace.table, summary);
    EXPECT_EQ(pieces.columns().size(), whole.columns.size()) << each.name;
    size_t rows = 0;
    size_t count = 0;
    for (const Table* piece = pieces.next(); piece != nullptr; piece = pieces.next(), ++count) {
      for (size_t column = 0; column < whole.columns.size(); ++column) {
        const auto* all = std::get_if<std::vector<int64_t>>(&whole.columns[column].values);
        const auto* some = std::get_if<std::vector<int64_t>>(&piece->columns.at(column).values);
        ASSERT_EQ(all == nullptr, some == nullptr);
        ASSERT_TRUE(all == nullptr ||
                    std::equal(some->begin(), some->end(), all->begin() + static_cast<std::ptrdiff_t>(rows)))
            << each.name << "." << whole.columns[column].info.name;
      }
      rows += piece->row_count;
    }
    EXPECT_EQ(rows, whole.row_count) << each.name;
    const std::string_view name = each.name;
    EXPECT_EQ(count, name == "collective_kernels" ? 2U : name == "critical_path_parts" ? 3U : 1U) << each.name;
  }
}

}  // namespace
}  // namespace aaco
