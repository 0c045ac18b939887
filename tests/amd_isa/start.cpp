// SPDX-License-Identifier: MIT
#include "start.h"

#include <algorithm>
#include <cstring>

namespace aaco::amd {
namespace {

// kernel_code_properties
constexpr std::uint32_t kPrivateSegmentBuffer = 1;
constexpr std::uint32_t kDispatchPointer = 2;
constexpr std::uint32_t kQueuePointer = 4;
constexpr std::uint32_t kKernargPointer = 8;
constexpr std::uint32_t kDispatchId = 0x10;
constexpr std::uint32_t kFlatScratchInit = 0x20;
constexpr std::uint32_t kPrivateSegmentSize = 0x40;
constexpr std::uint32_t kWavesOf32 = 0x400;

// What registers and LDS hold that nobody has written: another NaN for each seed.
std::uint32_t poison(std::uint64_t seed) {
  return 0xffc0'0000U | static_cast<std::uint32_t>((seed * 40503U) & 0xffffU);
}

void start_scalars(Wave& wave, const BlockStart& start, const std::array<std::uint32_t, 3>& block) {
  std::fill(wave.scalar.begin(), wave.scalar.end(), poison(start.seed));
  if ((start.kernel.properties & kKernargPointer) != 0) {
    wave.set_pair(0, reinterpret_cast<std::uint64_t>(start.kernarg.data()));
  }
  std::uint32_t next = (start.kernel.rsrc2 >> 1U) & 31U;  // user registers, then those of the system
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    if (((start.kernel.rsrc2 >> (7U + axis)) & 1U) != 0) {
      wave.scalar[next++] = block[axis];
    }
  }
}

void start_vectors(Wave& wave, const BlockStart& start) {
  wave.vector.resize(static_cast<std::size_t>(kVectors) * kMaxLanes);
  std::fill(wave.vector.begin(), wave.vector.end(), poison(start.seed));
  const auto& size = start.geometry.block;
  const std::uint32_t threads = size[0] * size[1] * size[2];
  std::uint64_t active = 0;
  for (int lane = 0; lane < wave.lanes(); ++lane) {
    const auto thread = static_cast<std::uint32_t>(wave.number * wave.lanes() + lane);
    active |= static_cast<std::uint64_t>(thread < threads) << lane;
    const std::uint32_t x = thread % size[0];
    const std::uint32_t y = thread / size[0] % size[1];
    const std::uint32_t z = thread / size[0] / size[1];
    wave.vector[static_cast<std::size_t>(lane)] = x | (y << 10U) | (z << 20U);
  }
  wave.set_pair(kExec, active);
}

}  // namespace

std::string launch_problem(const KernelCode& kernel, const Geometry& geometry, std::size_t kernarg_bytes) {
  const std::uint64_t threads = std::uint64_t{geometry.block[0]} * geometry.block[1] * geometry.block[2];
  if (threads == 0 || threads > 1024) {
    return "a block of " + std::to_string(threads) + " threads";
  }
  if (geometry.dynamic_lds_bytes + std::uint64_t{kernel.lds_bytes} > 65536) {
    return "more than 65536 bytes of LDS";
  }
  if (kernarg_bytes < kernel.kernarg_bytes) {
    return std::to_string(kernarg_bytes) + " bytes of arguments where the kernel reads " +
           std::to_string(kernel.kernarg_bytes);
  }
  const std::uint32_t unknown =
      kPrivateSegmentBuffer | kDispatchPointer | kQueuePointer | kDispatchId | kFlatScratchInit | kPrivateSegmentSize;
  if ((kernel.properties & unknown) != 0) {
    return "it wants a register at its start that is not provided (kernel code properties " +
           std::to_string(kernel.properties) + ")";
  }
  const bool of_32 = (kernel.properties & kWavesOf32) != 0;
  if (of_32 != (kernel.architecture == "gfx1100")) {
    return "its waves are not as wide as is usual for " + kernel.architecture;
  }
  return "";
}

void start_block(const BlockStart& start, std::uint32_t block, Launch& launch, Workgroup& group,
                 std::vector<Wave>& waves) {
  const Geometry& geometry = start.geometry;
  const auto& grid = geometry.grid_blocks;
  const std::array<std::uint32_t, 3> place = {block % grid[0], block / grid[0] % grid[1], block / grid[0] / grid[1]};
  const std::uint32_t threads = geometry.block[0] * geometry.block[1] * geometry.block[2];
  const auto lanes = static_cast<std::uint32_t>(launch.lanes);
  const std::uint32_t count = (threads + lanes - 1) / lanes;
  group.lds.resize(std::size_t{start.kernel.lds_bytes} + geometry.dynamic_lds_bytes);
  const std::uint32_t pattern = poison(start.seed);
  for (std::size_t at = 0; at + 4 <= group.lds.size(); at += 4) {
    std::memcpy(group.lds.data() + at, &pattern, sizeof pattern);
  }
  waves.resize(count);
  for (std::uint32_t number = 0; number < count; ++number) {
    Wave& wave = waves[number];
    wave.launch = &launch;
    wave.group = &group;
    wave.number = static_cast<int>(number);
    wave.global_number = block * count + number;
    wave.state = WaveState::kReady;
    wave.scc = false;
    wave.pc = start.kernel.entry;
    wave.image = reinterpret_cast<std::uint64_t>(start.kernel.image.data());
    wave.scratch.assign(std::size_t{start.kernel.scratch_bytes_per_lane} * lanes, std::byte{0xff});
    wave.waits = Waits();
    wave.clock = {block * count, wave.global_number, std::vector<std::uint32_t>(count, 0), {}};
    wave.clock.advance();
    start_scalars(wave, start, place);
    start_vectors(wave, start);
    set_mode(wave, (start.kernel.rsrc1 >> 12U) & 0xffU);
  }
}

void set_mode(Wave& wave, std::uint32_t mode) {
  wave.mode = mode;
  wave.flush_float = ((mode >> 4U) & 3U) != 3;
  wave.flush_double = ((mode >> 6U) & 3U) != 3;
  wave.special_mode = wave.flush_float || wave.flush_double || (mode & 15U) != 0;
}

}  // namespace aaco::amd
