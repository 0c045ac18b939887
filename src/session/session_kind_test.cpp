// SPDX-License-Identifier: MIT
#include "session/session_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "base/json/json.h"
#include "session/session_info.h"
#include "session/test_kinds.h"

namespace aaco {
namespace {

TEST(SessionKind, EachOfTheTableIsParsedToItself) {
  std::set<std::string> ids;
  for (const SessionKindTraits* traits : session_kinds()) {
    const SessionKind kind{std::string_view(traits->id)};
    EXPECT_TRUE(kind.is_known());
    EXPECT_EQ(&kind.traits(), traits);
    EXPECT_EQ(Json(kind), Json(traits->id));
    EXPECT_TRUE(ids.insert(traits->id).second) << traits->id << " is there twice";
  }
}

TEST(SessionKind, OneOfANewerVersionKeepsItsWord) {
  const auto kind = Json("train").get<SessionKind>();
  EXPECT_FALSE(kind.is_known());
  EXPECT_EQ(kind.word(), "train");
  EXPECT_EQ(Json(kind), Json("train"));
  EXPECT_FALSE(kind == SessionKind(test_kind::kMeasured));
}

// What is not known to have iterations is not damaged without them.
TEST(SessionKind, OnlyAKnownKindNeedsIterations) {
  SessionInfo info;
  info.status = SessionStatus::kComplete;
  info.kind = test_kind::kMeasured;
  EXPECT_TRUE(needs_iterations(info));
  info.kind = SessionKind("train");
  EXPECT_FALSE(needs_iterations(info));
  info.kind = test_kind::kFiles;
  EXPECT_FALSE(needs_iterations(info));
}

TEST(SessionKind, AProbeNeedsNoModelToBeNamed) {
  SessionInfo info;
  info.kind = test_kind::kNamed;
  EXPECT_EQ(subject_of(info), "probe");
  info.facts.model_name = "moe";
  EXPECT_EQ(subject_of(info), "moe");
}

}  // namespace
}  // namespace aaco
