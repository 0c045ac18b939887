// SPDX-License-Identifier: MIT
// What each device did with its time, and why it was idle: figures for data.
#include <fmt/format.h>

#include "report/trace/sections.h"
#include "report/trace/values.h"

namespace aaco::report {

namespace {

// Rows of a table that are the device's.
TableRows rows_of(const TraceInput& input, const DeviceSummary& device, TraceInput::TableFunction table) {
  return input.rows(table, {device.recording, device.rank, device.device});
}

void outline_time(const TraceInput& input, const DeviceSummary& device, Outline& at) {
  const TableRow row = rows_of(input, device, device_time_table)[0];
  at.figures(row,
             "recording rank device window_start_ns:window.start_ns window_ns computation_ns exposed_communication_ns "
             "exposed_copy_ns idle_ns idle_is_upper_bound? communication_ns copy_ns hidden_communication_ns "
             "overlapping_slices slices_without_launch slices_with_ambiguous_launch slices_before_launch "
             "unrecorded_replays");
  const TimeShares& budget = device.budget;
  at.figure("window.end_ns", budget.window.end_ns, "ns");
  at.figure("idle_carries_advice", device.idle_carries_advice);
  at.figure("launch_times_carry_advice", device.launch_times_carry_advice);
  at.figure("overlap_over_communication", ratio(budget.hidden_communication_ns, budget.communication_ns), "fraction");
  at.figure("overlap_over_computation", ratio(budget.hidden_communication_ns, budget.computation_ns), "fraction");
  for (size_t i = 0; i < kWorkClasses; ++i) {
    const std::string slices = fmt::format("slices.{}", word_of(static_cast<WorkClass>(i)));
    at.figure(slices + ".count", budget.slices[i]);
    at.figure(slices + ".sum_ns", budget.slice_sum_ns[i], "ns");
  }
  at.figures(row,
             "kernel_launches:kernel_launches.launches "
             "kernel_launches_without_record:kernel_launches.without_record");
  at.list("kernel_launches.steps", device.launches.steps, [&](const StepLaunches& step, Outline& inner) {
    inner.figure("step", input.events.strings[step.name]);
    inner.figure("launches", step.count.launches);
    inner.figure("without_record", step.count.unrecorded);
  });
}

void outline_idle(const TraceInput& input, const DeviceSummary& device, Outline& at) {
  const TableRows causes = rows_of(input, device, idle_causes_table);
  for (size_t i = 0; i < causes.size(); ++i) {
    at.figure(fmt::format("idle_causes.{}_ns", causes[i].text("cause")), causes[i].integer("total_ns"), "ns");
  }
  at.rows("idle_held_by", rows_of(input, device, idle_holders_table), "cause name spans total_ns");
}

void outline_launches(const TraceInput& input, const DeviceSummary& device, Outline& at) {
  const TableRows queue = rows_of(input, device, launch_queue_table);
  if (queue.empty()) {
    at.figure("launches.count", 0);
    return;
  }
  at.figures(queue[0],
             "launches:launches.count median_delay_ns:launches.delay.median_ns p99_delay_ns:launches.delay.p99_ns "
             "max_delay_ns:launches.delay.max_ns negative:launches.delay.negative mean_depth:launches.queue.mean_depth "
             "max_depth:launches.queue.max_depth max_depth_at_ns:launches.queue.max_depth_at_ns "
             "empty_ns:launches.queue.empty_ns");
  at.rows("launches.queue.timeline", rows_of(input, device, launch_queue_timeline_table), "start_ns max_depth:most");
}

void outline_memory_operations(const TraceInput& input, const DeviceSummary& device, Outline& at) {
  const MemoryOperations& operations = device.memory_operations;
  at.figures(rows_of(input, device, device_time_table)[0],
             "memory_operations:memory_operations.count memory_operations_ns:memory_operations.sum_ns");
  at.figure("memory_operations.ratio_of_count",
            ratio(static_cast<int64_t>(operations.count), static_cast<int64_t>(operations.slices)), "fraction");
  at.figure("memory_operations.ratio_of_sum", ratio(operations.sum_ns, operations.slice_sum_ns), "fraction");
}

void outline_kernels(const TraceInput& input, const DeviceSummary& device, Outline& at) {
  const TableRows kernels = rows_of(input, device, kernel_statistics_table);
  at.rows("kernels", kernels, "name class count total_ns min_ns median_ns max_ns");
}

}  // namespace

void outline_devices(const TraceInput& input, Outline& at) {
  outline_device_answers(input, at);
  if (!at.is_data()) {
    return;
  }
  at.list("devices", input.summary.devices, [&](const DeviceSummary& device, Outline& inner) {
    outline_time(input, device, inner);
    outline_idle(input, device, inner);
    outline_launches(input, device, inner);
    outline_memory_operations(input, device, inner);
    outline_collective_figures(input, device, inner);
    outline_kernels(input, device, inner);
  });
}

}  // namespace aaco::report
