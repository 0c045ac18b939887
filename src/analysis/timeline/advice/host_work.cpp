// SPDX-License-Identifier: MIT
// The device has nothing to do for long spans in which its launching thread is in one function that is no input
// preparation.
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "analysis/timeline/advice/long_idle.h"
#include "analysis/timeline/advice/patterns.h"
#include "base/format.h"
#include "base/text/characters.h"
#include "record/intervals.h"

namespace aaco {

namespace {

constexpr double kLeastOfWindow = 0.05;

struct HostSpans {
  uint64_t spans = 0;
  int64_t idle_ns = 0;
  int64_t longest_ns = 0;
};

// Names of steps and of what starts a program say nothing about what the thread did.
bool says_what_it_does(std::string_view name) {
  return !name.starts_with("ProfilerStep") && !has_mark(name, "<module>") && !has_mark(name, "step#");
}

// The innermost function or annotation of the idle span, where it is little more than that. Where an operator or a call
// of the runtime lies within, the framework's work is what took long, not the function's.
EventRow holding_range(const EventTable& events, const LongIdle& idle) {
  if (idle.covering.empty() || events.kind[idle.covering.back()] != EventKind::kHostRange) {
    return kNoEvent;
  }
  const EventRow range = idle.covering.back();
  const bool says = says_what_it_does(events.strings[events.name[range]]);
  return says && is_of_the_idle(events, range, idle.idle.span) ? range : kNoEvent;
}

TraceFinding finding_of_range(const EventTable& events, const DeviceSummary& device, StringId name,
                              const HostSpans& sum) {
  TraceFinding finding = finding_of("host-work", device);
  const std::string range = shorten(printable(events.strings[name]), 60);
  finding.subject = fmt::format("idle: host work in {}", range);
  finding.cost_ns = sum.idle_ns;
  finding.saves_ns = static_cast<double>(sum.idle_ns);
  finding.basis = "upper bound: all of this idle time behind the device's work";
  finding.where = {range};
  finding.evidence = fmt::format("{} idle in {} spans, the longest {}, while the launching thread was in \"{}\"",
                                 format_duration_ns(finding.saves_ns), sum.spans, time_text(sum.longest_ns), range);
  finding.figures = {{"idle", finding.saves_ns, "ns"},
                     {"spans", static_cast<double>(sum.spans), "1"},
                     {"longest", static_cast<double>(sum.longest_ns), "ns"}};
  finding.remedy =
      "It is too long to be the cost of launching: do it in a thread or process of its own, less often, or queue the "
      "device's next work before it.";
  finding.source = "none: follows from what was recorded";
  finding.explains.late_ns = sum.idle_ns;
  return finding;
}

}  // namespace

std::vector<TraceFinding> host_work(const AdviceInput& input) {
  const EventTable& events = input.events;
  std::vector<TraceFinding> all;
  for (size_t i = 0; i < input.summary.devices.size(); ++i) {
    const DeviceSummary& device = input.summary.devices[i];
    std::map<StringId, HostSpans> ranges;
    for (const LongIdle& idle : input.long_idles[i]) {
      const EventRow range = holding_range(events, idle);
      if (range == kNoEvent || preparing_frame(events, idle) != kNoEvent || compiling_frame(events, idle) != kNoEvent) {
        continue;
      }
      const int64_t late_ns = idle.idle.length_ns() - idle.idle.waits_ns;
      const int64_t ns = std::min(overlap_ns(events, range, idle.idle.span), late_ns);
      HostSpans& sum = ranges[events.name[range]];
      ++sum.spans;
      sum.idle_ns = saturating_sum(sum.idle_ns, ns);
      sum.longest_ns = std::max(sum.longest_ns, ns);
    }
    for (const auto& [name, sum] : ranges) {
      if (static_cast<double>(sum.idle_ns) >= kLeastOfWindow * static_cast<double>(device.budget.window_ns())) {
        all.push_back(finding_of_range(events, device, name, sum));
      }
    }
  }
  return all;
}

}  // namespace aaco
