// SPDX-License-Identifier: MIT
// What had to happen before what, of a whole trace: nodes are moments at which host and devices met, edges the reasons.
// An edge weighs what of its time is work or the overhead of the reason that came last; waiting weighs nothing, so that
// the longest path goes through what was waited for.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analysis/timeline/communication/clock_alignment.h"
#include "analysis/timeline/communication/matched_collectives.h"
#include "analysis/timeline/critical_path/device_waits.h"
#include "analysis/timeline/critical_path/longest_path.h"
#include "analysis/timeline/critical_path/thread_handoffs.h"
#include "analysis/timeline/host_timeline.h"

namespace aaco {

struct CriticalInput {
  const EventTable& events;
  const LaunchIndex& launches;
  const HostTimeline& host;  // of kHostKinds
  std::span<const DeviceWork> devices;
  std::span<const StreamDependencies> dependencies;  // of each device
  const std::vector<MatchedCollectives>& collectives;
  const ClockAlignment& clocks;
};

// Nodes are in this order: points of host threads, ends of slices (of all devices, one after the other), arrivals.
class CriticalGraph {
 public:
  // A kernel of a collective that is compared across ranks, as it begins; by slice.
  struct Arrival {
    uint32_t slice = 0;
    uint32_t last = 0;   // the slice of the rank that arrived last, its own where that was this one
    int64_t met_ns = 0;  // when that was, within its own span
  };
  struct Slice {
    uint32_t device = 0;
    uint32_t index = 0;  // of the device's
  };

  explicit CriticalGraph(const CriticalInput& input);

  DependencyGraph take_graph() { return std::move(graph_); }  // all else stays
  bool is_host(uint32_t node) const { return node < points_.size(); }
  bool is_arrival(uint32_t node) const { return node >= points_.size() + slices_; }
  const HostPoint& point(uint32_t node) const { return points_[node]; }
  Slice slice(uint32_t node) const;  // whose end or arrival it is
  const DeviceSlice& device_slice(uint32_t node) const;
  int64_t time_ns(uint32_t node) const;
  // Pairs of the nodes of kernels of one collective on several ranks.
  const std::vector<Arrival>& arrivals() const { return arrivals_; }
  uint32_t node_of_slice(uint32_t slice) const { return static_cast<uint32_t>(points_.size()) + slice; }
  // Whether an edge between slices rests on a call alone, which does not say for what its stream waits.
  bool is_inferred(uint32_t from, uint32_t to) const;

 private:
  void match_arrivals();
  uint32_t slice_of(const CollectiveKernel& kernel) const;
  void collect_points();
  void add_host_nodes();
  void add_slice_nodes();
  void add_arrival_nodes();
  void add_begin_edges(const Slice& slice, int64_t then_ns);
  int64_t worked_ns(size_t& segment, const HostPoint& from, int64_t until_ns);
  uint32_t node_of_point(const HostPoint& point) const;
  uint32_t node_of(uint32_t device, size_t index) const {
    return node_of_slice(first_slice_[device] + static_cast<uint32_t>(index));
  }
  bool waiting(StringId call);

  const CriticalInput& input_;
  std::vector<DeviceQueue> devices_;
  std::vector<uint32_t> first_slice_;  // of each device
  uint32_t slices_ = 0;                // of all
  DeviceWaits waits_;
  std::vector<ThreadHandoff> handoffs_;
  std::vector<Arrival> arrivals_;
  std::vector<HostPoint> points_;
  std::vector<int8_t> waiting_;                        // by name: whether it waits for the device; -1 not known yet
  std::vector<std::pair<uint32_t, int64_t>> reasons_;  // of the slice in hand: nodes and their times
  DependencyGraph graph_;
};

}  // namespace aaco
