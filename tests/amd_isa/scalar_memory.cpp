// SPDX-License-Identifier: MIT
// Scalar loads. Their results come in any order, so only a wait for all of them says that one is there.
#include <cstring>
#include <string>

#include "reach.h"

namespace aaco::amd {
namespace {

template <int kWords>
void load(Wave& wave, const Instruction& instruction) {
  const Operand& result = instruction.operands[0];
  const Operand& offset = instruction.operands[2];
  if (result.file != File::kScalar) {
    throw Fault{"the result of a scalar load does not go to scalar registers"};
  }
  const std::uint64_t address = (read_long(wave, instruction.operands[1]) + read_word(wave, offset) +
                                 static_cast<std::uint64_t>(std::int64_t{instruction.offset})) &
                                ~std::uint64_t{3};
  const std::byte* from = reach_global(wave, address, std::size_t{kWords} * 4, Access::kRead);
  std::memcpy(&wave.scalar[result.index], from, std::size_t{kWords} * 4);
  wave.waits.issue(WaitCounter::kLgkm, false, kVectors + result.index, kWords, false);
}

template <int kWords>
Opcode load_op(Architecture architecture) {
  std::string name = "s_load_b" + std::to_string(kWords * 32);
  if (architecture == Architecture::kGfx942) {
    name = kWords == 1 ? "s_load_dword" : "s_load_dwordx" + std::to_string(kWords);
  }
  return {std::move(name), load<kWords>, Unit::kMemory, 1, {Kind::kLong, Kind::kLong, Kind::kWord}, 0};
}

}  // namespace

OpcodeList scalar_memory_opcodes(Architecture architecture) {
  return {load_op<1>(architecture), load_op<2>(architecture), load_op<4>(architecture), load_op<8>(architecture),
          load_op<16>(architecture)};
}

}  // namespace aaco::amd
