// SPDX-License-Identifier: MIT
#include "analysis/timeline/trace_summary.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <tuple>
#include <utility>

#include "analysis/counters/counter_operators.h"
#include "analysis/timeline/trace_offenders.h"

namespace aaco {

namespace {

std::string name_of(const EventTable& events, size_t event) {
  return fmt::format("\"{}\" at {} ns", events.strings[events.name[event]], events.start_ns[event]);
}

uint64_t count_overlaps(const EventTable& events, const std::vector<DeviceSlice>& slices, LossTable& losses) {
  std::vector<std::tuple<int64_t, int64_t, int64_t, uint64_t>> ordered;  // stream, start, end, event
  ordered.reserve(slices.size());
  for (const DeviceSlice& slice : slices) {
    const int64_t stream = events.tracks[events.track[slice.event]].stream;
    if (stream != kNoId) {
      ordered.emplace_back(stream, slice.span.start_ns, slice.span.end_ns, slice.event);
    }
  }
  std::sort(ordered.begin(), ordered.end());
  uint64_t overlaps = 0;
  int64_t stream = kNoId;
  int64_t busy_until_ns = 0;
  for (const auto& [its_stream, start_ns, end_ns, event] : ordered) {
    if (its_stream != stream) {
      stream = its_stream;
      busy_until_ns = end_ns;
      continue;
    }
    if (start_ns < busy_until_ns) {
      ++overlaps;
      losses.add(Loss::kOverlap, [&, at = event] { return name_of(events, at); });
    }
    busy_until_ns = std::max(busy_until_ns, end_ns);
  }
  return overlaps;
}

uint64_t count_unlinked(const EventTable& events, const DeviceWork& work, std::span<const int64_t> submitted_ns,
                        LossTable& losses) {
  uint64_t unlinked = 0;
  for (size_t i = 0; i < work.slices.size(); ++i) {
    if (submitted_ns[i] == kNoId) {
      ++unlinked;
      losses.add(Loss::kNoLaunch, [&] { return name_of(events, work.slices[i].event); });
    }
  }
  return unlinked;
}

// Chrome's format joins the marks of a flow by category, name and id; within one recording.
void count_unmatched_flows(const EventTable& events, LossTable& losses) {
  using Flow = std::tuple<uint32_t, StringId, StringId, int64_t>;
  std::vector<std::pair<Flow, bool>> marks;  // whether it is a start
  for (size_t i = 0; i < events.size(); ++i) {
    const EventShape shape = events.shape[i];
    if (shape == EventShape::kFlowStart || shape == EventShape::kFlowEnd) {
      const uint32_t recording = events.tracks[events.track[i]].recording;
      marks.emplace_back(Flow(recording, events.category[i], events.name[i], events.correlation[i]),
                         shape == EventShape::kFlowStart);
    }
  }
  std::sort(marks.begin(), marks.end());  // of one flow its ends come first
  for (size_t first = 0; first < marks.size();) {
    size_t behind = first;
    while (behind < marks.size() && marks[behind].first == marks[first].first) {
      ++behind;
    }
    if (marks[first].second || !marks[behind - 1].second) {
      losses.add(Loss::kUnmatchedFlow, [&] {
        const auto& [recording, category, name, id] = marks[first].first;
        return fmt::format("{} {}", events.strings[name], id);
      });
    }
    first = behind;
  }
}

DeviceSummary summarise_device(const IdleContext& context, const DeviceWork& work,
                               const StreamDependencies& dependencies, CommunicationFinder& communication,
                               LossTable& losses) {
  const EventTable& events = context.events;
  DeviceSummary device;
  device.recording = work.recording;
  device.rank = work.rank;
  device.device = work.device;
  device.budget = time_budget(work.slices);
  const std::vector<int64_t> submitted_ns = submissions(events, work, context.launches);
  device.idle = idle_causes(context, work, dependencies, device.budget.idle);
  device.queue = launch_queue(work.slices, submitted_ns, device.budget.window);
  communication.add(work, device.budget, dependencies, submitted_ns);
  device.kernels = kernel_statistics(events, work.slices);
  device.memory_operations = memory_operations(events, work.slices);
  device.overlaps = count_overlaps(events, work.slices, losses);
  device.unlinked = count_unlinked(events, work, submitted_ns, losses);
  return device;
}

// After everything else: the offenders are among all of it.
void add_rooflines(const EventTable& events, const std::vector<RankOperators>& operators, const RoofSources& roofs,
                   TraceSummary& summary) {
  TorchWorks works(events);
  summary.rooflines = operator_roofline(events, operators, works, roofs);
  summary.backward_ratios = backward_ratios(events, operators, works);
  summary.suspects = find_suspects(events, summary.rooflines, summary.backward_ratios);
  summary.offenders = find_trace_offenders(events, summary, elementwise_runs(events, operators, works));
}

}  // namespace

Result<void> expect_analysis_memory(const EventTable& events, std::optional<int64_t> available_bytes) {
  return expect_memory(
      events.size() * kAnalysisBytesPerEvent, available_bytes, fmt::format("the analysis of {} events", events.size()),
      "take a part of the trace, or a machine with more; `mpirun -n N aaco trace import` shares it out");
}

TraceSummary summarise_trace(const EventTable& events, const RoofSources& roofs) {
  TraceSummary summary;
  const LaunchIndex launches(events);
  const HostTimeline host(events, kHostKinds);
  const std::vector<DeviceWork> devices = device_work(events);
  // The devices of one thread each look through all of it: what that may cost is bounded.
  const size_t most_parts = 1'000 + 64 * events.size() / std::max<size_t>(devices.size(), 1);
  CommunicationFinder communication(events);
  std::vector<StreamDependencies> dependencies;
  for (const DeviceWork& work : devices) {
    dependencies.emplace_back(events, work, launches);
    summary.devices.push_back(summarise_device({events, launches, host, most_parts}, work, dependencies.back(),
                                               communication, summary.losses));
  }
  summary.communication = communication.finish();
  for (uint32_t device = 0; device < summary.devices.size(); ++device) {
    summary.devices[device].collectives = collective_statistics(events, summary.communication, device);
  }
  const std::vector<MatchedCollectives> collectives = match_collectives(events, summary.communication);
  const ClockAlignment clocks(events, collectives);
  summary.clocks = clocks.clocks();
  summary.ranks = compare_ranks(events, summary.communication, collectives, clocks);
  const std::vector<RankOperators> operators = link_operators(events, devices, launches);
  summary.operators = operator_statistics(events, operators);
  add_rooflines(events, operators, roofs, summary);
  summary.memory = memory_use(events, summary.losses);
  summary.critical_paths = critical_paths({events, launches, host, devices, dependencies, collectives, clocks});
  summary.counters = kernel_counters(events);
  join_operators(summary.counters, events, devices, launches);
  count_unmatched_flows(events, summary.losses);
  summary.losses.add_all(events.losses);
  return summary;
}

}  // namespace aaco
