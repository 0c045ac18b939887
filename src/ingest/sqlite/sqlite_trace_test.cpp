// SPDX-License-Identifier: MIT
// Databases that are damaged, hostile, or of nobody known.
#include "ingest/sqlite/sqlite_trace.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <zlib.h>

#include "base/files/temporary_folder.h"
#include "ingest/sqlite/test_database.h"

namespace aaco {
namespace {

constexpr int kKernels = 2000;

std::string many_kernels() {
  return "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT); INSERT INTO StringIds VALUES (1, 'k');"
         "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, "
         "demangledName INTEGER);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT value * 10, value * 10 + 5, 0, 7, 1 FROM "
         "generate(1, 2000);";
}

// generate_series is not in every SQLite.
std::string without_generate(std::string sql) {
  const std::string call = "generate(1, 2000)";
  sql.replace(sql.find(call), call.size(),
              "(WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 2000) "
              "SELECT value FROM n)");
  return sql;
}

std::string kernels_database() { return database_bytes(without_generate(many_kernels())); }

TEST(SqliteTrace, ATruncatedFileLoadsWhatIsWhole) {
  const std::string whole = kernels_database();
  ASSERT_GT(whole.size(), 30'000);
  const auto full = read_database(whole);
  ASSERT_TRUE(full);
  EXPECT_EQ(full->size(), kKernels);
  const auto cut = read_database(whole.substr(0, whole.size() / 2));
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_GT(cut->size(), 100);
  EXPECT_LT(cut->size(), kKernels);
  EXPECT_GE(cut->losses.count(Loss::kTruncated), 2);  // the file, and its table
}

// The list of tables does not fit the first page, and its rest is cut off.
TEST(SqliteTrace, TablesThatAreListedLoadThoughTheListIsCut) {
  std::string sql = without_generate(many_kernels());
  for (int i = 0; i < 200; ++i) {
    sql += "CREATE TABLE SOME_OTHER_TABLE_OF_A_PROFILER_" + std::to_string(i) + " (a INTEGER, b INTEGER);";
  }
  const std::string whole = database_bytes(sql);
  const auto cut = read_database(whole.substr(0, whole.size() / 4));
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_GT(cut->size(), 100);
  EXPECT_GE(cut->losses.count(Loss::kTruncated), 2);
}

// A fuzzer's find: SQLite claims to lack memory when it is told to go on with this one.
TEST(SqliteTrace, ADamagedListOfTablesIsNoLackOfMemory) {
  std::ifstream file(AACO_SOURCE_DIR "/fuzz/corpus/fuzz_sqlite_traces/damaged_list_of_tables.db", std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  ASSERT_FALSE(bytes.empty());
  const auto read = read_database(bytes);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::kUsage);
  EXPECT_NE(read.error().message.find("malformed"), std::string::npos) << read.error().message;
}

TEST(SqliteTrace, PagesThatAreDamagedAreALoss) {
  std::string bytes = kernels_database();
  std::fill(bytes.begin() + static_cast<ptrdiff_t>(bytes.size() / 2), bytes.end(), '\x2a');
  const auto table = read_database(bytes);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_LT(table->size(), kKernels);
  EXPECT_GE(table->losses.count(Loss::kTruncated), 1);
}

// Every child of the root is made the first one: without a bound, such trees have as many rows as one likes.
TEST(SqliteTrace, PagesThatRepeatEndTheTable) {
  std::string bytes = kernels_database();
  const size_t page_bytes = static_cast<unsigned char>(bytes[16]) * 256U + static_cast<unsigned char>(bytes[17]);
  bool changed = false;
  for (size_t page = page_bytes; page < bytes.size() && !changed; page += page_bytes) {
    if (bytes[page] != 5) {  // an interior page of a table
      continue;
    }
    const size_t first = page + size_t{256} * static_cast<unsigned char>(bytes[page + 12]) +
                         static_cast<unsigned char>(bytes[page + 13]);
    const size_t second = page + size_t{256} * static_cast<unsigned char>(bytes[page + 14]) +
                          static_cast<unsigned char>(bytes[page + 15]);
    bytes.replace(second, 4, bytes, first, 4);
    changed = true;
  }
  ASSERT_TRUE(changed);
  const auto table = read_database(bytes);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_LT(table->size(), kKernels);
  EXPECT_EQ(table->losses.count(Loss::kTruncated), 1);
}

// A table that is large enough to be read in parts, by several threads where there are processors: two processes whose
// rows alternate, names that join, texts in the rows themselves, a row that is a loss.
TEST(SqliteTrace, LargeTablesAreReadInTheirOrder) {
  constexpr int64_t kRows = 60'000;
  const EventTable table = read_sql(
      "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
      "INSERT INTO StringIds VALUES (0, 'a'), (1, 'b'), (2, 'c');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, globalPid INT, "
      "demangledName INT, note TEXT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 10, i * 10 + i % 7, i % 3, 7, (1 + i / 100 % 2) << 24, i % 4, "
      "'note ' || (i % 1000) FROM (WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59999) "
      "SELECT i FROM n);");
  ASSERT_EQ(table.size(), kRows);
  const StringId note = [&] {
    for (size_t i = table.arguments.begin(0); i < table.arguments.end(0); ++i) {
      if (table.strings[table.arguments[i].key] == "note") {
        return table.arguments[i].key;
      }
    }
    return kEmptyString;
  }();
  constexpr const char* kNames[] = {"a", "b", "c", "3"};  // the last is in no row of StringIds
  for (int64_t i = 0; i < kRows; ++i) {
    const auto at = static_cast<size_t>(i);
    ASSERT_EQ(table.start_ns[at], i * 10);
    ASSERT_EQ(table.duration_ns[at], i % 7);
    ASSERT_EQ(table.strings[table.name[at]], kNames[i % 4]);
    const Track& track = table.tracks[table.track[at]];
    ASSERT_EQ(track.device, i % 3);
    ASSERT_EQ(table.strings[track.process], i / 100 % 2 == 0 ? "1" : "2");
    ASSERT_EQ(track.recording, i / 100 % 2);
    ASSERT_EQ(table.text_of(table.arguments.find(at, note).value()), "note " + std::to_string(i % 1000));
  }
  EXPECT_EQ(table.recordings.size(), 2);
  EXPECT_EQ(table.tracks.size(), 6);
  EXPECT_EQ(table.losses.count(Loss::kUnknownName), kRows / 4);
  EXPECT_EQ(table.losses.count(Loss::kZeroDuration), (kRows + 6) / 7);
}

TEST(SqliteTrace, ViewsAreNotRead) {
  const auto table = read_database(database_bytes(
      "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
      "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start FROM n) "
      "SELECT start, start AS end, 0 AS deviceId, 0 AS streamId FROM n;"));
  ASSERT_TRUE(table);
  EXPECT_EQ(table->size(), 0);
}

TEST(SqliteTrace, ComputedColumnsAreNotEvaluated) {
  EventTable table = read_sql(
      "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
      "cost TEXT AS (hex(zeroblob(100000))));"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 0);");
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(argument_text(table, 0, "cost"), "");
}

TEST(SqliteTrace, TimesThatAreNoTimesAreALoss) {
  const EventTable table = read_sql(
      "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ('soon', 2, 0, 7), (5, 3, 0, 7), (9223372036854775807, 3, 0, 7), "
      "(x'00ff', NULL, 'x', 1.5);");
  EXPECT_EQ(table.size(), 4);
  EXPECT_GE(table.losses.count(Loss::kNoTime), 2);
  EXPECT_EQ(table.losses.count(Loss::kNegativeDuration), 1);
  EXPECT_EQ(table.losses.count(Loss::kTimeRange), 1);
}

TEST(SqliteTrace, ADatabaseOfNobodyKnownIsRefusedWithItsTables) {
  const auto table = read_database(database_bytes("CREATE TABLE bookmarks (id INTEGER)"));
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(table.error().message, "t.db: is a SQLite database of no known profiler (tables: bookmarks)");
  EXPECT_NE(table.error().hint.find("Nsight"), std::string::npos);
}

TEST(SqliteTrace, WhatMerelyBeginsLikeADatabaseIsRefused) {
  const auto table = read_database(std::string("SQLite format 3\0", 16) + std::string(5000, 'x'));
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().kind, ErrorKind::kUsage);
  EXPECT_FALSE(table.error().hint.empty());
}

class SqliteFile : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TemporaryFolder::create();
    ASSERT_TRUE(folder);
    temporary_.emplace(std::move(*folder));
    folder_ = temporary_->path() / "aaco sqlite?%20";
    std::filesystem::create_directories(folder_);
  }

  std::optional<TemporaryFolder> temporary_;
  std::filesystem::path folder_;
};

TEST_F(SqliteFile, PlainAndGzipAreTheSameWhateverTheFilesName) {
  const std::string bytes = kernels_database();
  std::ofstream(folder_ / "a?b#%41.db", std::ios::binary) << bytes;
  const gzFile zipped = gzopen((folder_ / "a.db.gz").c_str(), "wb");
  ASSERT_EQ(gzwrite(zipped, bytes.data(), static_cast<unsigned>(bytes.size())), static_cast<int>(bytes.size()));
  gzclose(zipped);
  for (const char* name : {"a?b#%41.db", "a.db.gz"}) {
    const std::filesystem::path path = folder_ / name;
    const auto trace = read_trace({&path, 1});
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_EQ(trace->events.size(), kKernels) << name;
    EXPECT_EQ(trace->files[0].format, "nsys");
    EXPECT_TRUE(trace->events.losses.entries().empty());
  }
}

TEST_F(SqliteFile, AWriteAheadLogBesideItIsALossAndNeitherReadNorTouched) {
  const std::filesystem::path path = folder_ / "a.db";
  std::ofstream(path, std::ios::binary) << kernels_database();
  std::ofstream(path.string() + "-wal", std::ios::binary) << "something";
  const auto trace = read_trace({&path, 1});
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->events.size(), kKernels);
  EXPECT_EQ(trace->events.losses.count(Loss::kTruncated), 1);
  EXPECT_EQ(std::filesystem::file_size(path.string() + "-wal"), 9);
}

}  // namespace
}  // namespace aaco
