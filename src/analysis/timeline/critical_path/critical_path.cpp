// SPDX-License-Identifier: MIT
#include "analysis/timeline/critical_path/critical_path.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <tuple>

#include "analysis/timeline/waiting_call.h"

namespace aaco {

namespace {

using Rank = std::pair<uint32_t, int64_t>;  // recording and rank

// The ranks of a trace, joined to groups.
class RankGroups {
 public:
  explicit RankGroups(const EventTable& events) {
    for (const Track& track : events.tracks) {
      const auto next = static_cast<uint32_t>(ranks_.size());
      of_track_.push_back(ranks_.try_emplace(Rank(track.recording, track.rank), next).first->second);
    }
    group_.resize(ranks_.size());
    std::iota(group_.begin(), group_.end(), 0);
  }
  size_t size() const { return group_.size(); }
  uint32_t of_track(uint32_t track) { return of(of_track_[track]); }
  void join_tracks(uint32_t a, uint32_t b) {
    const uint32_t group = of_track(a);
    const uint32_t other = of_track(b);
    group_[std::max(group, other)] = std::min(group, other);
  }
  // By group, in ascending order.
  std::vector<std::vector<Rank>> members() {
    std::vector<std::vector<Rank>> members(group_.size());
    for (const auto& [rank, index] : ranks_) {
      members[of(index)].push_back(rank);
    }
    return members;
  }

 private:
  uint32_t of(uint32_t rank) {
    while (group_[rank] != rank) {
      group_[rank] = group_[group_[rank]];
      rank = group_[rank];
    }
    return rank;
  }

  std::map<Rank, uint32_t> ranks_;
  std::vector<uint32_t> of_track_;
  std::vector<uint32_t> group_;
};

// Lays the parts of one path one behind the other.
class PathWriter {
 public:
  PathWriter(const CriticalInput& input, const CriticalGraph& graph, const LongestPaths& paths, CriticalPath& path)
      : input_(input), graph_(graph), paths_(paths), path_(path), at_ns_(path.window.start_ns) {}

  void write(uint32_t end) {
    GrowingArray<uint32_t> nodes;
    for (uint32_t node = end; node != LongestPaths::kBegin; node = paths_.previous[node]) {
      nodes.push_back(node);
    }
    const uint32_t first = nodes.back();
    const bool is_slice = !graph_.is_host(first) && !graph_.is_arrival(first);
    add(PathKind::kUnexplained, kEmptyString,
        is_slice ? graph_.device_slice(first).span.start_ns : graph_.time_ns(first));
    if (is_slice) {
      add_slice(first);
    }
    for (size_t i = nodes.size() - 1; i > 0; --i) {
      add_edge(nodes[i], nodes[i - 1]);
    }
    add(PathKind::kUnexplained, kEmptyString, path_.window.end_ns);
  }

 private:
  void add(PathKind kind, StringId name, int64_t until_ns);
  void add_edge(uint32_t from, uint32_t to);
  void add_slice(uint32_t node);
  void add_gap(uint32_t from, uint32_t to);
  void add_host(uint32_t track, uint32_t or_track, int64_t until_ns);
  PathKind kind_of_host(uint64_t event) const;
  uint32_t track_of(uint32_t node) const {
    return graph_.is_host(node) ? graph_.point(node).track : input_.events.track[graph_.device_slice(node).event];
  }
  StringId name_of(uint32_t node) const { return input_.events.name[graph_.device_slice(node).event]; }

  const CriticalInput& input_;
  const CriticalGraph& graph_;
  const LongestPaths& paths_;
  CriticalPath& path_;
  int64_t at_ns_;
};

// Neighbours of one kind and name are one part.
void PathWriter::add(PathKind kind, StringId name, int64_t until_ns) {
  if (until_ns <= at_ns_) {
    return;
  }
  if (path_.parts.empty() || path_.parts.back().kind != kind || path_.parts.back().name != name) {
    path_.parts.push_back({at_ns_, name, kind});
  }
  at_ns_ = until_ns;
}

void PathWriter::add_edge(uint32_t from, uint32_t to) {
  const Track& there = input_.events.tracks[track_of(to)];
  const Track& here = input_.events.tracks[track_of(from)];
  path_.changes_of_rank += std::pair(there.recording, there.rank) != std::pair(here.recording, here.rank) ? 1 : 0;
  if (graph_.is_host(to)) {
    if (graph_.is_host(from)) {
      add_host(track_of(from), track_of(to), graph_.time_ns(to));
      return;
    }
    const uint64_t call = input_.host.at(track_of(to), graph_.time_ns(to) - 1);
    add(PathKind::kSync, call == HostSegment::kNone ? kEmptyString : input_.events.name[call], graph_.time_ns(to));
    return;
  }
  if (graph_.is_arrival(from)) {
    add_slice(to);
    return;
  }
  add_gap(from, to);
  if (!graph_.is_arrival(to)) {
    add_slice(to);
  }
}

void PathWriter::add_slice(uint32_t node) {
  add(static_cast<PathKind>(graph_.device_slice(node).work), name_of(node), graph_.device_slice(node).span.end_ns);
}

// Up to the begin of a slice. What weighs nothing was not what it waited for.
void PathWriter::add_gap(uint32_t from, uint32_t to) {
  const Span& span = graph_.device_slice(to).span;
  const int64_t weight = paths_.length[to] - paths_.length[from];
  const bool came_last = weight >= graph_.time_ns(to) - graph_.time_ns(from);
  PathKind kind = PathKind::kUnexplained;
  if (came_last && graph_.is_host(from)) {
    kind = PathKind::kLaunchDelay;
  } else if (came_last) {
    kind = track_of(from) == track_of(to) ? PathKind::kTurnaround : PathKind::kSync;
    path_.inferred_waits += graph_.is_inferred(from, to) ? 1 : 0;
  }
  add(kind, name_of(to), span.start_ns);
}

// What `track` was in; where nothing is recorded there, the other one.
void PathWriter::add_host(uint32_t track, uint32_t or_track, int64_t until_ns) {
  if (track != or_track && input_.host.at(track, at_ns_) == HostSegment::kNone) {
    track = or_track;
  }
  const auto segments = input_.host.of(track);
  for (size_t i = segment_at(segments, at_ns_); at_ns_ < until_ns;) {
    const size_t after = i == segments.size() ? 0 : i + 1;
    const int64_t end_ns = after < segments.size() ? std::min(segments[after].start_ns, until_ns) : until_ns;
    const uint64_t event = i == segments.size() ? HostSegment::kNone : segments[i].event;
    add(kind_of_host(event), event == HostSegment::kNone ? kEmptyString : input_.events.name[event], end_ns);
    i = after;
  }
}

PathKind PathWriter::kind_of_host(uint64_t event) const {
  if (event == HostSegment::kNone) {
    return PathKind::kUnexplained;
  }
  switch (input_.events.kind[event]) {
    case EventKind::kHostCall:
      return waits_for_device(input_.events.strings[input_.events.name[event]]) ? PathKind::kSync : PathKind::kHostCall;
    case EventKind::kHostOp:
      return PathKind::kHostOperator;
    default:
      return PathKind::kHostRange;
  }
}

void sum_up(CriticalPath& path) {
  std::map<std::pair<PathKind, StringId>, PathItem> items;
  for (size_t i = 0; i < path.parts.size(); ++i) {
    const PathPart& part = path.parts[i];
    const int64_t ns = path.part_ns(i);
    path.shares[static_cast<size_t>(part.kind)] += ns;
    PathItem& item = items[{part.kind, part.name}];
    item.kind = part.kind;
    item.name = part.name;
    ++item.parts;
    item.total_ns += ns;
  }
  for (const auto& [key, item] : items) {
    path.items.push_back(item);
  }
  std::stable_sort(path.items.begin(), path.items.end(),
                   [](const PathItem& a, const PathItem& b) { return a.total_ns > b.total_ns; });
}

struct RankStep {
  Rank rank;
  Span span;
  StringId name;
};

std::vector<RankStep> all_steps(const EventTable& events) {
  std::vector<RankStep> steps;
  for (size_t i = 0; i < events.size(); ++i) {
    const bool of_host = events.kind[i] == EventKind::kHostRange || events.kind[i] == EventKind::kHostOp;  // of 2021
    if (of_host && events.shape[i] == EventShape::kSlice &&
        events.strings[events.name[i]].starts_with("ProfilerStep#")) {
      const Track& track = events.tracks[events.track[i]];
      steps.push_back({{track.recording, track.rank}, {events.start_ns[i], events.end_ns(i)}, events.name[i]});
    }
  }
  std::sort(steps.begin(), steps.end(), [](const RankStep& a, const RankStep& b) {
    return std::tie(a.rank, a.span.start_ns, a.span.end_ns) < std::tie(b.rank, b.span.start_ns, b.span.end_ns);
  });
  return steps;
}

// Steps of the path's first rank that has any. One that begins within another is none.
void add_steps(const std::vector<RankStep>& all, CriticalPath& path) {
  std::span<const RankStep> steps;
  for (auto rank = path.ranks.begin(); steps.empty() && rank != path.ranks.end(); ++rank) {
    const auto [first, behind] = std::equal_range(all.begin(), all.end(), RankStep{*rank, {}, kEmptyString},
                                                  [](const RankStep& a, const RankStep& b) { return a.rank < b.rank; });
    steps = {first, behind};
  }
  int64_t behind_ns = path.window.start_ns;
  size_t part = 0;
  for (const RankStep& its : steps) {
    PathStep step{its.name,
                  {std::max(its.span.start_ns, path.window.start_ns), std::min(its.span.end_ns, path.window.end_ns)},
                  {}};
    if (step.span.start_ns < behind_ns || step.span.start_ns >= step.span.end_ns) {
      continue;
    }
    behind_ns = step.span.end_ns;
    while (path.part_end_ns(part) <= step.span.start_ns) {
      ++part;
    }
    for (size_t i = part; i < path.parts.size() && path.parts[i].start_ns < step.span.end_ns; ++i) {
      step.shares[static_cast<size_t>(path.parts[i].kind)] +=
          std::min(path.part_end_ns(i), step.span.end_ns) - std::max(path.parts[i].start_ns, step.span.start_ns);
    }
    path.steps.push_back(step);
  }
}

// The window of each group.
std::vector<Span> windows_of(const EventTable& events, RankGroups& groups) {
  std::vector<Span> windows(groups.size(), Span{INT64_MAX, INT64_MIN});
  for (size_t i = 0; i < events.size(); ++i) {
    switch (events.kind[i]) {
      case EventKind::kHostOp:
      case EventKind::kHostCall:
      case EventKind::kKernel:
      case EventKind::kCopy:
      case EventKind::kSet:
        if (events.shape[i] == EventShape::kSlice) {
          Span& window = windows[groups.of_track(events.track[i])];
          window = {std::min(window.start_ns, events.start_ns[i]), std::max(window.end_ns, events.end_ns(i))};
        }
        break;
      default:
        break;
    }
  }
  return windows;
}

}  // namespace

const char* path_kind_name(PathKind kind) {
  static constexpr const char* kNames[kPathKinds] = {"computation", "communication", "copy", "host_operator",
                                                     "host_call",   "host_range",    "sync", "launch_delay",
                                                     "turnaround",  "unexplained"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<CriticalPath> critical_paths(const CriticalInput& input) {
  const EventTable& events = input.events;
  CriticalGraph graph(input);
  const LongestPaths longest = longest_paths(graph.take_graph());
  const auto track_of = [&](uint32_t node) {
    return graph.is_host(node) ? graph.point(node).track : events.track[graph.device_slice(node).event];
  };
  RankGroups groups(events);
  for (const CriticalGraph::Arrival& arrival : graph.arrivals()) {
    groups.join_tracks(track_of(graph.node_of_slice(arrival.slice)), track_of(graph.node_of_slice(arrival.last)));
  }
  std::vector<uint32_t> ends(groups.size(), LongestPaths::kBegin);  // of each group's longest path
  for (uint32_t node = 0; node < longest.length.size(); ++node) {
    uint32_t& end = ends[groups.of_track(track_of(node))];
    const auto key = [&](uint32_t one) { return std::pair(longest.length[one], graph.time_ns(one)); };
    end = end == LongestPaths::kBegin || key(node) > key(end) ? node : end;
  }
  const std::vector<Span> windows = windows_of(events, groups);
  std::vector<bool> has_device(groups.size());
  for (const DeviceWork& device : input.devices) {
    has_device[groups.of_track(events.track[device.slices.front().event])] = true;
  }
  const std::vector<RankStep> steps = all_steps(events);
  std::vector<std::vector<Rank>> members = groups.members();
  std::vector<CriticalPath> paths;
  for (uint32_t group = 0; group < groups.size(); ++group) {
    if (!has_device[group] || ends[group] == LongestPaths::kBegin) {
      continue;
    }
    CriticalPath path;
    path.ranks = std::move(members[group]);
    path.window = windows[group];
    path.length_ns = longest.length[ends[group]];
    PathWriter(input, graph, longest, path).write(ends[group]);
    sum_up(path);
    add_steps(steps, path);
    paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace aaco
