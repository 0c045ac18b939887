// SPDX-License-Identifier: MIT
#include "analysis/overlap/copy_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"

namespace aaco {
namespace {

using ::testing::HasSubstr;

TEST(CopyFigures, SavingsAgainstSerialAndIdeal) {
  // serial 15, overlapped 11, products 10, copy 5: 4 of 5 that could be saved.
  const CopyFigures figures =
      copy_figures(CopyDirection::kDeviceToHost, {{15, 11, 10, 5}, {15, 11, 10, 5}, {15, 11, 10, 5}});
  EXPECT_DOUBLE_EQ(figures.saved_ns->value, 4);
  ASSERT_TRUE(figures.saved_ns->interval);
  EXPECT_DOUBLE_EQ(figures.saved_ns->interval->low, 4);
  EXPECT_NEAR(*figures.saved_share, 4.0 / 15, 1e-12);
  EXPECT_NEAR(*figures.ideal_ns, 10, 1e-12);
  EXPECT_NEAR(*figures.ideal_share, 0.8, 1e-12);
  EXPECT_EQ(figures.implausible, "");
}

TEST(CopyFigures, MoreThanTheShorterIsImplausible) {
  EXPECT_THAT(copy_figures(CopyDirection::kPeer, {{20, 10, 9, 5}}).implausible, HasSubstr("more was saved"));
}

TEST(CopyFigures, TooFewProcessesHaveNoInterval) {
  const CopyFigures figures = copy_figures(CopyDirection::kPeer, {{15, 11, 10, 5}, {16, 11, 10, 5}});
  EXPECT_DOUBLE_EQ(figures.saved_ns->value, 4.5);
  EXPECT_FALSE(figures.saved_ns->interval);
}

CopyDocument small_document() {
  CopyDocument document;
  document.version = "1";
  document.bundle = "sessions/one";
  document.created_utc = "2026-01-01T00:00:00Z";
  document.request.directions = {CopyDirection::kDeviceToHost, CopyDirection::kPeer};
  document.request.peer = "cpu:1";
  document.device_name = "a device";
  document.directions = {copy_figures(CopyDirection::kDeviceToHost, {{15, 11, 10, 5}, {16, 11, 10, 5}}),
                         copy_figures(CopyDirection::kPeer, {{20, 10, 9, 5}})};
  document.directions[0].records = CopyRecords{10, 10, 0, 5, 0.5, "engine 1"};
  return document;
}

TEST(CopyDocument, ComesBackFromJson) {
  const Json json = copy_json(small_document());
  const auto read = read_copy_document(json, "here");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(copy_json(*read), json);
}

TEST(CopyDocument, RefusesWhatIsDamaged) {
  const Json json = copy_json(small_document());
  const auto expect_refused = [](const Json& damaged) {
    const auto read = read_copy_document(damaged, "here");
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, HasSubstr("here: not what aaco overlap copy wrote"));
  };
  for (const char* const member : {"kind", "version", "bundle", "request", "device", "directions"}) {
    Json damaged = json;
    damaged.erase(member);
    expect_refused(damaged);
  }
  Json other = json;
  other["directions"][0]["direction"] = "up";
  expect_refused(other);
  other = json;
  other["directions"][0]["process_medians_ns"]["copy"].push_back(1);
  expect_refused(other);
  other = json;
  other["directions"][0]["process_medians_ns"]["copy"][0] = -1;
  expect_refused(other);
  expect_refused(Json::array());
}

}  // namespace
}  // namespace aaco
