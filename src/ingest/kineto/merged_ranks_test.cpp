// SPDX-License-Identifier: MIT
#include "ingest/kineto/merged_ranks.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace aaco {
namespace {

std::string shown(std::string_view process) {
  const RankMark mark = rank_mark(process);
  std::string text;
  for (const RankMark::Part& part : mark.parts) {
    text += std::string(part.dimension) + "=" + std::to_string(part.number) + " ";
  }
  return text + "|" + std::string(mark.process);
}

TEST(RankMark, AsScriptsWriteIt) {
  EXPECT_EQ(shown("[TP01] 500"), "TP=1 |500");
  EXPECT_EQ(shown("[TP01-DP00-PP02] 0"), "TP=1 DP=0 PP=2 |0");
  EXPECT_EQ(shown("rank1 500"), "rank=1 |500");
  EXPECT_EQ(shown("rank_1_500"), "rank=1 |500");
  EXPECT_EQ(shown("Rank 12: 500"), "Rank=12 |500");
  EXPECT_EQ(shown("0 [rank 1]"), "rank=1 |0");
  EXPECT_EQ(shown("500_rank3"), "rank=3 |500");
  EXPECT_EQ(shown("rank7"), "rank=7 |");
}

TEST(RankMark, WhatIsNone) {
  for (const char* process : {"500", "", "python", "[python] 3", "Spans", "GPU 0", "ranking 3", "[TP] 0", "prank 3",
                              "/device:GPU:0", "[99999999999999999999]", "[", "a [TP1] b", "rank1x"}) {
    EXPECT_TRUE(rank_mark(process).parts.empty()) << process;
  }
}

class MergedRanks : public testing::Test {
 protected:
  void host(std::string_view process) { add(process, kNoId, kNoId); }
  void lane(std::string_view process, int64_t device, int64_t stream) { add(process, device, stream); }
  void give(std::optional<int64_t> file_rank = std::nullopt, bool lanes_are_devices = true) {
    give_ranks(strings_, file_rank, lanes_are_devices, tracks_);
  }
  std::vector<int64_t> ranks() const {
    std::vector<int64_t> ranks;
    for (const Track& track : tracks_) {
      ranks.push_back(track.rank);
    }
    return ranks;
  }

  StringTable strings_;
  std::vector<Track> tracks_;

 private:
  void add(std::string_view process, int64_t device, int64_t stream) {
    tracks_.push_back({strings_.intern(process), kEmptyString, kEmptyString, kEmptyString, kNoId, device, stream, 0});
  }
};

using Ranks = std::vector<int64_t>;

TEST_F(MergedRanks, TheMarkIsTheRankOfAllTracksOfItsProcesses) {
  host("[TP00] 500");
  lane("[TP00] 0", 0, 7);
  host("[TP03] 500");
  lane("[TP03] 2", kNoId, 7);
  give(0);
  EXPECT_EQ(ranks(), (Ranks{0, 0, 3, 3}));
  EXPECT_EQ(tracks_[3].device, 2);  // the lane's number is its device's
}

TEST_F(MergedRanks, OfSeveralPartsTheOneThatDiffers) {
  host("[TP00-DP00] 5");
  host("[TP00-DP04] 5");
  give(0);
  EXPECT_EQ(ranks(), (Ranks{0, 4}));
}

TEST_F(MergedRanks, WhereSeveralPartsDifferTheyAreNumbered) {
  host("[TP00-DP00] 5");
  host("[TP01-DP01] 5");
  host("[TP01-DP00] 5");
  give(0);
  EXPECT_EQ(ranks(), (Ranks{0, 2, 1}));
}

TEST_F(MergedRanks, OneMarkAloneTellsNothingApart) {
  host("[TP01] 500");
  host("500");
  give(5);
  EXPECT_EQ(ranks(), (Ranks{5, 5}));
}

TEST_F(MergedRanks, LanesWithoutAMarkAreDevicesOfTheirOwn) {
  lane("0", 0, 7);
  lane("1000", 0, 7);
  lane("1", 1, 7);
  lane("1", 1, 8);
  give();
  EXPECT_EQ(tracks_[0].device, 0);
  EXPECT_EQ(tracks_[1].device, 1000);
  EXPECT_EQ(tracks_[2].device, 1);
  EXPECT_EQ(tracks_[3].device, 1);
}

TEST_F(MergedRanks, LanesOfOneDeviceMayHaveStreamsOfTheirOwn) {
  lane("2", 2, 0);  // copies
  lane("8", 2, 1);  // kernels
  give();
  EXPECT_EQ(tracks_[1].device, 2);
  lane("8", 2, 0);
  give(std::nullopt, false);  // rocprof's lanes are no devices
  EXPECT_EQ(tracks_[2].device, 2);
}

}  // namespace
}  // namespace aaco
