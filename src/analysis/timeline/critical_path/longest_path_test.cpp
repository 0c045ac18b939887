// SPDX-License-Identifier: MIT
#include "analysis/timeline/critical_path/longest_path.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <utility>
#include <vector>

namespace aaco {
namespace {

struct Node {
  int64_t own = 0;
  std::vector<DependencyGraph::Edge> edges;
};

class Graph : public DependencyGraph {
 public:
  explicit Graph(std::vector<Node> nodes) : nodes_(std::move(nodes)) {}
  uint32_t size() const override { return static_cast<uint32_t>(nodes_.size()); }
  int64_t edges_to(uint32_t node, std::vector<Edge>& edges) const override {
    edges = nodes_[node].edges;
    return nodes_[node].own;
  }

 private:
  std::vector<Node> nodes_;
};

// Every path there is.
int64_t by_trying_all(const std::vector<Node>& nodes, uint32_t end) {
  int64_t longest = nodes[end].own;
  for (const DependencyGraph::Edge& edge : nodes[end].edges) {
    longest = std::max(longest, by_trying_all(nodes, edge.from) + edge.weight);
  }
  return longest;
}

TEST(LongestPath, TakesTheHeavierWay) {
  // 0 -> 1 -> 3 weighs 1 + 10, 0 -> 2 -> 3 weighs 5 + 5; node 3 comes first in number.
  const std::vector<Node> nodes = {{0, {{1, 10}, {2, 5}}}, {0, {{3, 1}}}, {0, {{3, 5}}}, {}};
  const LongestPaths paths = longest_paths(Graph(nodes));
  EXPECT_EQ(paths.length, (std::vector<int64_t>{11, 1, 5, 0}));
  EXPECT_EQ(paths.previous, (std::vector<uint32_t>{1, 3, 3, LongestPaths::kBegin}));
}

TEST(LongestPath, OfEqualWaysTheFirstAdded) {
  const std::vector<Node> nodes = {{}, {}, {0, {{1, 4}, {0, 4}}}};
  EXPECT_EQ(longest_paths(Graph(nodes)).previous[2], 1U);
}

TEST(LongestPath, BeginsWhereThatIsLonger) {
  const std::vector<Node> nodes = {{}, {9, {{0, 3}}}};
  const LongestPaths paths = longest_paths(Graph(nodes));
  EXPECT_EQ(paths.length[1], 9);
  EXPECT_EQ(paths.previous[1], LongestPaths::kBegin);
}

TEST(LongestPath, ACircleLeadsNowhere) {
  const std::vector<Node> nodes = {{0, {{1, 0}}}, {0, {{0, 0}, {2, 7}}}, {}};
  const LongestPaths paths = longest_paths(Graph(nodes));
  EXPECT_EQ(paths.length[0], 7);
  EXPECT_EQ(paths.previous[0], 1U);
  EXPECT_EQ(paths.previous[1], 2U);
}

TEST(LongestPath, IsTheBestOfAllOnRandomGraphs) {
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    const auto count = static_cast<uint32_t>(1 + random() % 9);
    std::vector<uint32_t> place(count);  // in an order that allows no circle
    for (uint32_t i = 0; i < count; ++i) {
      place[i] = i;
    }
    std::shuffle(place.begin(), place.end(), random);
    std::vector<Node> nodes(count);
    for (uint32_t to = 0; to < count; ++to) {
      nodes[to].own = random() % 4;
      for (uint32_t from = 0; from < count; ++from) {
        if (place[from] < place[to] && random() % 2 == 0) {
          nodes[to].edges.push_back({from, static_cast<int64_t>(random() % 6)});
        }
      }
    }
    const LongestPaths paths = longest_paths(Graph(nodes));
    for (uint32_t node = 0; node < count; ++node) {
      ASSERT_EQ(paths.length[node], by_trying_all(nodes, node)) << "round " << round;
      int64_t along = 0;  // and the path is that long
      uint32_t at = node;
      for (; paths.previous[at] != LongestPaths::kBegin; at = paths.previous[at]) {
        along += paths.length[at] - paths.length[paths.previous[at]];
      }
      ASSERT_EQ(along + nodes[at].own, paths.length[node]);
    }
  }
}

TEST(LongestPath, AChainOfAMillionNeedsNoStack) {
  constexpr uint32_t kNodes = 1'000'000;
  std::vector<Node> nodes(kNodes);
  for (uint32_t i = 0; i + 1 < kNodes; ++i) {
    nodes[i].edges.push_back({i + 1, 1});
  }
  EXPECT_EQ(longest_paths(Graph(std::move(nodes))).length[0], kNodes - 1);
}

}  // namespace
}  // namespace aaco
