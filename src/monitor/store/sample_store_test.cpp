// SPDX-License-Identifier: MIT
#include "monitor/store/sample_store.h"

#include <fstream>
#include <gtest/gtest.h>
#include <set>

#include "base/clock.h"
#include "base/test_folder.h"
#include "base/test_skip.h"
#include "monitor/store/stretch_name.h"
#include "session/parquet/parquet.h"

namespace aaco {
namespace {

namespace fs = std::filesystem;
constexpr int64_t kHourNs = 3'600'000'000'000;
constexpr int64_t kDayNs = 24 * kHourNs;

SampleRows rows(double watts) {
  SampleRows rows;
  GpuSampleRow gpu;
  gpu.t_ns = monotonic_ns();
  gpu.device = "0000:1b:00.0";
  gpu.vendor = gpu_vendor::kNvidia;
  gpu.power_w = watts;
  rows.gpus.push_back(gpu);
  return rows;
}

std::set<std::string> names(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.insert(entry.path().filename());
  }
  return names;
}

std::vector<double> watts(const fs::path& file) {
  uint64_t left = kMaxUnpackedBytes;
  const auto samples = read_parquet_rows<GpuSampleRow>(file, left);
  EXPECT_TRUE(samples) << samples.error().message;
  std::vector<double> watts;
  for (const GpuSampleRow& row : samples ? *samples : std::vector<GpuSampleRow>()) {
    watts.push_back(row.power_w.value());
    EXPECT_LT(std::abs(row.t_ns - wall_clock_ns()), kHourNs);
  }
  return watts;
}

StoreOptions in(const fs::path& folder) {
  StoreOptions options;
  options.folder = folder;
  options.rotate_ns = 1000 * kDayNs;  // no test runs over the end of one
  return options;
}

TEST(SampleStore, AFileGrowsUntilItsStretchIsOver) {
  const TestFolder folder;
  auto store = SampleStore::start(in(folder.path() / "new" / "store"));
  ASSERT_TRUE(store) << store.error().message;
  (*store)->take(rows(1));
  (*store)->write(wall_clock_ns());
  (*store)->take(rows(2));
  (*store)->write(wall_clock_ns());
  const auto before = names(folder.path() / "new" / "store");
  ASSERT_EQ(before.size(), 1U);
  EXPECT_EQ(watts(folder.path() / "new" / "store" / *before.begin()), (std::vector<double>{1, 2}));
  (*store)->write(wall_clock_ns() + 1000 * kDayNs);
  (*store)->take(rows(3));
  (*store)->stop();
  EXPECT_EQ(names(folder.path() / "new" / "store").size(), 2U);
  EXPECT_EQ((*store)->counts().written_files, 2);
  EXPECT_EQ((*store)->counts().failed_writes, 0);
}

TEST(SampleStore, TwoMonitorsInASecondKeepBoth) {
  const TestFolder folder;
  for (int i = 0; i < 3; ++i) {
    auto store = SampleStore::start(in(folder.path()));
    ASSERT_TRUE(store) << store.error().message;
    (*store)->take(rows(i));
    (*store)->stop();
  }
  EXPECT_EQ(names(folder.path()).size(), 3U);
}

TEST(SampleStore, RemovesWhatIsOldAndIsItsOwn) {
  const TestFolder folder;
  StoreOptions options = in(folder.path());
  options.rotate_ns = kHourNs;
  options.keep_ns = 7 * kDayNs;
  const int64_t now = wall_clock_ns();
  const std::string old = stretch_name("gpu_samples", now - 7 * kDayNs - 2 * kHourNs, 0);
  const std::string young = stretch_name("gpu_samples", now - 7 * kDayNs, 0);
  const std::string foreign = "mine-20200101T000000Z.parquet";
  for (const std::string& name : {old, young, foreign, std::string("gpu_samples-20200101T000000Z.parquet.txt"),
                                  std::string("gpu_samples-notes.parquet")}) {
    std::ofstream(folder.path() / name) << "x";
  }
  const std::string link = stretch_name("gpu_samples", now - 9 * kDayNs, 0);
  const std::string inner = stretch_name("gpu_samples", now - 10 * kDayNs, 0);
  fs::create_symlink(foreign, folder.path() / link);
  fs::create_directory(folder.path() / inner);
  auto store = SampleStore::start(options);
  ASSERT_TRUE(store);
  (*store)->write(now);
  (*store)->stop();
  EXPECT_EQ(names(folder.path()),
            (std::set<std::string>{young, foreign, link, inner, "gpu_samples-20200101T000000Z.parquet.txt",
                                   "gpu_samples-notes.parquet"}));
}

TEST(SampleStore, AFullDiskIsSaidAndSurvived) {
  const TestFolder folder;
  const SmallDisk disk(folder.path() / "disk", "64k");
  if (!disk.mounted()) {
    AACO_SKIP("mounting a small disk needs root");
  }
  auto store = SampleStore::start(in(disk.path()));
  ASSERT_TRUE(store) << store.error().message;
  std::ofstream filling(disk.path() / "filling");
  filling << std::string(1'000'000, 'x') << std::flush;
  (*store)->take(rows(1));
  (*store)->write(wall_clock_ns());
  EXPECT_EQ((*store)->counts().failed_writes, 1);
  EXPECT_NE((*store)->counts().last_failure.find("No space left"), std::string::npos)
      << (*store)->counts().last_failure;
  filling.close();
  fs::remove(disk.path() / "filling");
  (*store)->take(rows(2));
  (*store)->write(wall_clock_ns());
  EXPECT_EQ((*store)->counts().last_failure, "");
  EXPECT_EQ((*store)->counts().lost_rows, 0);
  ASSERT_EQ(names(disk.path()).size(), 1U);
  EXPECT_EQ(watts(disk.path() / *names(disk.path()).begin()), (std::vector<double>{1, 2}));
  (*store)->stop();
}

TEST(SampleStore, MemoryIsBoundedWhereTheDiskStaysFull) {
  const TestFolder folder;
  StoreOptions options = in(folder.path());
  options.most_rows = 10;
  auto store = SampleStore::start(options);
  ASSERT_TRUE(store);
  for (int i = 0; i < 25; ++i) {
    (*store)->take(rows(i));
  }
  EXPECT_EQ((*store)->counts().lost_rows, 15);
  (*store)->stop();
}

TEST(SampleStore, AFolderThatCannotBeMadeIsAnError) {
  EXPECT_EQ(SampleStore::start(in("/proc/no/folder")).error().kind, ErrorKind::kResource);
}

TEST(StretchName, GoesBothWays) {
  const int64_t ns = 1'795'831'200'000'000'000;  // 2026-11-28T02:00:00Z
  EXPECT_EQ(stretch_name("a", ns, 0), "a-20261128T020000Z.parquet");
  EXPECT_EQ(stretch_name("a", ns, 2), "a-20261128T020000Z-2.parquet");
  EXPECT_EQ(stretch_start_ns("a-20261128T020000Z.parquet", {"a"}), ns);
  EXPECT_EQ(stretch_start_ns("a-20261128T020000Z-2.parquet", {"b", "a"}), ns);
  for (const char* name : {"a-20261128T020000Z.parquet2", "a-20261328T020000Z.parquet", "a-20261128T020000Z-.parquet",
                           "a-20261128T020000Z-x.parquet", "ab-20261128T020000Z.parquet", "a-20261128T020000Z"}) {
    EXPECT_EQ(stretch_start_ns(name, {"a"}), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace aaco
