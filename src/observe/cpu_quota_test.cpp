// SPDX-License-Identifier: MIT
#include "observe/cpu_quota.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/temporary_folder.h"

namespace aaco {
namespace {

using testing::HasSubstr;

// A machine of which only the control groups are there. What the files hold is made up here.
class CpuQuota : public ::testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    const std::filesystem::path path = folder_.path() / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << "\n";
  }
  void version_2(const std::string& group) {
    write("proc/self/mountinfo", "36 25 0:31 / /cg rw - cgroup2 cgroup2 rw");
    write("proc/self/cgroup", "0::" + group);
  }
  void version_1(const std::string& group) {
    write("proc/self/mountinfo", "36 25 0:31 / /cg rw - cgroup cgroup rw,cpu,cpuacct");
    write("proc/self/cgroup", "4:cpu,cpuacct:" + group);
  }
  QuotaFacts read() const { return read_quota(HostFiles(folder_.path())); }

  TemporaryFolder folder_ = TemporaryFolder::create().value();
};

// 143 - 0 periods, 140 throttled, 7 s: the case of half a processor with a thread that wants a whole one.
TEST_F(CpuQuota, OfVersion2) {
  version_2("/job");
  write("cg/cpu.stat", "usage_usec 9");
  write("cg/job/cpu.max", "50000 100000");
  write("cg/job/cpu.stat",
        "usage_usec 5\nnr_periods 10\nnr_throttled 2\nthrottled_usec 100000\nnr_bursts 0\nburst_usec 0");
  const QuotaFacts before = read();
  write("cg/job/cpu.stat",
        "usage_usec 9\nnr_periods 153\nnr_throttled 142\nthrottled_usec 7100000\nnr_bursts 3\nburst_usec 5");
  const QuotaFacts facts = quota_between(before, read());
  EXPECT_EQ(facts.unavailable, "");
  ASSERT_EQ(facts.groups.size(), 1U);
  EXPECT_EQ(facts.groups[0].limit, "cpu.max is 50000 100000");
  EXPECT_EQ(facts.groups[0].group, "/cg/job");
  EXPECT_DOUBLE_EQ(facts.groups[0].processors, 0.5);
  EXPECT_EQ(facts.groups[0].periods, 143);
  EXPECT_EQ(facts.groups[0].throttled_periods, 140);
  EXPECT_EQ(facts.groups[0].throttled_ns, 7'000'000'000);
  EXPECT_EQ(facts.groups[0].burst_periods, 3);
  EXPECT_FALSE(facts.held_ns) << "no cpu.stat.local, as before Linux 6.6";
}

// Version 1 counts nanoseconds; a burst belongs to the limit.
TEST_F(CpuQuota, OfVersion1WithABurst) {
  version_1("/job");
  write("cg/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0");
  write("cg/job/cpu.cfs_quota_us", "150000");
  write("cg/job/cpu.cfs_period_us", "100000");
  write("cg/job/cpu.cfs_burst_us", "20000");
  write("cg/job/cpu.stat", "nr_periods 4\nnr_throttled 3\nthrottled_time 1234");
  const QuotaFacts facts = read();
  ASSERT_EQ(facts.groups.size(), 1U);
  EXPECT_EQ(facts.groups[0].limit, "cpu.cfs_quota_us is 150000, cpu.cfs_period_us 100000, cpu.cfs_burst_us 20000");
  EXPECT_DOUBLE_EQ(facts.groups[0].processors, 1.5);
  EXPECT_EQ(facts.groups[0].throttled_ns, 1234);
}

// The pod's quota stops the container, whose own group counts nothing but the time it was stopped for.
TEST_F(CpuQuota, OfTheGroupAbove) {
  version_2("/pod/container");
  write("cg/pod/cpu.max", "200000 100000");
  write("cg/pod/cpu.stat", "nr_periods 8\nnr_throttled 6\nthrottled_usec 900");
  write("cg/pod/cpu.stat.local", "throttled_usec 900");
  write("cg/pod/container/cpu.max", "max 100000");
  write("cg/pod/container/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_usec 0");
  write("cg/pod/container/cpu.stat.local", "throttled_usec 450");
  const QuotaFacts facts = read();
  ASSERT_EQ(facts.groups.size(), 1U);
  EXPECT_EQ(facts.groups[0].group, "/cg/pod");
  EXPECT_EQ(facts.groups[0].throttled_periods, 6);
  EXPECT_EQ(facts.held_ns, 450'000) << "of its own processors, not of all of the pod's";
}

// In a container with a name space of its own the pod is not there to be seen; its quota still stops the group.
TEST_F(CpuQuota, OfAGroupThatCannotBeSeen) {
  version_2("/");
  write("cg/cpu.max", "max 100000");
  write("cg/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_usec 0");
  write("cg/cpu.stat.local", "throttled_usec 0");
  const QuotaFacts before = read();
  write("cg/cpu.stat.local", "throttled_usec 70");
  const QuotaFacts facts = quota_between(before, read());
  EXPECT_TRUE(facts.groups.empty());
  EXPECT_EQ(facts.held_ns, 70'000);
}

TEST_F(CpuQuota, WithoutControlGroupsSaysSo) {
  const QuotaFacts facts = quota_between(read(), read());
  EXPECT_EQ(facts.unavailable, "no control group of this process has a cpu.stat");
  EXPECT_TRUE(facts.groups.empty());
}

TEST_F(CpuQuota, AProcessThatWasMovedHasNone) {
  version_2("/a");
  for (const char* group : {"a", "b"}) {
    write(std::string("cg/") + group + "/cpu.max", "50000 100000");
    write(std::string("cg/") + group + "/cpu.stat", "nr_periods 1\nnr_throttled 1\nthrottled_usec 1");
  }
  const QuotaFacts before = read();
  version_2("/b");
  const QuotaFacts facts = quota_between(before, read());
  EXPECT_THAT(facts.unavailable, HasSubstr("moved"));
  EXPECT_TRUE(facts.groups.empty());
}

}  // namespace
}  // namespace aaco
