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
#include "analysis/timeline/critical_path/host_points.h"
#include "analysis/timeline/critical_path/longest_path.h"
#include "analysis/timeline/host_timeline.h"

namespace aaco {

struct CriticalInput {
  const EventTable& events;
  const LaunchIndex& launches;
  const HostTimeline& host;  // of kHostKinds
  std::span<const DeviceWork> devices;
  const std::vector<MatchedCollectives>& collectives;
  const ClockAlignment& clocks;
};

// Nodes are in this order: points of host threads, ends of slices (of all devices, one after the other), arrivals.
class CriticalGraph : public DependencyGraph {
 public:
  // A kernel of a collective that is compared across ranks, as it begins; by slice.
  struct Arrival {
    uint32_t slice = 0;
    uint32_t last = 0;   // the slice of the rank that arrived last, its own where that was this one
    int64_t met_ns = 0;  // when that was, within its own span
  };

  // `dependencies` of each device.
  CriticalGraph(const CriticalInput& input, std::vector<StreamDependencies> dependencies);

  uint32_t size() const override;
  int64_t edges_to(uint32_t node, std::vector<Edge>& edges) const override;
  // Gives back what edges_to() alone needs, which is not to be called any more.
  void forget_edges();

  bool is_host(uint32_t node) const { return node < points_.size(); }
  bool is_arrival(uint32_t node) const { return node >= points_.size() + slices_; }
  const DeviceSlice& device_slice(uint32_t node) const;  // whose end or arrival it is
  uint32_t track(uint32_t node) const;
  int64_t time_ns(uint32_t node) const;
  // Pairs of the nodes of kernels of one collective on several ranks.
  const std::vector<Arrival>& arrivals() const { return arrivals_; }
  uint32_t node_of_slice(uint32_t slice) const { return points_.size() + slice; }
  // Whether an edge between slices rests on a call alone, which does not say for what its stream waits.
  bool is_inferred(uint32_t from, uint32_t to) const;

 private:
  struct Slice {
    uint32_t device = 0;
    uint32_t index = 0;  // of the device's
  };

  static constexpr uint32_t kNone = UINT32_MAX;

  Slice slice(uint32_t node) const;
  void match_arrivals();
  uint32_t slice_of(const CollectiveKernel& kernel) const;
  void find_launches();
  void find_reasons();
  HostPoint returned_at(const DeviceWaits::OfHost& wait) const;
  std::vector<Arrival>::const_iterator arrival_of(uint32_t slice) const;  // or the next one's
  void add_point_edges(uint32_t node, std::vector<Edge>& edges) const;
  void add_begin_edges(const Slice& slice, int64_t then_ns, std::vector<Edge>& edges) const;
  uint32_t node_of(uint32_t device, size_t index) const {
    return node_of_slice(first_slice_[device] + static_cast<uint32_t>(index));
  }

  const CriticalInput& input_;
  std::vector<StreamDependencies> dependencies_;
  std::vector<uint32_t> first_slice_;  // of each device
  uint32_t slices_ = 0;                // of all
  DeviceWaits waits_;
  std::vector<ThreadHandoff> handoffs_;
  HostPoints points_;
  std::vector<Arrival> arrivals_;
  std::vector<bool> has_reasons_;      // of points: whether they are in `waits_` or `handoffs_`
  std::vector<uint32_t> launched_at_;  // of each slice the node of its launch_point(); kNone where there is none
};

}  // namespace aaco
