// SPDX-License-Identifier: MIT
// Rows on their whole way: sink, journal, recording, Parquet, recording.
#include "session/collected_tables.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>

#include "base/json/json.h"
#include "base/test_folder.h"
#include "record/journal/row_journal.h"
#include "session/bundle/layout.h"
#include "session/test_session.h"

namespace aaco {
namespace {

const std::vector<ScalarRow> kLosses{{"loss", 0, 100, 6.5, std::nullopt, 0},
                                     {"learning_rate", 0, 100, 1e-3, "1/step", 0},
                                     {"loss", 1, 200, std::nan(""), std::nullopt, 0},
                                     {"tokens", std::nullopt, 250, 4096, "1", std::nullopt}};
const std::vector<PlaneEventRow> kEvents{
    {"train", "checkpoint", 300, 350, 0, 77, std::nullopt, std::nullopt, std::nullopt, R"({"bytes":12})"},
    {"kernel_plane", std::string(300, 'k'), 310, 320, 0, std::nullopt, 1, 7, 42, std::nullopt},
    {"guard", "", 400, std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt, ""}};

void expect_same(const CollectedRows& rows) {
  const auto& scalars = rows.rows<ScalarRow>();
  ASSERT_EQ(scalars.size(), kLosses.size());
  for (size_t i = 0; i < scalars.size(); ++i) {
    EXPECT_EQ(scalars[i].series, kLosses[i].series);
    EXPECT_EQ(scalars[i].step, kLosses[i].step);
    EXPECT_EQ(scalars[i].time_ns, kLosses[i].time_ns);
    EXPECT_TRUE(scalars[i].value == kLosses[i].value || (std::isnan(scalars[i].value) && i == 2)) << i;
    EXPECT_EQ(scalars[i].unit, kLosses[i].unit);
    EXPECT_EQ(scalars[i].process, kLosses[i].process);
  }
  const auto& events = rows.rows<PlaneEventRow>();
  ASSERT_EQ(events.size(), kEvents.size());
  for (size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].plane, kEvents[i].plane);
    EXPECT_EQ(events[i].name, kEvents[i].name);
    EXPECT_EQ(events[i].t_start_ns, kEvents[i].t_start_ns);
    EXPECT_EQ(events[i].t_end_ns, kEvents[i].t_end_ns);
    EXPECT_EQ(events[i].process, kEvents[i].process);
    EXPECT_EQ(events[i].thread_id, kEvents[i].thread_id);
    EXPECT_EQ(events[i].device, kEvents[i].device);
    EXPECT_EQ(events[i].stream, kEvents[i].stream);
    EXPECT_EQ(events[i].correlation, kEvents[i].correlation);
    EXPECT_EQ(events[i].arguments, kEvents[i].arguments);
  }
}

void push_all(const RowSinks& sinks) {
  sinks.push(std::span<const ScalarRow>(kLosses));
  for (const PlaneEventRow& row : kEvents) {
    sinks.push(row);
  }
}

TEST(CollectedTables, rows_go_through_journal_and_parquet) {
  const TestFolder folder;
  Result<SessionWriter> writer = SessionWriter::create(folder.path(), test_info());
  ASSERT_TRUE(writer);
  CollectedJournals journals(writer->path(), "trainer");
  ASSERT_TRUE(journals.create("scalars") && journals.create("plane_events"));
  EXPECT_EQ(journals.create("nothing").error().kind, ErrorKind::kBug);
  push_all(journals.sinks());
  journals.sinks().push(SystemRow());  // nobody takes it
  EXPECT_EQ(journals.row_count(), 7);

  // While the session runs, and so after it was killed: from the journals.
  const Result<OpenSession> running = open_session(writer->path());
  ASSERT_TRUE(running) << running.error().message;
  expect_same(running->recording.collected);
  EXPECT_NE(Json(running->losses).dump().find("telemetry/scalars.parquet: not written; 4 rows"), std::string::npos);

  ASSERT_TRUE(journals.close());
  CollectedRows rows;
  std::vector<std::string> warnings;
  ASSERT_TRUE(read_collected_journals(writer->path(), rows, warnings));
  EXPECT_TRUE(warnings.empty());
  expect_same(rows);
  ASSERT_TRUE(write_collected_tables(*writer, rows));
  ASSERT_TRUE(writer->write_json_file(layout::kEnvironment, Json::object()));
  ASSERT_TRUE(writer->close(SessionStatus::kComplete, ""));
  EXPECT_FALSE(std::filesystem::exists(writer->path() / "journal"));
  EXPECT_FALSE(std::filesystem::exists(writer->path() / "telemetry/gpu_samples.parquet"));
  const Result<OpenSession> closed = open_session(writer->path());
  ASSERT_TRUE(closed) << closed.error().message;
  expect_same(closed->recording.collected);
}

TEST(CollectedTables, every_writer_has_a_journal_of_its_own) {
  const TestFolder folder;
  {
    CollectedJournals journals(folder.path(), "p0"), other(folder.path(), "p1");
    ASSERT_TRUE(journals.create("scalars") && other.create("scalars"));
    other.sinks().push(ScalarRow{"loss", 1, 2, 0.5, std::nullopt, 1});
    journals.sinks().push(ScalarRow{"loss", 1, 1, 0.25, std::nullopt, 0});
  }
  EXPECT_EQ(collected_journals(folder.path(), "scalars"),
            (std::vector<std::string>{"journal/scalars.p0.jrn", "journal/scalars.p1.jrn"}));
  EXPECT_TRUE(collected_journals(folder.path(), "scalar").empty());
  CollectedRows rows;
  std::vector<std::string> warnings;
  std::ofstream(folder.path() / "journal/scalars.p1.jrn", std::ios::app | std::ios::binary) << "half of a row";
  ASSERT_TRUE(read_collected_journals(folder.path(), rows, warnings));
  ASSERT_EQ(rows.rows<ScalarRow>().size(), 2U);
  EXPECT_EQ(rows.rows<ScalarRow>()[0].process, 0);
  EXPECT_EQ(rows.rows<ScalarRow>()[1].process, 1);
  EXPECT_EQ(warnings, std::vector<std::string>{"the journal journal/scalars.p1.jrn ends in a torn row"});
}

TEST(CollectedTables, sinks_take_rows_from_several_threads) {
  const TestFolder folder;
  CollectedJournals journals(folder.path(), "p0");
  ASSERT_TRUE(journals.create("scalars"));
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int64_t i = 0; i < 1000; ++i) {
        journals.sinks().push(ScalarRow{"series " + std::to_string(i % 10), i, i, 1, std::nullopt, t});
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  ASSERT_TRUE(journals.close());
  const auto rows = read_row_journal<ScalarRow>(folder.path() / "journal/scalars.p0.jrn");
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size(), 4000U);
  std::array<int64_t, 4> next{};
  for (const ScalarRow& row : *rows) {
    EXPECT_EQ(row.step, next[static_cast<size_t>(*row.process)]++);
    EXPECT_EQ(row.series, "series " + std::to_string(*row.step % 10));
  }
}

TEST(CollectedTables, kernels_of_before_the_device_columns_open) {
  const TestFolder folder;
  KernelRow kernel;
  kernel.kernel_name = "gemm";
  kernel.device = 1;
  kernel.stream = 7;
  kernel.correlation = 42;
  Table table = to_table(std::vector{kernel});
  auto rows = from_table<KernelRow>(table);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->front().device, 1);
  EXPECT_EQ(rows->front().stream, 7);
  EXPECT_EQ(rows->front().correlation, 42);
  std::erase_if(table.columns, [](const TableColumn& column) {
    return column.info.name == "device" || column.info.name == "stream" || column.info.name == "correlation";
  });
  rows = from_table<KernelRow>(table);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->front().kernel_name, "gemm");
  EXPECT_FALSE(rows->front().device);
  EXPECT_FALSE(rows->front().stream);
  EXPECT_FALSE(rows->front().correlation);
}

TEST(CollectedTables, a_state_is_a_word_of_its_own_in_its_table) {
  KernelRow kernel;
  kernel.activity = NodeActivity::kDeviceCopy;
  Table table = to_table(std::vector{kernel});
  const auto activity =
      std::ranges::find_if(table.columns, [](const TableColumn& column) { return column.info.name == "activity"; });
  auto& words = std::get<std::vector<std::string>>(activity->values);
  EXPECT_EQ(words, std::vector<std::string>{"device_copy"});
  EXPECT_EQ(from_table<KernelRow>(table)->front().activity, NodeActivity::kDeviceCopy);
  words = {"device_cook"};
  const auto refused = from_table<KernelRow>(table);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(refused.error().message, "table kernels: column activity holds a word that is none of its own in row 0");
}

}  // namespace
}  // namespace aaco
