// SPDX-License-Identifier: MIT
#include "analysis/timeline/kernel_statistics.h"

#include <algorithm>
#include <tuple>

namespace aaco {

std::vector<KernelStatistics> kernel_statistics(const EventTable& events, std::span<const DeviceSlice> slices) {
  struct One {
    StringId name;
    WorkClass work;
    int64_t duration_ns;
  };
  std::vector<One> ones;
  ones.reserve(slices.size());
  for (const DeviceSlice& slice : slices) {
    ones.push_back({events.name[slice.event], slice.work, events.duration_ns[slice.event]});
  }
  std::sort(ones.begin(), ones.end(), [](const One& a, const One& b) {
    return std::tie(a.name, a.work, a.duration_ns) < std::tie(b.name, b.work, b.duration_ns);
  });
  std::vector<KernelStatistics> all;
  for (size_t first = 0; first < ones.size();) {
    KernelStatistics kernel{ones[first].name, ones[first].work, 0, 0, ones[first].duration_ns, 0, 0};
    size_t behind = first;
    for (; behind < ones.size() && ones[behind].name == kernel.name && ones[behind].work == kernel.work; ++behind) {
      kernel.total_ns = saturating_sum(kernel.total_ns, ones[behind].duration_ns);
    }
    kernel.count = behind - first;
    kernel.median_ns = ones[first + (kernel.count - 1) / 2].duration_ns;
    kernel.max_ns = ones[behind - 1].duration_ns;
    all.push_back(kernel);
    first = behind;
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const KernelStatistics& a, const KernelStatistics& b) { return a.total_ns > b.total_ns; });
  return all;
}

}  // namespace aaco
