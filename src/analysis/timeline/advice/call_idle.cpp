// SPDX-License-Identifier: MIT
#include "analysis/timeline/advice/call_idle.h"

#include <algorithm>
#include <fmt/format.h>

#include "analysis/timeline/advice/long_idle.h"
#include "record/intervals.h"

namespace aaco {

namespace {

struct CallSum {
  uint64_t spans = 0;
  int64_t idle_ns = 0;
  TimeByName names;

  void add(StringId name, uint64_t its_spans, int64_t ns) {
    spans += its_spans;
    idle_ns = saturating_sum(idle_ns, ns);
    names.add(name, ns);
  }
};

CallSum sum_of(const EventTable& events, const DeviceSummary& device, const CallPattern& pattern,
               const std::vector<LongIdle>& long_idles) {
  CallSum sum;
  for (const IdleHolder& holder : device.idle.holders) {
    const std::string_view name = events.strings[holder.name];
    if (device.launch_times_carry_advice && holder.cause == IdleCause::kHostCall &&
        std::any_of(pattern.calls.begin(), pattern.calls.end(),
                    [&](std::string_view call) { return name.starts_with(call); })) {
      sum.add(holder.name, holder.spans, holder.total_ns);
    }
  }
  for (const LongIdle& idle : long_idles) {
    const EventRow call = idle.covering.empty() ? kNoEvent : idle.covering.back();
    if (pattern.long_launches && call != kNoEvent && events.kind[call] == EventKind::kHostCall &&
        launches_kernel(events.strings[events.name[call]])) {
      sum.add(events.name[call], 1, overlap_ns(events, call, idle.idle.span));
    }
  }
  return sum;
}

}  // namespace

std::vector<TraceFinding> idle_in_calls(const AdviceInput& input, const CallPattern& pattern) {
  std::vector<TraceFinding> all;
  for (size_t i = 0; i < input.summary.devices.size(); ++i) {
    const DeviceSummary& device = input.summary.devices[i];
    const CallSum sum = sum_of(input.events, device, pattern, input.long_idles[i]);
    TraceFinding finding = finding_of(pattern.id, device);
    finding.cost_ns = sum.idle_ns;
    finding.subject = pattern.subject;
    finding.saves_ns = static_cast<double>(finding.cost_ns);
    if (!worth_a_line(finding)) {
      continue;
    }
    finding.basis = "upper bound: all of this idle time";
    finding.where = sum.names.longest(input.events.strings);
    finding.evidence = fmt::format("{} idle in {} spans while the launching thread was in {}",
                                   time_text(finding.cost_ns), sum.spans, quoted(finding.where));
    finding.figures = {{"idle", finding.saves_ns, "ns"}, {"spans", static_cast<double>(sum.spans), "1"}};
    finding.remedy = pattern.remedy;
    finding.source = pattern.source;
    finding.explains.late_in_calls_ns = finding.cost_ns;
    all.push_back(std::move(finding));
  }
  return all;
}

}  // namespace aaco
