// SPDX-License-Identifier: MIT
// The state of a wave and of its workgroup, as handlers see it.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "instruction.h"
#include "machine.h"
#include "races.h"
#include "waits.h"

namespace aaco::amd {

// What was wrong, without the place: the interpreter adds kernel, address and instruction. Thrown by handlers and
// caught by run_kernel.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline constexpr int kMaxLanes = 64;

// Where generic (flat) addresses reach LDS and scratch: above what a host address can be.
inline constexpr std::uint64_t kSharedAperture = 0x0001'0000'0000'0000;
inline constexpr std::uint64_t kPrivateAperture = 0x0002'0000'0000'0000;

// What all waves of a launch share.
struct Launch {
  Architecture architecture = Architecture::kGfx942;
  int lanes = 64;
  Memory* memory = nullptr;
  const RunOptions* options = nullptr;
  GlobalRaces* races = nullptr;         // or nullptr: not looked for
  AtomicOrder* atomic_order = nullptr;  // likewise
  bool two_caches = false;              // of a workgroup's waves: gfx1100 in WGP mode (bit 29 of rsrc1)
  std::uint32_t scratch_bytes = 0;
  std::uint64_t clock = 0;   // of s_memrealtime: instructions so far
  Memory::Range last_range;  // what Memory::find gave last
};

struct Workgroup {
  std::vector<std::byte> lds;
  LdsRaces* races = nullptr;  // or nullptr
};

enum class WaveState : std::uint8_t { kReady, kAtBarrier, kEnded };

struct Wave {
  std::array<std::uint32_t, 130> scalar{};  // vcc, m0, exec at their places
  bool scc = false;
  WaveState state = WaveState::kReady;
  bool special_mode = false;          // MODE is not what HIP's kernels start with: denormals kept, rounding to nearest
  bool flush_float = false;           // MODE: fp32 denormals
  bool flush_double = false;          // MODE: fp64 and fp16 denormals
  std::uint32_t mode = 0;             // as hwreg(HW_REG_MODE)
  std::uint64_t pc = 0;               // offset in the image
  std::uint64_t image = 0;            // its address
  std::vector<std::uint32_t> vector;  // [register][lane]: kMaxLanes a register
  std::vector<std::byte> scratch;     // [lane][byte]
  std::array<std::array<std::uint32_t, 2 * kMaxLanes>, 4> staging{};  // sources that SDWA changed
  int staged = 0;
  const Operand* moved = nullptr;  // the source that DPP moved, whose lanes are in moved_lanes
  std::array<std::uint32_t, 2 * kMaxLanes> moved_lanes{};
  Launch* launch = nullptr;
  Workgroup* group = nullptr;
  int number = 0;                   // in its workgroup
  std::uint32_t global_number = 0;  // in the launch
  Waits waits;
  WaveClock clock;
  std::uint64_t lane_instructions = 0;

  int lanes() const { return launch->lanes; }
  std::uint64_t all_lanes() const { return lanes() == 64 ? ~std::uint64_t{0} : 0xffff'ffffU; }

  std::uint32_t* registers(int index) { return vector.data() + static_cast<std::size_t>(index) * kMaxLanes; }

  std::uint64_t pair(int index) const {
    return scalar[static_cast<std::size_t>(index)] |
           (static_cast<std::uint64_t>(scalar[static_cast<std::size_t>(index) + 1]) << 32U);
  }
  void set_pair(int index, std::uint64_t value) {
    scalar[static_cast<std::size_t>(index)] = static_cast<std::uint32_t>(value);
    scalar[static_cast<std::size_t>(index) + 1] = static_cast<std::uint32_t>(value >> 32U);
  }
  std::uint64_t lane_mask(int index) const {
    return lanes() == 64 ? pair(index) : scalar[static_cast<std::size_t>(index)];
  }
  void set_lane_mask(int index, std::uint64_t value) {
    if (lanes() == 64) {
      set_pair(index, value);
    } else {
      scalar[static_cast<std::size_t>(index)] = static_cast<std::uint32_t>(value);
    }
  }
  std::uint64_t exec() const { return lane_mask(kExec); }
  std::uint64_t vcc() const { return lane_mask(kVcc); }
};

// A mask of lanes that an operand names.
std::uint64_t read_mask(const Wave& wave, const Operand& operand);
void write_mask(Wave& wave, const Operand& operand, std::uint64_t value);

// Scalar operands of one and two words.
std::uint32_t read_word(const Wave& wave, const Operand& operand);
std::uint64_t read_long(const Wave& wave, const Operand& operand);
void write_word(Wave& wave, const Operand& operand, std::uint32_t value);
void write_long(Wave& wave, const Operand& operand, std::uint64_t value);

// Calls body(lane) for each lane of `mask`.
template <class Body>
void for_lanes(std::uint64_t mask, int lanes, Body body) {
  if (mask == (lanes == 64 ? ~std::uint64_t{0} : 0xffff'ffffU)) {
    for (int lane = 0; lane < lanes; ++lane) {
      body(lane);
    }
    return;
  }
  for (; mask != 0; mask &= mask - 1) {
    body(__builtin_ctzll(mask));
  }
}

template <class Body>
void for_active(const Wave& wave, Body body) {
  for_lanes(wave.exec(), wave.lanes(), body);
}

// Of a store that follows: its moment on the wave's clock, or 0 where races are not looked for. What the wave did
// before has an earlier one, so that it can be passed on while the store is under way.
std::uint32_t begin_store(Wave& wave);

}  // namespace aaco::amd
