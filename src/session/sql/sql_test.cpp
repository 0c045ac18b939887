// SPDX-License-Identifier: MIT
#include "session/sql/sql.h"

#include <array>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/test_folder.h"
#include "base/test_sanitizer.h"
#include "base/test_skip.h"
#include "session/bundle/layout.h"
#include "session/collected_tables.h"
#include "session/session.h"
#include "session/sql/sql_confinement.h"
#include "session/test_kinds.h"
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
    info.kind = test_kind::kFiles;
    auto session = SessionWriter::create(folder_.path(), info);
    ASSERT_TRUE(session);
    path_ = session->path();
    ASSERT_TRUE(write_trace(*session, table));
    ASSERT_TRUE(session->close(SessionStatus::kComplete, ""));
  }
  Result<Table> ask(const std::string& statement, size_t shards = 1) const {
    Table all;
    const std::vector<std::filesystem::path> bundles(shards, path_);
    AACO_TRY(query_bundles(bundles, statement, rights_, [&](const Table& piece) -> Result<MoreRows> {
      all = piece;
      return MoreRows::kEnough;
    }));
    return all;
  }
  TestFolder folder_;
  std::filesystem::path path_;
  SqlRights rights_;
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

// As a profiled training has them: the same tables of its trace and of one step.
TEST_F(Sql, TheTablesOfAStepAreNotThoseOfTheTrace) {
  const auto sum_of = [&](const char* table) {
    const auto sum = ask(fmt::format("SELECT sum(duration_ns) AS total FROM {}", table));
    EXPECT_TRUE(sum) << table << ": " << sum.error().message;
    return sum ? std::get<std::vector<int64_t>>(sum->columns[0].values)[0] : 0;
  };
  const std::filesystem::path step = path_ / layout::kStep / layout::kTrace;
  std::filesystem::create_directories(step);
  std::filesystem::copy(path_ / layout::kTrace, step);
  EXPECT_EQ(sum_of("events"), 42);
  EXPECT_EQ(sum_of("step_events"), 42);
  const auto joined = ask("SELECT count(*) AS n FROM step_events JOIN step_tracks USING (track)");
  ASSERT_TRUE(joined) << joined.error().message;
  EXPECT_EQ(std::get<std::vector<int64_t>>(joined->columns[0].values)[0], 2);
  const auto drawn = ask("SELECT count(*) AS n FROM timeline");
  ASSERT_TRUE(drawn) << drawn.error().message;
  EXPECT_EQ(std::get<std::vector<int64_t>>(drawn->columns[0].values)[0], 2);
}

TEST_F(Sql, AFileWhoseNameIsTakenIsATableOfItsOwn) {
  for (const char* folder : {"profiler/tool", "report"}) {  // both come before trace/ by name
    std::filesystem::create_directories(path_ / folder);
    std::filesystem::copy_file(path_ / layout::kTraceEvents, path_ / folder / "events.parquet");
  }
  for (const char* table : {"events", "\"profiler/tool/events\"", "\"report/events\""}) {
    const auto count = ask(fmt::format("SELECT count(*) AS n FROM {}", table));
    ASSERT_TRUE(count) << table << ": " << count.error().message;
    EXPECT_EQ(std::get<std::vector<int64_t>>(count->columns[0].values)[0], 2) << table;
  }
}

TEST_F(Sql, OneSelectAndNothingElse) {
  for (const char* statement : {"SELECT 1; SELECT 2", "DROP TABLE events", "SELECT", "", "COPY events TO 'x.csv'"}) {
    const auto table = ask(statement);
    ASSERT_FALSE(table) << statement;
    EXPECT_EQ(table.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(table.error().message, testing::StartsWith("SQL: "));
  }
}

TEST_F(Sql, TextThatClosesAViewRunsNothing) {
  const std::filesystem::path written = folder_.path() / "written.csv";
  for (const std::string& statement :
       {fmt::format("SELECT 1 AS a); COPY (SELECT 42) TO '{}'; SELECT * FROM (SELECT 2", written.string()),
        fmt::format("ATTACH '{}' AS other", (folder_.path() / "other.db").string()), std::string("INSTALL httpfs"),
        std::string("SET threads = 4"), std::string("PRAGMA database_list"), std::string("CREATE TABLE t AS SELECT 1"),
        std::string("EXPLAIN SELECT 1")}) {
    const auto table = ask(statement);
    ASSERT_FALSE(table) << statement;
    EXPECT_EQ(table.error().kind, ErrorKind::kUsage) << statement;
  }
  EXPECT_FALSE(std::filesystem::exists(written));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "other.db"));
}

TEST_F(Sql, WhereOtherFilesMayBeReadNoneIsWritten) {
  rights_.other_files = true;
  const std::filesystem::path written = folder_.path() / "written";
  for (const std::string form : {"EXPORT DATABASE '{}'", "COPY events TO '{}'", "ATTACH '{}' AS other"}) {
    const auto table = ask(fmt::format(fmt::runtime(form), written.string()));
    ASSERT_FALSE(table) << form;
    EXPECT_EQ(table.error().message, "SQL: only a SELECT is allowed");
    EXPECT_FALSE(std::filesystem::exists(written)) << form;
  }
}

TEST_F(Sql, EveryFormOfSelectGoesOn) {
  for (const char* statement :
       {"WITH k AS (SELECT 1 AS a) SELECT * FROM k", "DESCRIBE events", "SHOW TABLES", "SUMMARIZE events",
        "FROM events", "VALUES (1)", "SELECT 1 -- a remark", "SELECT ';' AS a;"}) {
    const auto table = ask(statement);
    EXPECT_TRUE(table) << statement << ": " << table.error().message;
  }
}

// Where DuckDB would read it.
TEST_F(Sql, AConfinedProcessReadsItsBundlesOnly) {
  if (kAddressSanitizer || kThreadSanitizer) {
    AACO_SKIP("the shadow of a sanitizer is more data than the limit");
  }
  const std::filesystem::path other = folder_.path() / "other.csv";
  ASSERT_TRUE(write_file_atomically(other, "a\n1\n"));
  const std::string elsewhere = fmt::format("SELECT a FROM read_csv('{}')", other.string());
  const auto in_child = [&](SqlRights confined_to) {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto confinement = confine_to_bundles(std::array{path_}, confined_to, {});
      rights_.other_files = true;
      const bool reads_own = ask("SELECT count(*) FROM events").has_value();
      ::_exit(!confinement ? 255 : !confinement->files ? 100 : (reads_own ? 1 : 0) | (ask(elsewhere) ? 2 : 0));
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 254;
  };
  const int alone = in_child({});
  if (alone == 100) {
    AACO_SKIP("the kernel has no Landlock");
  }
  EXPECT_EQ(alone, 1);
  EXPECT_EQ(in_child({.other_files = true}), 3);
}

TEST_F(Sql, OtherFilesAreReadOnlyWhereTheyMayBe) {
  const std::filesystem::path other = folder_.path() / "other.csv";
  ASSERT_TRUE(write_file_atomically(other, "a\n1\n"));
  const std::string elsewhere = fmt::format("SELECT a FROM read_csv('{}')", other.string());
  const auto refused = ask(elsewhere);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().hint, testing::HasSubstr("--allow-files"));
  EXPECT_FALSE(ask("SELECT * FROM '" + other.string() + "'"));
  EXPECT_FALSE(ask(fmt::format("SELECT a FROM read_csv('{}/../../../../other.csv')", path_.string())));
  const std::string own = fmt::format("SELECT * FROM read_parquet('{}/trace/events.parquet')", path_.string());
  const auto inside = ask(own);
  EXPECT_TRUE(inside) << inside.error().message;
  rights_.other_files = true;
  const auto allowed = ask(elsewhere);
  EXPECT_TRUE(allowed) << allowed.error().message;
}

TEST_F(Sql, MemoryThatDoesNotSufficeIsNoUsageError) {
  const auto table = ask("SELECT list(range) AS l FROM range(1000000000)");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().kind, ErrorKind::kResource) << table.error().message;
}

TEST_F(Sql, AValueBeyond64BitsMakesItsColumnText) {
  for (const char* statement : {"SELECT 9223372036854775807::HUGEINT * 4 AS much, 1::HUGEINT AS little",
                                "SELECT max(duration_ns)::HUGEINT * 4000000000000000000 AS much FROM events",
                                "SELECT 18446744073709551615::UBIGINT AS much"}) {
    const auto table = ask(statement);
    ASSERT_TRUE(table) << statement << ": " << table.error().message;
    EXPECT_GE(std::get<std::vector<std::string>>(table->columns[0].values)[0].size(), 20) << statement;
  }
  EXPECT_EQ(
      std::get<std::vector<std::string>>(ask("SELECT 9223372036854775807::HUGEINT * 4 AS much")->columns[0].values)[0],
      "36893488147419103228");
  const auto within = ask("SELECT 9223372036854775807::HUGEINT AS most, 7::UBIGINT AS few");
  ASSERT_TRUE(within) << within.error().message;
  EXPECT_EQ(std::get<std::vector<int64_t>>(within->columns[0].values)[0], INT64_MAX);
  EXPECT_EQ(std::get<std::vector<int64_t>>(within->columns[1].values)[0], 7);
  EXPECT_FALSE(ask("SELECT CAST(9223372036854775807::HUGEINT * 4 AS BIGINT) AS much"));  // the statement's own
}

TEST_F(Sql, EachColumnKeepsItsDigitsByItself) {
  const auto table =
      ask("SELECT 9223372036854775807::HUGEINT * 4 AS much, 7::HUGEINT AS few, "
          "1234567890123456.789::DECIMAL(19,3) AS long, -0.25::DECIMAL(38,20) AS short, "
          "NULL::UBIGINT AS none");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(std::get<std::vector<std::string>>(table->columns[0].values)[0], "36893488147419103228");
  EXPECT_EQ(table->columns[1].info.type, ColumnType::kInt64);
  EXPECT_EQ(std::get<std::vector<int64_t>>(table->columns[1].values)[0], 7);
  EXPECT_EQ(std::get<std::vector<std::string>>(table->columns[2].values)[0], "1234567890123456.789");
  EXPECT_EQ(table->columns[3].info.type, ColumnType::kDouble);
  EXPECT_EQ(std::get<std::vector<double>>(table->columns[3].values)[0], -0.25);
  EXPECT_EQ(table->columns[4].info.type, ColumnType::kInt64);
  EXPECT_EQ(table->columns[4].valid.at(0), 0);
  const auto most = ask("SELECT 123456789012345::DECIMAL(38,0) AS most, 1234567890123456::DECIMAL(16,0) AS more");
  ASSERT_TRUE(most) << most.error().message;
  EXPECT_EQ(std::get<std::vector<double>>(most->columns[0].values)[0], 123456789012345);
  EXPECT_EQ(std::get<std::vector<std::string>>(most->columns[1].values)[0], "1234567890123456");
}

// The value may come behind rows that were given already.
TEST_F(Sql, AWideValueBehindManyRowsIsAnErrorThatSaysHow) {
  const auto refused = query_bundles(std::vector{path_},
                                     "SELECT CASE WHEN range < 3000000 THEN 1::HUGEINT ELSE "
                                     "9223372036854775807::HUGEINT * 4 END AS x FROM range(3000001)",
                                     rights_, [](const Table&) -> Result<MoreRows> { return MoreRows::kWanted; });
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("column x"));
  EXPECT_THAT(refused.error().hint, testing::HasSubstr("AS VARCHAR"));
}

TEST_F(Sql, NoTableIsNamedThatIsNotThere) {
  const auto tables = ask("SHOW TABLES");
  ASSERT_TRUE(tables) << tables.error().message;
  for (const std::string& name : std::get<std::vector<std::string>>(tables->columns[0].values)) {
    const auto rows = ask("SELECT count(*) FROM \"" + name + "\"");
    EXPECT_TRUE(rows) << rows.error().message;
  }
}

TEST_F(Sql, ColumnsOfOneNameAreBothThere) {
  const auto table = ask("SELECT 1 AS a, 2 AS a");
  ASSERT_TRUE(table) << table.error().message;
  ASSERT_EQ(table->columns.size(), 2);
  EXPECT_EQ(std::get<std::vector<int64_t>>(table->columns[1].values)[0], 2);
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
  const auto mistyped = ask("SELECT * FROM event");
  ASSERT_FALSE(mistyped);
  EXPECT_THAT(mistyped.error().hint, testing::HasSubstr("did you mean events?"));

  SessionInfo info;
  info.kind = test_kind::kFiles;
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

// One iteration of 1 ms in which the thread was preempted for 200 us, and a sample.
class Timeline : public Sql {
 protected:
  void SetUp() override {
    SessionInfo info;
    info.kind = test_kind::kMeasured;
    auto session = SessionWriter::create(folder_.path(), info);
    ASSERT_TRUE(session);
    path_ = session->path();
    IterationRow iteration;
    iteration.phase = IterationPhase::kMeasure;
    iteration.t_start_ns = 1'000'000;
    iteration.t_end_ns = 2'000'000;
    CollectedRows rows;
    OffCpuRow off_cpu;
    off_cpu.thread_id = 7;
    off_cpu.t_start_ns = 1'300'000;
    off_cpu.t_end_ns = 1'500'000;
    off_cpu.reason = OffCpuReason::kPreempted;
    off_cpu.next_name = "hog";
    rows.rows<OffCpuRow>().push_back(off_cpu);
    SystemRow sample;
    sample.t_ns = 1'800'000;
    sample.interval_ns = 100'000;
    sample.psi_memory_some_pct = 2.5;
    rows.rows<SystemRow>().push_back(sample);
    ASSERT_TRUE(session->write_rows<IterationRow>(layout::kIterations, std::vector{iteration}));
    ASSERT_TRUE(write_collected_tables(*session, rows));
    ASSERT_TRUE(session->close(SessionStatus::kComplete, ""));
  }
};

TEST_F(Timeline, HasTheRowsOfAllPlanes) {
  const auto table =
      ask("SELECT plane, kind, name, coalesce(detail, '') AS detail, value, t_end_ns - t_start_ns AS ns "
          "FROM timeline ORDER BY t_start_ns");
  ASSERT_TRUE(table) << table.error().message;
  const auto texts = [&](size_t column) { return std::get<std::vector<std::string>>(table->columns[column].values); };
  EXPECT_THAT(texts(0), testing::ElementsAre("inference_iters", "off_cpu", "system_events"));
  EXPECT_THAT(texts(1), testing::ElementsAre("measure", "off_cpu", "sample"));
  EXPECT_THAT(texts(2), testing::ElementsAre("iteration", "preempted", "psi_memory_some_pct"));
  EXPECT_THAT(texts(3), testing::ElementsAre("", "hog", ""));
  EXPECT_EQ(std::get<std::vector<double>>(table->columns[4].values)[2], 2.5);
  EXPECT_EQ(std::get<std::vector<int64_t>>(table->columns[5].values),
            (std::vector<int64_t>{1'000'000, 200'000, 100'000}));
}

TEST_F(Timeline, JoinsByTime) {
  const auto table =
      ask("SELECT sum(event.t_end_ns - event.t_start_ns) AS ns FROM timeline AS iteration JOIN timeline AS event ON "
          "event.t_start_ns BETWEEN iteration.t_start_ns AND iteration.t_end_ns WHERE iteration.name = 'iteration' AND "
          "event.kind = 'off_cpu'");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(std::get<std::vector<int64_t>>(table->columns[0].values)[0], 200'000);
}

TEST_F(Sql, EventsOfATraceAreOnTheTimeline) {
  const auto table =
      ask("SELECT count(*) AS n, any_value(device) AS device, any_value(stream) AS stream FROM timeline");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(std::get<std::vector<int64_t>>(table->columns[0].values)[0], 2);
  EXPECT_EQ(std::get<std::vector<std::string>>(table->columns[1].values)[0], "0");
  EXPECT_EQ(std::get<std::vector<int64_t>>(table->columns[2].values)[0], 7);
}

}  // namespace
}  // namespace aaco
