// SPDX-License-Identifier: MIT
// A graph of what had to happen before what, and the longest path to each of its nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/growing_array.h"

namespace aaco {

// Nodes are numbered as they are ended. Each is given with the edges that lead to it, which may come from later nodes.
// Fewer than 2^32 of either; 12 bytes each.
class DependencyGraph {
 public:
  struct Edge {
    uint32_t from = 0;
    int64_t weight = 0;
  };

  void add_edge(const Edge& edge) {
    from_.push_back(edge.from);
    weight_.push_back(edge.weight);
  }
  // The edges since the last node lead to this one. A path that begins here is `own` long.
  void end_node(int64_t own) {
    own_.push_back(own);
    ends_.push_back(static_cast<uint32_t>(from_.size()));
  }

  size_t size() const { return own_.size(); }
  size_t begin(uint32_t node) const { return node == 0 ? 0 : ends_[node - 1]; }
  size_t end(uint32_t node) const { return ends_[node]; }
  Edge edge(size_t i) const { return {from_[i], weight_[i]}; }
  GrowingArray<int64_t> take_own() { return std::move(own_); }

 private:
  GrowingArray<uint32_t> from_;
  GrowingArray<int64_t> weight_;
  GrowingArray<int64_t> own_;
  GrowingArray<uint32_t> ends_;
};

struct LongestPaths {
  static constexpr uint32_t kBegin = UINT32_MAX;

  GrowingArray<int64_t> length;    // to each node
  std::vector<uint32_t> previous;  // the node before on that path; kBegin where it begins
};

// In time linear in nodes and edges. An edge that closes a circle leads nowhere. Of paths that are as long, the one
// whose last edge was added first.
LongestPaths longest_paths(DependencyGraph graph);

}  // namespace aaco
