// SPDX-License-Identifier: MIT
// A forest of decision trees: what the learned classifier consists of. Each leaf has a share of each class; the
// forest's answer is the mean over its trees.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace aaco {

class Forest {
 public:
  // The bytes that bench/classifier/train.py writes: a line of JSON (names, counts), then nodes and leaves of fixed
  // size. kUsage where they are anything else.
  static Result<Forest> read(std::string_view bytes);

  const std::vector<std::string>& features() const { return features_; }
  const std::vector<std::string>& classes() const { return classes_; }  // behind them "none": of no class

  // By class, "none" last: the least that its share can be, whatever the missing values (NaN) are. At a split on a
  // missing value the lower of both sides counts, so that to know less never raises a share.
  // `values`: one for each feature.
  std::vector<double> least_shares(std::span<const double> values) const;

  // By feature: how far its value moved the share of class number `of_class` from the mean over the training runs.
  // Shapley values of the game in which a feature that is not of the coalition, or is missing, goes both ways in the
  // proportion of the training runs (exact for trees: Lundberg et al., Nature Machine Intelligence 2020, algorithm 2).
  // They add up to the share with the missing values averaged, less the mean.
  std::vector<double> contributions(std::span<const double> values, size_t of_class) const;

  struct Node {
    int16_t feature;  // below 0: a leaf
    uint16_t right;   // distance of the right side's node, the left one's follows; of a leaf: its number in the tree
    float threshold;  // values up to it go left
    float cover;      // training runs that came here
  };
  static_assert(sizeof(Node) == 12);

  struct Tree {
    uint32_t first_node;
    uint32_t nodes;
    uint32_t first_leaf;
    uint32_t leaves;
  };

 private:
  friend class ShapleyWalk;
  std::span<const float> leaf(const Tree& tree, const Node& node) const;
  void lower(const Tree& tree, uint32_t at, std::span<const double> values, std::span<double> into) const;

  std::vector<std::string> features_;
  std::vector<std::string> classes_;
  std::vector<Tree> trees_;
  std::vector<Node> nodes_;
  std::vector<float> leaves_;  // of each the shares of all classes and of none
};

}  // namespace aaco
