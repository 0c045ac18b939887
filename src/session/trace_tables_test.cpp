// SPDX-License-Identifier: MIT
#include "session/trace_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "base/temporary_folder.h"

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

}  // namespace
}  // namespace aaco
