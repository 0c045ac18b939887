// SPDX-License-Identifier: MIT
#include "kind/observation/host_figures.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/format.h"
#include "base/json/json.h"
#include "base/text/characters.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco {

AACO_JSON_FIELDS(ThreadUse, pid, tid, name, from_ns, to_ns, run_ns, runnable_ns, voluntary, involuntary)
AACO_JSON_FIELDS(ProcessUse, pid, parent_pid, name, minor_faults, major_faults, peak_bytes, read_bytes, written_bytes)
AACO_JSON_FIELDS(HostUse, period_ns, samples, cost_ns, processors, quota_processors, busy_ns, seen_ns, processes,
                 threads)

}  // namespace aaco

namespace aaco::report {

namespace {

constexpr size_t kTopThreads = 8;

// Of sums some of whose parts the kernel does not tell there is none.
template <class Item, class Member>
std::optional<int64_t> sum_of(const std::vector<Item>& items, Member member) {
  int64_t sum = 0;
  for (const Item& item : items) {
    if (!(item.*member)) {
      return std::nullopt;
    }
    sum += *(item.*member);
  }
  return items.empty() ? std::nullopt : std::optional(sum);
}

std::string count_text(std::optional<int64_t> count) { return count ? format_count(*count) : "not known"; }

std::string bytes_text(std::optional<int64_t> bytes) {
  return bytes ? shown_text(number_cell(static_cast<double>(*bytes), "B")) : "not known";
}

std::optional<double> share_of(std::optional<int64_t> part_ns, const ThreadUse& thread) {
  return part_ns && thread.seen_ns() > 0
             ? std::optional(static_cast<double>(*part_ns) / static_cast<double>(thread.seen_ns()))
             : std::nullopt;
}

// A CPU quota below the affinity is what the program could have had.
std::string processors_text(const HostUse& use, double busy) {
  if (!use.processors) {
    return fmt::format("{:.2f} processors busy", busy);
  }
  if (use.quota_processors && *use.quota_processors < static_cast<double>(*use.processors)) {
    return fmt::format("{:.2f} of {:.4g} processors of its CPU quota busy ({} in its affinity)", busy,
                       *use.quota_processors, *use.processors);
  }
  return fmt::format("{:.2f} of {} processors busy", busy, *use.processors);
}

}  // namespace

HostAnswer host_answer(const HostUse& use, double wall_s, std::optional<double> busy_s, int64_t pid) {
  HostAnswer answer;
  if (!busy_s && use.busy_ns) {
    // A child that ran before the first sample brings all its time when it is waited for: more than there can have
    // been.
    constexpr int64_t kTwoTicksNs = 20'000'000;
    if (!use.processors || *use.busy_ns <= *use.processors * (use.seen_ns + kTwoTicksNs)) {
      busy_s = static_cast<double>(*use.busy_ns) / 1e9;
      wall_s = static_cast<double>(use.seen_ns) / 1e9;
    }
  }
  if (busy_s && wall_s > 0) {
    answer.processors = processors_text(use, *busy_s / wall_s);
  }
  const auto thread = std::find_if(use.threads.begin(), use.threads.end(),
                                   [&](const ThreadUse& each) { return each.is_main() && each.pid == pid; });
  if (thread != use.threads.end() && thread->run_ns && thread->runnable_ns && thread->seen_ns() > 0) {
    // Both are counted where they end, so that a sample may hold a little more than its time.
    const int64_t waited_ns = std::max<int64_t>(0, thread->seen_ns() - *thread->run_ns - *thread->runnable_ns);
    answer.main_thread =
        fmt::format("ran {} of {}, was runnable and did not run {}, waited {}",
                    share_text(*thread->run_ns, thread->seen_ns()), duration_text(thread->seen_ns()),
                    share_text(*thread->runnable_ns, thread->seen_ns()), share_text(waited_ns, thread->seen_ns()));
  }
  return answer;
}

TableBlock thread_table(const HostUse& use) {
  TableBlock table{.id = "threads",
                   .title = "Threads that ran longest",
                   .columns = {{"pid"},
                               {"thread"},
                               {"name", false, "", 24},
                               {"ran", true},
                               {"of the time", true},
                               {"runnable", true},
                               {"waits", true},
                               {"preempted", true}}};
  const auto optional_count = [](std::optional<int64_t> count) {
    return count ? count_cell(*count) : text_cell("not known");
  };
  for (size_t i = 0; i < std::min(kTopThreads, use.threads.size()); ++i) {
    const ThreadUse& thread = use.threads[i];
    table.rows.push_back({text_cell(std::to_string(thread.pid)), text_cell(std::to_string(thread.tid)),
                          text_cell(printable(thread.name)),
                          thread.run_ns ? duration_cell(static_cast<double>(*thread.run_ns)) : text_cell("not known"),
                          percent_cell(share_of(thread.run_ns, thread)),
                          percent_cell(share_of(thread.runnable_ns, thread)), optional_count(thread.voluntary),
                          optional_count(thread.involuntary)});
  }
  return table;
}

std::string sampling_text(const HostUse& use) {
  return fmt::format("{} {} of /proc, each {}; they took {} of a processor in all", format_count(use.samples),
                     use.samples == 1 ? "sample" : "samples", duration_text(use.period_ns), duration_text(use.cost_ns));
}

std::string memory_text(const HostUse& use, bool with_peak) {
  if (use.samples < 2) {
    return "page faults and storage not known: too short to watch";
  }
  std::optional<int64_t> peak;
  for (const ProcessUse& process : use.processes) {
    peak = process.peak_bytes ? std::max(peak.value_or(0), *process.peak_bytes) : peak;
  }
  std::string text = with_peak && peak ? fmt::format("peak {} in a process; ", bytes_text(peak)) : "";
  return text + fmt::format("page faults {} ({} from storage); storage: {} read, {} written",
                            count_text(sum_of(use.processes, &ProcessUse::minor_faults)),
                            count_text(sum_of(use.processes, &ProcessUse::major_faults)),
                            bytes_text(sum_of(use.processes, &ProcessUse::read_bytes)),
                            bytes_text(sum_of(use.processes, &ProcessUse::written_bytes)));
}

}  // namespace aaco::report
