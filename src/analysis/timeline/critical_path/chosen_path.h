// SPDX-License-Identifier: MIT
// The longest path of each group of ranks, as it is left of a graph whose edges are given back.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/timeline/critical_path/critical_graph.h"
#include "base/memory/growing_array.h"

namespace aaco {

// The ranks of a trace, joined to groups.
class RankGroups {
 public:
  using Rank = std::pair<uint32_t, int64_t>;  // recording and rank

  explicit RankGroups(const EventTable& events);

  size_t size() const { return group_.size(); }
  uint32_t of_track(uint32_t track) { return group(of_track_[track]); }
  void join_tracks(uint32_t a, uint32_t b);
  // By group, in ascending order.
  std::vector<std::vector<Rank>> members();

 private:
  uint32_t group(uint32_t rank);

  std::map<Rank, uint32_t> ranks_;
  std::vector<uint32_t> of_track_;
  std::vector<uint32_t> group_;
};

struct ChosenPath {
  uint32_t group = 0;
  int64_t length_ns = 0;
  GrowingArray<uint32_t> nodes;    // from the last one to the first
  std::vector<bool> explains_gap;  // of each: whether the edge to it weighs all the time since the node before
};

// Of the groups that are `wanted`, ascending.
std::vector<ChosenPath> choose_paths(const CriticalGraph& graph, RankGroups& groups, const std::vector<bool>& wanted);

}  // namespace aaco
