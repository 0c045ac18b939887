// SPDX-License-Identifier: MIT
// What stands behind a trace's figures less firmly than they look: lost device time, kernels without a record, clocks
// that disagree.
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "record/intervals.h"
#include "report/trace/sections.h"
#include "report/trace/values.h"

namespace aaco::report {

namespace {

constexpr size_t kNamed = 3;  // steps

void say_lost_times(const TraceSummary& summary, Outline& at) {
  const int64_t recorded_ns = recorded_device_ns(summary);
  for (const LossTable::Entry& entry : summary.losses.entries()) {
    if (entry.device_time_ns) {
      at.note(fmt::format("{}: {} of the recorded device time, {}", loss_info(entry.loss).name,
                          duration_text(*entry.device_time_ns), share_text(*entry.device_time_ns, recorded_ns)));
    }
  }
}

std::string steps_of(const EventTable& events, const UnrecordedLaunches& launches) {
  std::string text;
  for (size_t i = 0; i < std::min(kNamed, launches.steps.size()); ++i) {
    const StepLaunches& step = launches.steps[i];
    text += fmt::format("{}{} {} of {}", i == 0 ? "" : ", ", events.strings[step.name], step.count.unrecorded,
                        step.count.launches);
  }
  const size_t others = launches.steps.size() - std::min(kNamed, launches.steps.size());
  return text.empty() ? ""
                      : fmt::format(" ({}{})", text, others == 0 ? "" : fmt::format(", and in {} more steps", others));
}

void say_launches(const EventTable& events, const DeviceSummary& device, Outline& at) {
  const LaunchCount& count = device.launches.count;
  at.note(fmt::format(
      "{}: {} of {} launches of kernels left no record{}: idle is an upper bound, and no advice rests on it",
      of_rank("launches", events, device.recording, device.rank), count.unrecorded, count.launches,
      steps_of(events, device.launches)));
}

void say_clocks(const EventTable& events, const DeviceSummary& device, Outline& at) {
  const uint64_t before = device.unlinked.before_call;
  at.note(fmt::format(
      "{}: {} of {} slices start before the call that launched them: the clocks of host and device disagree{}",
      of_rank(device_name(device.device), events, device.recording, device.rank), before,
      before + device.queue.launches,
      device.launch_times_carry_advice ? "" : ", and no advice rests on when the host launched"));
}

}  // namespace

int64_t recorded_device_ns(const TraceSummary& summary) {
  int64_t sum_ns = 0;
  for (const DeviceSummary& device : summary.devices) {
    for (const int64_t ns : device.budget.slice_sum_ns) {
      sum_ns = saturating_sum(sum_ns, ns);
    }
  }
  for (const LossTable::Entry& entry : summary.losses.entries()) {
    sum_ns = saturating_sum(sum_ns, entry.loss == Loss::kImpossibleTime ? entry.device_time_ns.value_or(0) : 0);
  }
  return sum_ns;
}

void outline_doubts(const TraceInput& input, Outline& at) {
  if (at.is_data()) {  // the devices have these figures
    return;
  }
  say_lost_times(input.summary, at);
  std::set<std::pair<uint32_t, int64_t>> ranks;  // of several devices the rank's launches are the same
  for (const DeviceSummary& device : input.summary.devices) {
    if (device.launches.count.unrecorded > 0 && ranks.insert({device.recording, device.rank}).second) {
      say_launches(input.events, device, at);
    }
    if (device.unlinked.before_call > 0) {
      say_clocks(input.events, device, at);
    }
  }
}

}  // namespace aaco::report
