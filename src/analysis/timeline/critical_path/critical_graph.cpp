// SPDX-License-Identifier: MIT
#include "analysis/timeline/critical_path/critical_graph.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace aaco {

CriticalGraph::CriticalGraph(const CriticalInput& input, std::vector<StreamDependencies> dependencies)
    : input_(input),
      dependencies_(std::move(dependencies)),
      waits_(device_waits(input.events, input.launches, input.devices, dependencies_)),
      handoffs_(thread_handoffs(input.events, input.host)),
      points_(input.events, input.host, input.devices, waits_, handoffs_) {
  for (const DeviceWork& device : input.devices) {
    first_slice_.push_back(slices_);
    slices_ += static_cast<uint32_t>(device.slices.size());
  }
  match_arrivals();
  find_launches();
  find_reasons();
}

uint32_t CriticalGraph::size() const { return points_.size() + slices_ + static_cast<uint32_t>(arrivals_.size()); }

void CriticalGraph::forget_edges() {
  const auto give_back = [](auto& all) { std::remove_reference_t<decltype(all)>().swap(all); };
  give_back(dependencies_);
  give_back(waits_.host);
  give_back(handoffs_);
  give_back(has_reasons_);
  give_back(launched_at_);
  points_.forget_work();
}

CriticalGraph::Slice CriticalGraph::slice(uint32_t node) const {
  const uint32_t after_points = node - points_.size();
  const uint32_t slice = after_points < slices_ ? after_points : arrivals_[after_points - slices_].slice;
  const auto behind = std::upper_bound(first_slice_.begin(), first_slice_.end(), slice);
  const auto device = static_cast<uint32_t>(behind - first_slice_.begin()) - 1;
  return {device, slice - first_slice_[device]};
}

const DeviceSlice& CriticalGraph::device_slice(uint32_t node) const {
  const Slice own = slice(node);
  return input_.devices[own.device].slices[own.index];
}

uint32_t CriticalGraph::track(uint32_t node) const {
  return is_host(node) ? points_.track(node) : input_.events.track[device_slice(node).event];
}

int64_t CriticalGraph::time_ns(uint32_t node) const {
  if (is_host(node)) {
    return points_.time_ns(node);
  }
  const Span span = span_of(input_.events, device_slice(node));
  return is_arrival(node) ? span.start_ns : span.end_ns;
}

bool CriticalGraph::is_inferred(uint32_t from, uint32_t to) const {
  const Slice waiter = slice(to);
  return std::binary_search(waits_.stream.begin(), waits_.stream.end(),
                            DeviceWaits::OfStream{waiter.device, waiter.index, slice(from).index});
}

uint32_t CriticalGraph::slice_of(const CollectiveKernel& kernel) const {
  const std::vector<DeviceSlice>& slices = input_.devices[kernel.device].slices;  // in the order of the events
  const auto slice = std::lower_bound(slices.begin(), slices.end(), kernel.event,
                                      [](const DeviceSlice& a, EventRow event) { return a.event < event; });
  return first_slice_[kernel.device] + static_cast<uint32_t>(slice - slices.begin());
}

// Nobody can have done before the last rank arrived; where the times contradict that (a broadcast's root goes ahead),
// the rank depends on itself alone. Times of ranks whose clocks cannot agree are not compared.
void CriticalGraph::match_arrivals() {
  const EventTable& events = input_.events;
  std::vector<int64_t> apart;
  for (const RankClock& clock : input_.clocks.clocks()) {
    if (clock.state == ClockState::kShifted || !clock.comparable()) {
      apart.push_back(clock.rank);  // in ascending order
    }
  }
  for (const MatchedCollectives& collectives : input_.collectives) {
    for (const MatchedCollectives::Place& place : collectives.shared_places()) {
      std::vector<const CollectiveKernel*> kernels;
      for (const MatchedCollectives::Holder& each : place) {
        if (!std::binary_search(apart.begin(), apart.end(), collectives.ranks[each.rank].rank)) {
          kernels.push_back(each.kernel);
        }
      }
      if (kernels.size() < 2) {
        continue;
      }
      const CollectiveKernel* latest = kernels.front();
      for (const CollectiveKernel* kernel : kernels) {
        latest = events.start_ns[kernel->event] > events.start_ns[latest->event] ? kernel : latest;
      }
      for (const CollectiveKernel* kernel : kernels) {
        const bool together = events.start_ns[latest->event] <= events.end_ns(kernel->event);
        const CollectiveKernel* waited_for = together ? latest : kernel;
        arrivals_.push_back({slice_of(*kernel), slice_of(*waited_for), events.start_ns[waited_for->event]});
      }
    }
  }
  std::sort(arrivals_.begin(), arrivals_.end(), [](const Arrival& a, const Arrival& b) { return a.slice < b.slice; });
}

void CriticalGraph::find_launches() {
  launched_at_.reserve(slices_);
  for (const DeviceWork& device : input_.devices) {
    for (const DeviceSlice& slice : device.slices) {
      const HostPoint point = launch_point(input_.events, slice);
      launched_at_.push_back(point.track == HostPoint::kNoTrack ? kNone : points_.find(point));
    }
  }
}

HostPoint CriticalGraph::returned_at(const DeviceWaits::OfHost& wait) const {
  return {input_.events.track[wait.call], input_.events.end_ns(wait.call)};
}

void CriticalGraph::find_reasons() {
  has_reasons_.resize(points_.size());
  for (const DeviceWaits::OfHost& wait : waits_.host) {
    has_reasons_[points_.find(returned_at(wait))] = true;
  }
  for (const ThreadHandoff& handoff : handoffs_) {
    has_reasons_[points_.find(handoff.to)] = true;
  }
}

int64_t CriticalGraph::edges_to(uint32_t node, std::vector<Edge>& edges) const {
  edges.clear();
  if (is_host(node)) {
    add_point_edges(node, edges);
    return 0;
  }
  const Slice own = slice(node);
  const Span span = span_of(input_.events, input_.devices[own.device].slices[own.index]);
  if (is_arrival(node)) {
    add_begin_edges(own, 0, edges);
    return 0;
  }
  const uint32_t number = node - points_.size();
  const auto arrival = arrival_of(number);
  if (arrival == arrivals_.end() || arrival->slice != number) {
    add_begin_edges(own, span.end_ns - span.start_ns, edges);
    return span.end_ns - span.start_ns;
  }
  const uint32_t first_arrival = points_.size() + slices_;
  const auto last = arrival_of(arrival->last);
  const int64_t together_ns = span.end_ns - arrival->met_ns;
  edges.push_back({first_arrival + static_cast<uint32_t>(last - arrivals_.begin()), together_ns});
  if (last != arrival) {
    edges.push_back({first_arrival + static_cast<uint32_t>(arrival - arrivals_.begin()), together_ns});
  }
  return together_ns;
}

std::vector<CriticalGraph::Arrival>::const_iterator CriticalGraph::arrival_of(uint32_t slice) const {
  return std::lower_bound(arrivals_.begin(), arrivals_.end(), slice,
                          [](const Arrival& a, uint32_t wanted) { return a.slice < wanted; });
}

void CriticalGraph::add_point_edges(uint32_t node, std::vector<Edge>& edges) const {
  const auto add_before = [&] {
    if (!points_.is_first(node)) {
      edges.push_back({node - 1, points_.worked_ns(node)});
    }
  };
  if (!has_reasons_[node]) {
    add_before();
    return;
  }
  const HostPoint point = points_[node];
  const auto wait =
      std::lower_bound(waits_.host.begin(), waits_.host.end(), point,
                       [&](const DeviceWaits::OfHost& a, const HostPoint& wanted) { return returned_at(a) < wanted; });
  for (auto next_wait = wait; next_wait != waits_.host.end() && returned_at(*next_wait) == point; ++next_wait) {
    const int64_t ended_ns = input_.events.end_ns(input_.devices[next_wait->device].slices[next_wait->slice].event);
    edges.push_back({node_of(next_wait->device, next_wait->slice), point.time_ns - ended_ns});
  }
  add_before();
  const auto handoff = std::lower_bound(handoffs_.begin(), handoffs_.end(), point,
                                        [](const ThreadHandoff& a, const HostPoint& wanted) { return a.to < wanted; });
  for (auto next_handoff = handoff; next_handoff != handoffs_.end() && next_handoff->to == point; ++next_handoff) {
    edges.push_back({points_.find(next_handoff->from), 0});
  }
}

// What the slice had to wait for before it began. Only the reason that came last explains the time from there to the
// slice's start; after the start `then_ns` follow on each.
void CriticalGraph::add_begin_edges(const Slice& slice, int64_t then_ns, std::vector<Edge>& edges) const {
  const EventTable& events = input_.events;
  const std::vector<DeviceSlice>& slices = input_.devices[slice.device].slices;
  const StreamDependencies& dependencies = dependencies_[slice.device];
  const int64_t start_ns = events.start_ns[slices[slice.index].event];
  int64_t last_ns = INT64_MIN;
  const auto add = [&](uint32_t node, int64_t time_ns) {  // until all are known with its time for a weight
    last_ns = std::max(last_ns, time_ns);
    edges.push_back({node, time_ns});
  };
  const auto add_slice = [&](size_t index) {
    if (const int64_t end_ns = events.end_ns(slices[index].event); end_ns <= start_ns) {
      add(node_of(slice.device, index), end_ns);
    }
  };
  for (const StreamDependencies::Wait& wait : dependencies.waits_of(slice.index)) {
    add_slice(wait.waited_for);
  }
  const auto first =
      std::lower_bound(waits_.stream.begin(), waits_.stream.end(), DeviceWaits::OfStream{slice.device, slice.index, 0});
  for (auto wait = first; wait != waits_.stream.end() && wait->device == slice.device && wait->waiter == slice.index;
       ++wait) {
    add_slice(wait->waited_for);
  }
  if (const auto before = dependencies.before(slice.index)) {
    add_slice(*before);
  }
  if (const uint32_t launch = launched_at_[first_slice_[slice.device] + slice.index]; launch != kNone) {
    add(launch, points_.time_ns(launch));
  }
  for (Edge& edge : edges) {
    edge.weight = (edge.weight == last_ns ? start_ns - edge.weight : 0) + then_ns;
  }
}

}  // namespace aaco
