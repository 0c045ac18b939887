// SPDX-License-Identifier: MIT
#include "observe/telemetry/other_load.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace aaco {

// Of two processors over two seconds 4 s passed; 1.5 s of them busy, of which 1 s is this process's own: others held an
// eighth.
TEST(OtherLoad, ShareOfTheProcessors) {
  const ProcessorTimes before{1'000'000'000, 2, 70'000'000, 10'000'000};
  const ProcessorTimes after{3'000'000'000, 2, 1'570'000'000, 1'010'000'000};
  EXPECT_DOUBLE_EQ(share_of_others(before, after), 0.125);
  EXPECT_EQ(share_of_others(before, before), 0);
  // A clock of ticks may show less than the process used.
  EXPECT_EQ(share_of_others(before, {3'000'000'000, 2, 1'000'000'000, 1'010'000'000}), 0);
}

TEST(OtherLoad, ReadsTheProcessorsAskedFor) {
  const std::filesystem::path root =
      std::filesystem::temp_directory_path() / ("aaco_load_" + std::to_string(::getpid()));
  std::filesystem::create_directories(root / "proc");
  // user nice system idle iowait irq softirq steal guest: guest is within user.
  std::ofstream(root / "proc/stat")
      << "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 1 2 3 1000 500 4 5 6 1 0\ncpu1 7 0 0 9 9 0 0 0 0 0\nintr 5\n";
  const HostFiles host(root);
  const int64_t tick_ns = 1'000'000'000 / ::sysconf(_SC_CLK_TCK);
  ASSERT_TRUE(processor_times(host, {0}));
  EXPECT_EQ(processor_times(host, {0})->busy_ns, 21 * tick_ns);
  EXPECT_EQ(processor_times(host, {})->busy_ns, 28 * tick_ns);
  EXPECT_EQ(processor_times(host, {})->processors, 2);
  EXPECT_FALSE(processor_times(host, {2}));
  std::filesystem::remove_all(root);
  EXPECT_FALSE(processor_times(host, {}));
}

// This process spins on one of the machine's processors: that is its own time, not that of others.
TEST(OtherLoad, OwnTimeIsNotThatOfOthers) {
  const auto before = processor_times(HostFiles(), {});
  ASSERT_TRUE(before);
  auto after = before;
  while (after->at_ns - before->at_ns < 300'000'000) {
    after = processor_times(HostFiles(), {});
    ASSERT_TRUE(after);
  }
  EXPECT_GT(after->own_ns - before->own_ns, 10'000'000);
  ProcessorTimes without_own = *after;
  without_own.own_ns = before->own_ns;
  EXPECT_LE(share_of_others(*before, *after), share_of_others(*before, without_own));
}

}  // namespace aaco
