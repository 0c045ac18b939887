// SPDX-License-Identifier: MIT
// The host reads a value of a tensor: it waits until the device has done all, and the device then waits for the host.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "analysis/timeline/advice/patterns.h"
#include "analysis/timeline/host_timeline.h"
#include "analysis/timeline/waiting_call.h"
#include "base/format.h"
#include "record/intervals.h"

namespace aaco {

namespace {

constexpr std::array kOperators = {EventKind::kHostOp};
constexpr std::array kRanges = {EventKind::kHostRange};
// .item(), float() and `if` of a tensor; and operators whose result has a shape that depends on data.
constexpr std::array<std::string_view, 6> kReads = {"aten::_local_scalar_dense", "aten::item",
                                                    "aten::is_nonzero",          "aten::nonzero",
                                                    "aten::masked_select",       "aten::_unique2"};

bool waits(const EventTable& events, EventRow event) {
  return event != kNoEvent && events.kind[event] == EventKind::kHostCall &&
         waits_for_device(events.strings[events.name[event]]);
}

bool reads_a_value(std::string_view name) { return std::find(kReads.begin(), kReads.end(), name) != kReads.end(); }

struct Reads {
  uint64_t spans = 0;
  int64_t idle_ns = 0;
  int64_t waits_ns = 0;
  TimeByName operators;
  TimeByName ranges;  // the innermost around them
};

// A device that was idle before the host waited did not wait for what it read.
class ReadFinder {
 public:
  explicit ReadFinder(const EventTable& events)
      : events_(events), operators_(events, kOperators), ranges_(events, kRanges) {}

  // What follows a read and is long is work of the host, not the read's.
  Reads sum(const DeviceSummary& device) const {
    Reads sum;
    for (const ShortHeldIdle& idle : device.idle.held_shortly) {
      add(idle.first, idle.length_ns, idle.waits_ns, sum);
    }
    for (const LongHeldIdle& idle : device.idle.held_long) {
      add(idle.first, idle.waits_ns, idle.waits_ns, sum);
    }
    return sum;
  }

 private:
  void add(EventRow call, int64_t ns, int64_t waits_ns, Reads& sum) const {
    const EventRow op = waits(events_, call) ? operators_.at(events_.track[call], events_.start_ns[call]) : kNoEvent;
    if (op == kNoEvent || !reads_a_value(events_.strings[events_.name[op]])) {
      return;
    }
    ++sum.spans;
    sum.idle_ns = saturating_sum(sum.idle_ns, ns);
    sum.waits_ns = saturating_sum(sum.waits_ns, waits_ns);
    sum.operators.add(events_.name[op], ns);
    const EventRow range = ranges_.at(events_.track[op], events_.start_ns[op]);
    if (range != kNoEvent && !events_.strings[events_.name[range]].starts_with("ProfilerStep")) {
      sum.ranges.add(events_.name[range], ns);
    }
  }

  const EventTable& events_;
  const HostTimeline operators_;
  const HostTimeline ranges_;
};

bool has_waits(const EventTable& events, const TraceSummary& summary) {
  const auto begins_in_one = [&](const auto& idle) { return waits(events, idle.first); };
  return std::any_of(summary.devices.begin(), summary.devices.end(), [&](const DeviceSummary& device) {
    return std::ranges::any_of(device.idle.held_shortly, begins_in_one) ||
           std::ranges::any_of(device.idle.held_long, begins_in_one);
  });
}

}  // namespace

std::vector<TraceFinding> synchronising_reads(const AdviceInput& input) {
  const EventTable& events = input.events;
  std::vector<TraceFinding> all;
  if (!has_waits(events, input.summary)) {
    return all;
  }
  const ReadFinder reads(events);
  for (const DeviceSummary& device : input.summary.devices) {
    const Reads sum = reads.sum(device);
    TraceFinding finding = finding_of("synchronising-reads", device);
    finding.subject = "idle: values read by the host (.item())";
    finding.cost_ns = sum.idle_ns;
    finding.saves_ns = static_cast<double>(sum.idle_ns);
    if (!worth_a_line(finding)) {
      continue;
    }
    finding.basis = "upper bound: all idle from when the device had done what the host waited for to the next launch";
    finding.where = sum.operators.longest(events.strings);
    finding.evidence = fmt::format("{} idle after {} reads by {}", format_duration_ns(finding.saves_ns), sum.spans,
                                   quoted(finding.where));
    if (const auto ranges_named = sum.ranges.longest(events.strings); !ranges_named.empty()) {
      finding.evidence += fmt::format(", most in {}", quoted({ranges_named.front()}));
      finding.where.insert(finding.where.end(), ranges_named.begin(), ranges_named.end());
    }
    finding.figures = {{"idle", finding.saves_ns, "ns"},
                       {"waiting", static_cast<double>(sum.waits_ns), "ns"},
                       {"reads", static_cast<double>(sum.spans), "1"}};
    finding.remedy =
        "Each read empties the device's queue: keep the value on the device (sum losses there, torch.where in place of "
        "`if`, masks in place of indices), read it every some steps, or copy it with non_blocking=True and look later.";
    finding.source = "PyTorch documentation, Performance Tuning Guide: avoid unnecessary CPU-GPU synchronization";
    finding.explains.waiting_ns = sum.waits_ns;
    finding.explains.late_ns = sum.idle_ns - sum.waits_ns;
    all.push_back(std::move(finding));
  }
  return all;
}

}  // namespace aaco
