// SPDX-License-Identifier: MIT
#include "kind/all_kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "kind/test_all_kinds.h"

namespace aaco {
namespace {

using testing::HasSubstr;

TEST(AllKinds, EachHasAnIdOfItsOwnAndAReport) {
  std::set<std::string> ids;
  for (const Kind* kind : all_kinds()) {
    EXPECT_TRUE(ids.insert(kind->traits.id).second) << kind->traits.id << " is there twice";
    EXPECT_NE(kind->report, nullptr) << kind->traits.id;
    EXPECT_EQ(find_kind(SessionKind(kind->traits.id)), kind);
  }
}

TEST(AllKinds, AKindOfANewerVersionIsNamed) {
  OpenSession session;
  session.path = "sessions/d/s";
  session.info.kind = SessionKind("train");
  EXPECT_EQ(find_kind(session.info.kind), nullptr);
  const auto report = build_session_report(session);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(report.error().message, "sessions/d/s: is a session of kind \"train\", which this aaco does not know");
  EXPECT_THAT(report.error().hint, HasSubstr("upgrade aaco"));
}

TEST(WorkerRole, OneThatNoKindHasIsAnErrorAndMeasuresNothing) {
  const Result<TemporaryFolder> folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_file_atomically(folder->path() / "plan.json", "{}"));
  const Result<int> exit_code = run_worker(all_worker_roles(), folder->path() / "plan.json", "mesure", 0);
  ASSERT_FALSE(exit_code);
  EXPECT_EQ(exit_code.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(exit_code.error().message, HasSubstr("mesure"));
  EXPECT_THAT(exit_code.error().hint, HasSubstr("measure, profile, "));
  EXPECT_FALSE(std::filesystem::exists(folder->path() / "result_mesure_0.json"));
}

TEST(WorkerRole, EachHasANameOfItsOwn) {
  std::set<std::string> names;
  for (const WorkerRole& role : all_worker_roles()) {
    EXPECT_TRUE(names.insert(role.name).second) << role.name;
  }
}

}  // namespace
}  // namespace aaco
