// SPDX-License-Identifier: MIT
#include "report/host/host_section.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/host/host_iteration.h"
#include "base/format.h"
#include "base/text/characters.h"
#include "record/intervals.h"
#include "report/flame/flame_graph.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr size_t kMostThreads = 16;

// A thread over the measured iterations of its process.
struct ThreadSum {
  int64_t process = 0;
  int64_t thread_id = 0;
  std::string name;
  int64_t iterations = 0;
  std::optional<int64_t> off_cpu_ns, preempted_ns, sleep_ns, uninterruptible_ns, run_queue_ns, preemptions, migrations,
      page_faults, interrupts, interrupt_ns;
  std::map<std::string, int64_t> preempted_by;  // ns
};

void add(std::optional<int64_t>& sum, const std::optional<int64_t>& value) {
  if (value) {
    sum = saturating_sum(sum.value_or(0), *value);
  }
}

std::vector<ThreadSum> thread_sums(const std::vector<HostIterationRow>& rows) {
  std::map<std::pair<int64_t, int64_t>, ThreadSum> sums;
  for (const HostIterationRow& row : rows) {
    if (!is_measured_phase(row.phase)) {
      continue;
    }
    ThreadSum& sum = sums[{row.process, row.thread_id}];
    sum.process = row.process;
    sum.thread_id = row.thread_id;
    sum.name = row.thread_name;
    ++sum.iterations;
    for (const auto& [total, value] : {std::pair{&ThreadSum::off_cpu_ns, &HostIterationRow::off_cpu_ns},
                                       {&ThreadSum::preempted_ns, &HostIterationRow::preempted_ns},
                                       {&ThreadSum::sleep_ns, &HostIterationRow::sleep_ns},
                                       {&ThreadSum::uninterruptible_ns, &HostIterationRow::uninterruptible_ns},
                                       {&ThreadSum::run_queue_ns, &HostIterationRow::run_queue_ns},
                                       {&ThreadSum::preemptions, &HostIterationRow::preemptions},
                                       {&ThreadSum::migrations, &HostIterationRow::migrations},
                                       {&ThreadSum::page_faults, &HostIterationRow::page_faults},
                                       {&ThreadSum::interrupts, &HostIterationRow::interrupts},
                                       {&ThreadSum::interrupt_ns, &HostIterationRow::interrupt_ns}}) {
      add(sum.*total, row.*value);
    }
    if (row.preempted_by) {
      sum.preempted_by[*row.preempted_by] += row.preempted_ns.value_or(0);
    }
  }
  std::vector<ThreadSum> threads;
  for (auto& [key, sum] : sums) {
    threads.push_back(std::move(sum));
  }
  std::ranges::stable_sort(threads, [](const ThreadSum& a, const ThreadSum& b) {
    return std::tuple(b.preempted_ns, b.off_cpu_ns) < std::tuple(a.preempted_ns, a.off_cpu_ns);
  });
  return threads;
}

std::string most_of(const std::map<std::string, int64_t>& by) {
  const auto most = std::ranges::max_element(by, {}, &std::map<std::string, int64_t>::value_type::second);
  return most == by.end() ? "" : printable(most->first);
}

Cell time_or_missing(const std::optional<int64_t>& ns, const char* missing) {
  return ns ? duration_cell(static_cast<double>(*ns)) : missing_cell(missing);
}

Cell count_or_missing(const std::optional<int64_t>& count, const char* missing) {
  return count ? count_cell(*count) : missing_cell(missing);
}

TableBlock thread_table(const std::vector<ThreadSum>& threads) {
  TableBlock table{.id = "host-threads",
                   .title = "Threads over the measured iterations",
                   .columns = {{"process", true, "process"},
                               {"thread", true, "thread_id"},
                               {"name", false, "thread_name", 16},
                               {"iterations", true, "iterations"},
                               {"off CPU", true, "off_cpu_ns"},
                               {"preempted", true, "preempted_ns"},
                               {"most by", false, "preempted_by", 16},
                               {"asleep", true, "sleep_ns"},
                               {"uninterruptible", true, "uninterruptible_ns"},
                               {"run queue", true, "run_queue_ns"},
                               {"migrations", true, "migrations"},
                               {"faults", true, "page_faults"},
                               {"interrupts", true, "interrupts"},
                               {"in them", true, "interrupt_ns"}},
                   .sortable = true,
                   .note =
                       "A thread that did not run in an iteration is not counted in it. Run queue: it could run and "
                       "waited for a processor, preempted or woken. Every iteration: table host_iterations."};
  for (size_t i = 0; i < std::min(threads.size(), kMostThreads); ++i) {
    const ThreadSum& thread = threads[i];
    table.rows.push_back(
        {count_cell(thread.process), text_cell(std::to_string(thread.thread_id)), text_cell(printable(thread.name)),
         count_cell(thread.iterations), time_or_missing(thread.off_cpu_ns, "not recorded"),
         time_or_missing(thread.preempted_ns, "not recorded"), text_cell(most_of(thread.preempted_by)),
         time_or_missing(thread.sleep_ns, "not recorded"), time_or_missing(thread.uninterruptible_ns, "not recorded"),
         time_or_missing(thread.run_queue_ns, "no wakeup seen"), count_or_missing(thread.migrations, "not recorded"),
         count_or_missing(thread.page_faults, "not recorded"), count_or_missing(thread.interrupts, "not recorded"),
         time_or_missing(thread.interrupt_ns, "not recorded")});
  }
  if (threads.size() > kMostThreads) {
    table.note += fmt::format(" {} more threads are left out here.", threads.size() - kMostThreads);
  }
  return table;
}

// The answer: of the measured time, how long the measuring threads were off a processor, and why.
Paragraph answer(const Recording& recording, const std::vector<ThreadSum>& threads) {
  std::map<int64_t, int64_t> pids;
  for (const ProcessFacts& facts : recording.facts.process_facts) {
    pids[facts.process] = facts.pid;
  }
  int64_t measured_ns = 0;
  for (const IterationRow& row : recording.iterations) {
    measured_ns += is_measured_phase(row.phase) ? row.t_end_ns - row.t_start_ns : 0;
  }
  ThreadSum all;
  for (const ThreadSum& thread : threads) {
    if (pids[thread.process] == thread.thread_id) {
      add(all.off_cpu_ns, thread.off_cpu_ns);
      add(all.preempted_ns, thread.preempted_ns);
      add(all.sleep_ns, thread.sleep_ns);
      add(all.uninterruptible_ns, thread.uninterruptible_ns);
      for (const auto& [name, ns] : thread.preempted_by) {
        all.preempted_by[name] += ns;
      }
    }
  }
  if (measured_ns <= 0) {
    return {"No data: no iteration was measured."};
  }
  const auto share = [&](const std::optional<int64_t>& ns) {
    return format_percent(static_cast<double>(ns.value_or(0)) / static_cast<double>(measured_ns), 2);
  };
  if (recording.collected.rows<OffCpuRow>().empty()) {
    return {"How long threads were off a processor was not recorded; what stopped them was."};
  }
  const std::string by = most_of(all.preempted_by);
  return {
      fmt::format("The measuring threads were off a processor for {} of the measured time: preempted {}{}, asleep "
                  "{}, in uninterruptible waits {}.",
                  share(all.off_cpu_ns), share(all.preempted_ns), by.empty() ? "" : fmt::format(" (most by {})", by),
                  share(all.sleep_ns), share(all.uninterruptible_ns))};
}

// Memory and storage stalls, which are no scheduling.
FactValue pressure(const Recording& recording, std::optional<double> SystemRow::* member) {
  std::vector<double> values;
  for (const SystemRow& row : recording.collected.rows<SystemRow>()) {
    if (row.*member) {
      values.push_back((row.*member).value_or(0) / 100);
    }
  }
  if (values.empty()) {
    return Cell{.reason = recording.collected.rows<SystemRow>().empty() ? "no data: needs --telemetry"
                                                                        : "no data: this kernel has no pressure files"};
  }
  return fmt::format("{} of the time in the median sample, {} at most", format_percent(*median(values), 1),
                     format_percent(*std::ranges::max_element(values), 1));
}

std::vector<std::string> frames_of(const std::string& folded) {
  std::vector<std::string> frames;
  for (size_t start = 0; start <= folded.size();) {
    const size_t border = std::min(folded.find(';', start), folded.size());
    frames.push_back(printable(folded.substr(start, border - start)));
    start = border + 1;
  }
  return frames;
}

void add_graph(const OffCpuStacks& stacks, const char* id, const char* title, const char* axis, const char* none,
               Section& section) {
  std::vector<plot::WeightedStack> weighted;
  for (const FoldedStack& stack : stacks.stacks) {
    weighted.push_back({frames_of(stack.frames), static_cast<double>(stack.total_ns)});
  }
  plot::Chart chart{.id = id,
                    .title = title,
                    .x = {.title = axis, .quantity = plot::Quantity::kDuration, .unit = "ns", .min = 0},
                    .no_data = none};
  if (!weighted.empty()) {
    chart = plot::flame_graph(std::move(chart), weighted, format_duration_ns);
  }
  if (stacks.without_stack_ns > 0) {
    chart.caption += fmt::format(" Spans without a stack, {} in all, are not here.",
                                 format_duration_ns(static_cast<double>(stacks.without_stack_ns)));
  }
  section.blocks.emplace_back(ChartBlock{std::move(chart)});
}

}  // namespace

void add_kernel_source(const std::map<std::string, PlaneState>& planes, Section& section) {
  const auto plane = planes.find("kernel_plane");
  if (plane == planes.end() || plane->second.state != PlaneStatus::kRecorded ||
      plane->second.reason.find("; ") == std::string::npos) {
    return;
  }
  section.blocks.emplace_back(Paragraph{fmt::format("Source: {}.", printable(plane->second.reason))});
}

void add_off_cpu_graphs(const CollectedRows& rows, const std::vector<int64_t>& pids, Section& section) {
  if (rows.rows<OffCpuRow>().empty()) {
    return;
  }
  if (rows.rows<StackRow>().empty()) {
    section.blocks.emplace_back(Paragraph{"Where threads waited: no data, since no stacks were recorded."});
    return;
  }
  const OffCpuStacks waits = off_cpu_stacks(rows, pids, StackSide::kWaiter);
  const OffCpuStacks wakers = off_cpu_stacks(rows, pids, StackSide::kWaker);
  add_graph(waits, "off-cpu-flame", "Where threads waited", "time off a processor, preemption left out",
            "no span has a stack", section);
  add_graph(wakers, "waker-flame", "Who released them", "time that the released thread had waited",
            "no span has a stack of its waker", section);
  FoldedBlocks folded{"The same as folded stacks (microseconds), for flamegraph.pl or speedscope", {}};
  folded.blocks.emplace_back(Code{folded_text(waits)});
  if (!wakers.stacks.empty()) {
    folded.blocks.emplace_back(Paragraph{"Of wakers:"});
    folded.blocks.emplace_back(Code{folded_text(wakers)});
  }
  section.blocks.emplace_back(std::move(folded));
}

bool asks_for_kernel_plane(const SessionInfo& info) {
  return std::ranges::find(info.command_line, "--kernel-plane") != info.command_line.end();
}

std::optional<Section> host_section(const Recording& recording, bool was_asked_for) {
  Section section{"host", "Kernel: threads and processors", {}, {}};
  const CollectedRows& rows = recording.collected;
  if (rows.rows<OffCpuRow>().empty() && rows.rows<HostEventRow>().empty()) {
    if (!was_asked_for) {
      return std::nullopt;
    }
    const auto plane = recording.planes.find("kernel_plane");
    const std::string reason = plane == recording.planes.end() ? "" : plane->second.reason;
    section.blocks.emplace_back(
        Paragraph{"No data: " + (reason.empty() ? "the kernel plane recorded nothing" : printable(reason)) + ".",
                  Tone::kWarning});
    return section;
  }
  const std::vector<ThreadSum> threads = thread_sums(host_iterations(recording));
  section.blocks.emplace_back(answer(recording, threads));
  if (threads.empty()) {
    section.blocks.emplace_back(
        Paragraph{"No row of the kernel is of a thread of a measured iteration: no thread left its processor there."});
  } else {
    section.blocks.emplace_back(thread_table(threads));
  }
  add_kernel_source(recording.planes, section);
  section.blocks.emplace_back(FactList{{{"memory stalls", pressure(recording, &SystemRow::psi_memory_some_pct)},
                                        {"I/O stalls", pressure(recording, &SystemRow::psi_io_some_pct)}}});
  std::vector<int64_t> pids;
  for (const ProcessFacts& facts : recording.facts.process_facts) {
    pids.push_back(facts.pid);
  }
  add_off_cpu_graphs(rows, pids, section);
  return section;
}

}  // namespace aaco::report
