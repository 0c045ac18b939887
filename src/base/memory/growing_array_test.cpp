// SPDX-License-Identifier: MIT
#include "base/memory/growing_array.h"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <utility>

#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "base/memory/test_spill_plan.h"
#include "base/test_sanitizer.h"
#include "base/test_skip.h"

namespace aaco {
namespace {

TEST(GrowingArray, KeepsWhatWasAppendedAcrossGrowth) {
  GrowingArray<int64_t> values;
  constexpr int64_t kCount = 1'000'000;
  for (int64_t i = 0; i < kCount; ++i) {
    values.push_back(i);
  }
  EXPECT_EQ(values.size(), kCount);
  EXPECT_EQ(values.back(), kCount - 1);
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), int64_t{0}), kCount * (kCount - 1) / 2);
  EXPECT_FALSE(values.in_file());
}

TEST(GrowingArray, AppendsAValueOfItsOwn) {
  GrowingArray<int64_t> values;
  values.push_back(7);
  while (values.size() < 1000) {
    values.push_back(values[0]);  // at each growth the reference would dangle
  }
  EXPECT_EQ(values.back(), 7);
}

TEST(GrowingArray, MovesLeaveAnEmptyOne) {
  GrowingArray<int> first;
  first.push_back(1);
  GrowingArray<int> second(std::move(first));
  EXPECT_EQ(second.view().size(), 1);
  GrowingArray<int> third;
  third = std::move(second);
  EXPECT_EQ(third[0], 1);
}

int64_t peak_resident_kib() {
  struct rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// A growth that copied would hold the old block beside the new one: 192 MiB at the last.
TEST(GrowingArray, HoldsNoTwoCopiesWhileItGrows) {
  if (kThreadSanitizer) {
    AACO_SKIP("the thread sanitizer keeps a shadow of wherever pages have been");
  }
  const auto grow = [] {
    const int64_t before_kib = peak_resident_kib();
    GrowingArray<int64_t> values;
    while (values.size() < size_t{16} << 20) {  // 128 MiB
      values.push_back(1);
    }
    std::exit(peak_resident_kib() - before_kib < 150 * 1024 ? 0 : 1);
  };
  EXPECT_EXIT(grow(), testing::ExitedWithCode(0), "");
}

TEST(GrowingArray, RefusesWhatNoMemoryHolds) {
  GrowingArray<int64_t> values;
  EXPECT_THROW(values.reserve(SIZE_MAX / 4), std::bad_alloc);
  EXPECT_TRUE(values.empty());
}

// All that is resident of files.
int64_t resident_file_mib() {
  const auto status = read_file("/proc/self/status");
  int64_t kib = 0;
  for (const std::string key : {"RssFile:", "RssShmem:"}) {
    const size_t at = status ? status->find(key) : std::string::npos;
    kib += at == std::string::npos ? 0 : std::strtoll(status->c_str() + at + key.size(), nullptr, 10);
  }
  return kib / 1024;
}

class SpilledArray : public testing::Test {
 protected:
  static constexpr uint64_t kMemoryBytes = uint64_t{1} << 20;

  Result<TemporaryFolder> folder_ = TemporaryFolder::create();
  ScopedSpillPlan plan_{{kMemoryBytes, UINT64_MAX, folder_ ? folder_->path() : ""}};
};

TEST_F(SpilledArray, MovesToAFileAtTheLimitAndGrowsOnThere) {
  GrowingArray<int64_t> values;
  constexpr int64_t kCount = 3'000'000;
  for (int64_t i = 0; i < kCount; ++i) {
    values.push_back(i);
    ASSERT_EQ(values.in_file(), values.capacity() * sizeof(int64_t) > kMemoryBytes) << i;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_->path()));  // a file without a name
  for (int64_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(values[i], i);
  }
  GrowingArray<int64_t> moved(std::move(values));
  EXPECT_EQ(moved.back(), kCount - 1);
  EXPECT_TRUE(values.empty());  // NOLINT(bugprone-use-after-move): that is what is tested
  values = std::move(moved);
  values.push_back(kCount);
  EXPECT_EQ(values.back(), kCount);
}

TEST_F(SpilledArray, ArraysShareTheLimit) {
  GrowingArray<char> first;
  first.reserve(kMemoryBytes - 1000);
  EXPECT_FALSE(first.in_file());
  {
    GrowingArray<char> second;
    second.reserve(100'000);
    EXPECT_TRUE(second.in_file());
    GrowingArray<char> small;
    small.reserve(2000);  // not worth a file
    EXPECT_FALSE(small.in_file());
  }
  first = GrowingArray<char>();
  GrowingArray<char> third;
  third.reserve(100'000);
  EXPECT_FALSE(third.in_file());
}

TEST_F(SpilledArray, PagesAreGivenBackAndTheirContentStays) {
  const int64_t before_mib = resident_file_mib();
  ScopedSpillPlan little({kMemoryBytes, static_cast<uint64_t>(before_mib + 16) << 20, folder_->path()});
  GrowingArray<uint64_t> values;
  constexpr size_t kCount = size_t{16} << 20;  // 128 MiB
  for (size_t i = 0; i < kCount; ++i) {
    values.push_back(i * i);
  }
  int64_t now_mib = resident_file_mib();
  for (int wait = 0; wait < 1000 && now_mib > before_mib + 16; ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    now_mib = resident_file_mib();
  }
  EXPECT_LE(now_mib, before_mib + 16);
  for (size_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(values[i], i * i);
  }
}

TEST_F(SpilledArray, WithoutRoomItSaysSoAndKeepsWhatItHas) {
  struct rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto previous = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = size_t{8} << 20;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  GrowingArray<int64_t> values;
  std::string message;
  try {
    while (values.size() < 10'000'000) {
      values.push_back(static_cast<int64_t>(values.size()));
    }
  } catch (const SpillFailed& failed) {
    message = failed.error().message;
    EXPECT_EQ(failed.error().kind, ErrorKind::kResource);
    EXPECT_FALSE(failed.error().hint.empty());
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, previous);
  EXPECT_THAT(message,
              testing::AllOf(testing::HasSubstr(folder_->path().string()), testing::HasSubstr("File too large")));
  EXPECT_GT(values.size(), kMemoryBytes / sizeof(int64_t));
  EXPECT_EQ(values.back(), static_cast<int64_t>(values.size()) - 1);
}

TEST_F(SpilledArray, AFolderThatIsNotThereIsNamed) {
  ScopedSpillPlan nowhere({kMemoryBytes, UINT64_MAX, folder_->path() / "no folder"});
  GrowingArray<char> values;
  try {
    values.reserve(2 * kMemoryBytes);
    ADD_FAILURE() << "it has a file";
  } catch (const SpillFailed& failed) {
    EXPECT_THAT(failed.error().message, testing::HasSubstr("no folder: No such file or directory"));
  }
}

}  // namespace
}  // namespace aaco
