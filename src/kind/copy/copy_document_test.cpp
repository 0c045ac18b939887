// SPDX-License-Identifier: MIT
#include "kind/copy/copy_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"
#include "kind/copy/copy_metrics.h"

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

// Serial 15, products 10, copy 5. Beside each other in 16, more than one after the other; in 9, less than the products.
TEST(CopyFigures, AShareBeyondBothEndsHasAReason) {
  const CopyFigures slower = copy_figures(CopyDirection::kPeer, {{15, 16, 10, 5}});
  EXPECT_FALSE(slower.ideal_share);
  EXPECT_EQ(slower.no_ideal_share, "beside each other they take longer than one after the other: -20.0 %");
  const CopyFigures faster = copy_figures(CopyDirection::kPeer, {{15, 9, 10, 5}});
  EXPECT_FALSE(faster.ideal_share);
  EXPECT_EQ(faster.no_ideal_share, "beside each other they take less than the longer of both alone: 120.0 %");
  EXPECT_EQ(copy_figures(CopyDirection::kPeer, {{15, 10, 10, 5}}).ideal_share, 1);
}

// Shares of 0.8, 1.2 and 1.2 of three processes: 1.067 with 0.574 to each side (deviation 0.2309, Student's 4.3027).
TEST(CopyFigures, AShareWithinTheNoiseOfAllSaysSo) {
  const CopyFigures figures = copy_figures(CopyDirection::kPeer, {{15, 11, 10, 5}, {15, 9, 10, 5}, {30, 18, 20, 10}});
  EXPECT_FALSE(figures.ideal_share);
  EXPECT_EQ(figures.no_ideal_share, "all of it, as far as processes differ: 49.3 to 164.0 %");
}

TEST(CopyFigures, WhereTheClocksDifferedThereIsNoShare) {
  const auto states_at = [](double serial, double overlapped, double products) {
    return std::vector<CopyStates>{
        {CopyState{serial, 300}, CopyState{overlapped, 300}, CopyState{products, 300}, CopyState{500, 100}}};
  };
  const std::vector<CopyTimes> times{{15, 11, 10, 5}};
  EXPECT_TRUE(copy_figures(CopyDirection::kPeer, times, states_at(1980, 1950, 1980)).ideal_share);
  const CopyFigures figures = copy_figures(CopyDirection::kPeer, times, states_at(1980, 1755, 1980));
  EXPECT_FALSE(figures.ideal_share);
  EXPECT_EQ(figures.no_ideal_share, "the clocks differed: 1755 MHz overlapped, 1980 MHz products");
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
  const CopyStates states{CopyState{1980, 300}, CopyState{1980, 310}, CopyState{}, CopyState{}};
  document.directions = {
      copy_figures(CopyDirection::kDeviceToHost, {{15, 11, 10, 5}, {16, 11, 10, 5}}, {states, states}),
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

// A copy that a kernel did, say: that none of it was hidden was not measured.
TEST(CopyDocument, WithoutARecordOfACopyNothingIsSaidOfItsTime) {
  CopyDocument document = small_document();
  document.directions[0].records = CopyRecords{10, 0, 0, std::nullopt, std::nullopt, "a kernel: copy"};
  const Json json = copy_json(document);
  EXPECT_TRUE(json["directions"][0]["records"]["hidden"].is_null());
  EXPECT_TRUE(json["directions"][0]["records"]["copy_ns"].is_null());
  Json earlier = json;
  earlier["directions"][0]["records"]["hidden"] = 0.0;
  earlier["directions"][0]["records"]["copy_ns"] = 0.0;
  const auto read = read_copy_document(earlier, "here");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(copy_json(*read), json);
  const std::vector<MetricRow> rows = copy_metrics(*read);
  const auto expect_none = [&](const char* id, const std::string& why) {
    const MetricRow* const row = find_row(rows, id);
    ASSERT_NE(row, nullptr) << id;
    EXPECT_FALSE(row->figure.value);
    EXPECT_THAT(quality_text(row->figure.quality), HasSubstr(why));
  };
  expect_none("d2h.copy_hidden", "there is no record of a copy of that size");
  expect_none("peer.copy_hidden", "nothing was recorded");
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
