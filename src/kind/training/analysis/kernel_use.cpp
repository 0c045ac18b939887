// SPDX-License-Identifier: MIT
#include "kind/training/analysis/kernel_use.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <tuple>

#include "base/json/json.h"
#include "record/device/device_rows.h"

namespace aaco {

AACO_JSON_FIELDS(KernelUse, name, launches, total_ns, registers, local_bytes, shared_bytes, block_threads, occupancy,
                 limited_by)

namespace {

constexpr int64_t kRegisterUnit = 256;  // of a wave
constexpr int64_t kPartitions = 4;      // of a compute unit: a wave's registers lie in one
constexpr int64_t kSharedUnit = 128;

int64_t in_units(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

int64_t waves_of(const KernelResources& kernel, const ComputeUnitLimits& limits) {
  return (int64_t{kernel.block_threads} + limits.wave_lanes - 1) / limits.wave_lanes;
}

int64_t blocks_by_registers(const KernelResources& kernel, const ComputeUnitLimits& limits) {
  const int64_t of_wave = in_units(int64_t{kernel.registers} * limits.wave_lanes, kRegisterUnit);
  return limits.registers / kPartitions / of_wave * kPartitions / waves_of(kernel, limits);
}

int64_t blocks_by_shared(const KernelResources& kernel, const ComputeUnitLimits& limits) {
  const int64_t of_block = in_units(int64_t{kernel.shared_bytes} + limits.reserved_shared_bytes, kSharedUnit);
  return of_block == 0 ? limits.blocks : limits.shared_bytes / of_block;
}

}  // namespace

std::optional<Occupancy> occupancy_of(const KernelResources& kernel, const ComputeUnitLimits& limits) {
  if (kernel.registers == 0 || kernel.block_threads == 0 || limits.registers <= 0 || limits.wave_lanes <= 0) {
    return std::nullopt;
  }
  const int64_t waves = waves_of(kernel, limits);
  const int64_t most_waves = limits.threads / limits.wave_lanes;
  const std::array<std::pair<int64_t, const char*>, 4> bounds = {{{most_waves / waves, "threads"},
                                                                  {limits.blocks, "blocks"},
                                                                  {blocks_by_registers(kernel, limits), "registers"},
                                                                  {blocks_by_shared(kernel, limits), "shared memory"}}};
  const auto least =
      std::min_element(bounds.begin(), bounds.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (least->first <= 0 || most_waves <= 0) {
    return std::nullopt;
  }
  return Occupancy{static_cast<double>(least->first * waves) / static_cast<double>(most_waves), least->second};
}

std::vector<KernelUse> kernel_uses(const EventTable& events, const ComputeUnitLimits& limits) {
  std::map<std::tuple<std::string, uint32_t, uint32_t, uint32_t, uint32_t>, KernelUse> uses;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.kind[i] != EventKind::kKernel) {
      continue;
    }
    const KernelResources taken = resources_of(events, i);
    KernelUse& use = uses[{std::string(events.strings[events.name[i]]), taken.registers, taken.local_bytes,
                           taken.shared_bytes, taken.block_threads}];
    if (use.launches == 0 && taken.block_threads > 0) {
      use.block_threads = taken.block_threads;
      use.shared_bytes = taken.shared_bytes;
      use.local_bytes = taken.local_bytes;
      use.registers = taken.registers > 0 ? std::optional<int64_t>(taken.registers) : std::nullopt;
      if (const auto occupancy = occupancy_of(taken, limits)) {
        use.occupancy = occupancy->fraction;
        use.limited_by = occupancy->limited_by;
      }
    }
    ++use.launches;
    use.total_ns += static_cast<double>(events.duration_ns[i]);
  }
  std::vector<KernelUse> sorted;
  std::transform(uses.begin(), uses.end(), std::back_inserter(sorted), [](auto& one) {
    one.second.name = std::get<0>(one.first);
    return std::move(one.second);
  });
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const KernelUse& a, const KernelUse& b) { return a.total_ns > b.total_ns; });
  return sorted;
}

}  // namespace aaco
