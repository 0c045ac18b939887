// SPDX-License-Identifier: MIT
#include "analysis/timeline/critical_path/longest_path.h"

namespace aaco {

namespace {

enum class State : uint8_t { kNew, kOpen, kDone };

}  // namespace

// Depth first against the edges: a node is done when all that lead to it are.
LongestPaths longest_paths(DependencyGraph graph) {
  LongestPaths paths;
  const auto nodes = static_cast<uint32_t>(graph.size());
  paths.length = graph.take_own();
  paths.previous.assign(nodes, LongestPaths::kBegin);
  std::vector<State> states(nodes, State::kNew);
  struct Open {
    uint32_t node;
    uint32_t next;  // of its edges
  };
  std::vector<Open> open;
  for (uint32_t start = 0; start < nodes; ++start) {
    if (states[start] != State::kNew) {
      continue;
    }
    open.push_back({start, static_cast<uint32_t>(graph.begin(start))});
    states[start] = State::kOpen;
    while (!open.empty()) {
      auto& [node, next] = open.back();
      if (next == graph.end(node)) {
        states[node] = State::kDone;
        open.pop_back();
        continue;
      }
      const DependencyGraph::Edge edge = graph.edge(next);
      if (states[edge.from] == State::kNew) {
        states[edge.from] = State::kOpen;
        open.push_back(
            {edge.from, static_cast<uint32_t>(graph.begin(edge.from))});  // and to this edge again, when that is done
        continue;
      }
      ++next;
      const int64_t length = paths.length[edge.from] + edge.weight;
      const bool longer =
          paths.previous[node] == LongestPaths::kBegin ? length >= paths.length[node] : length > paths.length[node];
      if (states[edge.from] == State::kDone && longer) {
        paths.length[node] = length;
        paths.previous[node] = edge.from;
      }
    }
  }
  return paths;
}

}  // namespace aaco
