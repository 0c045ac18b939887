// SPDX-License-Identifier: MIT
// The device has nothing to do while its launching thread compiles or tunes kernels, or records a graph.
#include <algorithm>
#include <fmt/format.h>

#include "analysis/timeline/advice/long_idle.h"
#include "analysis/timeline/advice/patterns.h"
#include "record/intervals.h"

namespace aaco {

std::vector<TraceFinding> compilation(const AdviceInput& input) {
  const EventTable& events = input.events;
  std::vector<TraceFinding> all;
  for (size_t i = 0; i < input.summary.devices.size(); ++i) {
    const DeviceSummary& device = input.summary.devices[i];
    TraceFinding finding = finding_of("compilation", device);
    TimeByName names;
    uint64_t spans = 0;
    for (const LongIdle& idle : input.long_idles[i]) {
      const EventRow frame = compiling_frame(events, idle);
      if (frame == kNoEvent || preparing_frame(events, idle) != kNoEvent) {
        continue;
      }
      const int64_t ns =
          std::min(overlap_ns(events, frame, idle.idle.span), idle.idle.length_ns() - idle.idle.waits_ns);
      ++spans;
      finding.cost_ns = saturating_sum(finding.cost_ns, ns);
      names.add(events.name[frame], ns);
    }
    finding.subject = "idle: compiling, tuning or recording graphs";
    finding.saves_ns = static_cast<double>(finding.cost_ns);
    if (!worth_a_line(finding)) {
      continue;
    }
    finding.basis = "upper bound: all of this idle time";
    finding.where = names.longest(events.strings);
    finding.evidence = fmt::format("{} idle in {} spans while the launching thread was in {}",
                                   time_text(finding.cost_ns), spans, quoted(finding.where));
    finding.figures = {{"idle", finding.saves_ns, "ns"}, {"spans", static_cast<double>(spans), "1"}};
    finding.remedy =
        "These are costs of the first time: record and time after some steps of warm-up. Where they come again, look "
        "for "
        "recompilation (TORCH_LOGS=recompiles, shapes that change: dynamic=True) and keep the compiler's cache.";
    finding.source = "PyTorch documentation, torch.compile troubleshooting";
    finding.explains.late_ns = finding.cost_ns;
    all.push_back(std::move(finding));
  }
  return all;
}

}  // namespace aaco
