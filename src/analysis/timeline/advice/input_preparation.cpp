// SPDX-License-Identifier: MIT
// The device has nothing to do while its launching thread loads or prepares input.
#include <algorithm>
#include <fmt/format.h>

#include "analysis/timeline/advice/long_idle.h"
#include "analysis/timeline/advice/patterns.h"
#include "record/intervals.h"

namespace aaco {

namespace {

struct Preparation {
  uint64_t spans = 0;
  int64_t idle_ns = 0;
  int64_t waits_ns = 0;
  int64_t longest_ns = 0;
  bool own_process = false;  // the loader runs in the launching process
  bool workers = false;      // the launching process waited for loader processes
  TimeByName loaders;
  TimeByName innermost;
};

void add(const EventTable& events, const LongIdle& idle, EventRow frame, Preparation& sum) {
  const int64_t ns = overlap_ns(events, frame, idle.idle.span);
  const int64_t late_ns = idle.idle.length_ns() - idle.idle.waits_ns;
  ++sum.spans;
  sum.idle_ns = saturating_sum(sum.idle_ns, ns);
  sum.waits_ns = saturating_sum(sum.waits_ns, std::max<int64_t>(0, ns - late_ns));
  sum.longest_ns = std::max(sum.longest_ns, ns);
  sum.loaders.add(events.name[frame], ns);
  const EventRow innermost = idle.covering.back();
  sum.innermost.add(events.name[innermost], overlap_ns(events, innermost, idle.idle.span));
  for (const EventRow event : idle.covering) {
    const std::string_view name = events.strings[events.name[event]];
    sum.own_process = sum.own_process || has_mark(name, "singleprocessdataloader");
    sum.workers = sum.workers || has_mark(name, "multiprocessingdataloader");
  }
}

std::string remedy_of(const Preparation& sum) {
  const std::string also =
      "prepare the next batch while this one runs, and move resizing, decoding and normalising to the device.";
  if (sum.workers) {
    return "Its loader processes do not keep up: give the loader more of them (num_workers) and a deeper queue "
           "(prefetch_factor), or make each sample cheaper; " +
           also;
  }
  if (sum.own_process) {
    return "The loader runs in the process that launches (num_workers=0): give it processes of its own (num_workers, "
           "persistent_workers, pin_memory); " +
           also;
  }
  return "Prepare input outside the launching thread: loader processes (num_workers of a DataLoader), or a thread of "
         "its own; " +
         also;
}

}  // namespace

std::vector<TraceFinding> input_preparation(const AdviceInput& input) {
  std::vector<TraceFinding> all;
  for (size_t i = 0; i < input.summary.devices.size(); ++i) {
    const DeviceSummary& device = input.summary.devices[i];
    Preparation sum;
    for (const LongIdle& idle : input.long_idles[i]) {
      if (const EventRow frame = preparing_frame(input.events, idle); frame != kNoEvent) {
        add(input.events, idle, frame, sum);
      }
    }
    TraceFinding finding = finding_of("input-preparation", device);
    finding.subject = "idle: input preparation";
    finding.cost_ns = sum.idle_ns;
    finding.saves_ns = static_cast<double>(sum.idle_ns);
    if (!worth_a_line(finding)) {
      continue;
    }
    finding.basis = "upper bound: all of this idle time behind the device's work";
    finding.where = sum.innermost.longest(input.events.strings);
    const std::vector<std::string> loaders = sum.loaders.longest(input.events.strings);
    finding.evidence = fmt::format("{} idle in {} spans, the longest {}, while the launching thread was in {}",
                                   time_text(sum.idle_ns), sum.spans, time_text(sum.longest_ns), quoted(finding.where));
    if (loaders != finding.where) {
      finding.evidence += fmt::format("; within {}", quoted(loaders));
    }
    finding.where.insert(finding.where.end(), loaders.begin(), loaders.end());
    finding.figures = {{"idle", static_cast<double>(sum.idle_ns), "ns"},
                       {"spans", static_cast<double>(sum.spans), "1"},
                       {"longest", static_cast<double>(sum.longest_ns), "ns"}};
    finding.remedy = remedy_of(sum);
    finding.source = "PyTorch documentation, Performance Tuning Guide: asynchronous data loading";
    finding.explains.late_ns = sum.idle_ns - sum.waits_ns;
    finding.explains.waiting_ns = sum.waits_ns;
    all.push_back(std::move(finding));
  }
  return all;
}

}  // namespace aaco
