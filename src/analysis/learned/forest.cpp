// SPDX-License-Identifier: MIT
#include "analysis/learned/forest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

#include "base/json/json.h"
#include "base/json/json_text.h"

namespace aaco {

namespace {

static_assert(std::endian::native == std::endian::little, "the file's numbers are little-endian");

constexpr size_t kMostNodes = 1 << 20;

Error damaged(const std::string& what) {
  return Error{ErrorKind::kUsage, "the classifier's trees: " + what, "train them again: bench/classifier/train.py"};
}

struct Header {
  std::vector<std::string> features;
  std::vector<std::string> classes;
  std::vector<uint32_t> nodes;   // of each tree
  std::vector<uint32_t> leaves;  // likewise
};
void from_json(const Json& json, Header& header) {
  json.at("features").get_to(header.features);
  json.at("classes").get_to(header.classes);
  json.at("nodes").get_to(header.nodes);
  json.at("leaves").get_to(header.leaves);
}

// Every path ends in a leaf of its own tree, and splits on a feature that there is.
bool is_sound(std::span<const Forest::Node> nodes, size_t leaves, size_t features) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Forest::Node& node = nodes[i];
    const bool is_inside = node.feature < 0 ? node.right < leaves
                                            : static_cast<size_t>(node.feature) < features && node.right >= 2 &&
                                                  i + node.right < nodes.size() && std::isfinite(node.threshold);
    if (!is_inside || !(node.cover > 0) || !std::isfinite(node.cover)) {
      return false;
    }
  }
  return !nodes.empty() && nodes.back().feature < 0;
}

}  // namespace

Result<Forest> Forest::read(std::string_view bytes) {
  const size_t end = bytes.find('\n');
  if (end == std::string_view::npos) {
    return damaged("there is no line of names");
  }
  AACO_ASSIGN(const Json json, parse_own_json(bytes.substr(0, end), "the classifier's trees"));
  AACO_ASSIGN(const Header header, from_json_value<Header>(json, "the classifier's trees"));
  Forest forest;
  forest.features_ = header.features;
  forest.classes_ = header.classes;
  const size_t width = header.classes.size() + 1;
  size_t nodes = 0;
  size_t leaves = 0;
  if (header.nodes.empty() || header.nodes.size() != header.leaves.size()) {
    return damaged("their counts do not match");
  }
  for (size_t i = 0; i < header.nodes.size(); ++i) {
    forest.trees_.push_back(
        {static_cast<uint32_t>(nodes), header.nodes[i], static_cast<uint32_t>(leaves), header.leaves[i]});
    nodes += header.nodes[i];
    leaves += header.leaves[i];
  }
  const std::string_view rest = bytes.substr(end + 1);
  if (nodes > kMostNodes || leaves > kMostNodes ||
      rest.size() != nodes * sizeof(Node) + leaves * width * sizeof(float)) {
    return damaged(fmt::format("{} bytes are not those of {} nodes and {} leaves", rest.size(), nodes, leaves));
  }
  forest.nodes_.resize(nodes);
  forest.leaves_.resize(leaves * width);
  std::memcpy(forest.nodes_.data(), rest.data(), nodes * sizeof(Node));
  std::memcpy(forest.leaves_.data(), rest.data() + nodes * sizeof(Node), leaves * width * sizeof(float));
  for (const Tree& tree : forest.trees_) {
    if (!is_sound(std::span(forest.nodes_).subspan(tree.first_node, tree.nodes), tree.leaves,
                  forest.features_.size())) {
      return damaged("a path leads out of its tree");
    }
  }
  return forest;
}

std::span<const float> Forest::leaf(const Tree& tree, const Node& node) const {
  const size_t width = classes_.size() + 1;
  return std::span(leaves_).subspan((tree.first_leaf + node.right) * width, width);
}

void Forest::lower(const Tree& tree, uint32_t at, std::span<const double> values, std::span<double> into) const {
  const Node& node = nodes_[tree.first_node + at];
  if (node.feature < 0) {
    const auto shares = leaf(tree, node);
    std::copy(shares.begin(), shares.end(), into.begin());
    return;
  }
  const double value = values[static_cast<size_t>(node.feature)];
  if (!std::isnan(value)) {
    // Trained on floats: a value between a threshold and its neighbour must not change sides.
    lower(tree, static_cast<float>(value) <= node.threshold ? at + 1 : at + node.right, values, into);
    return;
  }
  lower(tree, at + 1, values, into);
  std::vector<double> other(into.size());
  lower(tree, at + node.right, values, other);
  for (size_t i = 0; i < into.size(); ++i) {
    into[i] = std::min(into[i], other[i]);
  }
}

std::vector<double> Forest::least_shares(std::span<const double> values) const {
  std::vector<double> total(classes_.size() + 1, 0);
  std::vector<double> of_tree(total.size());
  for (const Tree& tree : trees_) {
    lower(tree, 0, values, of_tree);
    for (size_t i = 0; i < total.size(); ++i) {
      total[i] += of_tree[i];
    }
  }
  for (double& share : total) {
    share /= static_cast<double>(trees_.size());
  }
  return total;
}

// One tree after the other. A path holds, for each feature that it split on, which part of the coalitions without and
// with that feature comes here, and the weights of coalitions by size.
class ShapleyWalk {
 public:
  ShapleyWalk(const Forest& forest, std::span<const double> values, size_t of_class)
      : forest_(forest), values_(values), of_class_(of_class), sums_(values.size(), 0) {}

  std::vector<double> contributions() {
    for (const Forest::Tree& tree : forest_.trees_) {
      tree_ = &tree;
      walk(0, {{-1, 1, 1, 1}}, 1);
    }
    for (double& sum : sums_) {
      sum /= static_cast<double>(forest_.trees_.size());
    }
    return std::move(sums_);
  }

 private:
  struct Step {
    int feature;
    double without;  // share of the runs that go this way
    double with;     // 1 where the value goes this way
    double weight;   // of coalitions of as many features as there are steps before
  };
  using Path = std::vector<Step>;

  const Forest::Node& node(uint32_t at) const { return forest_.nodes_[tree_->first_node + at]; }

  static void extend(Path& path, double without, double with, int feature) {
    const size_t depth = path.size();
    path.push_back({feature, without, with, 0});
    for (size_t i = depth; i-- > 0;) {
      path[i + 1].weight += with * path[i].weight * static_cast<double>(i + 1) / static_cast<double>(depth + 1);
      path[i].weight = without * path[i].weight * static_cast<double>(depth - i) / static_cast<double>(depth + 1);
    }
  }

  // Takes step `at` out again, as if its feature had not been met.
  static void unwind(Path& path, size_t at) {
    const size_t depth = path.size() - 1;
    const Step out = path[at];
    double next = path[depth].weight;
    for (size_t i = depth; i-- > 0;) {
      const auto left = static_cast<double>(depth - i);
      const auto all = static_cast<double>(depth + 1);
      if (out.with != 0) {
        const double weight = path[i].weight;
        path[i].weight = next * all / (static_cast<double>(i + 1) * out.with);
        next = weight - path[i].weight * out.without * left / all;
      } else {
        path[i].weight = path[i].weight * all / (out.without * left);
      }
    }
    for (size_t i = at; i < depth; ++i) {
      path[i].feature = path[i + 1].feature;
      path[i].without = path[i + 1].without;
      path[i].with = path[i + 1].with;
    }
    path.pop_back();
  }

  void take_leaf(const Forest::Node& leaf, const Path& path, double proportion) {
    const double share = forest_.leaf(*tree_, leaf)[of_class_];
    for (size_t i = 1; i < path.size(); ++i) {
      Path without = path;
      unwind(without, i);
      double weight = 0;
      for (const Step& step : without) {
        weight += step.weight;
      }
      sums_[static_cast<size_t>(path[i].feature)] += proportion * weight * (path[i].with - path[i].without) * share;
    }
  }

  // `proportion`: of the runs that go this way at splits on missing values, which belong to no coalition.
  void walk(uint32_t at, Path path, double proportion) {
    const Forest::Node& here = node(at);
    if (here.feature < 0) {
      take_leaf(here, path, proportion);
      return;
    }
    const uint32_t left = at + 1;
    const uint32_t right = at + here.right;
    const double left_share = node(left).cover / here.cover;
    const double right_share = node(right).cover / here.cover;
    const double value = values_[static_cast<size_t>(here.feature)];
    if (std::isnan(value)) {
      walk(left, path, proportion * left_share);
      walk(right, std::move(path), proportion * right_share);
      return;
    }
    double without = 1;
    double with = 1;
    const auto met =
        std::find_if(path.begin() + 1, path.end(), [&](const Step& step) { return step.feature == here.feature; });
    if (met != path.end()) {
      without = met->without;
      with = met->with;
      unwind(path, static_cast<size_t>(met - path.begin()));
    }
    const bool goes_left = static_cast<float>(value) <= here.threshold;
    Path of_right = path;
    extend(path, without * left_share, goes_left ? with : 0, here.feature);
    walk(left, std::move(path), proportion);
    extend(of_right, without * right_share, goes_left ? 0 : with, here.feature);
    walk(right, std::move(of_right), proportion);
  }

  const Forest& forest_;
  std::span<const double> values_;
  size_t of_class_;
  std::vector<double> sums_;
  const Forest::Tree* tree_ = nullptr;
};

std::vector<double> Forest::contributions(std::span<const double> values, size_t of_class) const {
  return ShapleyWalk(*this, values, of_class).contributions();
}

}  // namespace aaco
