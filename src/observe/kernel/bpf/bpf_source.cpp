// SPDX-License-Identifier: MIT
#include "observe/kernel/bpf/bpf_source.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/clock.h"
#include "observe/kernel/bpf/kernel_programs.h"
#include "observe/kernel/bpf/launch_probes.h"
#include "observe/kernel/source/thread_states.h"
#include "observe/kernel/stacks/stack_table.h"

namespace aaco {

namespace {

template <size_t n>
std::string text_of(const char (&name)[n]) {
  return {name, ::strnlen(name, n)};
}

std::optional<int64_t> number_of(int number) {
  return number == NO_NUMBER ? std::nullopt : std::optional<int64_t>(number);
}

OffCpuReason reason_of(unsigned int state) {
  return state == STATE_PREEMPTED ? OffCpuReason::kPreempted
         : state == STATE_NEW     ? OffCpuReason::kUnknown
                                  : reason_of_state(state);
}

OffCpuRow row_of(const span_record& span) {
  OffCpuRow row;
  row.process_id = span.process;
  row.thread_id = span.thread;
  row.thread_name = text_of(span.name);
  row.t_start_ns = static_cast<int64_t>(span.start_ns);
  row.t_end_ns = static_cast<int64_t>(span.end_ns);
  row.reason = reason_of(span.state);
  if (span.runnable_ns != 0) {
    row.run_queue_ns = static_cast<int64_t>(span.end_ns - span.runnable_ns);
  }
  row.cpu_before = number_of(span.cpu_before);
  row.cpu_after = span.cpu_after;
  if (span.state != STATE_NEW) {
    row.next_thread_id = number_of(span.next_thread);
    row.next_name = text_of(span.next_name);
  }
  row.waker_thread_id = number_of(span.waker_thread);
  if (span.state != STATE_PREEMPTED && span.waker_name[0] != 0) {
    row.waker_name = text_of(span.waker_name);
  }
  return row;
}

HostEventKind kind_of(unsigned int kind) {
  switch (kind) {
    case RECORD_MIGRATION:
      return HostEventKind::kMigration;
    case RECORD_PAGE_FAULT:
      return HostEventKind::kPageFault;
    case RECORD_INTERRUPT:
      return HostEventKind::kInterrupt;
    case RECORD_SOFT_INTERRUPT:
      return HostEventKind::kSoftInterrupt;
    case RECORD_BLOCK_IO:
      return HostEventKind::kBlockIo;
    case RECORD_FORK:
      return HostEventKind::kFork;
    case RECORD_EXEC:
      return HostEventKind::kExec;
    case RECORD_EXIT:
      return HostEventKind::kExit;
    case RECORD_LAUNCH:
      return HostEventKind::kLaunch;
    default:
      return HostEventKind::kUnknown;
  }
}

HostEventRow row_of(const event_record& event) {
  HostEventRow row;
  row.kind = kind_of(event.kind);
  row.name = row.kind == HostEventKind::kSoftInterrupt ? soft_interrupt_name(event.value) : text_of(event.name);
  row.t_start_ns = static_cast<int64_t>(event.start_ns);
  if (event.end_ns != 0) {
    row.t_end_ns = static_cast<int64_t>(event.end_ns);
  }
  row.process_id = number_of(event.process);
  row.thread_id = number_of(event.thread);
  row.cpu = event.cpu;
  if (row.kind != HostEventKind::kExec && row.kind != HostEventKind::kLaunch) {
    row.value = event.value;
  }
  return row;
}

class BpfSource final : public KernelSource {
 public:
  BpfSource(std::unique_ptr<KernelPrograms> programs, const BpfOptions& options) : programs_(std::move(programs)) {
    if (options.launches) {
      probes_.emplace(*programs_);
    }
    if (options.stacks) {
      stacks_.read_kernel_names();
    }
  }

  void observe(int64_t pid) override { programs_->observe(static_cast<int>(pid)); }

  void drain(KernelRows& rows) override {
    programs_->read([&](std::span<const std::byte> record) { take(record, rows); });
    if (probes_) {
      probes_->look(monotonic_ns());
    }
    programs_->count_cost(drains_++ % kDrainsACount == kDrainsACount / 2);
    // A killed observer leaves the stacks that its rows refer to, but for those of the last moment.
    if (const int64_t now_ns = monotonic_ns(); now_ns - stacks_given_ns_ >= kStackPeriodNs) {
      stacks_given_ns_ = now_ns;
      give_stacks(rows);
    }
  }

  void end(KernelRows& rows) override { give_stacks(rows); }

  PlaneSource facts() const override {
    PlaneSource source;
    source.name = "ebpf";
    if (!programs_->missing().empty()) {
      source.not_seen = fmt::format("this kernel has no tracepoint {}", fmt::join(programs_->missing(), ", "));
    }
    const kernel_losses losses = programs_->losses();
    const auto add_loss = [&](uint64_t lost, const char* what) {
      if (lost != 0) {
        source.losses.push_back(fmt::format("{} {}", lost, what));
      }
    };
    if (probes_) {
      source.losses.insert(source.losses.end(), probes_->refusals().begin(), probes_->refusals().end());
      source.figures["probed_libraries"] = probes_->attached();
    }
    const KernelPrograms::Cost cost = programs_->cost();
    add_loss(losses.unpaired, "spans off the processor: the kernel did not show their ends");
    if (losses.skipped_stacks != 0) {
      source.losses.push_back(fmt::format("{} stacks: at most {} a second are taken on a processor",
                                          losses.skipped_stacks, 1'000'000'000 / STACK_INTERVAL_NS));
    }
    source.figures["skipped_stacks"] = static_cast<int64_t>(losses.skipped_stacks);
    source.figures["lost_spans"] = static_cast<int64_t>(losses.spans);
    source.figures["lost_events"] = static_cast<int64_t>(losses.events);
    source.figures["spans_without_end"] = static_cast<int64_t>(losses.unpaired);
    add_loss(losses.spans, "spans off the processor: the ring was full");
    add_loss(losses.events, "events: the ring was full");
    add_loss(losses.threads, "threads: more live at once than are followed");
    add_loss(losses.processes, "processes: more live at once than are followed");
    add_loss(losses.stacks, "stacks: another one has their place");
    source.figures["open_spans"] = programs_->open_spans();
    add_loss(static_cast<uint64_t>(cost.misses), "runs of a program: it ran on that processor already");
    if (cost.runs > 0 && cost.counted_ns > 0) {
      const double whole = static_cast<double>(cost.attached_ns) / static_cast<double>(cost.counted_ns);
      source.figures["program_runs"] = std::llround(static_cast<double>(cost.runs) * whole);
      source.figures["programs_ns"] = std::llround(static_cast<double>(cost.ns) * whole);
    }
    return source;
  }

 private:
  static constexpr int64_t kStackPeriodNs = 1'000'000'000;
  // The programs' cost is counted between two drains of so many, a second: to switch the counting costs the kernel
  // time.
  static constexpr int64_t kDrainsACount = 50;

  void give_stacks(KernelRows& rows) {
    for (const StackRow& row : stacks_.new_rows()) {
      rows.take(row);
    }
  }

  // The number that rows refer to; the kernel's own are looked up once.
  std::optional<int64_t> stack_of(int process, int kernel, int user) {
    if (kernel == NO_STACK && user == NO_STACK) {
      return std::nullopt;
    }
    const auto [place, is_new] = numbers_.try_emplace({process, kernel, user});
    if (is_new) {
      place->second = stacks_.number(process, programs_->stack(kernel), programs_->stack(user));
    }
    return place->second;
  }

  void take(std::span<const std::byte> record, KernelRows& rows) {
    unsigned int kind = 0;
    std::memcpy(&kind, record.data(), sizeof(kind));
    if (kind == RECORD_SPAN && record.size() >= sizeof(span_record)) {
      span_record span{};
      std::memcpy(&span, record.data(), sizeof(span));
      OffCpuRow row = row_of(span);
      row.stack = stack_of(span.process, span.kernel_stack, span.user_stack);
      row.waker_stack = stack_of(span.waker_process, span.waker_kernel_stack, span.waker_user_stack);
      rows.take(row);
    } else if (kind != RECORD_SPAN && record.size() >= sizeof(event_record)) {
      event_record event{};
      std::memcpy(&event, record.data(), sizeof(event));
      rows.take(row_of(event));
    }
  }

  std::unique_ptr<KernelPrograms> programs_;
  std::optional<LaunchProbes> probes_;  // where they are wanted
  StackTable stacks_;
  int64_t stacks_given_ns_ = monotonic_ns();
  int64_t drains_ = 0;
  std::map<std::tuple<int, int, int>, std::optional<int64_t>> numbers_;  // by process and the kernel's two numbers
};

}  // namespace

Result<std::unique_ptr<KernelSource>> open_bpf_source(const BpfOptions& options) {
  AACO_ASSIGN(auto programs, KernelPrograms::load(options.stacks));
  return std::unique_ptr<KernelSource>(std::make_unique<BpfSource>(std::move(programs), options));
}

}  // namespace aaco
