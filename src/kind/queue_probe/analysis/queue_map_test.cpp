// SPDX-License-Identifier: MIT
// The map from streams to queues, against votes made from a mapping that is known.
#include "kind/queue_probe/analysis/queue_map.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "base/json/json.h"

namespace aaco {
namespace {

// What probes say where stream i is in queue `queues[i]`.
std::vector<BlockingProbe> probes_of(const std::vector<int>& queues, int repeats = 5) {
  std::vector<BlockingProbe> probes;
  for (size_t i = 0; i < queues.size(); ++i) {
    for (size_t j = 0; j < queues.size(); ++j) {
      for (int k = 0; k < repeats; ++k) {
        probes.push_back({static_cast<int32_t>(i), static_cast<int32_t>(j),
                          queues[i] == queues[j] ? ProbeVote::kWaited : ProbeVote::kRan});
      }
    }
  }
  return probes;
}

void vote_all(std::vector<BlockingProbe>& probes, int32_t a, int32_t b, ProbeVote vote) {
  for (BlockingProbe& probe : probes) {
    if ((probe.first == a && probe.second == b) || (probe.first == b && probe.second == a)) {
      probe.vote = vote;
    }
  }
}

QueueRelation relation(const QueueMap& map, int32_t a, int32_t b) {
  for (const StreamPair& pair : map.pairs) {
    if (pair.first == a && pair.second == b) {
      return pair.relation;
    }
  }
  ADD_FAILURE() << a << " " << b;
  return QueueRelation::kUnknown;
}

TEST(QueueMap, RoundRobinOverFourQueues) {
  const QueueMap map = queue_map(10, probes_of({0, 1, 2, 3, 0, 1, 2, 3, 0, 1}));
  EXPECT_EQ(map.queues, 4);
  ASSERT_EQ(map.groups.size(), 4U);
  EXPECT_EQ(map.groups[0].streams, (std::vector<int32_t>{0, 4, 8}));
  EXPECT_EQ(map.groups[3].streams, (std::vector<int32_t>{3, 7}));
  EXPECT_EQ(map.pairs.size(), 45U);
  EXPECT_TRUE(map.contradictions.empty());
  EXPECT_EQ(queue_map(3, probes_of({0, 0, 0})).queues, 1);
  EXPECT_EQ(queue_map(3, probes_of({2, 1, 0})).queues, 3);
  EXPECT_EQ(queue_map(1, probes_of({0})).queues, 1);
}

// Any mapping is found again, whatever the order of the probes.
TEST(QueueMap, AnyMappingIsFoundAgain) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<int> queues(12);
    for (int& queue : queues) {
      queue = static_cast<int>(random() % 5);
    }
    std::vector<BlockingProbe> probes = probes_of(queues, 3);
    const QueueMap map = queue_map(12, probes);
    for (int32_t i = 0; i < 12; ++i) {
      for (int32_t j = i + 1; j < 12; ++j) {
        EXPECT_EQ(relation(map, i, j), queues[i] == queues[j] ? QueueRelation::kShared : QueueRelation::kSeparate);
      }
    }
    std::shuffle(probes.begin(), probes.end(), random);
    EXPECT_EQ(Json(queue_map(12, probes)), Json(map));
    std::sort(queues.begin(), queues.end());
    queues.erase(std::unique(queues.begin(), queues.end()), queues.end());
    EXPECT_EQ(map.queues, static_cast<int64_t>(queues.size()));
  }
}

TEST(QueueMap, OrdersThatDisagreeAreUnknown) {
  std::vector<BlockingProbe> probes = probes_of({0, 0, 1});
  for (BlockingProbe& probe : probes) {
    if (probe.first == 1 && probe.second == 0) {
      probe.vote = ProbeVote::kRan;
    }
  }
  const QueueMap map = queue_map(3, probes);
  EXPECT_EQ(relation(map, 0, 1), QueueRelation::kUnknown);
  EXPECT_EQ(map.pairs[0].waited, 5);
  EXPECT_EQ(map.pairs[0].reverse_waited, 0);
  EXPECT_FALSE(map.queues);
  EXPECT_EQ(map.reason, "1 of 3 pairs are unknown");
}

TEST(QueueMap, SplitOrFewVotesAreUnknown) {
  std::vector<BlockingProbe> probes = probes_of({0, 0});
  std::erase(probes, BlockingProbe{0, 1, ProbeVote::kWaited});
  probes.insert(probes.end(), 2, BlockingProbe{0, 1, ProbeVote::kWaited});
  EXPECT_EQ(relation(queue_map(2, probes), 0, 1), QueueRelation::kUnknown) << "two votes in one order";
  probes = probes_of({0, 0});
  int changed = 0;
  for (BlockingProbe& probe : probes) {
    probe.vote = probe.first != probe.second && changed++ % 5 == 0 ? ProbeVote::kRan : probe.vote;
  }
  EXPECT_EQ(relation(queue_map(2, probes), 0, 1), QueueRelation::kUnknown) << "4 of 5 decide nothing";
  vote_all(probes, 0, 1, ProbeVote::kUnknown);
  EXPECT_EQ(relation(queue_map(2, probes), 0, 1), QueueRelation::kUnknown) << "no valid vote";
  EXPECT_FALSE(queue_map(2, {}).queues) << "nothing was probed";
}

TEST(QueueMap, ContradictionsAreReportedAndNotResolved) {
  std::vector<BlockingProbe> probes = probes_of({0, 0, 0, 1});
  vote_all(probes, 0, 2, ProbeVote::kRan);
  const QueueMap map = queue_map(4, probes);
  EXPECT_EQ(map.contradictions, (std::vector<std::string>{"streams 0 and 1 share, 1 and 2 share, 0 and 2 do not"}));
  ASSERT_EQ(map.groups.size(), 2U);
  EXPECT_TRUE(map.groups[0].contradicted);
  EXPECT_FALSE(map.groups[1].contradicted);
  EXPECT_FALSE(map.queues);
  EXPECT_EQ(map.reason, "the votes contradict each other");
}

// 0-1, 1-2, 2-3 share, 0 and 3 do not, the rest is unknown: no single stream between.
TEST(QueueMap, AContradictionMayBeFartherApart) {
  std::vector<BlockingProbe> probes = probes_of({0, 0, 0, 0});
  vote_all(probes, 0, 3, ProbeVote::kRan);
  vote_all(probes, 0, 2, ProbeVote::kUnknown);
  vote_all(probes, 1, 3, ProbeVote::kUnknown);
  EXPECT_EQ(queue_map(4, probes).contradictions,
            (std::vector<std::string>{"streams 0 and 3 do not share, but are joined through others that do"}));
}

TEST(QueueMap, TheControlMustHold) {
  std::vector<BlockingProbe> probes = probes_of({0, 1});
  vote_all(probes, 1, 1, ProbeVote::kRan);
  const QueueMap map = queue_map(2, probes);
  EXPECT_FALSE(map.valid);
  EXPECT_TRUE(map.groups.empty());
  EXPECT_NE(map.reason.find("the control failed: on stream 1"), std::string::npos) << map.reason;
  EXPECT_FALSE(queue_map(1, probes_of({0, 1})).valid) << "a stream that does not exist";
}

TEST(QueueMap, JsonSaysRelationsInWords) {
  const QueueMap map = queue_map(3, probes_of({0, 1, 0}));
  const Json json = map;
  EXPECT_EQ(json["pairs"][0]["relation"], "separate");
  EXPECT_EQ(json["pairs"][1]["relation"], "shared");
  EXPECT_EQ(Json(json.get<QueueMap>()), json);
}

}  // namespace
}  // namespace aaco
