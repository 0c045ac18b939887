// SPDX-License-Identifier: MIT
#include "kind/trace/trace_memory.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/timeline/trace_summary.h"
#include "base/files/temporary_folder.h"
#include "base/memory/test_spill_plan.h"

namespace aaco::imports {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

class TraceMemory : public testing::Test {
 protected:
  ScopedSpillPlan restored_{spill_plan()};
};

TEST_F(TraceMemory, OfAnImportGrowsWithTheTraceUpToTheLimit) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const auto array_bytes = [&](uint64_t memory, uint64_t trace) {
    EXPECT_TRUE(limit_import({memory}, trace, folder->path()));
    return spill_plan().memory_bytes;
  };
  EXPECT_EQ(array_bytes(2048 * kMiB, 0), 32 * kMiB);
  EXPECT_EQ(array_bytes(2048 * kMiB, 800 * kMiB), 100 * kMiB);
  EXPECT_EQ(array_bytes(2048 * kMiB, 10'000 * kMiB), 256 * kMiB);
  EXPECT_EQ(array_bytes(256 * kMiB, 10'000 * kMiB), 32 * kMiB);
  const auto refused = limit_import({255 * kMiB}, 0, folder->path());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
}

TEST_F(TraceMemory, FilesLieWhereTheSessionsWillBe) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(limit_import({}, 0, folder->path() / "not" / "yet"));
  EXPECT_EQ(spill_plan().folder, folder->path());
  ASSERT_TRUE(limit_import({}, 0, "sessions-that-are-not-there"));
  EXPECT_EQ(spill_plan().folder, std::filesystem::current_path());
}

TEST_F(TraceMemory, AnalysesNeedTheirRoomBesideTheEvents) {
  EventTable events;
  events.tracks.push_back({});
  for (int i = 0; i < 100'000; ++i) {
    events.add({}, {});
  }
  const uint64_t program = 160 * kMiB;
  const uint64_t needed = program + 100'000 * (54 + kAnalysisBytesPerEvent);
  EXPECT_TRUE(expect_room_for_analyses(events, {needed}));
  const auto refused = expect_room_for_analyses(events, {needed - 1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnavailable);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("the analysis of 100000 events needs"));
}

}  // namespace
}  // namespace aaco::imports
