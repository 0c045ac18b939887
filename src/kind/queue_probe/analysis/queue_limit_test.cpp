// SPDX-License-Identifier: MIT
// The number of queues, against votes made from a number that is known.
#include "kind/queue_probe/analysis/queue_limit.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

std::vector<LimitProbe> votes_of(int32_t queues, int32_t most_busy, int repeats = 5) {
  std::vector<LimitProbe> votes;
  for (int32_t busy = 1; busy <= most_busy; ++busy) {
    for (int i = 0; i < repeats; ++i) {
      votes.push_back({busy, busy >= queues ? ProbeVote::kWaited : ProbeVote::kRan});
    }
  }
  return votes;
}

TEST(QueueLimit, IsTheFirstCountAtWhichAKernelWaits) {
  for (const int32_t queues : {1, 2, 8, 32}) {
    const QueueLimit limit = queue_limit(votes_of(queues, 40));
    EXPECT_EQ(limit.queues, queues);
    EXPECT_EQ(limit.reason, "");
  }
}

TEST(QueueLimit, NoneThatWaitsIsMoreThanWasTried) {
  const QueueLimit limit = queue_limit(votes_of(41, 40));
  EXPECT_EQ(limit.queues, std::nullopt);
  EXPECT_EQ(limit.reason, "no kernel waited with up to 40 busy");
  EXPECT_EQ(queue_limit({}).reason, "not probed");
}

// What was not decided below it may have been the limit.
TEST(QueueLimit, AnUndecidedCountHidesWhatIsAboveIt) {
  std::vector<LimitProbe> votes = votes_of(8, 10);
  votes[5 * 5].vote = ProbeVote::kWaited;  // one of those with six
  EXPECT_EQ(queue_limit(votes).queues, std::nullopt);
  EXPECT_EQ(queue_limit(votes).reason, "1 of 5 kernels waited with 6 busy");
  votes[5 * 5].vote = ProbeVote::kUnknown;
  EXPECT_EQ(queue_limit(votes).queues, 8) << "four votes are enough";
  for (size_t i = 0; i < 3; ++i) {
    votes[i].vote = ProbeVote::kUnknown;
  }
  EXPECT_EQ(queue_limit(votes).reason, "0 of 2 kernels waited with 1 busy");
}

}  // namespace
}  // namespace aaco
