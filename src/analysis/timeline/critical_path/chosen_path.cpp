// SPDX-License-Identifier: MIT
#include "analysis/timeline/critical_path/chosen_path.h"

#include <algorithm>
#include <numeric>

namespace aaco {

RankGroups::RankGroups(const EventTable& events) {
  for (const Track& track : events.tracks) {
    const auto next = static_cast<uint32_t>(ranks_.size());
    of_track_.push_back(ranks_.try_emplace(Rank(track.recording, track.rank), next).first->second);
  }
  group_.resize(ranks_.size());
  std::iota(group_.begin(), group_.end(), 0);
}

void RankGroups::join_tracks(uint32_t a, uint32_t b) {
  const uint32_t group = of_track(a);
  const uint32_t other = of_track(b);
  group_[std::max(group, other)] = std::min(group, other);
}

std::vector<std::vector<RankGroups::Rank>> RankGroups::members() {
  std::vector<std::vector<Rank>> members(group_.size());
  for (const auto& [rank, index] : ranks_) {
    members[group(index)].push_back(rank);
  }
  return members;
}

uint32_t RankGroups::group(uint32_t rank) {
  while (group_[rank] != rank) {
    group_[rank] = group_[group_[rank]];
    rank = group_[rank];
  }
  return rank;
}

std::vector<ChosenPath> choose_paths(const CriticalGraph& graph, RankGroups& groups, const std::vector<bool>& wanted) {
  const LongestPaths longest = longest_paths(graph);
  std::vector<uint32_t> ends(groups.size(), LongestPaths::kBegin);
  for (uint32_t node = 0; node < longest.length.size(); ++node) {
    uint32_t& end = ends[groups.of_track(graph.track(node))];
    const auto key = [&](uint32_t candidate) { return std::pair(longest.length[candidate], graph.time_ns(candidate)); };
    end = end == LongestPaths::kBegin || key(node) > key(end) ? node : end;
  }
  std::vector<ChosenPath> paths;
  for (uint32_t group = 0; group < groups.size(); ++group) {
    if (!wanted[group] || ends[group] == LongestPaths::kBegin) {
      continue;
    }
    ChosenPath path;
    path.group = group;
    path.length_ns = longest.length[ends[group]];
    for (uint32_t node = ends[group]; node != LongestPaths::kBegin; node = longest.previous[node]) {
      const uint32_t before = longest.previous[node];
      path.nodes.push_back(node);
      path.explains_gap.push_back(before != LongestPaths::kBegin && longest.length[node] - longest.length[before] >=
                                                                        graph.time_ns(node) - graph.time_ns(before));
    }
    paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace aaco
