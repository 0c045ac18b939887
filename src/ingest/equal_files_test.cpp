// SPDX-License-Identifier: MIT
#include "ingest/equal_files.h"

#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/files/temporary_folder.h"
#include "ingest/trace_format.h"

namespace aaco {
namespace {

namespace fs = std::filesystem;

class EqualFilesOfAFolder : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(folder_); }
  fs::path write(const char* name, const std::string& text) const {
    fs::create_directories((folder_->path() / name).parent_path());
    std::ofstream(folder_->path() / name, std::ios::binary) << text;
    return folder_->path() / name;
  }
  static size_t events(const std::vector<fs::path>& paths, uint64_t equal, ReadShare share = {}) {
    const auto trace = read_trace(paths, share);
    EXPECT_TRUE(trace) << trace.error().message;
    EXPECT_EQ(trace->events.losses.count(Loss::kSameFile), equal);
    return trace->events.size();
  }

  Result<TemporaryFolder> folder_ = TemporaryFolder::create();
};

std::string trace_of(int events, const std::string& name) {
  std::string text;
  for (int i = 0; i < events; ++i) {
    text += (i > 0 ? "," : "") + std::string(R"({"ph":"X","cat":"kernel","name":")") + name + R"(","ts":)" +
            std::to_string(10 * i) + R"(,"dur":1})";
  }
  return "[" + text + "]";
}

std::string utf16_of(const std::string& text) {
  std::string bytes = "\xFF\xFE";
  for (const char c : text) {
    bytes += c;
    bytes += '\0';
  }
  return bytes;
}

TEST_F(EqualFilesOfAFolder, ACopyIsReadOnceAndNamed) {
  const fs::path first = write("a.json", trace_of(3, "k"));
  const fs::path copy = write("b/copy.json", trace_of(3, "k"));
  const fs::path wide = write("c.json", utf16_of(trace_of(3, "k")));
  write("d.json", trace_of(3, "l"));
  const auto trace = read_trace(std::vector<fs::path>{folder_->path()});
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->events.size(), 6);
  ASSERT_EQ(trace->files.size(), 2);
  EXPECT_EQ(trace->files[0].path, first);
  ASSERT_EQ(trace->events.losses.entries().size(), 1);
  EXPECT_EQ(trace->events.losses.count(Loss::kSameFile), 2);
  EXPECT_EQ(trace->events.losses.entries()[0].example, copy.string() + ": as " + first.string());
  EXPECT_FALSE(trace->events.losses.in_part());
  EXPECT_EQ(events({first, copy, wide, folder_->path()}, 5), 6);
}

TEST_F(EqualFilesOfAFolder, TheSameFileByAnyName) {
  const fs::path file = write("a.json", trace_of(3, "k"));
  fs::create_hard_link(file, folder_->path() / "hard.json");
  fs::create_symlink(file, folder_->path() / "soft.json");
  EXPECT_EQ(events({file, file}, 1), 3);
  EXPECT_EQ(events({file, folder_->path() / "soft.json", folder_->path() / "hard.json"}, 2), 3);
  EXPECT_EQ(events({folder_->path() / ".." / folder_->path().filename() / "a.json", file}, 1), 3);
}

// They begin alike for longer than what is looked at first.
TEST_F(EqualFilesOfAFolder, FilesThatBeginAlikeAreNotEqual) {
  const std::string text = trace_of(2000, "k");
  ASSERT_GT(text.size(), size_t{1} << 16);
  std::string other = text;
  other[text.rfind("\"k\"") + 1] = 'l';
  const fs::path first = write("a.json", text);
  const fs::path second = write("b.json", other);
  const fs::path longer = write("c.json", text + "\n");
  EXPECT_EQ(events({first, second, longer}, 0), 6000);
  EXPECT_EQ(events({first, second, write("d.json", other)}, 1), 4000);
}

// rocprofv3 writes several files for each process: the same list of agents belongs to each.
TEST_F(EqualFilesOfAFolder, FilesThatDescribeARecordingAreReadForEach) {
  const std::string agents =
      "\"Node_Id\",\"Logical_Node_Id\",\"Agent_Type\",\"Name\"\n0,0,\"CPU\",\"cpu\"\n1,1,\"GPU\",\"gfx942\"\n";
  const auto kernels = [](int start) {
    return "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_Id\",\"Kernel_Name\","
           "\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n\"KERNEL_DISPATCH\",\"Agent "
           "1\",1,1,1,1,\"k\",1," +
           std::to_string(start) + "," + std::to_string(start + 50) + "\n";
  };
  write("1_agent_info.csv", agents);
  write("1_kernel_trace.csv", kernels(1000));
  write("2_agent_info.csv", agents);
  write("2_kernel_trace.csv", kernels(2000));
  EXPECT_EQ(events({folder_->path()}, 0), 6);
  write("copy/1_kernel_trace.csv", kernels(1000));
  EXPECT_EQ(events({folder_->path()}, 1), 6);
  write("3_kernel_trace.csv", kernels(1000));  // of another process
  EXPECT_EQ(events({folder_->path()}, 1), 7);
}

TEST_F(EqualFilesOfAFolder, OfSharesOneReadsIt) {
  for (const char* name : {"a.json", "b.json", "c.json"}) {
    write(name, trace_of(3, "k"));
  }
  write("d.json", trace_of(3, "l"));
  EXPECT_EQ(events({folder_->path()}, 2, {0, 2}) + events({folder_->path()}, 0, {1, 2}), 6);
}

// Of jobs: each file names the moment that its times count from.
class BaseTimes : public EqualFilesOfAFolder {
 protected:
  fs::path write_based(const char* name, const std::string& base) const {
    return write(name, "{" + (base.empty() ? "" : "\"baseTimeNanoseconds\":" + base + ",") +
                           "\"traceEvents\":" + trace_of(2, name) + "}");
  }
};

TEST_F(BaseTimes, PutFilesOnOneClock) {
  const std::vector<fs::path> paths = {write_based("a", "1700000002000000000"), write_based("b", "1700000000000000000"),
                                       write_based("c", "\"1700000000000000500\"")};
  const auto trace = read_trace(paths);
  ASSERT_TRUE(trace) << trace.error().message;
  const EventTable& events = trace->events;
  ASSERT_EQ(events.size(), 6);
  EXPECT_EQ(events.start_ns[0], 2'000'000'000);
  EXPECT_EQ(events.start_ns[1], 2'000'010'000);
  EXPECT_EQ(events.duration_ns[1], 1000);
  EXPECT_EQ(events.start_ns[2], 0);
  EXPECT_EQ(events.start_ns[4], 500);
  for (const TraceMetadata& each : events.metadata) {
    EXPECT_EQ(events.strings[each.value], "1700000000000000000");
  }
  EXPECT_TRUE(events.losses.entries().empty());
}

TEST_F(BaseTimes, OfOneFileOrOfEqualOnesChangeNothing) {
  const std::vector<fs::path> single = {write_based("a", "1700000002000000000")};
  EXPECT_EQ(read_trace(single)->events.start_ns[1], 10'000);
  const std::vector<fs::path> two = {single[0], write_based("b", "1700000002000000000")};
  EXPECT_EQ(read_trace(two)->events.start_ns[3], 10'000);
}

TEST_F(BaseTimes, AFileWithoutOneIsSaid) {
  const std::vector<fs::path> paths = {write_based("a", "1700000002000000000"), write_based("b", "")};
  const auto trace = read_trace(paths);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->events.start_ns[3], 10'000);
  ASSERT_EQ(trace->events.losses.entries().size(), 1);
  EXPECT_EQ(trace->events.losses.count(Loss::kNoBaseTime), 1);
  EXPECT_EQ(trace->events.losses.entries()[0].example, paths[1].string());
}

TEST_F(BaseTimes, TooFarApartAreNotUsed) {
  const auto trace = read_trace(std::vector<fs::path>{write_based("a", "0"), write_based("b", "1700000002000000000"),
                                                      write_based("c", "9223372036854775807")});
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->events.start_ns[3], 10'000);
  EXPECT_EQ(trace->events.losses.count(Loss::kNoBaseTime), 1);
}

}  // namespace
}  // namespace aaco
