// SPDX-License-Identifier: MIT
#include "kind/sweep/document/sweep_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"

namespace aaco {
namespace {

using testing::HasSubstr;

constexpr SweepForm kForm{"a_sweep", "aaco a sweep", "points"};

TEST(SweepDocument, HeadComesBackFromJson) {
  Json json = sweep_json(kForm, {"1.0", "2026-01-01T00:00:00Z", "sessions/one"});
  json["points"] = Json::array();
  SweepHead head;
  ASSERT_TRUE(read_sweep_head(json, kForm, "here", head));
  EXPECT_EQ(head.version, "1.0");
  EXPECT_EQ(head.created_utc, "2026-01-01T00:00:00Z");
  EXPECT_EQ(head.bundle, "sessions/one");
  EXPECT_EQ(json["kind"], "a_sweep");
}

TEST(SweepDocument, RefusesAnotherKindAndWhatIsDamaged) {
  const Json whole = {
      {"kind", "a_sweep"}, {"version", "1"}, {"created_utc", "now"}, {"bundle", "b"}, {"points", Json::array()}};
  const auto refused = [](const Json& json, const char* what) {
    SweepHead head;
    const auto read = read_sweep_head(json, kForm, "here", head);
    ASSERT_FALSE(read) << json;
    EXPECT_EQ(read.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(read.error().message, testing::AllOf(HasSubstr("here: not what aaco a sweep wrote"), HasSubstr(what)));
    EXPECT_THAT(read.error().hint, HasSubstr("again with aaco a sweep"));
  };
  for (const auto& [key, value, what] :
       {std::tuple{"kind", Json("queue_sweep"), "another kind"}, std::tuple{"points", Json(7), "no list \"points\""},
        std::tuple{"version", Json(1), "number"}, std::tuple{"bundle", Json(), "null"},
        std::tuple{"created_utc", Json(3), "number"}}) {
    Json changed = whole;
    changed[key] = value;
    refused(changed, what);
    changed.erase(key);
    refused(changed, "");
  }
  refused(Json::array(), "another kind");
  refused(Json(), "another kind");
}

TEST(SweepDocument, OfTheFirstVersionIsReadWithoutItsHead) {
  SweepForm form = kForm;
  form.was_bare = true;
  SweepHead head;
  ASSERT_TRUE(read_sweep_head({{"bundle", "b"}, {"points", Json::array()}}, form, "here", head));
  EXPECT_EQ(head.bundle, "b");
  EXPECT_EQ(head.version, "");
  EXPECT_FALSE(read_sweep_head({{"kind", "queue_sweep"}, {"points", Json::array()}}, form, "here", head));
  EXPECT_FALSE(read_sweep_head({{"bundle", 3}, {"points", Json::array()}}, form, "here", head));
  EXPECT_FALSE(read_sweep_head(Json::array(), form, "here", head));
}

}  // namespace
}  // namespace aaco
