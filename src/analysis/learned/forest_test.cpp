// SPDX-License-Identifier: MIT
#include "analysis/learned/forest.h"

#include <array>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace aaco {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kFeatures = 4;

// A tree of depth 3 or less with random splits and leaves of two classes and none, as the file holds it.
struct TestTree {
  std::vector<Forest::Node> nodes;
  std::vector<float> leaves;

  void grow(std::mt19937_64& random, int depth, float cover) {
    std::uniform_real_distribution<float> uniform(0.1F, 0.9F);
    const size_t here = nodes.size();
    nodes.push_back({-1, static_cast<uint16_t>(leaves.size() / 3), 0, cover});
    if (depth == 0 || uniform(random) < 0.2F) {
      const float a = uniform(random);
      const float b = uniform(random) * (1 - a);
      leaves.insert(leaves.end(), {a, b, 1 - a - b});
      return;
    }
    const float left = uniform(random) * cover;
    grow(random, depth - 1, left);
    const auto right = static_cast<uint16_t>(nodes.size() - here);
    grow(random, depth - 1, cover - left);
    nodes[here] = {static_cast<int16_t>(random() % kFeatures), right, uniform(random), cover};
  }
};

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::string forest_bytes(const std::vector<TestTree>& trees) {
  std::string counts_of_nodes;
  std::string counts_of_leaves;
  std::string nodes;
  std::string leaves;
  for (const TestTree& tree : trees) {
    const char* comma = counts_of_nodes.empty() ? "" : ",";
    counts_of_nodes += comma + std::to_string(tree.nodes.size());
    counts_of_leaves += comma + std::to_string(tree.leaves.size() / 3);
    nodes += bytes_of(tree.nodes);
    leaves += bytes_of(tree.leaves);
  }
  return R"({"features":["a","b","c","d"],"classes":["x","y"],"nodes":[)" + counts_of_nodes + R"(],"leaves":[)" +
         counts_of_leaves + "]}\n" + nodes + leaves;
}

std::vector<TestTree> random_trees(std::mt19937_64& random) {
  std::vector<TestTree> trees(3);
  for (TestTree& tree : trees) {
    tree.grow(random, 3, 100);
  }
  return trees;
}

std::vector<double> random_values(std::mt19937_64& random, double missing) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> values(kFeatures);
  for (double& value : values) {
    value = uniform(random) < missing ? kMissing : uniform(random);
  }
  return values;
}

// The share where only features of `known` count: others go both ways, by cover.
double averaged(const std::vector<TestTree>& trees, const std::vector<double>& values, unsigned known,
                size_t of_class) {
  double sum = 0;
  for (const TestTree& tree : trees) {
    const auto walk = [&](const auto& self, size_t at) -> double {
      const Forest::Node& node = tree.nodes[at];
      if (node.feature < 0) {
        return tree.leaves[node.right * 3 + of_class];
      }
      const auto feature = static_cast<size_t>(node.feature);
      const size_t right = at + node.right;
      if ((known >> feature & 1U) != 0 && !std::isnan(values[feature])) {
        return self(self, static_cast<float>(values[feature]) <= node.threshold ? at + 1 : right);
      }
      return (tree.nodes[at + 1].cover * self(self, at + 1) + tree.nodes[right].cover * self(self, right)) / node.cover;
    };
    sum += walk(walk, 0);
  }
  return sum / static_cast<double>(trees.size());
}

// By definition: over all coalitions.
double shapley_value(const std::vector<TestTree>& trees, const std::vector<double>& values, size_t feature,
                     size_t of_class) {
  constexpr std::array kFactorials{1.0, 1.0, 2.0, 6.0, 24.0};
  double sum = 0;
  for (unsigned coalition = 0; coalition < 1U << kFeatures; ++coalition) {
    if ((coalition >> feature & 1U) != 0) {
      continue;
    }
    const auto size = static_cast<size_t>(__builtin_popcount(coalition));
    sum +=
        kFactorials[size] * kFactorials[kFeatures - size - 1] / kFactorials[kFeatures] *
        (averaged(trees, values, coalition | 1U << feature, of_class) - averaged(trees, values, coalition, of_class));
  }
  return sum;
}

TEST(Forest, ContributionsAreShapleyValues) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::vector<TestTree> trees = random_trees(random);
    const auto forest = Forest::read(forest_bytes(trees));
    ASSERT_TRUE(forest) << forest.error().message;
    const std::vector<double> values = random_values(random, 0.2);
    const std::vector<double> contributions = forest->contributions(values, 1);
    for (size_t feature = 0; feature < kFeatures; ++feature) {
      ASSERT_NEAR(contributions[feature], shapley_value(trees, values, feature, 1), 1e-6) << round << " " << feature;
    }
  }
}

TEST(Forest, SharesOfAFullRowAddUpToOne) {
  std::mt19937_64 random(2);
  const auto forest = Forest::read(forest_bytes(random_trees(random)));
  ASSERT_TRUE(forest);
  const std::vector<double> shares = forest->least_shares(random_values(random, 0));
  ASSERT_EQ(shares.size(), 3U);
  EXPECT_NEAR(shares[0] + shares[1] + shares[2], 1, 1e-6);
}

TEST(Forest, ToKnowLessNeverRaisesAShare) {
  std::mt19937_64 random(3);
  bool was_lower = false;
  for (int round = 0; round < 300; ++round) {
    const auto forest = Forest::read(forest_bytes(random_trees(random)));
    ASSERT_TRUE(forest);
    std::vector<double> values = random_values(random, 0.3);
    const std::vector<double> before = forest->least_shares(values);
    values[random() % kFeatures] = kMissing;
    const std::vector<double> after = forest->least_shares(values);
    for (size_t i = 0; i < before.size(); ++i) {
      ASSERT_LE(after[i], before[i] + 1e-12);
      was_lower = was_lower || after[i] < before[i];
    }
  }
  EXPECT_TRUE(was_lower);
}

TEST(Forest, BytesThatAreNoTreesAreRefused) {
  std::mt19937_64 random(4);
  const std::string bytes = forest_bytes(random_trees(random));
  EXPECT_FALSE(Forest::read(""));
  EXPECT_FALSE(Forest::read("{}\n"));
  EXPECT_FALSE(Forest::read(bytes.substr(0, bytes.size() - 1)));
  EXPECT_FALSE(Forest::read(bytes + " "));
  for (size_t i = bytes.find('\n') + 1; i < bytes.size(); ++i) {  // whatever is read has no path out of its tree
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(0x7F);
    if (const auto forest = Forest::read(damaged)) {
      forest->least_shares(random_values(random, 0.5));
      forest->contributions(random_values(random, 0.5), 0);
    }
  }
}

}  // namespace
}  // namespace aaco
