// SPDX-License-Identifier: MIT
// A graph of what had to happen before what, and the longest path to each of its nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace aaco {

// Says its edges when it is asked: storing them takes more than all else that a longest path needs.
class DependencyGraph {
 public:
  struct Edge {
    uint32_t from = 0;
    int64_t weight = 0;
  };

  DependencyGraph() = default;
  DependencyGraph(const DependencyGraph&) = delete;
  DependencyGraph& operator=(const DependencyGraph&) = delete;
  virtual ~DependencyGraph() = default;

  virtual uint32_t size() const = 0;  // of nodes, which are numbered from 0; LongestPaths::kMostNodes at most
  // Sets `edges` to those that lead to the node, always in the same order; returns how long a path is that begins
  // there.
  virtual int64_t edges_to(uint32_t node, std::vector<Edge>& edges) const = 0;
};

struct LongestPaths {
  static constexpr uint32_t kBegin = UINT32_MAX;
  static constexpr uint32_t kMostNodes = kBegin - 2;

  std::vector<int64_t> length;     // to each node
  std::vector<uint32_t> previous;  // the node before on that path; kBegin where it begins
};

// In time linear in nodes and edges. An edge that closes a circle leads nowhere. Of paths that are as long, the one
// whose last edge comes first.
LongestPaths longest_paths(const DependencyGraph& graph);

}  // namespace aaco
