// SPDX-License-Identifier: MIT
#include "record/device/dormant_page.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "base/test_folder.h"

namespace aaco {
namespace {

TEST(DormantPage, WakesWhoSleepsWithEachText) {
  const TestFolder root;
  std::unique_ptr<DormantSleeper> sleeper = DormantSleeper::create(root.path());
  ASSERT_NE(sleeper, nullptr);
  const uint64_t ticks = start_ticks_of(::getpid()).value();
  for (const char* text : {"first", "second, longer", "3"}) {
    std::string heard;
    std::thread thread([&] { heard = sleeper->wait(); });
    EXPECT_TRUE(wake_dormant(::getpid(), ticks, ::geteuid(), text, root.path()));
    thread.join();
    EXPECT_EQ(heard, text);
  }
  sleeper->remove();
  EXPECT_FALSE(wake_dormant(::getpid(), ticks, ::geteuid(), "gone", root.path()));
}

TEST(DormantPage, IsNotWokenForAnotherProcessOfTheSameNumber) {
  const TestFolder root;
  const std::unique_ptr<DormantSleeper> sleeper = DormantSleeper::create(root.path());
  EXPECT_FALSE(wake_dormant(::getpid(), start_ticks_of(::getpid()).value() + 1, ::geteuid(), "text", root.path()));
}

TEST(DormantPage, IsNotMadeWhereOthersMayWrite) {
  const TestFolder root;
  const std::filesystem::path folder = root.path() / ("aaco_dormant_" + std::to_string(::geteuid()));
  ASSERT_EQ(::mkdir(folder.c_str(), 0700), 0);
  ASSERT_EQ(::chmod(folder.c_str(), 0777), 0);
  EXPECT_EQ(DormantSleeper::create(root.path()), nullptr);
}

}  // namespace
}  // namespace aaco
