// SPDX-License-Identifier: MIT
#include "analysis/timeline/critical_path/critical_path.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "analysis/timeline/critical_path/chosen_path.h"
#include "analysis/timeline/critical_path/path_segments.h"
#include "analysis/timeline/waiting_call.h"

namespace aaco {

namespace {

using Rank = RankGroups::Rank;

// Lays the parts of one path one behind the other.
class PathWriter {
 public:
  PathWriter(const CriticalInput& input, const CriticalGraph& graph, CriticalPath& path, uint32_t number,
             const PathListener& listener)
      : events_(input.events),
        host_(input.host),
        graph_(graph),
        path_(path),
        number_(number),
        listener_(listener),
        at_ns_(path.window.start_ns) {}

  void write(const ChosenPath& chosen) {
    const uint32_t first = chosen.nodes.back();
    const bool is_slice = !graph_.is_host(first) && !graph_.is_arrival(first);
    add(PathKind::kUnexplained, kEmptyString,
        is_slice ? events_.start_ns[graph_.device_slice(first).event] : graph_.time_ns(first), graph_.track(first));
    if (is_slice) {
      add_slice(first);
    }
    for (size_t i = chosen.nodes.size() - 1; i > 0; --i) {
      add_edge(chosen.nodes[i], chosen.nodes[i - 1], chosen.explains_gap[i - 1]);
    }
    add(PathKind::kUnexplained, kEmptyString, path_.window.end_ns, graph_.track(chosen.nodes[0]));
  }

 private:
  // `track`: where it lies, or of what waited; `event`: what ran.
  void add(PathKind kind, StringId name, int64_t until_ns, uint32_t track, EventRow event = kNoEvent);
  void add_edge(uint32_t from, uint32_t to, bool explains_gap);
  void add_slice(uint32_t node);
  void add_gap(uint32_t from, uint32_t to, bool came_last);
  void add_host(uint32_t track, uint32_t or_track, int64_t until_ns);
  PathKind kind_of_host(EventRow event) const;
  StringId name_of(EventRow event) const { return event == kNoEvent ? kEmptyString : events_.name[event]; }

  const EventTable& events_;
  const HostTimeline& host_;
  const CriticalGraph& graph_;
  CriticalPath& path_;
  uint32_t number_;
  const PathListener& listener_;
  int64_t at_ns_;
};

// Neighbours of one kind and name are one part.
void PathWriter::add(PathKind kind, StringId name, int64_t until_ns, uint32_t track, EventRow event) {
  if (until_ns <= at_ns_) {
    return;
  }
  if (listener_) {
    listener_({number_, kind, name, track, event, at_ns_, until_ns});
  }
  if (path_.parts.empty() || path_.parts.back().kind != kind || path_.parts.back().name != name) {
    path_.parts.push_back({at_ns_, name, kind});
  }
  at_ns_ = until_ns;
}

void PathWriter::add_edge(uint32_t from, uint32_t to, bool explains_gap) {
  const uint32_t to_track = graph_.track(to);
  const Track& there = events_.tracks[to_track];
  const Track& here = events_.tracks[graph_.track(from)];
  path_.changes_of_rank += std::pair(there.recording, there.rank) != std::pair(here.recording, here.rank) ? 1 : 0;
  if (graph_.is_host(to)) {
    if (graph_.is_host(from)) {
      add_host(graph_.track(from), to_track, graph_.time_ns(to));
      return;
    }
    const EventRow call = host_.at(to_track, graph_.time_ns(to) - 1);
    add(PathKind::kSync, name_of(call), graph_.time_ns(to), to_track, call);
    return;
  }
  if (graph_.is_arrival(from)) {
    add_slice(to);
    return;
  }
  add_gap(from, to, explains_gap);
  if (!graph_.is_arrival(to)) {
    add_slice(to);
  }
}

void PathWriter::add_slice(uint32_t node) {
  const DeviceSlice& slice = graph_.device_slice(node);
  add(static_cast<PathKind>(slice.work), name_of(slice.event), events_.end_ns(slice.event), graph_.track(node),
      slice.event);
}

// Up to the start of a slice. What weighs nothing was not what it waited for.
void PathWriter::add_gap(uint32_t from, uint32_t to, bool came_last) {
  const EventRow slice = graph_.device_slice(to).event;
  PathKind kind = PathKind::kUnexplained;
  if (came_last && graph_.is_host(from)) {
    kind = PathKind::kLaunchDelay;
  } else if (came_last) {
    kind = graph_.track(from) == graph_.track(to) ? PathKind::kTurnaround : PathKind::kSync;
    path_.inferred_waits += graph_.is_inferred(from, to) ? 1 : 0;
  }
  add(kind, name_of(slice), events_.start_ns[slice], graph_.track(to));
}

// What `track` was in; where nothing is recorded there, the other one.
void PathWriter::add_host(uint32_t track, uint32_t or_track, int64_t until_ns) {
  if (track != or_track && host_.at(track, at_ns_) == kNoEvent) {
    track = or_track;
  }
  const HostSegments segments = host_.segments(track);
  for (size_t i = segments.at(at_ns_); at_ns_ < until_ns;) {
    const size_t after = i == segments.size() ? 0 : i + 1;
    const int64_t end_ns = after < segments.size() ? std::min(segments.start_ns[after], until_ns) : until_ns;
    const EventRow event = i == segments.size() ? kNoEvent : segments.event[i];
    add(kind_of_host(event), name_of(event), end_ns, track, event);
    i = after;
  }
}

PathKind PathWriter::kind_of_host(EventRow event) const {
  if (event == kNoEvent) {
    return PathKind::kUnexplained;
  }
  switch (events_.kind[event]) {
    case EventKind::kHostCall:
      return waits_for_device(events_.strings[events_.name[event]]) ? PathKind::kSync : PathKind::kHostCall;
    case EventKind::kHostOp:
      return PathKind::kHostOperator;
    default:
      return PathKind::kHostRange;
  }
}

void sum_up(CriticalPath& path) {
  std::map<std::pair<PathKind, StringId>, PathItem> items;
  for (size_t i = 0; i < path.parts.size(); ++i) {
    const PathPart part = path.parts[i];
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
  for (const RankStep& rank_step : steps) {
    PathStep step{
        rank_step.name,
        {std::max(rank_step.span.start_ns, path.window.start_ns), std::min(rank_step.span.end_ns, path.window.end_ns)},
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

std::vector<CriticalPath> critical_paths(const CriticalInput& input, std::vector<StreamDependencies> dependencies) {
  return critical_paths(input, std::move(dependencies), PathListener());
}

std::vector<CriticalPath> critical_paths(const CriticalInput& input, std::vector<StreamDependencies> dependencies,
                                         const PathListener& listener) {
  const EventTable& events = input.events;
  CriticalGraph graph(input, std::move(dependencies));
  RankGroups groups(events);
  for (const CriticalGraph::Arrival& arrival : graph.arrivals()) {
    groups.join_tracks(graph.track(graph.node_of_slice(arrival.slice)), graph.track(graph.node_of_slice(arrival.last)));
  }
  std::vector<bool> has_device(groups.size());
  for (const DeviceWork& device : input.devices) {
    has_device[groups.of_track(events.track[device.slices.front().event])] = true;
  }
  std::vector<ChosenPath> chosen = choose_paths(graph, groups, has_device);
  graph.forget_edges();
  const std::vector<Span> windows = windows_of(events, groups);
  const std::vector<RankStep> steps = all_steps(events);
  std::vector<std::vector<Rank>> members = groups.members();
  std::vector<CriticalPath> paths;
  for (ChosenPath& chosen_path : chosen) {
    CriticalPath path;
    path.ranks = std::move(members[chosen_path.group]);
    path.window = windows[chosen_path.group];
    path.length_ns = chosen_path.length_ns;
    PathWriter(input, graph, path, static_cast<uint32_t>(paths.size()), listener).write(chosen_path);
    chosen_path = {};
    sum_up(path);
    add_steps(steps, path);
    paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace aaco
