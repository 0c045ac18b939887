// SPDX-License-Identifier: MIT
#include "analysis/host/host_iteration.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/host/measured_process.h"

namespace aaco {

namespace {

using Key = std::pair<size_t, int64_t>;  // iteration of its process, thread

// What the session's rows can tell: what no row tells is null, not zero.
struct RecordedKinds {
  bool off_cpu = false;
  bool processors = false;
  bool page_faults = false;
  bool interrupts = false;
};

RecordedKinds recorded_kinds(const CollectedRows& rows) {
  RecordedKinds told;
  for (const OffCpuRow& row : rows.rows<OffCpuRow>()) {
    told.off_cpu = true;
    told.processors = told.processors || (row.cpu_before && row.cpu_after);
  }
  for (const HostEventRow& row : rows.rows<HostEventRow>()) {
    told.page_faults = told.page_faults || row.kind == HostEventKind::kPageFault;
    told.interrupts =
        told.interrupts || row.kind == HostEventKind::kInterrupt || row.kind == HostEventKind::kSoftInterrupt;
  }
  return told;
}

void add(std::optional<int64_t>& sum, int64_t value) { sum = saturating_sum(sum.value_or(0), value); }

int64_t within(const IterationRow& iteration, int64_t start_ns, int64_t end_ns) {
  return std::max<int64_t>(0, std::min(end_ns, iteration.t_end_ns) - std::max(start_ns, iteration.t_start_ns));
}

class Rows {
 public:
  Rows(const MeasuredProcess& process, const RecordedKinds& told) : process_(process), told_(told) {}

  void add_span(const OffCpuRow& span);
  void add_event(const HostEventRow& event);
  void finish(std::vector<HostIterationRow>& rows);

 private:
  HostIterationRow& row_of(size_t iteration, int64_t thread);
  std::optional<int64_t>& part_of(HostIterationRow& row, OffCpuReason reason);

  const MeasuredProcess& process_;
  const RecordedKinds& told_;
  std::map<Key, HostIterationRow> rows_;
  std::map<Key, std::map<std::string, int64_t>> preempted_by_;
};

HostIterationRow& Rows::row_of(size_t iteration, int64_t thread) {
  const auto [at, is_new] = rows_.try_emplace({iteration, thread});
  HostIterationRow& row = at->second;
  if (is_new) {
    const IterationRow& own = *process_.iterations[iteration];
    row.process = own.process;
    row.iter_idx = own.iter_idx;
    row.phase = own.phase;
    row.thread_id = thread;
    if (told_.off_cpu) {
      row.off_cpu_ns = row.preempted_ns = row.sleep_ns = row.uninterruptible_ns = row.other_ns = row.preemptions = 0;
    }
    row.migrations = told_.processors ? std::optional<int64_t>(0) : std::nullopt;
    row.page_faults = told_.page_faults ? std::optional<int64_t>(0) : std::nullopt;
    row.interrupts = row.interrupt_ns = told_.interrupts ? std::optional<int64_t>(0) : std::nullopt;
  }
  return row;
}

std::optional<int64_t>& Rows::part_of(HostIterationRow& row, OffCpuReason reason) {
  switch (reason) {
    case OffCpuReason::kPreempted:
      return row.preempted_ns;
    case OffCpuReason::kSleep:
      return row.sleep_ns;
    case OffCpuReason::kDisk:
      return row.uninterruptible_ns;
    default:
      return row.other_ns;
  }
}

void Rows::add_span(const OffCpuRow& span) {
  process_.for_each_touched({span.t_start_ns, span.t_end_ns}, [&](size_t i) {
    const IterationRow& iteration = *process_.iterations[i];
    if (span.t_start_ns <= iteration.t_start_ns && span.t_end_ns >= iteration.t_end_ns) {
      return;  // it took no part
    }
    HostIterationRow& row = row_of(i, span.thread_id);
    row.thread_name = span.thread_name;
    const int64_t length_ns = within(iteration, span.t_start_ns, span.t_end_ns);
    add(row.off_cpu_ns, length_ns);
    add(part_of(row, span.reason), length_ns);
    const bool preempted = span.reason == OffCpuReason::kPreempted;
    if (preempted) {
      add(row.run_queue_ns, length_ns);
      row.preemptions = *row.preemptions + (span.t_start_ns >= iteration.t_start_ns ? 1 : 0);
      if (span.next_name && span.next_thread_id.value_or(1) != 0) {
        preempted_by_[{i, span.thread_id}][*span.next_name] += length_ns;
      }
    } else if (span.run_queue_ns) {
      add(row.run_queue_ns,
          within(iteration, std::max(span.t_start_ns, span.t_end_ns - *span.run_queue_ns), span.t_end_ns));
    }
    const bool moved = span.cpu_before && span.cpu_after && *span.cpu_before != *span.cpu_after;
    if (row.migrations && moved && span.t_end_ns < iteration.t_end_ns) {
      add(row.migrations, 1);
    }
  });
}

void Rows::add_event(const HostEventRow& event) {
  const bool fault = event.kind == HostEventKind::kPageFault;
  const bool interrupt = event.kind == HostEventKind::kInterrupt || event.kind == HostEventKind::kSoftInterrupt;
  if ((!fault && !interrupt) || !event.thread_id) {
    return;
  }
  const int64_t end_ns = event.t_end_ns.value_or(event.t_start_ns);
  process_.for_each_touched({event.t_start_ns, end_ns}, [&](size_t i) {
    const IterationRow& iteration = *process_.iterations[i];
    HostIterationRow& row = row_of(i, *event.thread_id);
    const int64_t began = event.t_start_ns >= iteration.t_start_ns ? 1 : 0;
    if (fault) {
      add(row.page_faults, began);
    } else {
      add(row.interrupts, began);
      add(row.interrupt_ns, within(iteration, event.t_start_ns, end_ns));
    }
  });
}

void Rows::finish(std::vector<HostIterationRow>& rows) {
  std::map<int64_t, std::string> names;  // threads that an interrupt alone stopped have none of their own
  for (const auto& [key, row] : rows_) {
    if (!row.thread_name.empty()) {
      names[key.second] = row.thread_name;
    }
  }
  for (auto& [key, row] : rows_) {
    row.thread_name = names[key.second];
    if (const auto by = preempted_by_.find(key); by != preempted_by_.end()) {
      row.preempted_by =
          std::ranges::max_element(by->second, {}, &std::map<std::string, int64_t>::value_type::second)->first;
    }
    rows.push_back(std::move(row));
  }
}

}  // namespace

std::vector<HostIterationRow> host_iterations(const Recording& recording) {
  const RecordedKinds told = recorded_kinds(recording.collected);
  std::vector<HostIterationRow> rows;
  if (!told.off_cpu && !told.page_faults && !told.interrupts) {
    return rows;
  }
  for (const MeasuredProcess& process : measured_processes(recording)) {
    Rows own(process, told);
    for (const OffCpuRow& span : recording.collected.rows<OffCpuRow>()) {
      if (span.process_id == process.pid && is_span(span.t_start_ns, span.t_end_ns)) {
        own.add_span(span);
      }
    }
    for (const HostEventRow& event : recording.collected.rows<HostEventRow>()) {
      if (event.process_id == process.pid && is_span(event.t_start_ns, event.t_end_ns.value_or(event.t_start_ns))) {
        own.add_event(event);
      }
    }
    own.finish(rows);
  }
  return rows;
}

}  // namespace aaco
