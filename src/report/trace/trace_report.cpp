// SPDX-License-Identifier: MIT
#include "report/trace/trace_report.h"

#include <fmt/format.h>

#include "base/format.h"
#include "base/json.h"
#include "base/text/characters.h"
#include "report/trace/communication_section.h"
#include "report/trace/counters_section.h"
#include "report/trace/critical_path_section.h"
#include "report/trace/doubts_section.h"
#include "report/trace/idle_section.h"
#include "report/trace/job_coverage_section.h"
#include "report/trace/kernel_section.h"
#include "report/trace/losses.h"
#include "report/trace/memory_section.h"
#include "report/trace/offender_section.h"
#include "report/trace/operator_section.h"
#include "report/trace/outside_budget_section.h"
#include "report/trace/roofline_section.h"
#include "report/trace/row_sinks.h"
#include "report/trace/samples_section.h"
#include "report/trace/values.h"

namespace aaco::report {

namespace {

Json device_json(const EventTable& events, const TraceSummary& summary, const DeviceSummary& device) {
  const TimeShares& budget = device.budget;
  const int64_t computation_ns = budget.computation_ns;
  Json slices;
  for (size_t i = 0; i < kWorkClasses; ++i) {
    slices[work_class_name(static_cast<WorkClass>(i))] = {{"count", budget.slices[i]},
                                                          {"sum_ns", budget.slice_sum_ns[i]}};
  }
  return {{"recording", device.recording},
          {"rank", id_json(device.rank)},
          {"device", id_json(device.device)},
          {"window", {{"start_ns", budget.window.start_ns}, {"end_ns", budget.window.end_ns}}},
          {"window_ns", budget.window_ns()},
          {"computation_ns", computation_ns},
          {"exposed_communication_ns", budget.exposed_communication_ns},
          {"exposed_copy_ns", budget.exposed_copy_ns},
          {"idle_ns", budget.idle_ns},
          {"idle_is_upper_bound", device.idle_is_upper_bound},
          {"idle_carries_advice", device.idle_carries_advice},
          {"launch_times_carry_advice", device.launch_times_carry_advice},
          {"communication_ns", budget.communication_ns},
          {"copy_ns", budget.copy_ns},
          {"hidden_communication_ns", budget.hidden_communication_ns},
          {"overlap_over_communication", ratio(budget.hidden_communication_ns, budget.communication_ns)},
          {"overlap_over_computation", ratio(budget.hidden_communication_ns, computation_ns)},
          {"slices", std::move(slices)},
          {"overlapping_slices", device.overlaps},
          {"slices_without_launch", device.unlinked.no_call},
          {"slices_with_ambiguous_launch", device.unlinked.ambiguous},
          {"slices_before_launch", device.unlinked.before_call},
          {"unrecorded_replays", device.unrecorded_replays},
          {"kernel_launches", unrecorded_launches_json(events, device.launches)},
          {"idle_causes", idle_causes_json(device.idle)},
          {"idle_held_by", rows_json(idle_holder_table(events, device, SIZE_MAX))},
          {"launches", launches_json(device.queue)},
          {"collectives", collectives_json(events, summary, device)},
          {"memory_operations", memory_operations_json(device.memory_operations)},
          {"kernels", rows_json(kernel_table(events, device, SIZE_MAX))}};
}

std::string title_of(const EventTable& events, const DeviceSummary& device) {
  return of_rank(device.device == kNoId ? "device (not named)" : fmt::format("device {}", device.device), events,
                 device.recording, device.rank);
}

std::string budget_text(const DeviceSummary& device) {
  const TimeShares& budget = device.budget;
  const int64_t window_ns = budget.window_ns();
  TableBlock table = share_table("device time", "of window");
  const auto add = [&](const char* name, int64_t ns) { add_share(table, name, ns, window_ns); };
  add("computation", budget.computation_ns);
  add("exposed communication", budget.exposed_communication_ns);
  add("exposed copy", budget.exposed_copy_ns);
  add(device.idle_is_upper_bound ? "idle (upper bound)" : "idle", budget.idle_ns);
  add("window", window_ns);
  std::string text = rows_text(table);
  if (budget.communication_ns > 0) {
    text +=
        fmt::format("communication {}, of it hidden behind computation {} ({} of communication, {} of computation)\n",
                    duration_text(budget.communication_ns), duration_text(budget.hidden_communication_ns),
                    share_text(budget.hidden_communication_ns, budget.communication_ns),
                    share_text(budget.hidden_communication_ns, budget.computation_ns));
  }
  return text;
}

}  // namespace

Json trace_report_json(const TraceOrigin& origin, const EventTable& events, const TraceSummary& summary) {
  Json files = Json::array();
  for (const TraceFile& file : origin.files) {
    files.push_back({{"path", file.path}, {"format", file.format}, {"bytes", file.bytes}});
  }
  Json recordings = Json::array();
  for (const TraceRecording& recording : events.recordings) {
    recordings.push_back({{"name", recording.name}, {"format", recording.format}});
  }
  Json devices = Json::array();
  for (const DeviceSummary& device : summary.devices) {
    devices.push_back(device_json(events, summary, device));
  }
  return {{"files", std::move(files)},
          {"unknown_files", origin.unknown_files},
          {"recordings", std::move(recordings)},
          {"held", job_coverage_json(origin.shard, events)},
          {"events", events.size()},
          {"tracks", events.tracks.size()},
          {"undated", outside_budget_json(events)},
          {"losses", losses_json(summary.losses, recorded_device_ns(summary))},
          {"devices", std::move(devices)},
          {"clocks", clocks_json(summary)},
          {"ranks", ranks_json(events, summary)},
          {"operators", operators_json(events, summary)},
          {"rooflines", rooflines_json(events, summary)},
          {"backward", backward_ratios_json(summary)},
          {"suspects", suspects_json(summary)},
          {"findings", findings_json(summary)},
          {"offenders", offenders_json(summary)},
          {"memory", memory_json(summary)},
          {"critical_paths", critical_paths_json(events, summary)},
          {"counters", counters_json(events, summary)},
          {"pc_samples", samples_json(events, summary)}};
}

std::string trace_report_text(const TraceOrigin& origin, const EventTable& events, const TraceSummary& summary,
                              size_t kernels) {
  std::string text;
  for (const TraceFile& file : origin.files) {
    text += fmt::format("{} ({})\n", printable(file.path), file.format);
  }
  if (!origin.unknown_files.empty()) {
    text += fmt::format("not read, in no known format: {}, the first {}\n",
                        counted(origin.unknown_files.size(), "file", "files"), printable(origin.unknown_files.front()));
  }
  text += job_coverage_text(origin.shard, events);
  text += fmt::format("{} on {}\n{}", counted(events.size(), "event", "events"),
                      counted(events.tracks.size(), "track", "tracks"), losses_text(summary.losses));
  text += doubts_text(events, summary);
  if (summary.devices.empty()) {
    text += no_device_text(events);
  }
  for (const DeviceSummary& device : summary.devices) {
    text += fmt::format(
        "\n{}\n{}{}{}{}{}{}", title_of(events, device), budget_text(device), idle_text(events, device, kernels),
        launches_text(device.queue, device.budget.window), memory_operations_text(device.memory_operations),
        collectives_text(events, summary, device, kernels), rows_text(kernel_table(events, device, kernels)));
  }
  return text + ranks_text(events, summary) + operators_text(events, summary, kernels) +
         rooflines_text(events, summary, kernels) + memory_text(events, summary) +
         critical_paths_text(events, summary, kernels) + counters_text(events, summary, kernels) +
         samples_text(events, summary, kernels) + offenders_text(summary);
}

}  // namespace aaco::report
