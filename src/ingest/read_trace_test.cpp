// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "base/files/temporary_folder.h"
#include "base/memory/test_spill_plan.h"
#include "ingest/trace_format.h"

namespace aaco {
namespace {

class Shares : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TemporaryFolder::create();
    ASSERT_TRUE(folder);
    folder_ = std::make_unique<TemporaryFolder>(std::move(*folder));
    for (const int events : {1, 50, 2, 3}) {
      std::string text;
      for (int i = 0; i < events; ++i) {
        text += (i > 0 ? "," : "") + std::string(R"({"ph":"X","cat":"kernel","name":"k","ts":1,"dur":1})");
      }
      std::ofstream(folder_->path() / ("r" + std::to_string(events) + ".json")) << "[" + text + "]";
    }
    std::ofstream(folder_->path() / "notes.txt") << "no trace";
    paths_ = {folder_->path()};
  }

  std::unique_ptr<TemporaryFolder> folder_;
  std::vector<std::filesystem::path> paths_;
};

TEST_F(Shares, TogetherAreAllAndApartAreOfOneSize) {
  for (const int64_t count : {1, 2, 3, 4, 6}) {
    std::multiset<std::string> seen;
    std::vector<size_t> events;
    for (int64_t index = 0; index < count; ++index) {
      const auto trace = read_trace(paths_, {index, count});
      ASSERT_TRUE(trace) << trace.error().message;
      events.push_back(trace->events.size());
      EXPECT_EQ(trace->filled_shares, std::min<int64_t>(count, count == 1 ? 1 : 4));
      EXPECT_EQ(trace->files.empty(), index >= std::min<int64_t>(count, 4));
      for (const ReadTrace::File& file : trace->files) {
        seen.insert(file.path.filename().string());
      }
    }
    EXPECT_EQ(seen, (std::multiset<std::string>{"r1.json", "r2.json", "r3.json", "r50.json"})) << count;
    EXPECT_EQ(events[0], count == 1 ? 56 : 50) << count;  // the largest alone, where there is another share
  }
}

// What merely looks like a trace changes nothing of those beside it, whichever is read first.
TEST(ReadTrace, ARefusedFileOfAFolderLeavesNothingBehind) {
  const std::string cut = R"([{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":1},{"ph":"X",)";
  const std::string no_trace =
      R"({"schema":"1","nodes":[{"id":1},{"id":2}],"traceEvents":[{"ph":"X","cat":"kernel"}]})";
  for (const auto& [trace, other] : {std::pair("a.json", "b.json"), {"b.json", "a.json"}}) {
    auto folder = TemporaryFolder::create();
    ASSERT_TRUE(folder);
    std::ofstream(folder->path() / trace) << cut;
    std::ofstream(folder->path() / other) << no_trace;
    const std::vector<std::filesystem::path> paths = {folder->path()};
    const auto both = read_trace(paths);
    ASSERT_TRUE(both) << both.error().message;
    EXPECT_EQ(both->unknown.size(), 1);
    ASSERT_EQ(both->events.losses.entries().size(), 1) << trace;
    EXPECT_EQ(both->events.losses.count(Loss::kTruncated), 1);
    ASSERT_EQ(both->events.recordings.size(), 1);
    EXPECT_EQ(std::filesystem::path(both->events.recordings[0].name).filename(), trace);
    EXPECT_TRUE(both->events.metadata.empty());
  }
}

// A file of 50,000 events, each with a text of its own.
class LongTrace : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(folder_);
    std::ofstream file(path());
    file << '[';
    for (int i = 0; i < kEvents; ++i) {
      file << (i > 0 ? ",\n" : "") << R"({"ph":"X","cat":"kernel","name":"k)" << i % 9 << R"(","ts":)" << 10 * i
           << R"(,"dur":2.5,"pid":0,"tid":)" << i % 3 << R"(,"args":{"text":"of )" << i << R"(","correlation":)" << i
           << "}}";
    }
    file << ']';
  }
  std::filesystem::path path() const { return folder_->path() / "long.json"; }
  Result<ReadTrace> read() const {
    const std::vector<std::filesystem::path> paths = {path()};
    return read_trace(paths);
  }

  static constexpr int kEvents = 50'000;
  Result<TemporaryFolder> folder_ = TemporaryFolder::create();
};

template <class T>
bool same(const GrowingArray<T>& a, const GrowingArray<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

TEST_F(LongTrace, IsTheSameWhereItLiesInFiles) {
  const auto plain = read();
  ASSERT_TRUE(plain) << plain.error().message;
  ASSERT_FALSE(plain->events.start_ns.in_file());
  const ScopedSpillPlan plan({uint64_t{1} << 17, 0, folder_->path()});  // as good as nothing is resident
  const auto spilled = read();
  ASSERT_TRUE(spilled) << spilled.error().message;
  const EventTable& a = plain->events;
  const EventTable& b = spilled->events;
  ASSERT_EQ(b.size(), kEvents);
  EXPECT_TRUE(b.start_ns.in_file());
  EXPECT_TRUE(same(a.start_ns, b.start_ns) && same(a.duration_ns, b.duration_ns) &&
              same(a.correlation, b.correlation) && same(a.external_id, b.external_id) && same(a.name, b.name) &&
              same(a.category, b.category) && same(a.track, b.track) && same(a.kind, b.kind) && same(a.shape, b.shape));
  ASSERT_EQ(a.arguments.end(kEvents - 1), b.arguments.end(kEvents - 1));
  for (size_t i = 0; i < a.arguments.end(kEvents - 1); ++i) {
    const Argument of_a = a.arguments[i];
    const Argument of_b = b.arguments[i];
    ASSERT_TRUE(of_a.key == of_b.key && of_a.type == of_b.type && of_a.bits == of_b.bits) << i;
  }
  ASSERT_EQ(a.strings.size(), b.strings.size());
  for (StringId id = 0; id < a.strings.size(); ++id) {
    ASSERT_EQ(a.strings[id], b.strings[id]);
  }
}

TEST_F(LongTrace, IsRefusedWhereTheDiskIsFull) {
  const ScopedSpillPlan plan({uint64_t{1} << 17, UINT64_MAX, "/dev/full"});  // nothing can be made there
  EXPECT_THROW((void)read(), SpillFailed);
}

}  // namespace
}  // namespace aaco
