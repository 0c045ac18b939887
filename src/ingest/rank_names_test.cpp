// SPDX-License-Identifier: MIT
#include "ingest/rank_names.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

class RankNames : public testing::Test {
 protected:
  RankNames() {
    table_.recordings = {{"run-2/host_rank-07.json", "kineto"}, {"run-2/host_rank-12.json", "kineto"}};
    table_.tracks.resize(3);
    table_.tracks[0].rank = 5;
    table_.tracks[1].recording = 1;
    table_.tracks[2].recording = 1;
  }
  EventTable table_;
};

TEST_F(RankNames, AreTheFirstGroup) {
  ASSERT_TRUE(take_ranks_from_names(table_, "rank[-_]([0-9]+)"));
  EXPECT_EQ(table_.tracks[0].rank, 7);
  EXPECT_EQ(table_.tracks[1].rank, 12);
  EXPECT_EQ(table_.tracks[2].rank, 12);
}

TEST_F(RankNames, TakeTheUsualSyntax) {
  for (const char* pattern :
       {R"(rank-(\d+))", R"((?:gpu|rank)-0*(\d+)\.json$)", R"(^run-2/\w+-(\d{1,3})\b)", "_rank-([[:digit:]]+)",
        R"([^/]*?-0?([0-9]+)\.)", R"(\/host\_rank\-(\d\d))", R"(rank-((\d)+))", R"(\x72ank-(\d+))"}) {
    const auto ranks = take_ranks_from_names(table_, pattern);
    ASSERT_TRUE(ranks) << ranks.error().message;
    EXPECT_EQ(table_.tracks[0].rank, 7) << pattern;
    EXPECT_EQ(table_.tracks[1].rank, 12) << pattern;
  }
}

// Each of these takes a backtracking matcher for ever, or its stack.
TEST_F(RankNames, TakeTimeLinearInTheName) {
  table_.recordings = {{std::string(100'000, 'a') + "7.json", "kineto"}, {std::string(200'000, 'a') + "8c", "kineto"}};
  EXPECT_NE(take_ranks_from_names(table_, R"((a*)*(\d+)b)").error().message.find("finds no number"), std::string::npos);
  EXPECT_NE(take_ranks_from_names(table_, R"((a|aa)+$)").error().message.find("finds no number"), std::string::npos);
  ASSERT_TRUE(take_ranks_from_names(table_, R"((?:a*)*(\d)+)"));
  EXPECT_EQ(table_.tracks[0].rank, 7);
  EXPECT_EQ(table_.tracks[2].rank, 8);
}

TEST_F(RankNames, RefuseWhatWouldNotBeLinear) {
  for (const char* pattern : {R"((?=a)(\d+))", R"((?!a)(\d+))", R"((\d)\1)", "(a{1000}){1000}", "(", "[", "(*)"}) {
    const auto ranks = take_ranks_from_names(table_, pattern);
    ASSERT_FALSE(ranks) << pattern;
    EXPECT_NE(ranks.error().message.find("is no regular expression"), std::string::npos) << ranks.error().message;
  }
}

TEST_F(RankNames, SayWhatIsWrong) {
  EXPECT_NE(take_ranks_from_names(table_, "rank(").error().message.find("is no regular expression"), std::string::npos);
  EXPECT_NE(take_ranks_from_names(table_, "rank").error().message.find("no group"), std::string::npos);
  EXPECT_NE(take_ranks_from_names(table_, "rank-(0.)").error().message.find("run-2/host_rank-12.json"),
            std::string::npos);
  EXPECT_NE(take_ranks_from_names(table_, "(host)").error().message.find("finds no number"), std::string::npos);
  EXPECT_EQ(table_.tracks[0].rank, 5);
}

}  // namespace
}  // namespace aaco
