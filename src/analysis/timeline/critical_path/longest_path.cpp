// SPDX-License-Identifier: MIT
#include "analysis/timeline/critical_path/longest_path.h"

#include <algorithm>

namespace aaco {

namespace {

// Depth first against the edges: a node is done when all that lead to it are.
class Search {
 public:
  explicit Search(const DependencyGraph& graph) : graph_(graph) {
    paths_.length.resize(graph.size());
    paths_.previous.assign(graph.size(), kNew);
  }

  LongestPaths run() {
    for (uint32_t start = 0; start < graph_.size(); ++start) {
      waiting_.push_back(start);
      while (!waiting_.empty()) {
        step();
      }
    }
    return std::move(paths_);
  }

 private:
  using Edge = DependencyGraph::Edge;

  // In the place of the node before, until that is known.
  static constexpr uint32_t kNew = LongestPaths::kBegin - 1;
  static constexpr uint32_t kOpen = LongestPaths::kBegin - 2;

  bool is_new(uint32_t node) const { return paths_.previous[node] == kNew; }
  bool is_done(uint32_t node) const { return !is_new(node) && paths_.previous[node] != kOpen; }

  // A node may have been put there several times; the last time counts, as in a search by recursion.
  void step() {
    const uint32_t node = waiting_.back();
    if (is_done(node)) {
      waiting_.pop_back();
      return;
    }
    const int64_t own = graph_.edges_to(node, edges_);
    if (is_new(node)) {
      paths_.previous[node] = kOpen;
      const size_t before = waiting_.size();
      for (size_t i = edges_.size(); i > 0; --i) {
        if (is_new(edges_[i - 1].from)) {
          waiting_.push_back(edges_[i - 1].from);
        }
      }
      if (waiting_.size() > before) {
        return;
      }
    }
    finish(node, own);
    waiting_.pop_back();
  }

  void finish(uint32_t node, int64_t own) {
    int64_t longest = own;
    uint32_t previous = LongestPaths::kBegin;
    for (const Edge& edge : edges_) {
      const int64_t length = paths_.length[edge.from] + edge.weight;
      const bool longer = previous == LongestPaths::kBegin ? length >= longest : length > longest;
      if (is_done(edge.from) && longer) {
        longest = length;
        previous = edge.from;
      }
    }
    paths_.length[node] = longest;
    paths_.previous[node] = previous;
  }

  const DependencyGraph& graph_;
  LongestPaths paths_;
  std::vector<uint32_t> waiting_;
  std::vector<Edge> edges_;
};

}  // namespace

LongestPaths longest_paths(const DependencyGraph& graph) { return Search(graph).run(); }

}  // namespace aaco
