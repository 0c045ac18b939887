// SPDX-License-Identifier: MIT
#include "experiment/worker_role.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "base/file.h"
#include "base/temporary_folder.h"

namespace aaco {
namespace {

using testing::HasSubstr;

TEST(WorkerRole, that_the_table_does_not_have_is_an_error_and_measures_nothing) {
  const Result<TemporaryFolder> folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_file_atomically(folder->path() / "plan.json", "{}"));
  const Result<int> ran = run_worker(folder->path() / "plan.json", "mesure", 0);
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(ran.error().message, HasSubstr("mesure"));
  EXPECT_THAT(ran.error().hint, HasSubstr("measure, profile, "));
  EXPECT_FALSE(std::filesystem::exists(folder->path() / "result_mesure_0.json"));
}

TEST(WorkerRole, has_a_name_of_its_own) {
  std::set<std::string> names;
  for (const WorkerRole& role : all_worker_roles()) {
    EXPECT_TRUE(names.insert(role.name).second) << role.name;
  }
}

}  // namespace
}  // namespace aaco
