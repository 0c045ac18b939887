// SPDX-License-Identifier: MIT
#include "kind/sharded/rank_records.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/files/temporary_folder.h"
#include "record/device/activity_table.h"
#include "record/journal/event_journal.h"

namespace aaco {
namespace {

TEST(RankRecords, PathsAreThoseOfTheOverlappedSteps) {
  ActivityTable sink;
  RankRecords records;
  records.steps = 1;
  records.collectives.emplace_back().name = "all_gather";
  ActivityRecord gather;
  for (const char* kernel : {"ncclSymkDevKernel_AllGather_ST(ncclSymkDevArgs)", "ncclDevKernel_AllGather_RING_LL()"}) {
    gather.name = sink.intern(kernel);
    sink.push({&gather, 1});
    const auto events = events_of_rank(sink.take(), ProgramTarget(), records);
    ASSERT_TRUE(events) << events.error().message;
    ASSERT_EQ(events->size(), 1U);
    EXPECT_EQ(events->strings[events->arguments[0].key], "Collective name");
    EXPECT_EQ(events->text_of(events->arguments[0]), "all_gather");
    ASSERT_EQ(records.paths.size(), 1U);
    EXPECT_EQ(records.paths.front().path, "symmetric");
  }
}

// A captured step's copies are recorded on streams that are not the program's.
TEST(RankRecords, CopiedGathersAreFoundOnOtherStreams) {
  ActivityTable sink;
  RankRecords records;
  records.steps = 1;
  RecordedCollective& gather = records.collectives.emplace_back();
  gather.name = "all_gather";
  gather.members = {0, 1};
  gather.stream = 1;
  gather.bytes = 64;
  std::vector<ActivityRecord> batch(2);
  batch[0] = {10, 15, 1, 77, 64, sink.intern("copy to another device"), 2, 0, ActivityKind::kCopy, kNoName, {}};
  batch[1] = {20, 25, 2, 78, 32, sink.intern("copy within the device"), 2, 0, ActivityKind::kCopy, kNoName, {}};
  sink.push(batch);
  const auto events = events_of_rank(sink.take(), ProgramTarget(), records);
  ASSERT_TRUE(events) << events.error().message;
  EXPECT_EQ(events->strings[events->name[0]], "nccl AllGather by copy engines");
  EXPECT_EQ(records.paths.front().path, "copy_engine");
}

// By start, whatever the order of recording; tracks are the rank's, in the order of their first event.
TEST(RankRecords, EventsAreByStartOnTracksOfTheRank) {
  ActivityTable sink;
  std::vector<ActivityRecord> batch(3);
  batch[0] = {30, 40, 1, 13, 0, sink.intern("gemm"), 2, 0, ActivityKind::kKernel, kNoName, {}};
  batch[1] = {20, 25, 2, 14, 64, sink.intern("copy"), 2, 5, ActivityKind::kCopy, kNoName, {}};
  batch[2] = {10, 12, 1, 77, 0, sink.intern("launch"), 0, 0, ActivityKind::kLaunchCall, kNoName, {}};
  sink.push(batch);
  RankRecords records;
  records.rank = 6;
  const auto events = events_of_rank(sink.take(), ProgramTarget(), records);
  ASSERT_TRUE(events) << events.error().message;
  std::vector<std::string> rows;
  for (size_t i = 0; i < events->size(); ++i) {
    const Track& track = events->tracks[events->track[i]];
    rows.push_back(fmt::format("{} {} {} {} {}", events->start_ns[i], events->strings[events->name[i]],
                               events->strings[track.process], events->strings[track.thread], events->track[i]));
  }
  EXPECT_EQ(rows, (std::vector<std::string>{"10 launch rank 6 thread 77 0", "20 copy rank 6 stream 14 1",
                                            "30 gemm rank 6 stream 13 2"}));
  EXPECT_EQ(events->tracks[0].device, kNoId);
  EXPECT_EQ(events->tracks[1].device, 6);
  EXPECT_EQ(events->arguments.end(1) - events->arguments.begin(1), 2U) << "bytes and the node of the graph";
}

// Two ranks, the second on a node whose clock is 100 ns ahead: one table, by rank, in the session's time.
TEST(RankRecords, JournalsOfAllRanksBecomeOneTable) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  for (const int64_t rank : {0, 1}) {
    RankRecords records;
    records.rank = rank;
    ActivityTable sink;
    ActivityRecord kernel;
    kernel.name = sink.intern("gemm");
    kernel.start_ns = 1000 + rank;
    kernel.end_ns = 1010 + rank;
    sink.push({&kernel, 1});
    auto events = events_of_rank(sink.take(), ProgramTarget(), records);
    ASSERT_TRUE(events) << events.error().message;
    events->losses.add(Loss::kDropped, rank == 1 ? 3 : 0);
    ASSERT_TRUE(write_event_journal(folder->path() / rank_journal_name(StepJournal::kOverlapped, rank), *events));
  }
  const auto events = read_rank_journals(folder->path(), StepJournal::kOverlapped, std::vector<int64_t>{0, 100});
  ASSERT_TRUE(events) << events.error().message;
  ASSERT_EQ(events->size(), 2U);
  EXPECT_EQ(events->start_ns[0], 1000);
  EXPECT_EQ(events->start_ns[1], 901);
  EXPECT_EQ(events->end_ns(1), 911);
  EXPECT_EQ(events->strings[events->name[1]], "gemm");
  EXPECT_EQ(events->tracks[events->track[1]].rank, 1);
  EXPECT_EQ(events->recordings.size(), 1U);
  EXPECT_EQ(events->losses.count(Loss::kDropped), 3U);
  EXPECT_FALSE(read_rank_journals(folder->path(), StepJournal::kOneByOne, std::vector<int64_t>{0}));
}

}  // namespace
}  // namespace aaco
