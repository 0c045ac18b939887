// SPDX-License-Identifier: MIT
#include "cli/overlap/launched_ranks.h"

#include <gtest/gtest.h>
#include <thread>

namespace aaco {
namespace {

std::optional<sharded::RankPlace> rank(int32_t number) {
  sharded::RankPlace place;
  place.rank = number;
  place.local_rank = number;
  place.ranks = 3;
  place.local_ranks = 3;
  return place;
}

// The processes of a launcher have one parent; so have the threads of this one.
int codes_of(const Result<int>& trained) {
  int sum = 0;
  std::vector<std::thread> others;
  std::array<int, 2> codes{};
  for (int32_t other = 1; other <= 2; ++other) {
    others.emplace_back([&, other] {
      const auto code = as_launched(rank(other), {}, 0, [](NodeGroup*) { return Result<int>(99); });
      codes[static_cast<size_t>(other - 1)] = code ? *code : -1;
    });
  }
  const auto led = as_launched(rank(0), {}, 0, [&](NodeGroup*) { return trained; });
  EXPECT_EQ(led.has_value(), trained.has_value());
  for (std::thread& other : others) {
    other.join();
  }
  for (const int code : codes) {
    sum += code;
  }
  return sum;
}

TEST(LaunchedRanks, OthersGiveRankZerosCode) {
  EXPECT_EQ(codes_of(0), 0);
  EXPECT_EQ(codes_of(1), 2);  // nothing of the job before is left
  EXPECT_EQ(codes_of(Error{ErrorKind::kResource, "a rank died", "hint"}), 12);
}

TEST(LaunchedRanks, WithoutALauncherItTrains) {
  EXPECT_EQ(*as_launched(std::nullopt, {}, 0, [](NodeGroup*) { return Result<int>(7); }), 7);
}

}  // namespace
}  // namespace aaco
