// SPDX-License-Identifier: MIT
// The device has nothing to do while an operator that is called for the first time sets its library up.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>

#include "analysis/timeline/advice/long_idle.h"
#include "analysis/timeline/advice/patterns.h"
#include "record/intervals.h"

namespace aaco {

namespace {

constexpr int64_t kTimesLonger = 10;

// The first call of each operator, by rank of a recording and name, and the longest of the later ones. A recording may
// begin in the middle of a run: only where later calls are much shorter was the first one the first.
class FirstCalls {
 public:
  FirstCalls(const EventTable& events, const std::vector<RankOperators>& ranks) : events_(events) {
    for (const RankOperators& rank : ranks) {
      for (const EventRow op : rank.operators) {
        Calls& calls = calls_[{{rank.recording, rank.rank}, events.name[op]}];
        const bool earlier = calls.first == kNoEvent || events.start_ns[op] < events.start_ns[calls.first];
        const EventRow later = earlier ? calls.first : op;
        calls.first = earlier ? op : calls.first;
        if (later != kNoEvent) {
          calls.longest_later_ns = std::max(calls.longest_later_ns.value_or(0), events.duration_ns[later]);
        }
      }
    }
  }
  bool sets_up(EventRow op) const {
    const Track& track = events_.tracks[events_.track[op]];
    const auto call = calls_.find({{track.recording, track.rank}, events_.name[op]});
    return call != calls_.end() && call->second.first == op && call->second.longest_later_ns &&
           events_.duration_ns[op] / kTimesLonger >= *call->second.longest_later_ns;
  }

 private:
  struct Calls {
    EventRow first = kNoEvent;
    std::optional<int64_t> longest_later_ns;  // none: there is no later one
  };
  const EventTable& events_;
  std::map<std::pair<std::pair<uint32_t, int64_t>, StringId>, Calls> calls_;
};

// The innermost operator of the span, where no call of the runtime covers it.
EventRow covering_operator(const EventTable& events, const LongIdle& idle) {
  const EventRow innermost = idle.covering.empty() ? kNoEvent : idle.covering.back();
  return innermost != kNoEvent && events.kind[innermost] == EventKind::kHostOp &&
                 preparing_frame(events, idle) == kNoEvent && compiling_frame(events, idle) == kNoEvent
             ? innermost
             : kNoEvent;
}

}  // namespace

std::vector<TraceFinding> first_use(const AdviceInput& input) {
  const EventTable& events = input.events;
  std::vector<TraceFinding> all;
  const FirstCalls first(events, input.operators);
  for (size_t i = 0; i < input.summary.devices.size(); ++i) {
    const DeviceSummary& device = input.summary.devices[i];
    TraceFinding finding = finding_of("first-use", device);
    TimeByName names;
    uint64_t spans = 0;
    for (const LongIdle& idle : input.long_idles[i]) {
      const EventRow op = covering_operator(events, idle);
      if (op == kNoEvent || !first.sets_up(op)) {
        continue;
      }
      const int64_t ns = std::min(overlap_ns(events, op, idle.idle.span), idle.idle.length_ns() - idle.idle.waits_ns);
      ++spans;
      finding.cost_ns = saturating_sum(finding.cost_ns, ns);
      names.add(events.name[op], ns);
    }
    finding.subject = "idle: first calls of operators";
    finding.saves_ns = static_cast<double>(finding.cost_ns);
    if (!worth_a_line(finding)) {
      continue;
    }
    finding.basis = "upper bound: all of this idle time";
    finding.where = names.longest(events.strings);
    finding.evidence = fmt::format(
        "{} idle in {} spans of 1 ms and more, each within the first call of an operator, ten times as long as any "
        "later one: {}",
        time_text(finding.cost_ns), spans, quoted(finding.where));
    finding.figures = {{"idle", finding.saves_ns, "ns"}, {"spans", static_cast<double>(spans), "1"}};
    finding.remedy =
        "The first call sets a library up, loads its code or tries its algorithms: record and time after some steps of "
        "warm-up. Where start-up itself counts, keep what was found (MIOpen's user database, cuDNN without benchmark).";
    finding.source = "PyTorch documentation, torch.utils.benchmark: warm-up";
    finding.explains.late_ns = finding.cost_ns;
    all.push_back(std::move(finding));
  }
  return all;
}

}  // namespace aaco
