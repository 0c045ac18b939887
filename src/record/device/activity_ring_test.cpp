// SPDX-License-Identifier: MIT
#include "record/device/activity_ring.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/files/temporary_folder.h"

namespace aaco {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct RingPair {
  TemporaryFolder folder = TemporaryFolder::create().value();
  std::filesystem::path path = folder.path() / "1.ring";
  std::unique_ptr<ActivityRingWriter> writer =
      ActivityRingWriter::create(path, 1, "python3 train.py").value();  // 64 slots
  std::unique_ptr<ActivityRingReader> reader = ActivityRingReader::open(path).value();
  std::vector<std::string> names;
  std::vector<ActivityRecord> records;

  Result<void> read() {
    return reader->read(
        [&](std::string_view name) { names.emplace_back(name); },
        [&](std::span<const ActivityRecord> batch) { records.insert(records.end(), batch.begin(), batch.end()); });
  }
  void write(size_t count, uint32_t name) {
    std::vector<ActivityRecord> batch(count);
    for (size_t i = 0; i < count; ++i) {
      batch[i].name = name;
      batch[i].start_ns = static_cast<int64_t>(++written);
    }
    writer->add(batch);
  }
  size_t written = 0;
};

TEST(ActivityRing, GivesNamesBeforeTheRecordsThatHaveThem) {
  RingPair ring;
  const std::string longer(200, 'k');  // of 3 slots
  EXPECT_EQ(ring.writer->add_name("gemm"), 0U);
  ring.write(2, 0);
  EXPECT_EQ(ring.writer->add_name(longer), 1U);
  ring.write(1, 1);
  ASSERT_TRUE(ring.read());
  EXPECT_THAT(ring.names, ElementsAre("gemm", longer));
  ASSERT_EQ(ring.records.size(), 3U);
  EXPECT_EQ(ring.records[1].start_ns, 2);
  EXPECT_EQ(ring.records[2].name, 1U);
  EXPECT_EQ(ring.reader->page().stored, 3U);
  EXPECT_STREQ(ring.reader->page().program.data(), "python3 train.py");
}

TEST(ActivityRing, IsUsedAgainAndAgain) {
  RingPair ring;
  ring.writer->add_name("gemm");
  for (int round = 0; round < 20; ++round) {
    ring.write(50, 0);
    ASSERT_TRUE(ring.read());
  }
  ASSERT_EQ(ring.records.size(), 1000U);
  for (size_t i = 0; i < ring.records.size(); ++i) {
    ASSERT_EQ(ring.records[i].start_ns, static_cast<int64_t>(i + 1));
  }
  EXPECT_EQ(ring.writer->page().lost, 0U);
}

TEST(ActivityRing, CountsWhatItCannotTakeAndKeepsNamesForLater) {
  RingPair ring;
  ring.writer->add_name("gemm");
  ring.write(100, 0);  // 63 fit beside the name
  EXPECT_EQ(ring.writer->page().stored, 63U);
  EXPECT_EQ(ring.writer->page().lost, 37U);
  EXPECT_EQ(ring.writer->add_name("softmax"), 1U);  // there is no room for it, and so for nothing that follows
  ring.write(1, 1);
  EXPECT_EQ(ring.writer->page().lost, 38U);
  ASSERT_TRUE(ring.read());
  EXPECT_THAT(ring.names, ElementsAre("gemm"));
  ring.write(1, 1);
  ASSERT_TRUE(ring.read());
  EXPECT_THAT(ring.names, ElementsAre("gemm", "softmax"));
  EXPECT_EQ(ring.records.size(), 64U);
  EXPECT_EQ(ring.records.back().name, 1U);
}

TEST(ActivityRing, KeepsSpansForLaterToo) {
  RingPair ring;
  ring.writer->add_name("gemm");
  ring.write(63, 0);  // 64 slots: full
  ring.writer->add_span(5, 9);
  std::vector<int64_t> times;
  const auto read = [&] {
    return ring.reader->read([](std::string_view) {}, [](std::span<const ActivityRecord>) {},
                             [&](int64_t start_ns, int64_t end_ns) { times = {start_ns, end_ns}; });
  };
  ASSERT_TRUE(read());
  EXPECT_TRUE(times.empty());
  ring.write(1, 0);
  ASSERT_TRUE(read());
  EXPECT_THAT(times, ElementsAre(5, 9));
}

TEST(ActivityRing, TellsHowTheCollectorIs) {
  RingPair ring;
  EXPECT_EQ(ring.reader->page().state, RingState::kStarting);
  ring.writer->note(RingState::kOtherProfiler, "another profiler");
  EXPECT_EQ(ring.reader->page().state, RingState::kOtherProfiler);
  EXPECT_STREQ(ring.reader->page().note.data(), "another profiler");
  ring.reader->stop();
  EXPECT_EQ(ring.writer->page().stop, 1U);
}

TEST(ActivityRing, KeepsGapsUntilThereIsNoRoom) {
  RingPair ring;
  const int64_t most = static_cast<int64_t>(ring.reader->page().gaps.size());
  for (int64_t gap = 0; gap <= most; ++gap) {
    ring.writer->add_gap({10 * gap, 10 * gap + 1});
  }
  EXPECT_EQ(ring.reader->page().gap_count, most);
  EXPECT_EQ(ring.reader->page().gaps[0].until_ns, 1);
  EXPECT_EQ(ring.reader->page().gaps.back().from_ns, 10 * (most - 1));
  EXPECT_EQ(ring.reader->page().gaps.back().until_ns, 10 * most + 1);  // widened: what lies between is not claimed
}

TEST(ActivityRing, DoesNotTrustTheFile) {
  RingPair ring;
  ring.writer->add_name("gemm");
  ring.write(1, 3);  // a name that there is not
  const Result<void> read = ring.read();
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("a record"));
  RingPair labelled;
  labelled.writer->add_name("gemm");
  ActivityRecord record;
  record.label = 1;  // likewise, of the second name
  labelled.writer->add({&record, 1});
  EXPECT_FALSE(labelled.read());
  RingPair other;
  other.writer->page().written = 1'000;  // more than there are slots
  EXPECT_FALSE(other.read());
  std::ofstream(other.folder.path() / "2.ring") << "no ring";
  EXPECT_FALSE(ActivityRingReader::open(other.folder.path() / "2.ring"));
  other.writer->page().slots = 1'000'000;  // more than the file holds
  EXPECT_FALSE(ActivityRingReader::open(other.path));
}

TEST(ActivityRing, WithoutAFolderIsAnError) {
  const auto ring = ActivityRingWriter::create("/nowhere/at/all.ring", 1, "");
  ASSERT_FALSE(ring);
  EXPECT_EQ(ring.error().kind, ErrorKind::kResource);
}

}  // namespace
}  // namespace aaco
