// SPDX-License-Identifier: MIT
#include "analysis/timeline/trace_summary.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "analysis/counters/counter_operators.h"
#include "analysis/timeline/advice/long_idle.h"
#include "analysis/timeline/advice/patterns.h"
#include "analysis/timeline/join_losses.h"
#include "analysis/timeline/lookup/row_groups.h"
#include "analysis/timeline/offenders/trace_offenders.h"
#include "analysis/timeline/stream_dependencies.h"
#include "base/interrupt.h"

namespace aaco {

namespace {

DeviceSummary summarise_device(const IdleContext& context, const DeviceWork& work,
                               const StreamDependencies& dependencies, std::span<const uint32_t> order,
                               const LaunchIndex& launches, CommunicationFinder& communication, EngineStepFinder& steps,
                               LossTable& losses) {
  const EventTable& events = context.events;
  DeviceSummary device;
  device.recording = work.recording;
  device.rank = work.rank;
  device.device = work.device;
  {
    TimeBudget budget = time_budget(events, work.slices);
    device.budget = budget.shares;
    budget.computation = SpanSet();
    communication.add(work, budget.exposed_communication, dependencies, order);
    steps.begin_device(work);
    device.idle =
        idle_causes(context, work, dependencies, budget.idle,
                    steps.device_has_steps() ? [&](IdleCause cause, const Span& span) { steps.add_idle(cause, span); }
                                             : IdleListener());
    steps.end_device();
  }
  end_if_interrupted();
  device.queue = launch_queue(events, work.slices, device.budget.window);
  device.kernels = kernel_statistics(events, work.slices);
  device.memory_operations = memory_operations(events, work.slices);
  device.overlaps = count_overlaps(events, work, order, losses);
  device.unlinked = count_unlinked(events, work, launches, losses);
  return device;
}

// Device work was recorded with an impossible time: it ran at another one.
bool has_work_without_time(const LossTable& losses) {
  const std::vector<LossTable::Entry> entries = losses.entries();
  return std::any_of(entries.begin(), entries.end(), [](const LossTable::Entry& entry) {
    return entry.loss == Loss::kImpossibleTime && entry.device_time_ns.has_value();
  });
}

// What ran, or may have run, without a record, and what no advice may rest on for that.
void add_unrecorded(const EventTable& events, const std::vector<DeviceWork>& devices, const LaunchIndex& launches,
                    TraceSummary& summary) {
  constexpr uint64_t kOneOf = 100;  // slices before their call: fewer may be what a clock's conversion is off
  const bool lacks_times = has_work_without_time(events.losses);
  const std::vector<uint64_t> replays = count_unrecorded_replays(events, devices, launches, summary.losses);
  std::vector<UnrecordedLaunches> unrecorded = count_unrecorded_launches(events, devices, launches, summary.losses);
  for (size_t i = 0; i < devices.size(); ++i) {
    DeviceSummary& device = summary.devices[i];
    device.unrecorded_replays = replays[i];
    device.launches = std::move(unrecorded[i]);
    const bool lacks_kernels = replays[i] > 0 || device.launches.count.unrecorded > 0 || lacks_times;
    device.idle_is_upper_bound = lacks_kernels || events.losses.in_part();
    device.idle_carries_advice = !lacks_kernels;
    device.launch_times_carry_advice =
        kOneOf * device.unlinked.before_call <= device.queue.launches + device.unlinked.before_call && !lacks_kernels;
    if (!device.launch_times_carry_advice) {  // what patterns look at
      device.idle.held_long = {};
      device.idle.held_shortly = {};
    }
  }
}

// What each device did, alone and with others, and what determined how long all took.
void summarise_devices(const EventTable& events, const std::vector<DeviceWork>& devices, const LaunchIndex& launches,
                       TraceSummary& summary) {
  const HostTimeline host(events, kHostKinds);
  // The devices of one thread each look through all of it: what that may cost is bounded.
  const size_t most_parts = 1'000 + 64 * events.size() / std::max<size_t>(devices.size(), 1);
  CommunicationFinder communication(events);
  EngineStepFinder steps(events);
  std::vector<StreamDependencies> dependencies;
  for (const DeviceWork& work : devices) {
    end_if_interrupted();
    const RowGroups order = stream_order(events, work);
    dependencies.emplace_back(events, work, launches, order.all());
    summary.devices.push_back(summarise_device({events, host, most_parts}, work, dependencies.back(), order.all(),
                                               launches, communication, steps, summary.losses));
  }
  summary.engine_steps = steps.finish();
  summary.step_classes = summarise_step_classes(summary.engine_steps);
  add_unrecorded(events, devices, launches, summary);
  end_if_interrupted();
  summary.communication = communication.finish();
  for (uint32_t device = 0; device < summary.devices.size(); ++device) {
    summary.devices[device].collectives = collective_statistics(events, summary.communication, device);
  }
  end_if_interrupted();
  const std::vector<MatchedCollectives> collectives = match_collectives(events, summary.communication);
  const ClockAlignment clocks(events, collectives);
  summary.clocks = clocks.clocks();
  summary.ranks = compare_ranks(events, summary.communication, collectives, clocks);
  end_if_interrupted();
  summary.critical_paths =
      critical_paths({events, launches, host, devices, collectives, clocks}, std::move(dependencies));
}

// What operators launched, and what of all that came before an expert would say.
void summarise_operators(const EventTable& events, const std::vector<DeviceWork>& devices, const RoofSources& roofs,
                         TraceSummary& summary) {
  const std::vector<RankOperators> operators = link_operators(events, devices);
  end_if_interrupted();
  summary.operators = operator_statistics(events, operators);
  OperatorWorks works(events);
  summary.rooflines = operator_roofline(events, operators, works, roofs);
  summary.backward_ratios = backward_ratios(events, operators, works);
  summary.suspects = find_suspects(events, summary.rooflines, summary.backward_ratios);
  end_if_interrupted();
  const LongestWindows windows(summary.devices);
  summary.findings = find_patterns({events, summary, operators, works, find_long_idles(events, summary), windows});
  summary.offenders = find_trace_offenders(events, summary, windows, elementwise_runs(events, operators, works));
}

}  // namespace

Result<void> expect_analysis_memory(const EventTable& events, std::optional<int64_t> available_bytes) {
  const std::string what = fmt::format("the analysis of {} events", events.size());
  if (events.size() > kMostEventRows) {
    return Error{ErrorKind::kUnavailable, fmt::format("{} is not possible, of {} it is", what, kMostEventRows),
                 "take a part of the trace; `mpirun -n N aaco trace import` shares it out"};
  }
  return expect_memory(
      kAnalysisBytes + events.size() * kAnalysisBytesPerEvent + engine_step_bytes(events), available_bytes, what,
      "take a part of the trace, or a machine with more; `mpirun -n N aaco trace import` shares it out");
}

// What one part needs is given back before the next begins: that bounds the memory of all.
TraceSummary summarise_trace(const EventTable& events, const RoofSources& roofs) {
  TraceSummary summary;
  const LaunchIndex launches(events);
  const std::vector<DeviceWork> devices = device_work(events, launches);
  end_if_interrupted();
  summary.counters = kernel_counters(events);
  join_operators(summary.counters, events, devices);
  end_if_interrupted();
  summary.samples = pc_samples(events, summary.losses);
  summarise_devices(events, devices, launches, summary);
  summarise_operators(events, devices, roofs, summary);
  end_if_interrupted();
  summary.memory = allocator_use(events, summary.losses);
  count_unmatched_flows(events, summary.losses);
  summary.losses.add_all(events.losses);
  return summary;
}

}  // namespace aaco
