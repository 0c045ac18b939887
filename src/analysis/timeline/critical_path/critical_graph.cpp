// SPDX-License-Identifier: MIT
#include "analysis/timeline/critical_path/critical_graph.h"

#include <algorithm>
#include <utility>

#include "analysis/timeline/waiting_call.h"

namespace aaco {

CriticalGraph::CriticalGraph(const CriticalInput& input) : input_(input) {
  for (size_t i = 0; i < input.devices.size(); ++i) {
    first_slice_.push_back(slices_);
    slices_ += static_cast<uint32_t>(input.devices[i].slices.size());
    devices_.push_back(device_queue(input.events, input.devices[i], input.dependencies[i], input.launches));
  }
  waits_ = device_waits(input.events, input.launches, devices_);
  handoffs_ = thread_handoffs(input.events, input.host);
  waiting_.assign(input.events.strings.size(), -1);
  match_arrivals();
  collect_points();
  add_host_nodes();
  add_slice_nodes();
  add_arrival_nodes();
}

CriticalGraph::Slice CriticalGraph::slice(uint32_t node) const {
  const uint32_t after_points = node - static_cast<uint32_t>(points_.size());
  const uint32_t slice = after_points < slices_ ? after_points : arrivals_[after_points - slices_].slice;
  const auto behind = std::upper_bound(first_slice_.begin(), first_slice_.end(), slice);
  const auto device = static_cast<uint32_t>(behind - first_slice_.begin()) - 1;
  return {device, slice - first_slice_[device]};
}

const DeviceSlice& CriticalGraph::device_slice(uint32_t node) const {
  const Slice its = slice(node);
  return devices_[its.device].work->slices[its.index];
}

int64_t CriticalGraph::time_ns(uint32_t node) const {
  if (is_host(node)) {
    return points_[node].time_ns;
  }
  const Span& span = device_slice(node).span;
  return is_arrival(node) ? span.start_ns : span.end_ns;
}

bool CriticalGraph::is_inferred(uint32_t from, uint32_t to) const {
  const Slice waiter = slice(to);
  return std::binary_search(waits_.stream.begin(), waits_.stream.end(),
                            DeviceWaits::OfStream{waiter.device, waiter.index, slice(from).index});
}

uint32_t CriticalGraph::slice_of(const CollectiveKernel& kernel) const {
  const std::vector<DeviceSlice>& slices = input_.devices[kernel.device].slices;  // in the order of the events
  const auto found = std::lower_bound(slices.begin(), slices.end(), kernel.event,
                                      [](const DeviceSlice& a, uint64_t event) { return a.event < event; });
  return first_slice_[kernel.device] + static_cast<uint32_t>(found - slices.begin());
}

// Nobody can have done before the last rank arrived; where the times contradict that (a broadcast's root goes ahead),
// the rank depends on itself alone. Times of ranks whose clocks cannot agree are not compared.
void CriticalGraph::match_arrivals() {
  const EventTable& events = input_.events;
  std::vector<int64_t> apart;
  for (const RankClock& clock : input_.clocks.clocks()) {
    if (clock.state == ClockState::kShifted || clock.state == ClockState::kInconsistent) {
      apart.push_back(clock.rank);  // in ascending order
    }
  }
  for (const MatchedCollectives& collectives : input_.collectives) {
    std::vector<const MatchedCollectives::OfRank*> ranks;
    for (const MatchedCollectives::OfRank& rank : collectives.ranks) {
      if (!std::binary_search(apart.begin(), apart.end(), rank.rank)) {
        ranks.push_back(&rank);
      }
    }
    if (ranks.size() < 2 || !collectives.comparable()) {
      continue;
    }
    for (size_t place = 0; place < collectives.count(); ++place) {
      const CollectiveKernel* latest = ranks.front()->kernels[place];
      for (const MatchedCollectives::OfRank* rank : ranks) {
        const CollectiveKernel* kernel = rank->kernels[place];
        latest = events.start_ns[kernel->event] > events.start_ns[latest->event] ? kernel : latest;
      }
      for (const MatchedCollectives::OfRank* rank : ranks) {
        const CollectiveKernel* kernel = rank->kernels[place];
        const bool together = events.start_ns[latest->event] <= events.end_ns(kernel->event);
        const CollectiveKernel* waited_for = together ? latest : kernel;
        arrivals_.push_back({slice_of(*kernel), slice_of(*waited_for), events.start_ns[waited_for->event]});
      }
    }
  }
  std::sort(arrivals_.begin(), arrivals_.end(), [](const Arrival& a, const Arrival& b) { return a.slice < b.slice; });
}

void CriticalGraph::collect_points() {
  const EventTable& events = input_.events;
  std::vector<HostPoint> first(events.tracks.size());
  std::vector<HostPoint> last(events.tracks.size());
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.shape[i] == EventShape::kSlice &&
        (events.kind[i] == EventKind::kHostOp || events.kind[i] == EventKind::kHostCall)) {
      const uint32_t track = events.track[i];
      const bool known = first[track].track == track;
      first[track] = {track, known ? std::min(first[track].time_ns, events.start_ns[i]) : events.start_ns[i]};
      last[track] = {track, known ? std::max(last[track].time_ns, events.end_ns(i)) : events.end_ns(i)};
    }
  }
  const size_t most = 2 * first.size() + slices_ + waits_.host.size() + 2 * handoffs_.size();
  points_ = std::move(first);
  points_.reserve(most);
  points_.insert(points_.end(), last.begin(), last.end());
  for (const DeviceQueue& device : devices_) {
    points_.insert(points_.end(), device.launched.begin(), device.launched.end());
  }
  for (const DeviceWaits::OfHost& wait : waits_.host) {
    points_.push_back(wait.returned);
  }
  for (const ThreadHandoff& handoff : handoffs_) {
    points_.push_back(handoff.from);
    points_.push_back(handoff.to);
  }
  std::sort(points_.begin(), points_.end());
  points_.erase(std::unique(points_.begin(), points_.end()), points_.end());
  while (!points_.empty() && points_.back().track == HostPoint::kNoTrack) {
    points_.pop_back();  // they sort last
  }
}

uint32_t CriticalGraph::node_of_point(const HostPoint& point) const {
  return static_cast<uint32_t>(std::lower_bound(points_.begin(), points_.end(), point) - points_.begin());
}

bool CriticalGraph::waiting(StringId call) {
  int8_t& known = waiting_[call];
  if (known < 0) {
    known = waits_for_device(input_.events.strings[call]) ? 1 : 0;
  }
  return known == 1;
}

// How long the thread was in operators and calls, but those that wait for the device. `segment` is where the last look
// ended, and only goes forward.
int64_t CriticalGraph::worked_ns(size_t& segment, const HostPoint& from, int64_t until_ns) {
  const EventTable& events = input_.events;
  const auto segments = input_.host.of(from.track);
  int64_t worked = 0;
  for (; segment < segments.size() && segments[segment].start_ns < until_ns; ++segment) {
    const bool last = segment + 1 == segments.size();
    const int64_t end_ns = last ? until_ns : std::min(segments[segment + 1].start_ns, until_ns);
    const uint64_t event = segments[segment].event;
    const int64_t start_ns = std::max(segments[segment].start_ns, from.time_ns);
    if (event != HostSegment::kNone && events.kind[event] != EventKind::kHostRange && end_ns > start_ns &&
        !(events.kind[event] == EventKind::kHostCall && waiting(events.name[event]))) {
      worked += end_ns - start_ns;
    }
    if (!last && segments[segment + 1].start_ns > until_ns) {
      break;  // the rest of it is of the next edge
    }
  }
  return worked;
}

void CriticalGraph::add_host_nodes() {
  size_t wait = 0;
  size_t handoff = 0;
  size_t segment = 0;
  for (size_t i = 0; i < points_.size(); ++i) {
    const HostPoint& point = points_[i];
    for (; wait < waits_.host.size() && waits_.host[wait].returned == point; ++wait) {
      const DeviceWaits::OfHost& its = waits_.host[wait];
      const DeviceSlice& slice = devices_[its.device].work->slices[its.slice];
      graph_.add_edge({node_of(its.device, its.slice), point.time_ns - slice.span.end_ns});
    }
    if (i > 0 && points_[i - 1].track == point.track) {
      graph_.add_edge({static_cast<uint32_t>(i - 1), worked_ns(segment, points_[i - 1], point.time_ns)});
    } else {
      segment = 0;
    }
    for (; handoff < handoffs_.size() && handoffs_[handoff].to == point; ++handoff) {
      graph_.add_edge({node_of_point(handoffs_[handoff].from), 0});
    }
    graph_.end_node(0);
  }
}

// What the slice had to wait for before it began. Only the reason that came last explains the time from there to the
// slice's start; after the start `then_ns` follow on each.
void CriticalGraph::add_begin_edges(const Slice& slice, int64_t then_ns) {
  const DeviceQueue& device = devices_[slice.device];
  const std::vector<DeviceSlice>& slices = device.work->slices;
  const int64_t start_ns = slices[slice.index].span.start_ns;
  reasons_.clear();
  const auto add_slice = [&](size_t index) {
    if (slices[index].span.end_ns <= start_ns) {
      reasons_.emplace_back(node_of(slice.device, index), slices[index].span.end_ns);
    }
  };
  for (const StreamDependencies::Wait& wait : device.dependencies->waits_of(slice.index)) {
    add_slice(wait.waited_for);
  }
  const auto first =
      std::lower_bound(waits_.stream.begin(), waits_.stream.end(), DeviceWaits::OfStream{slice.device, slice.index, 0});
  for (auto wait = first; wait != waits_.stream.end() && wait->device == slice.device && wait->waiter == slice.index;
       ++wait) {
    add_slice(wait->waited_for);
  }
  if (const auto before = device.dependencies->before(slice.index)) {
    add_slice(*before);
  }
  if (device.launched[slice.index].track != HostPoint::kNoTrack) {
    reasons_.emplace_back(node_of_point(device.launched[slice.index]), device.launched[slice.index].time_ns);
  }
  int64_t last_ns = INT64_MIN;
  for (const auto& [node, time_ns] : reasons_) {
    last_ns = std::max(last_ns, time_ns);
  }
  for (const auto& [node, time_ns] : reasons_) {
    graph_.add_edge({node, (time_ns == last_ns ? start_ns - time_ns : 0) + then_ns});
  }
}

void CriticalGraph::add_slice_nodes() {
  auto arrival = arrivals_.begin();
  for (uint32_t device = 0; device < devices_.size(); ++device) {
    const std::vector<DeviceSlice>& slices = devices_[device].work->slices;
    for (uint32_t index = 0; index < slices.size(); ++index) {
      const Span& span = slices[index].span;
      const uint32_t slice = first_slice_[device] + index;
      if (arrival == arrivals_.end() || arrival->slice != slice) {
        add_begin_edges({device, index}, span.end_ns - span.start_ns);
        graph_.end_node(span.end_ns - span.start_ns);
        continue;
      }
      const auto first_arrival = static_cast<uint32_t>(points_.size()) + slices_;
      const auto last = std::lower_bound(arrivals_.begin(), arrivals_.end(), arrival->last,
                                         [](const Arrival& a, uint32_t wanted) { return a.slice < wanted; });
      const int64_t together_ns = span.end_ns - arrival->met_ns;
      graph_.add_edge({first_arrival + static_cast<uint32_t>(last - arrivals_.begin()), together_ns});
      if (last != arrival) {
        graph_.add_edge({first_arrival + static_cast<uint32_t>(arrival - arrivals_.begin()), together_ns});
      }
      graph_.end_node(together_ns);
      ++arrival;
    }
  }
}

void CriticalGraph::add_arrival_nodes() {
  for (size_t i = 0; i < arrivals_.size(); ++i) {
    add_begin_edges(slice(static_cast<uint32_t>(points_.size() + slices_ + i)), 0);
    graph_.end_node(0);
  }
}

}  // namespace aaco
