// SPDX-License-Identifier: MIT
#include "occupancy.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace aaco::amd {
namespace {

struct SimdResources {
  std::string_view architecture;
  std::uint32_t most_waves;
  std::uint32_t vector_registers;  // of a lane
  std::uint32_t vector_granule;
  bool shared_file;                // AGPRs come out of the same registers
  std::uint32_t scalar_registers;  // 0: as many as all waves want
  std::uint32_t scalar_granule;
  std::uint32_t lds_bytes;  // of the SIMDs that share it
  std::uint32_t lds_granule;
  std::uint32_t simds;
};

constexpr std::array kSimds{
    SimdResources{"gfx908", 10, 256, 4, false, 800, 16, 65536, 512, 4},
    SimdResources{"gfx90a", 8, 512, 8, true, 800, 16, 65536, 512, 4},
    SimdResources{"gfx942", 8, 512, 8, true, 800, 16, 65536, 512, 4},
    SimdResources{"gfx1030", 16, 1024, 16, false, 0, 0, 131072, 1024, 4},
    SimdResources{"gfx1100", 16, 1536, 24, false, 0, 0, 131072, 1024, 4},
};

std::uint32_t rounded_up(std::uint32_t value, std::uint32_t granule) {
  return (value + granule - 1) / granule * granule;
}

std::uint32_t waves_within(std::uint32_t have, std::uint32_t need, std::uint32_t granule, std::uint32_t most) {
  const std::uint32_t taken = rounded_up(std::max(need, 1U), granule);
  return std::min(most, have / taken);
}

}  // namespace

Occupancy occupancy_of(const std::string& architecture, const KernelMetadata& kernel, std::uint32_t dynamic_lds_bytes) {
  const auto* const simd =
      std::find_if(kSimds.begin(), kSimds.end(), [&](const auto& each) { return each.architecture == architecture; });
  if (simd == kSimds.end() || kernel.wave_lanes == 0) {
    return {};
  }
  Occupancy result;
  result.most = simd->most_waves;
  // The metadata counts AGPRs among the vector registers where both share one file.
  const std::uint32_t vector = simd->shared_file ? kernel.vgprs : std::max(kernel.vgprs, kernel.agprs);
  result.by_vector_registers = waves_within(simd->vector_registers, vector, simd->vector_granule, result.most);
  result.by_scalar_registers = simd->scalar_registers == 0 ? result.most
                                                           : waves_within(simd->scalar_registers, kernel.sgprs,
                                                                          simd->scalar_granule, result.most);
  const std::uint32_t lds = kernel.lds_bytes + dynamic_lds_bytes;
  const std::uint32_t waves_a_block = (kernel.most_threads + kernel.wave_lanes - 1) / kernel.wave_lanes;
  result.by_lds = result.most;
  if (lds > 0) {
    const std::uint32_t blocks = simd->lds_bytes / rounded_up(lds, simd->lds_granule);
    result.by_lds = std::min(result.most, (blocks * waves_a_block + simd->simds - 1) / simd->simds);
  }
  result.waves = std::min({result.by_vector_registers, result.by_scalar_registers, result.by_lds});
  return result;
}

}  // namespace aaco::amd
