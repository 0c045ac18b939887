// SPDX-License-Identifier: MIT
#include "kind/queue_run/report/queue_sections.h"

#include <fmt/format.h>
#include <map>
#include <utility>
#include <vector>

#include "base/format.h"
#include "kind/queue_run/analysis/queue_metrics.h"
#include "record/device/device_rows.h"
#include "report/sections/estimates.h"
#include "report/values.h"

namespace aaco::report {

namespace {

std::string step_text(const std::optional<double>& step_ns) {
  return step_ns ? format_duration_ns(*step_ns) : "not measured";
}

Paragraph switch_remark(const char* what, const SwitchCost& cost) {
  std::string text = fmt::format(
      "{}: {} over {} against one, {} of repeats in {}; step of the "
      "device's clock {}; wall clock and time stamps: {}.",
      what, counted(cost.kernels, "kernel", "kernels"), counted(cost.streams, "stream", "streams"),
      counted(cost.pairs, "pair", "pairs"), counted(cost.processes, "process", "processes"),
      step_text(cost.clock_step_ns), agreement_text(cost.agreement));
  if (cost.reordered > 0) {
    text +=
        fmt::format(" {} began before one that was enqueued earlier.", counted(cost.reordered, "kernel", "kernels"));
  }
  return {text, cost.agreement.kind == AgreementKind::kDisagree ? Tone::kWarning : Tone::kNeutral};
}

std::string list_of(const std::vector<int32_t>& streams) {
  std::string text;
  for (const int32_t stream : streams) {
    text += (text.empty() ? "" : ", ") + std::to_string(stream);
  }
  return text;
}

// A row each, by queue_metrics().
void append(std::vector<Block>& blocks, const std::string& id, std::span<const MetricValue> figures) {
  for (Block& block : metric_blocks(id, metric_rows(queue_metrics(), figures))) {
    blocks.push_back(std::move(block));
  }
}

}  // namespace

Section switch_section(const SwitchCost& independent, const SwitchCost& hand_off) {
  Section section{"switch_cost", "Switch cost"};
  std::vector<MetricValue> figures = {
      independent.one_stream_gap, independent.switch_gap, independent.cost, independent.mean_cost,
      independent.wall_cost,      hand_off.switch_gap,    hand_off.cost,    hand_off.mean_cost,
      hand_off.wall_cost};
  // Where a kernel has one start and one end, as on a CPU, an overlap is its gap negated, and tells nothing more.
  const std::pair<const MetricValue*, const MetricValue*> overlaps[] = {
      {&independent.one_stream_overlap, &independent.one_stream_gap},
      {&independent.switch_overlap, &independent.switch_gap},
      {&hand_off.switch_overlap, &hand_off.switch_gap}};
  for (const auto& [overlap, gap] : overlaps) {
    if (!overlap->value || !gap->value || *overlap->value != -*gap->value) {
      figures.push_back(*overlap);
    }
  }
  append(section.blocks, "switch_cost", figures);
  section.blocks.emplace_back(switch_remark("Independent switches", independent));
  section.blocks.emplace_back(switch_remark("Hand-offs", hand_off));
  return section;
}

Section queue_map_section(const QueueMap& map, const QueueLimit& limit) {
  Section section{"queue_map", "Streams and hardware queues"};
  section.blocks.emplace_back(
      limit.queues ? Paragraph{fmt::format("With {} the kernel of one more waits: {}.",
                                           counted(*limit.queues, "busy stream", "busy streams"),
                                           counted(*limit.queues, "hardware queue", "hardware queues"))}
                   : Paragraph{"How many streams can be busy before one more waits is unknown: " + limit.reason,
                               Tone::kWarning});
  if (!map.valid) {
    section.blocks.emplace_back(Paragraph{"invalid: " + map.reason, Tone::kBad});
    return section;
  }
  section.blocks.emplace_back(
      map.queues ? Paragraph{fmt::format("Probed in pairs, {} streams are on {}.", map.streams,
                                         counted(*map.queues, "hardware queue", "hardware queues"))}
                 : Paragraph{"How many queues these streams use is unknown: " + map.reason, Tone::kWarning});
  TableBlock table{.id = "queue_groups", .columns = {{"group", true}, {"streams"}, {"queue"}}};
  for (size_t i = 0; i < map.groups.size(); ++i) {
    const QueueGroup& group = map.groups[i];
    const char* relation = group.contradicted ? "unknown" : group.streams.size() > 1 ? "shared" : "";
    table.rows.push_back({count_cell(static_cast<int64_t>(i + 1)), text_cell(list_of(group.streams)),
                          text_cell(relation, group.contradicted ? Tone::kWarning : Tone::kNeutral)});
  }
  table.note =
      "Streams of one group were shown to share a queue; of streams of different groups that is so only where "
      "all pairs are decided.";
  section.blocks.emplace_back(std::move(table));
  if (!map.contradictions.empty()) {
    section.blocks.emplace_back(Bullets{.title = "Contradictions", .items = map.contradictions});
  }
  return section;
}

Section launch_cost_section(std::span<const LaunchCost> costs) {
  Section section{"launch_cost", "Launch cost"};
  for (const LaunchCost& cost : costs) {
    section.blocks.emplace_back(Paragraph{cost.synchronised ? "One thread, a synchronisation after each launch:"
                                          : cost.threads == 1
                                              ? "One thread:"
                                              : fmt::format("{} threads with a stream each:", cost.threads)});
    const MetricValue figures[] = {cost.call_p50, cost.call_p99, cost.per_kernel};
    append(section.blocks, fmt::format("launch_{}_{}", cost.synchronised ? "sync" : "threads", cost.threads), figures);
  }
  return section;
}

Section convoy_section(const Convoy& convoy) {
  Section section{"convoy", "Short kernels behind long ones"};
  const MetricValue figures[] = {convoy.alone_p50, convoy.behind_p50, convoy.behind_p99, convoy.effect};
  append(section.blocks, "convoy", figures);
  section.blocks.emplace_back(Paragraph{
      fmt::format("Short: under {}; long: {} and over. {} short kernels alone, {} behind, {} of which it is not known "
                  "when they were ready.",
                  format_duration_ns(static_cast<double>(convoy.thresholds.short_ns)),
                  format_duration_ns(static_cast<double>(convoy.thresholds.long_ns)), convoy.alone_ns.values,
                  convoy.behind_ns.values, convoy.unknown)});
  return section;
}

Section record_section(const RecordCheck& check) {
  Section section{"records", "Activity records beside what kernels saw"};
  append(section.blocks, "records", std::span(&check.excess, 1));
  std::string text = fmt::format("{} in {} under the collector: {}.", counted(check.kernels, "kernel", "kernels"),
                                 counted(check.processes, "process", "processes"), agreement_text(check.agreement));
  if (check.room_ns) {
    text += fmt::format(" The offset of the two clocks is known to {}.", format_duration_ns(*check.room_ns));
  }
  section.blocks.emplace_back(
      Paragraph{text, check.agreement.kind == AgreementKind::kDisagree ? Tone::kWarning : Tone::kNeutral});
  return section;
}

Section priority_section(const PriorityEffect& effect) {
  Section section{"priority", "Effect of priority"};
  const MetricValue figures[] = {effect.low_delay, effect.high_delay, effect.effect, effect.low_passed,
                                 effect.high_passed};
  append(section.blocks, "priority", figures);
  section.blocks.emplace_back(
      Paragraph{fmt::format("Priorities of the device: {} (lowest) to {} (highest).", effect.lowest, effect.highest)});
  return section;
}

Paragraph overhead_remark(const ProfilingOverhead& overhead) {
  const auto time = [](const std::optional<Estimate>& value) {
    return value ? format_estimate_ns(*value) : std::string("no data");
  };
  return {fmt::format(
              "Taken under the activity collector, whose cost is in every length, gap and delay: {} {} under it, {} "
              "without, from processes that ran in turns.",
              overhead.of, time(overhead.profiled_ns), time(overhead.unprofiled_ns)),
          Tone::kWarning};
}

Section workload_timeline_section(const WorkloadTimeline& timeline, const ProfilingOverhead& overhead) {
  Section section{"timeline", "Kernels on the device, under the profiler"};
  const WorkloadSwitches& switches = timeline.switches;
  const MetricValue figures[] = {overhead.ratio,
                                 timeline.concurrency.mean_in_flight,
                                 timeline.launch_delay.p50,
                                 timeline.launch_delay.p99,
                                 timeline.same_stream_gap.p50,
                                 timeline.same_stream_gap.p99,
                                 switches.same_stream_gap,
                                 switches.other_stream_gap,
                                 switches.hand_off_gap,
                                 switches.switch_cost,
                                 switches.hand_off_cost,
                                 timeline.fairness.jain,
                                 timeline.fairness.max_over_min};
  section.blocks.emplace_back(overhead_remark(overhead));
  append(section.blocks, "timeline", figures);
  section.blocks.emplace_back(Paragraph{fmt::format(
      "{} pairs of kernels in a row: {} on one stream, {} on two, {} hand-offs; apart from these {} overlapped, {} "
      "were "
      "not ready, of {} the launching call is unknown or a graph's, of {} the waits are not resolved. {} on {}, at "
      "most {} in flight.",
      switches.pairs, switches.same_stream, switches.other_stream, switches.hand_off, switches.overlapped,
      switches.not_ready, switches.unknown, switches.unresolved,
      counted(timeline.concurrency.kernels, "kernel", "kernels"),
      counted(timeline.concurrency.streams, "stream", "streams"), timeline.concurrency.most_in_flight)});
  return section;
}

Section device_activity_section(const EventTable& events) {
  Section section{"activity", "Kernels on the device"};
  ActivityRun run;
  run.events = std::shared_ptr<const EventTable>(std::shared_ptr<void>(), &events);  // the caller's
  const std::span<const ActivityRun> runs(&run, 1);
  const Concurrency in_flight = concurrency(runs);
  const LaunchDelay delay = launch_delay(runs);
  const MetricValue figures[] = {in_flight.mean_in_flight, delay.p50, delay.p99};
  append(section.blocks, "activity", figures);
  std::map<DeviceStream, std::pair<int64_t, int64_t>> streams;  // kernels and their time
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.kind[i] == EventKind::kKernel && events.shape[i] == EventShape::kSlice) {
      auto& [kernels, busy_ns] = streams[stream_of(events, i)];
      ++kernels;
      busy_ns += events.duration_ns[i];
    }
  }
  TableBlock table{.id = "activity-streams",
                   .columns = {{"device", true}, {"stream", true}, {"kernels", true}, {"in kernels", true}},
                   .sortable = true};
  for (const auto& [stream, work] : streams) {
    table.rows.push_back({count_cell(stream.device), count_cell(static_cast<int64_t>(stream.stream)),
                          count_cell(work.first), number_cell(static_cast<double>(work.second), "ns")});
  }
  section.blocks.emplace_back(std::move(table));
  section.blocks.emplace_back(
      Paragraph{fmt::format("At most {} kernels in flight. Recorded in a process of its own, whose times are in no "
                            "figure above: the cost of recording is in them.",
                            in_flight.most_in_flight)});
  return section;
}

Section stream_scaling_section(const StreamScaling& scaling, const std::string& unit) {
  Section section{"stream_scaling", "Scaling over streams"};
  TableBlock table{.id = "stream_scaling",
                   .columns = {{"streams", true},
                               {"used", true},
                               {"throughput", true},
                               {"per stream", true},
                               {"efficiency", true},
                               {"gain per doubling", true}},
                   .note = "Efficiency: throughput per stream over that of the fewest streams."};
  for (const StreamScalingRow& row : scaling.rows) {
    table.rows.push_back({count_cell(row.streams), count_cell(row.used),
                          interval_cell(row.throughput.value, row.throughput.interval, unit),
                          interval_cell(row.per_stream.value, row.per_stream.interval, unit),
                          percent_cell(row.efficiency, row.efficiency_interval),
                          percent_cell(row.gain_per_doubling, row.gain_interval, "-")});
  }
  section.blocks.emplace_back(std::move(table));
  section.blocks.emplace_back(
      scaling.saturation_streams
          ? Paragraph{fmt::format("Saturated from {} on ({}).",
                                  counted(*scaling.saturation_streams, "stream", "streams"), scaling.saturation)}
          : Paragraph{"Saturation: " + scaling.saturation + "."});
  for (const int64_t streams : scaling.without_throughput) {
    section.blocks.emplace_back(Paragraph{
        fmt::format("No throughput was measured with {}.", counted(streams, "stream", "streams")), Tone::kWarning});
  }
  return section;
}

}  // namespace aaco::report
