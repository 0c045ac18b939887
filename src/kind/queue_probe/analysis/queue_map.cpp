// SPDX-License-Identifier: MIT
#include "kind/queue_probe/analysis/queue_map.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <utility>

namespace aaco {

namespace {

struct Votes {
  int64_t waited = 0;
  int64_t valid = 0;

  QueueRelation relation() const { return decided_by(waited, valid); }
};

using VoteTable = std::map<std::pair<int32_t, int32_t>, Votes>;

VoteTable count_votes(std::span<const BlockingProbe> probes) {
  VoteTable table;
  for (const BlockingProbe& probe : probes) {
    Votes& votes = table[{probe.first, probe.second}];
    if (probe.vote != ProbeVote::kUnknown) {
      ++votes.valid;
      votes.waited += probe.vote == ProbeVote::kWaited ? 1 : 0;
    }
  }
  return table;
}

Votes votes_of(const VoteTable& table, int32_t first, int32_t second) {
  const auto found = table.find({first, second});
  return found == table.end() ? Votes{} : found->second;
}

StreamPair pair_of(const VoteTable& table, int32_t first, int32_t second) {
  const Votes forward = votes_of(table, first, second);
  const Votes reverse = votes_of(table, second, first);
  const bool controlled = votes_of(table, first, first).relation() == QueueRelation::kShared &&
                          votes_of(table, second, second).relation() == QueueRelation::kShared;
  const QueueRelation relation =
      controlled && forward.relation() == reverse.relation() ? forward.relation() : QueueRelation::kUnknown;
  return {first, second, relation, forward.waited, forward.valid, reverse.waited, reverse.valid};
}

std::string problem_of(int32_t streams, std::span<const BlockingProbe> probes, const VoteTable& table) {
  const auto outside = [&](int32_t stream) { return stream < 0 || stream >= streams; };
  for (const BlockingProbe& probe : probes) {
    if (outside(probe.first) || outside(probe.second)) {
      return fmt::format("a probe names stream {} of {}", std::max(probe.first, probe.second), streams);
    }
  }
  for (int32_t i = 0; i < streams; ++i) {
    if (votes_of(table, i, i).relation() == QueueRelation::kSeparate) {
      return fmt::format("the control failed: on stream {} a kernel did not wait for the one before it", i);
    }
  }
  return "";
}

// Streams by the smallest one that shared pairs join them to.
std::vector<int32_t> components(const QueueMap& map) {
  std::vector<int32_t> root(static_cast<size_t>(map.streams));
  std::iota(root.begin(), root.end(), 0);
  for (const StreamPair& pair : map.pairs) {
    const int32_t from = std::max(root[pair.first], root[pair.second]);
    const int32_t to = std::min(root[pair.first], root[pair.second]);
    if (pair.relation == QueueRelation::kShared && from != to) {
      std::replace(root.begin(), root.end(), from, to);
    }
  }
  return root;
}

// Of two different streams; `pairs` holds (0, 1), (0, 2), ... (1, 2), ...
QueueRelation relation_of(const QueueMap& map, int32_t a, int32_t b) {
  const int64_t first = std::min(a, b);
  const int64_t second = std::max(a, b);
  return map.pairs[first * (int64_t{2} * map.streams - first - 1) / 2 + second - first - 1].relation;
}

// For two streams that are separate and yet of one group: one through which they are joined directly, or the group.
std::string contradiction_of(const QueueMap& map, const StreamPair& pair, const QueueGroup& group) {
  for (const int32_t through : group.streams) {
    if (through != pair.first && through != pair.second &&
        relation_of(map, pair.first, through) == QueueRelation::kShared &&
        relation_of(map, through, pair.second) == QueueRelation::kShared) {
      return fmt::format("streams {} and {} share, {} and {} share, {} and {} do not", pair.first, through, through,
                         pair.second, pair.first, pair.second);
    }
  }
  return fmt::format("streams {} and {} do not share, but are joined through others that do", pair.first, pair.second);
}

void add_groups(QueueMap& map) {
  const std::vector<int32_t> root = components(map);
  std::map<int32_t, QueueGroup> groups;
  for (int32_t i = 0; i < map.streams; ++i) {
    groups[root[i]].streams.push_back(i);
  }
  for (const StreamPair& pair : map.pairs) {
    if (pair.relation == QueueRelation::kSeparate && root[pair.first] == root[pair.second]) {
      QueueGroup& group = groups[root[pair.first]];
      group.contradicted = true;
      map.contradictions.push_back(contradiction_of(map, pair, group));
    }
  }
  for (auto& [smallest, group] : groups) {
    map.groups.push_back(std::move(group));
  }
}

void count_queues(QueueMap& map) {
  const auto undecided = std::count_if(map.pairs.begin(), map.pairs.end(),
                                       [](const StreamPair& pair) { return pair.relation == QueueRelation::kUnknown; });
  if (undecided > 0) {
    map.reason = fmt::format("{} of {} pairs are unknown", undecided, map.pairs.size());
  } else if (!map.contradictions.empty()) {
    map.reason = "the votes contradict each other";
  } else {
    map.queues = static_cast<int64_t>(map.groups.size());
  }
}

}  // namespace

QueueRelation decided_by(int64_t waited, int64_t votes) {
  if (votes < kLeastVotes) {
    return QueueRelation::kUnknown;
  }
  const double share = static_cast<double>(waited) / static_cast<double>(votes);
  return share >= kDecided       ? QueueRelation::kShared
         : share <= 1 - kDecided ? QueueRelation::kSeparate
                                 : QueueRelation::kUnknown;
}

QueueMap queue_map(int32_t streams, std::span<const BlockingProbe> probes) {
  QueueMap map;
  map.streams = streams;
  const VoteTable table = count_votes(probes);
  if (const std::string problem = problem_of(streams, probes, table); !problem.empty()) {
    map.valid = false;
    map.reason = problem;
    return map;
  }
  for (int32_t i = 0; i < streams; ++i) {
    for (int32_t j = i + 1; j < streams; ++j) {
      map.pairs.push_back(pair_of(table, i, j));
    }
  }
  add_groups(map);
  count_queues(map);
  return map;
}

}  // namespace aaco
