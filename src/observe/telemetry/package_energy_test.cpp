// SPDX-License-Identifier: MIT
#include "observe/telemetry/package_energy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/files/temporary_folder.h"

namespace aaco {
namespace {

class PackageEnergyTest : public testing::Test {
 protected:
  void zone(const std::string& zone, const char* name, int64_t energy_uj) {
    const auto folder = root_->path() / "sys/class/powercap" / zone;
    ASSERT_TRUE(make_folders(folder));
    ASSERT_TRUE(write_file_atomically(folder / "name", std::string(name) + "\n"));
    ASSERT_TRUE(write_file_atomically(folder / "max_energy_range_uj", "262143328850\n"));
    set(zone, energy_uj);
  }
  void set(const std::string& zone, int64_t energy_uj) {
    ASSERT_TRUE(write_file_atomically(root_->path() / "sys/class/powercap" / zone / "energy_uj",
                                      std::to_string(energy_uj) + "\n"));
  }
  HostFiles host() const { return HostFiles(root_->path()); }

  Result<TemporaryFolder> root_ = TemporaryFolder::create();
};

TEST_F(PackageEnergyTest, IsTheSumOfThePackages) {
  zone("intel-rapl:0", "package-0", 1'000'000);
  zone("intel-rapl:0:0", "core", 500'000);
  zone("intel-rapl:1", "package-1", 7'000'000);
  zone("intel-rapl:2", "psys", 9'000'000);
  const auto energy = PackageEnergy::start(host());
  ASSERT_TRUE(energy) << energy.error().message;
  set("intel-rapl:0", 3'500'000);
  set("intel-rapl:0:0", 90'000'000);
  set("intel-rapl:1", 8'000'000);
  set("intel-rapl:2", 90'000'000);
  const auto joules = energy->joules(1);
  ASSERT_TRUE(joules);
  EXPECT_DOUBLE_EQ(*joules, 3.5);
}

TEST_F(PackageEnergyTest, ACounterGoesRound) {
  zone("intel-rapl:0", "package-0", 262'143'000'000);
  const auto energy = PackageEnergy::start(host());
  ASSERT_TRUE(energy);
  set("intel-rapl:0", 671'150);
  const auto round = energy->joules(1);
  ASSERT_TRUE(round);
  EXPECT_DOUBLE_EQ(*round, 1.0);
  const auto late = energy->joules(200);
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error().message, testing::HasSubstr("may have gone round more than once"));
}

TEST_F(PackageEnergyTest, WhereThereIsNoneThereIsAReason) {
  const auto none = PackageEnergy::start(host());
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, testing::HasSubstr("there is no energy counter"));
  zone("intel-rapl:0", "package-0", 5);
  const auto energy = PackageEnergy::start(host());
  ASSERT_TRUE(energy);
  ASSERT_TRUE(std::filesystem::remove(root_->path() / "sys/class/powercap/intel-rapl:0/energy_uj"));
  EXPECT_THAT(energy->joules(1).error().message, testing::HasSubstr("energy_uj cannot be read"));
  EXPECT_THAT(PackageEnergy::start(host()).error().message, testing::HasSubstr("energy_uj cannot be read"));
}

TEST_F(PackageEnergyTest, next_counts_from_the_previous_one) {
  zone("intel-rapl:0", "package-0", 1'000'000);
  auto energy = PackageEnergy::start(host());
  ASSERT_TRUE(energy);
  set("intel-rapl:0", 3'000'000);
  EXPECT_DOUBLE_EQ(*energy->next(1), 2);
  set("intel-rapl:0", 3'500'000);
  EXPECT_DOUBLE_EQ(*energy->next(1), 0.5);
  set("intel-rapl:0", 4'000'000);
  EXPECT_FALSE(energy->next(1'000));  // it may have gone round
  set("intel-rapl:0", 4'250'000);
  EXPECT_DOUBLE_EQ(*energy->next(1), 0.25);
}

}  // namespace
}  // namespace aaco
