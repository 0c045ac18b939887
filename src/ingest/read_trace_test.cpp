// SPDX-License-Identifier: MIT
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
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

}  // namespace
}  // namespace aaco
