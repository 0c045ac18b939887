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
