// SPDX-License-Identifier: MIT
// What devices did, for people: one table for each question, of all devices together.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>
#include <vector>

#include "base/format.h"
#include "record/intervals.h"
#include "report/trace/row_sinks.h"
#include "report/trace/sections.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco::report {

namespace {

std::string name_of(const TraceInput& input, const DeviceSummary& device) {
  return of_rank(device_name(device.device), input.events, device.recording, device.rank);
}

bool any_upper_bound(const TraceSummary& summary) {
  return std::any_of(summary.devices.begin(), summary.devices.end(),
                     [](const DeviceSummary& device) { return device.idle_is_upper_bound; });
}

void say_hidden(const TimeShares& budget, Outline& at) {
  if (budget.communication_ns > 0) {
    at.note(fmt::format("communication {}, of it hidden behind computation {} ({} of communication, {} of computation)",
                        duration_text(budget.communication_ns), duration_text(budget.hidden_communication_ns),
                        share_text(budget.hidden_communication_ns, budget.communication_ns),
                        share_text(budget.hidden_communication_ns, budget.computation_ns)));
  }
}

// Of one device times and shares; of several shares alone, a row each.
void show_time(const TraceInput& input, Outline& at) {
  const std::vector<DeviceSummary>& devices = input.summary.devices;
  const char* const idle = any_upper_bound(input.summary) ? "idle (upper bound)" : "idle";
  if (devices.size() == 1) {
    const TimeShares& budget = devices[0].budget;
    at.shares("device time", "of window",
              {{"computation", budget.computation_ns},
               {"exposed communication", budget.exposed_communication_ns},
               {"exposed copy", budget.exposed_copy_ns},
               {idle, budget.idle_ns},
               {"window", budget.window_ns()}},
              budget.window_ns());
    say_hidden(budget, at);
    return;
  }
  TableBlock table{.columns = {{"device time, of the window"},
                               {"window", true},
                               {"computation", true},
                               {"exposed communication", true},
                               {"exposed copy", true},
                               {idle, true},
                               {"communication hidden", true}}};
  for (size_t i = 0; i < std::min(at.most(), devices.size()); ++i) {
    const TimeShares& budget = devices[i].budget;
    const auto share = [&](int64_t ns) { return share_cell(ns, budget.window_ns()); };
    table.rows.push_back(
        {text_cell(name_of(input, devices[i])), time_cell(budget.window_ns()), share(budget.computation_ns),
         share(budget.exposed_communication_ns), share(budget.exposed_copy_ns), share(budget.idle_ns),
         budget.communication_ns > 0 ? share_cell(budget.hidden_communication_ns, budget.communication_ns)
                                     : text_cell("-")});
  }
  if (devices.size() > at.most()) {
    table.note = counted(devices.size() - at.most(), "other device", "other devices");
  }
  at.show(std::move(table));
}

int64_t idle_of_all(const TraceSummary& summary) {
  int64_t sum_ns = 0;
  for (const DeviceSummary& device : summary.devices) {
    sum_ns = saturating_sum(sum_ns, device.budget.idle_ns);
  }
  return sum_ns;
}

void show_causes(const TraceSummary& summary, int64_t idle_ns, Outline& at) {
  std::vector<Outline::Share> shares;
  for (size_t cause = 0; cause < kIdleCauses; ++cause) {
    int64_t sum_ns = 0;
    for (const DeviceSummary& device : summary.devices) {
      sum_ns = saturating_sum(sum_ns, device.idle.shares[cause].total_ns);
    }
    if (sum_ns > 0) {
      shares.push_back({people_words(word_of(static_cast<IdleCause>(cause))), sum_ns});
    }
  }
  std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.ns > b.ns; });
  at.shares("idle because", "of idle", shares, idle_ns);
}

void show_holders(const TraceInput& input, int64_t idle_ns, Outline& at) {
  std::map<std::pair<IdleCause, StringId>, IdleHolder> by_name;
  for (const DeviceSummary& device : input.summary.devices) {
    for (const IdleHolder& holder : device.idle.holders) {
      IdleHolder& sum =
          by_name.try_emplace({holder.cause, holder.name}, IdleHolder{holder.cause, holder.name}).first->second;
      sum.spans += holder.spans;
      sum.total_ns = saturating_sum(sum.total_ns, holder.total_ns);
    }
  }
  std::vector<IdleHolder> holders;
  for (const auto& [key, holder] : by_name) {
    holders.push_back(holder);
  }
  const size_t count = std::min(at.most(), holders.size());
  std::partial_sort(holders.begin(), holders.begin() + static_cast<ptrdiff_t>(count), holders.end(),
                    [](const IdleHolder& a, const IdleHolder& b) {
                      return std::pair(b.total_ns, a.name) < std::pair(a.total_ns, b.name);
                    });
  TableBlock table{
      .columns = {
          {.title = "idle held by", .kernels = true}, {"why"}, {"spans", true}, {"total", true}, {"of idle", true}}};
  int64_t left_ns = idle_ns;
  for (size_t i = 0; i < count; ++i) {
    const IdleHolder& holder = holders[i];
    left_ns -= holder.total_ns;
    table.rows.push_back(
        {text_cell(holder.name == kEmptyString ? "(nothing recorded)" : std::string(input.events.strings[holder.name])),
         text_cell(people_words(word_of(holder.cause))), amount_cell(holder.spans), time_cell(holder.total_ns),
         share_cell(holder.total_ns, idle_ns)});
  }
  if (count < holders.size()) {
    table.rows.push_back({text_cell(counted(holders.size() - count, "other", "others")), Cell(), Cell(),
                          time_cell(left_ns), share_cell(left_ns, idle_ns)});
  }
  at.show(std::move(table));
}

void show_launches(const TraceInput& input, Outline& at) {
  const TableRows queues = input.rows(launch_queue_table);
  if (queues.empty()) {
    at.note("launches  none recorded");
    return;
  }
  TableBlock table{.columns = {{"launches of"},
                               {"launches", true},
                               {"median delay", true},
                               {"p99", true},
                               {"max", true},
                               {"mean queue depth", true},
                               {"max", true},
                               {"queue empty for", true}}};
  const std::vector<DeviceSummary>& devices = input.summary.devices;
  for (const DeviceSummary& device : devices) {
    const LaunchQueue& queue = device.queue;
    if (queue.launches > 0 && table.rows.size() < at.most()) {
      table.rows.push_back({text_cell(name_of(input, device)), amount_cell(queue.launches),
                            time_cell(queue.median_delay_ns), time_cell(queue.p99_delay_ns),
                            time_cell(queue.max_delay_ns), text_cell(fmt::format("{:.1f}", queue.mean_depth)),
                            count_cell(static_cast<int64_t>(queue.max_depth)),
                            share_cell(queue.empty_ns, device.budget.window_ns())});
    }
  }
  if (queues.size() > table.rows.size()) {
    table.note = counted(queues.size() - table.rows.size(), "other device", "other devices");
  }
  at.show(std::move(table));
}

struct KernelSum {
  StringId name = kEmptyString;
  uint64_t count = 0;
  int64_t total_ns = 0;
  int64_t median_ns = 0;  // of one device
  int64_t max_ns = 0;
};

std::vector<KernelSum> kernel_sums(const TraceSummary& summary) {
  std::map<StringId, KernelSum> by_name;
  for (const DeviceSummary& device : summary.devices) {
    for (const KernelStatistics& kernel : device.kernels) {
      KernelSum& sum = by_name[kernel.name];
      sum.name = kernel.name;
      sum.count += kernel.count;
      sum.total_ns = saturating_sum(sum.total_ns, kernel.total_ns);
      sum.median_ns = kernel.median_ns;
      sum.max_ns = std::max(sum.max_ns, kernel.max_ns);
    }
  }
  std::vector<KernelSum> sums;
  for (const auto& [name, sum] : by_name) {
    sums.push_back(sum);
  }
  return sums;
}

void show_kernels(const TraceInput& input, Outline& at) {
  std::vector<KernelSum> kernels = kernel_sums(input.summary);
  const bool single = input.summary.devices.size() == 1;
  const size_t count = std::min(at.most(), kernels.size());
  std::partial_sort(kernels.begin(), kernels.begin() + static_cast<ptrdiff_t>(count), kernels.end(),
                    [](const KernelSum& a, const KernelSum& b) {
                      return std::pair(b.total_ns, a.name) < std::pair(a.total_ns, b.name);
                    });
  int64_t sum_ns = 0;
  for (const KernelSum& kernel : kernels) {
    sum_ns = saturating_sum(sum_ns, kernel.total_ns);
  }
  TableBlock table{.columns = {{.title = "kernel, copy or set", .kernels = true},
                               {"count", true},
                               {"total", true},
                               {"of sum", true},
                               {single ? "median" : "mean", true},
                               {"max", true}}};
  int64_t left_ns = sum_ns;
  for (size_t i = 0; i < count; ++i) {
    const KernelSum& kernel = kernels[i];
    left_ns -= kernel.total_ns;
    table.rows.push_back({text_cell(std::string(input.events.strings[kernel.name])), amount_cell(kernel.count),
                          time_cell(kernel.total_ns), share_cell(kernel.total_ns, sum_ns),
                          time_cell(single ? kernel.median_ns : kernel.total_ns / static_cast<int64_t>(kernel.count)),
                          time_cell(kernel.max_ns)});
  }
  if (count < kernels.size()) {
    table.rows.push_back({text_cell(counted(kernels.size() - count, "other", "others")), Cell(), time_cell(left_ns),
                          share_cell(left_ns, sum_ns), Cell(), Cell()});
  }
  at.show(std::move(table));
}

void say_memory_operations(const TraceSummary& summary, Outline& at) {
  MemoryOperations sum;
  for (const DeviceSummary& device : summary.devices) {
    sum.count += device.memory_operations.count;
    sum.slices += device.memory_operations.slices;
    sum.sum_ns = saturating_sum(sum.sum_ns, device.memory_operations.sum_ns);
    sum.slice_sum_ns = saturating_sum(sum.slice_sum_ns, device.memory_operations.slice_sum_ns);
  }
  at.note(fmt::format("copies and memory sets {} of {} ({}), {} of the sum of durations", sum.count, sum.slices,
                      share_text(static_cast<int64_t>(sum.count), static_cast<int64_t>(sum.slices)),
                      share_text(sum.sum_ns, sum.slice_sum_ns)));
}

}  // namespace

void outline_device_answers(const TraceInput& input, Outline& at) {
  if (at.is_data() || input.summary.devices.empty()) {
    return;
  }
  const bool single = input.summary.devices.size() == 1;
  const std::string of_all =
      single ? name_of(input, input.summary.devices[0]) : fmt::format("{} devices", input.summary.devices.size());
  at.begin("device-time");
  at.section(of_all);
  show_time(input, at);
  if (const int64_t idle_ns = idle_of_all(input.summary); idle_ns > 0) {
    at.begin("idle");
    at.section();
    show_causes(input.summary, idle_ns, at);
    at.section();
    show_holders(input, idle_ns, at);
  }
  at.begin("launches");
  at.section();
  show_launches(input, at);
  at.begin("collectives");
  outline_collectives(input, at);
  at.begin("kernels");
  at.section();
  show_kernels(input, at);
  say_memory_operations(input.summary, at);
}

}  // namespace aaco::report
