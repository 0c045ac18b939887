// SPDX-License-Identifier: MIT
#include "session/sql.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session/layout.h"
#include "session/session.h"
#include "session/test_folder.h"
#include "session/trace_tables.h"

namespace aaco {
namespace {

// Two kernels of 10 and 32 ns in a closed session.
class Sql : public testing::Test {
 protected:
  void SetUp() override {
    EventTable table;
    table.recordings = {{"a.json", "kineto"}};
    table.tracks.push_back({kEmptyString, kEmptyString, kEmptyString, kEmptyString, kNoId, 0, 7, 0});
    for (const int64_t duration_ns : {10, 32}) {
      table.add({100, duration_ns, kNoId, kNoId, table.strings.intern("it's"), kEmptyString, 0, EventKind::kKernel,
                 EventShape::kSlice},
                {});
    }
    SessionInfo info;
    info.kind = session_kind::kTrace;
    auto session = SessionWriter::create(folder_.path(), info);
    ASSERT_TRUE(session);
    path_ = session->path();
    ASSERT_TRUE(write_trace(*session, table));
    ASSERT_TRUE(session->close(SessionStatus::kComplete, ""));
  }
  Result<Table> ask(const std::string& statement, size_t shards = 1) const {
    Table all;
    const std::vector<std::filesystem::path> bundles(shards, path_);
    AACO_TRY(query_bundles(bundles, statement, [&](const Table& piece) -> Result<void> {
      all = piece;
      return {};
    }));
    return all;
  }
  TestFolder folder_;
  std::filesystem::path path_;
};

TEST_F(Sql, SumsAreIntegersAndNullsAreNulls) {
  const auto table =
      ask("SELECT sum(duration_ns) AS total, avg(duration_ns) AS mean, any_value(correlation) AS c FROM events;");
  ASSERT_TRUE(table) << table.error().message;
  ASSERT_EQ(table->row_count, 1);
  EXPECT_EQ(std::get<std::vector<int64_t>>(table->columns[0].values)[0], 42);
  EXPECT_EQ(std::get<std::vector<double>>(table->columns[1].values)[0], 21.0);
  EXPECT_EQ(table->columns[2].valid[0], 0);
  EXPECT_EQ(table->columns[0].info.name, "total");
}

TEST_F(Sql, ShardsAreOneTable) {
  const auto table = ask("SELECT shard, sum(duration_ns) AS total FROM events GROUP BY shard ORDER BY shard DESC", 3);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(std::get<std::vector<int64_t>>(table->columns[0].values), (std::vector<int64_t>{2, 1, 0}));
  EXPECT_EQ(std::get<std::vector<int64_t>>(table->columns[1].values), (std::vector<int64_t>{42, 42, 42}));
}

TEST_F(Sql, OneSelectAndNothingElse) {
  for (const char* statement : {"SELECT 1; SELECT 2", "DROP TABLE events", "SELECT", "", "COPY events TO 'x.csv'"}) {
    const auto table = ask(statement);
    ASSERT_FALSE(table) << statement;
    EXPECT_EQ(table.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(table.error().message, testing::StartsWith("SQL: "));
  }
}

TEST_F(Sql, AValueThatFitsNoIntegerIsAnError) {
  EXPECT_FALSE(ask("SELECT 9223372036854775807::HUGEINT * 4 AS much"));
  EXPECT_TRUE(ask("SELECT CAST(9223372036854775807::HUGEINT * 4 AS VARCHAR) AS much"));
}

TEST_F(Sql, WhatWasWrittenIsReadBack) {
  const auto events = read_trace_tables(path_);
  ASSERT_TRUE(events) << events.error().message;
  ASSERT_EQ(events->size(), 2);
  EXPECT_EQ(events->duration_ns[1], 32);
  EXPECT_EQ(events->strings[events->name[0]], "it's");
  std::filesystem::remove(path_ / "trace" / "arguments.parquet");
  EXPECT_FALSE(read_trace_tables(path_));
}

TEST_F(Sql, ATableThatAnImportLeftOutIsSaidToBe) {
  const auto missing = ask("SELECT * FROM device_time");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().hint, testing::HasSubstr("data_schema.md"));

  SessionInfo info;
  info.kind = session_kind::kTrace;
  info.planes[layout::kAnalysisPlane] = {PlaneStatus::kUnavailable, "too large"};
  auto session = SessionWriter::create(folder_.path(), info);
  ASSERT_TRUE(session);
  ASSERT_TRUE(write_trace(*session, EventTable()));
  path_ = session->path();
  ASSERT_TRUE(session->close(SessionStatus::kComplete, ""));
  const auto left_out = ask("SELECT * FROM device_time");
  ASSERT_FALSE(left_out);
  EXPECT_THAT(left_out.error().hint, testing::HasSubstr("(too large)"));
  const auto wrong = ask("SELECT FROM WHERE");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().hint, testing::HasSubstr("data_schema.md"));
}

}  // namespace
}  // namespace aaco
