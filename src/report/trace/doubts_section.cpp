// SPDX-License-Identifier: MIT
#include "report/trace/doubts_section.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "base/format.h"
#include "base/json.h"
#include "base/text/characters.h"
#include "report/trace/values.h"
#include "trace/intervals.h"

namespace aaco::report {

namespace {

constexpr size_t kNamed = 3;  // steps

std::string lost_times_text(const TraceSummary& summary) {
  std::string text;
  const int64_t recorded_ns = recorded_device_ns(summary);
  for (const LossTable::Entry& entry : summary.losses.entries()) {
    if (entry.device_time_ns) {
      text += fmt::format("{}: {} of the recorded device time, {}\n", loss_info(entry.loss).name,
                          duration_text(*entry.device_time_ns), share_text(*entry.device_time_ns, recorded_ns));
    }
  }
  return text;
}

std::string steps_text(const EventTable& events, const UnrecordedLaunches& launches) {
  std::string text;
  for (size_t i = 0; i < std::min(kNamed, launches.steps.size()); ++i) {
    const StepLaunches& step = launches.steps[i];
    text += fmt::format("{}{} {} of {}", i == 0 ? "" : ", ", printable(events.strings[step.name]),
                        step.count.unrecorded, step.count.launches);
  }
  const size_t others = launches.steps.size() - std::min(kNamed, launches.steps.size());
  return text.empty() ? ""
                      : fmt::format(" ({}{})", text, others == 0 ? "" : fmt::format(", and in {} more steps", others));
}

std::string launches_text(const EventTable& events, const DeviceSummary& device) {
  const LaunchCount& count = device.launches.count;
  return fmt::format(
      "{}: {} of {} launches of kernels left no record{}: idle is an upper bound, and no advice rests on it\n",
      of_rank("launches", events, device.recording, device.rank), count.unrecorded, count.launches,
      steps_text(events, device.launches));
}

std::string clocks_text(const EventTable& events, const DeviceSummary& device) {
  const uint64_t before = device.unlinked.before_call;
  return fmt::format(
      "{}: {} of {} slices start before the call that launched them: the clocks of host and device "
      "disagree{}\n",
      of_rank(device.device == kNoId ? "device" : fmt::format("device {}", device.device), events, device.recording,
              device.rank),
      before, before + device.queue.launches,
      device.launch_times_carry_advice ? "" : ", and no advice rests on when the host launched");
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

std::string doubts_text(const EventTable& events, const TraceSummary& summary) {
  std::string text = lost_times_text(summary);
  std::set<std::pair<uint32_t, int64_t>> ranks;  // of several devices the rank's launches are the same
  for (const DeviceSummary& device : summary.devices) {
    if (device.launches.count.unrecorded > 0 && ranks.insert({device.recording, device.rank}).second) {
      text += launches_text(events, device);
    }
    if (device.unlinked.before_call > 0) {
      text += clocks_text(events, device);
    }
  }
  return text;
}

Json unrecorded_launches_json(const EventTable& events, const UnrecordedLaunches& launches) {
  Json steps = Json::array();
  for (const StepLaunches& step : launches.steps) {
    steps.push_back({{"step", events.strings[step.name]},
                     {"launches", step.count.launches},
                     {"without_record", step.count.unrecorded}});
  }
  return {{"launches", launches.count.launches},
          {"without_record", launches.count.unrecorded},
          {"steps", std::move(steps)}};
}

}  // namespace aaco::report
