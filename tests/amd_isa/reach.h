// SPDX-License-Identifier: MIT
// Where an address leads: bounds are checked and races looked for on the way.
#pragma once

#include <cstddef>
#include <cstdint>

#include "races.h"
#include "wave.h"

namespace aaco::amd {

enum class Space : std::uint8_t { kGlobal, kFlat, kScratch, kLds };

// The host's place of these bytes. Throws a Fault where they are outside of what is registered, of LDS or of scratch,
// and where another wave's access to them is not ordered.
std::byte* reach_global(Wave& wave, std::uint64_t address, std::size_t bytes, Access access);
std::byte* reach_lds(Wave& wave, std::uint64_t offset, std::size_t bytes, Access access);
std::byte* reach_scratch(Wave& wave, int lane, std::int64_t offset, std::size_t bytes);

// A generic address: LDS or scratch where its upper half says so.
std::byte* reach_flat(Wave& wave, int lane, std::uint64_t address, std::size_t bytes, Access access);

// What a load or store moves.
enum class Half16 : std::uint8_t { kWhole, kLow, kHigh };  // of the register; kWhole also extends to a word

struct Width {
  int bytes;
  bool sign_extend = false;
  Half16 half = Half16::kWhole;

  constexpr int words() const { return bytes < 4 ? 1 : bytes / 4; }
};

// Between memory and registers of one lane; `first`: the lane's place in the first register.
void put_loaded(std::uint32_t* first, const std::byte* from, Width width);
void take_stored(const std::uint32_t* first, std::byte* to, Width width);

// The first register of a vector operand. Throws a Fault where it is none.
int vector_index(const Operand& operand);

}  // namespace aaco::amd
