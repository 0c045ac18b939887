// SPDX-License-Identifier: MIT
#include "session/trace_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "base/memory/test_spill_plan.h"
#include "session/bundle/layout.h"

namespace aaco {
namespace {

// Ten events on one track, each with two arguments; one long text.
EventTable ten_events() {
  EventTable table;
  table.recordings.push_back({"r", "kineto"});
  table.tracks.push_back({});
  const StringId name = table.strings.intern(std::string(5000, 'k'));
  const std::vector<Argument> arguments(2, {table.strings.intern("grid"), ArgumentType::kInteger, 7});
  for (int64_t i = 0; i < 10; ++i) {
    table.add({10 * i, 5, i, kNoId, name, kEmptyString, 0, EventKind::kKernel, EventShape::kSlice}, arguments);
  }
  return table;
}

TEST(TraceTables, AreReadWhereThereIsMemoryForRowsAndTexts) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_trace_tables(folder->path(), ten_events()));
  const auto size = trace_size(folder->path());
  ASSERT_TRUE(size) << size.error().message;
  EXPECT_EQ(size->events, 10);
  EXPECT_EQ(size->arguments, 20);
  EXPECT_EQ(size->bytes(), 10 * 54 + 20 * 13);

  for (const std::optional<int64_t> enough : {std::optional<int64_t>(), std::optional<int64_t>(7000)}) {
    const auto table = read_trace_tables(folder->path(), enough);
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_EQ(table->size(), 10);
    EXPECT_EQ(table->arguments.end(9), 20);
  }
  for (const int64_t too_little : {799, 4000}) {  // for the rows; for the text besides
    const auto refused = read_trace_tables(folder->path(), too_little);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::kUnavailable);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("a trace of 10 events needs"));
  }
}

TEST(TraceTables, OfABrokenImportAreReadAsFarAsTheyGo) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_trace_tables(folder->path(), ten_events()));
  for (const char* table : {layout::kTraceLosses, layout::kTraceMetadata, layout::kTraceArguments}) {
    std::filesystem::remove(folder->path() / table);
  }
  EXPECT_FALSE(read_trace_tables(folder->path()));
  const auto table = read_left_trace_tables(folder->path(), "the import is incomplete");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->size(), 10);
  EXPECT_TRUE(table->losses.in_part());
  EXPECT_EQ(table->losses.entries().at(0).example,
            "the import is incomplete, without trace/arguments.parquet, trace/metadata.parquet, trace/losses.parquet");
  std::filesystem::remove(folder->path() / layout::kTraceEvents);
  const auto nothing = read_left_trace_tables(folder->path(), "the import is incomplete");
  EXPECT_EQ(nothing.error().kind, ErrorKind::kPartial);
  EXPECT_THAT(nothing.error().message, testing::HasSubstr("the import is incomplete, before its events were written"));
}

// 40,000 events with an argument each; texts of their own.
EventTable many_events() {
  EventTable table;
  table.recordings.push_back({"r", "kineto"});
  table.tracks.push_back({});
  const StringId key = table.strings.intern("text");
  for (int64_t i = 0; i < 40'000; ++i) {
    const std::vector<Argument> argument = {{key, ArgumentType::kText, table.strings.intern(std::to_string(i))}};
    table.add({10 * i, i % 7, i, kNoId, table.strings.intern("k" + std::to_string(i % 100)), kEmptyString, 0,
               EventKind::kKernel, EventShape::kSlice},
              argument);
  }
  return table;
}

std::string bytes_of_file(const std::filesystem::path& path) { return read_file(path).value(); }

TEST(TraceTables, AreTheSameBytesWhereTheEventsLieInFiles) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const std::filesystem::path plain = folder->path() / "plain";
  const std::filesystem::path spilled = folder->path() / "spilled";
  ASSERT_TRUE(write_trace_tables(plain, many_events()));
  const ScopedSpillPlan plan({uint64_t{1} << 17, 0, folder->path()});
  const EventTable in_files = many_events();
  ASSERT_TRUE(in_files.start_ns.in_file());
  ASSERT_TRUE(write_trace_tables(spilled, in_files));
  for (const char* table : {layout::kTraceRecordings, layout::kTraceTracks, layout::kTraceEvents,
                            layout::kTraceArguments, layout::kTraceMetadata, layout::kTraceLosses}) {
    EXPECT_EQ(bytes_of_file(plain / table), bytes_of_file(spilled / table)) << table;
  }
}

TEST(TraceTables, NeedNoMemoryForWhatLiesInFiles) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_trace_tables(folder->path(), many_events()));
  constexpr int64_t kAvailable = 1 << 20;
  EXPECT_FALSE(read_trace_tables(folder->path(), kAvailable));
  const ScopedSpillPlan plan({uint64_t{1} << 17, UINT64_MAX, folder->path()});
  const auto table = read_trace_tables(folder->path(), kAvailable);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_TRUE(table->start_ns.in_file());
  EXPECT_EQ(table->start_ns[39'999], 399'990);
  EXPECT_EQ(table->text_of(table->arguments[39'999]), "39999");
}

}  // namespace
}  // namespace aaco
