// SPDX-License-Identifier: MIT
#include "kind/observation/observation_devices.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/text/characters.h"
#include "kind/observation/observation_gaps.h"
#include "record/device/device_rows.h"
#include "report/names/kernel_names.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr size_t kTopKernels = 5;

std::string idle_words(const EventTable& events, const DeviceSummary& device) {
  const auto& shares = device.idle.shares;
  const auto largest = std::max_element(shares.begin(), shares.end(),
                                        [](const IdleShare& a, const IdleShare& b) { return a.total_ns < b.total_ns; });
  if (largest->total_ns == 0) {
    return "never idle";
  }
  const auto cause = static_cast<IdleCause>(largest - shares.begin());
  std::string held;
  for (const IdleHolder& holder : device.idle.holders) {
    if (holder.cause == cause && holder.name != kEmptyString) {
      held = fmt::format(" (most: {})", printable(shorten(events.strings[holder.name], kLongestName)));
      break;
    }
  }
  return fmt::format("{} of it: {}{}", share_text(largest->total_ns, device.budget.idle_ns),
                     people_words(word_of(cause)), held);
}

// Without copies and memory sets, which are in the same list.
std::vector<const KernelStatistics*> kernels_of(const EventTable& events, const DeviceSummary& device) {
  std::vector<const KernelStatistics*> kernels;
  for (const KernelStatistics& kernel : device.kernels) {
    if (kernel.work != WorkClass::kCopy && events.strings[kernel.name] != device_row::kSetName) {
      kernels.push_back(&kernel);
    }
  }
  return kernels;
}

// "device 0", of recordings with pauses also how much of the time that is.
struct DeviceTitle {
  std::string name;
  std::string gaps;
};

void add_device(const EventTable& events, const DeviceSummary& device, const DeviceTitle& title, Section& section) {
  const TimeShares& budget = device.budget;
  const std::vector<const KernelStatistics*> kernels = kernels_of(events, device);
  uint64_t count = 0;
  int64_t sum_ns = 0;
  for (const KernelStatistics* kernel : kernels) {
    count += kernel->count;
    sum_ns += kernel->total_ns;
  }
  FactList facts;
  facts.facts.push_back(
      {"GPU busy", fmt::format("{} of {} ({}){}", share_text(budget.window_ns() - budget.idle_ns, budget.window_ns()),
                               duration_text(budget.window_ns()), printable(title.name),
                               title.gaps.empty() ? "" : ", of what was recorded: " + title.gaps)});
  facts.facts.push_back(
      {"kernels", fmt::format("{}, {} in all", format_count(static_cast<int64_t>(count)), duration_text(sum_ns))});
  facts.facts.push_back({"idle", fmt::format("{}; {}", duration_text(budget.idle_ns), idle_words(events, device))});
  section.blocks.emplace_back(std::move(facts));
  TableBlock top{.id = "top_kernels",
                 .columns = {{.title = "kernel", .kernels = true}, {"count", true}, {"total", true}, {"share", true}}};
  for (size_t i = 0; i < std::min(kTopKernels, kernels.size()); ++i) {
    const KernelStatistics& kernel = *kernels[i];
    top.rows.push_back(
        {text_cell(printable(events.strings[kernel.name])), count_cell(static_cast<int64_t>(kernel.count)),
         duration_cell(static_cast<double>(kernel.total_ns)),
         percent_cell(sum_ns > 0 ? std::optional(static_cast<double>(kernel.total_ns) / static_cast<double>(sum_ns))
                                 : std::nullopt)});
  }
  shorten_kernels(top);
  section.blocks.emplace_back(std::move(top));
}

// Spans of a recording with pauses are recordings of their own, and here one: their times add up, pauses are no part.
DeviceSummary sum_of_spans(std::span<const DeviceSummary* const> spans) {
  DeviceSummary sum = *spans.front();
  std::map<StringId, size_t> places;
  for (size_t i = 0; i < sum.kernels.size(); ++i) {
    places.emplace(sum.kernels[i].name, i);
  }
  for (const DeviceSummary* span : spans.subspan(1)) {
    sum.budget.window.end_ns += span->budget.window_ns();
    sum.budget.idle_ns += span->budget.idle_ns;
    for (size_t cause = 0; cause < kIdleCauses; ++cause) {
      sum.idle.shares[cause].total_ns += span->idle.shares[cause].total_ns;
    }
    for (const KernelStatistics& kernel : span->kernels) {
      const auto [place, is_new] = places.try_emplace(kernel.name, sum.kernels.size());
      if (is_new) {
        sum.kernels.push_back(kernel);
      } else {
        sum.kernels[place->second].count += kernel.count;
        sum.kernels[place->second].total_ns += kernel.total_ns;
      }
    }
  }
  std::stable_sort(sum.kernels.begin(), sum.kernels.end(),
                   [](const KernelStatistics& a, const KernelStatistics& b) { return a.total_ns > b.total_ns; });
  return sum;
}

// Until when the collector could take time of the process. One that is cut ended nobody knows when.
int64_t end_of(const ObservationDocument& document, const ProcessRecording& process) {
  if (process.state == RecordingState::kWhole && process.last_flush_ns) {
    return std::min(document.to_ns, *process.last_flush_ns);  // its last span may close behind the stop
  }
  return std::max(process.from_ns, std::min(document.to_ns, document.stopped_ns.value_or(document.to_ns)));
}

}  // namespace

void add_devices(const ObservationDocument& document, const EventTable& events, const TraceSummary& summary,
                 Section& section) {
  if (!document.has_pauses()) {
    for (const DeviceSummary& device : summary.devices) {
      add_device(events, device,
                 {of_rank(device_name(device.device), events, device.recording, device.rank), gaps_text(document)},
                 section);
    }
    return;
  }
  std::map<std::pair<int64_t, int64_t>, std::vector<const DeviceSummary*>> spans;  // by rank and device
  for (const DeviceSummary& device : summary.devices) {
    spans[{device.rank, device.device}].push_back(&device);
  }
  for (const auto& [key, devices] : spans) {
    const std::string rank = key.first == kNoId ? "" : fmt::format("rank {} ", key.first);
    add_device(
        events, sum_of_spans(devices),
        {fmt::format("{}{}, {} recorded spans", rank, device_name(key.second), devices.size()), gaps_text(document)},
        section);
  }
}

std::string budget_text(const ObservationDocument& document, const ProcessRecording& process) {
  int64_t recorded_ns = 0;
  uint64_t steps = 0;
  uint64_t slices = 0;
  uint64_t left_out = 0;
  std::set<uint64_t> periods;
  for (const RecordedSpan& span : process.spans) {
    recorded_ns += span.end_ns - span.start_ns;
    steps += span.steps;
    slices += span.steps == 0 ? 1 : 0;
    left_out += span.left_out;
    if (span.steps > 0) {
      periods.insert(span.step_kernels);
    }
  }
  const int64_t all_ns = end_of(document, process) - process.from_ns;
  std::string text =
      fmt::format("process {}: recorded {} of {} in {} {}", process.pid, duration_text(recorded_ns),
                  duration_text(all_ns), process.spans.size(), process.spans.size() == 1 ? "span" : "spans");
  if (steps > 0) {
    text += fmt::format("; {} whole steps, each a repeated period of {} kernels ({} events of cut steps left out)",
                        format_count(static_cast<int64_t>(steps)), fmt::join(periods, " or "),
                        format_count(static_cast<int64_t>(left_out)));
  }
  if (slices > 0) {
    text += fmt::format("; in {} of them nothing repeats: slices of time", slices);
  }
  if (all_ns > 0) {
    text += fmt::format("; the collector took {} of the time, {} were allowed", share_text(process.cost_ns, all_ns),
                        share_text(document.budget_ppm, 1'000'000));
    const double allowed_ns = static_cast<double>(all_ns) * static_cast<double>(document.budget_ppm) * 1e-6;
    if (static_cast<double>(process.cost_ns) > allowed_ns) {
      text += " (it ended before pauses could make up for it)";
    }
  }
  return text + ". All figures are of the recorded spans";
}

}  // namespace aaco::report
