// SPDX-License-Identifier: MIT
#include "kind/training/worker/processor_power.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/files/temporary_folder.h"

namespace aaco {
namespace {

TEST(ProcessorPower, IsEnergyOverTime) {
  const auto root = TemporaryFolder::create();
  ASSERT_TRUE(root);
  const auto zone = root->path() / "sys/class/powercap/intel-rapl:0";
  ASSERT_TRUE(make_folders(zone));
  ASSERT_TRUE(write_file_atomically(zone / "name", "package-0\n"));
  ASSERT_TRUE(write_file_atomically(zone / "max_energy_range_uj", "262143328850\n"));
  ASSERT_TRUE(write_file_atomically(zone / "energy_uj", "1000000\n"));
  ProcessorPower power{HostFiles(root->path())};
  EXPECT_EQ(power.stop(1).unavailable, "energy was not counted");
  power.start();
  EXPECT_EQ(power.stop(2).unavailable, "the steps were shorter than an energy counter can tell");
  ASSERT_TRUE(write_file_atomically(zone / "energy_uj", "161000000\n"));
  const TrainingPower measured = power.stop(2);
  EXPECT_EQ(measured.mean_w, 80);
  EXPECT_EQ(measured.source, "processor packages, RAPL");
  EXPECT_EQ(measured.unavailable, "");
}

TEST(ProcessorPower, WithoutCountersIsUnknown) {
  const auto root = TemporaryFolder::create();
  ASSERT_TRUE(root);
  ProcessorPower power{HostFiles(root->path())};
  power.start();
  const TrainingPower none = power.stop(2);
  EXPECT_FALSE(none.mean_w);
  EXPECT_THAT(none.unavailable, testing::HasSubstr("there is no energy counter"));
}

}  // namespace
}  // namespace aaco
