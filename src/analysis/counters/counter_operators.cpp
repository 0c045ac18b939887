// SPDX-License-Identifier: MIT
#include "analysis/counters/counter_operators.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/timeline/host_timeline.h"
#include "record/intervals.h"

namespace aaco {

std::string_view plain_kernel_name(std::string_view name) {
  for (const std::string_view mark : {" [clone .kd]", " (.kd)", ".kd"}) {
    if (name.ends_with(mark)) {
      name.remove_suffix(mark.size());
    }
  }
  return name;
}

void join_operators(TraceCounters& counters, const EventTable& events, const std::vector<DeviceWork>& devices) {
  static constexpr std::array<EventKind, 1> kOperators = {EventKind::kHostOp};
  if (counters.kernels.empty()) {
    return;
  }
  std::map<std::string_view, std::map<StringId, CounterOperator>> kernels;
  for (const KernelCounters& kernel : counters.kernels) {
    kernels[plain_kernel_name(events.strings[kernel.name])];
  }
  const HostTimeline timeline(events, kOperators);
  for (const DeviceWork& device : devices) {
    for (const DeviceSlice& slice : device.slices) {
      const auto kernel = kernels.find(plain_kernel_name(events.strings[events.name[slice.event]]));
      const bool joins = kernel != kernels.end() && slice.call != kNoEvent;
      const EventRow row = joins ? timeline.at(events.track[slice.call], events.start_ns[slice.call]) : kNoEvent;
      if (row != kNoEvent) {
        CounterOperator& counter_operator = kernel->second[events.name[row]];
        counter_operator.name = events.name[row];
        ++counter_operator.launched;
        counter_operator.device_ns = saturating_sum(counter_operator.device_ns, events.duration_ns[slice.event]);
      }
    }
  }
  for (KernelCounters& kernel : counters.kernels) {
    for (const auto& [name, operator_counters] : kernels[plain_kernel_name(events.strings[kernel.name])]) {
      kernel.operators.push_back(operator_counters);
    }
    std::sort(kernel.operators.begin(), kernel.operators.end(), [](const auto& a, const auto& b) {
      return std::tuple(-a.device_ns, a.name) < std::tuple(-b.device_ns, b.name);
    });
  }
}

}  // namespace aaco
