// SPDX-License-Identifier: MIT
// What of a trace found no counterpart, or lies where it cannot: counted, for it is in no figure as it should be.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/timeline/device_work.h"
#include "analysis/timeline/lookup/launch_index.h"
#include "record/events/event_table.h"
#include "record/events/loss_table.h"

namespace aaco {

// Slices that begin before an earlier one of their stream has ended. `order` as stream_order() gives it, of all
// streams.
uint64_t count_overlaps(const EventTable& events, const DeviceWork& work, std::span<const uint32_t> order,
                        LossTable& losses);

// Slices without a link to the call that launched them, by the reason.
struct UnlinkedSlices {
  uint64_t no_call = 0;      // it is not in the trace
  uint64_t ambiguous = 0;    // several calls could have launched it
  uint64_t before_call = 0;  // it starts before its call

  bool operator==(const UnlinkedSlices&) const = default;
};
UnlinkedSlices count_unlinked(const EventTable& events, const DeviceWork& work, const LaunchIndex& launches,
                              LossTable& losses);

// Launches of graphs (cudaGraphLaunch, hipGraphLaunch) that left no slice, although devices of their rank left others.
// For each device, those of its rank.
std::vector<uint64_t> count_unrecorded_replays(const EventTable& events, const std::vector<DeviceWork>& devices,
                                               const LaunchIndex& launches, LossTable& losses);

// Chrome's format joins the marks of a flow by category, name and id; within one recording.
void count_unmatched_flows(const EventTable& events, LossTable& losses);

// All of these, and what was lost in reading. summarise_trace() knows of samples and memory besides.
LossTable trace_losses(const EventTable& events, const std::vector<DeviceWork>& devices, const LaunchIndex& launches);

}  // namespace aaco
