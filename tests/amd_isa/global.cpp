// SPDX-License-Identifier: MIT
// Loads and stores of global, generic (flat) and scratch memory.
#include <string>

#include "reach.h"

namespace aaco::amd {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

// What counts an access until it is done. Flat counts as LDS as well; on gfx942 it does not come in order.
void note_wait(Wave& wave, Space space, bool is_load, int first, int words, std::uint32_t moment = 0) {
  const bool rdna = wave.launch->architecture == Architecture::kGfx1100;
  const bool in_order = rdna || space != Space::kFlat;
  wave.waits.issue(rdna && !is_load ? WaitCounter::kVs : WaitCounter::kVm, in_order, first, words, false, moment);
  if (space == Space::kFlat) {
    wave.waits.issue(WaitCounter::kLgkm, in_order, first, words, false, moment);
  }
}

template <Space kSpace>
std::byte* reach(Wave& wave, const Instruction& instruction, const Operand& vector, const Operand& scalar, int lane,
                 std::size_t bytes, Access access) {
  if constexpr (kSpace == Space::kScratch) {
    std::int64_t offset = instruction.offset;
    offset += vector.file == File::kVector ? std::int64_t{wave.registers(vector.index)[lane]} : 0;
    offset += scalar.file == File::kScalar ? std::int64_t{static_cast<std::int32_t>(wave.scalar[scalar.index])} : 0;
    return reach_scratch(wave, lane, offset, bytes);
  } else {
    const std::uint32_t* low = wave.registers(vector_index(vector));
    const auto offset = static_cast<U64>(std::int64_t{instruction.offset});
    if (scalar.file == File::kScalar) {
      return reach_global(wave, wave.pair(scalar.index) + low[lane] + offset, bytes, access);
    }
    const U64 address = (low[lane] | (U64{low[lane + kMaxLanes]} << 32U)) + offset;
    return kSpace == Space::kFlat ? reach_flat(wave, lane, address, bytes, access)
                                  : reach_global(wave, address, bytes, access);
  }
}

template <Space kSpace, int kBytes, bool kSign, Half16 kHalf>
void load(Wave& wave, const Instruction& instruction) {
  constexpr Width kWidth{kBytes, kSign, kHalf};
  const int first = vector_index(instruction.operands[0]);
  for_active(wave, [&](int lane) {
    const std::byte* from =
        reach<kSpace>(wave, instruction, instruction.operands[1], instruction.operands[2], lane, kBytes, Access::kRead);
    put_loaded(wave.registers(first) + lane, from, kWidth);
  });
  note_wait(wave, kSpace, true, first, kWidth.words());
}

template <Space kSpace, int kBytes, bool kSign, Half16 kHalf>
void store(Wave& wave, const Instruction& instruction) {
  constexpr Width kWidth{kBytes, kSign, kHalf};
  const int first = vector_index(instruction.operands[1]);
  const std::uint32_t moment = kSpace == Space::kScratch ? 0 : begin_store(wave);
  for_active(wave, [&](int lane) {
    std::byte* to = reach<kSpace>(wave, instruction, instruction.operands[0], instruction.operands[2], lane, kBytes,
                                  Access::kWrite);
    take_stored(wave.registers(first) + lane, to, kWidth);
  });
  note_wait(wave, kSpace, false, kNoRegister, 0, moment);
}

template <Space kSpace, int kBytes, bool kSign = false, Half16 kHalf = Half16::kWhole>
void add_load(OpcodeList& list, const std::string& name) {
  const Unit unit = kSpace == Space::kScratch ? Unit::kScratch : Unit::kMemory;
  list.push_back({name, load<kSpace, kBytes, kSign, kHalf>, unit, 1, {}, kHalf == Half16::kWhole ? 0U : kReadsOutput});
}

template <Space kSpace, int kBytes, Half16 kHalf = Half16::kWhole>
void add_store(OpcodeList& list, const std::string& name) {
  const Unit unit = kSpace == Space::kScratch ? Unit::kScratch : Unit::kMemory;
  list.push_back({name, store<kSpace, kBytes, false, kHalf>, unit, 0, {}, 0});
}

template <Space kSpace>
void add_gfx942(OpcodeList& list, const std::string& space) {
  const std::string load = space + "_load_";
  const std::string store = space + "_store_";
  add_load<kSpace, 1>(list, load + "ubyte");
  add_load<kSpace, 1, true>(list, load + "sbyte");
  add_load<kSpace, 2>(list, load + "ushort");
  add_load<kSpace, 2, true>(list, load + "sshort");
  add_load<kSpace, 4>(list, load + "dword");
  add_load<kSpace, 8>(list, load + "dwordx2");
  add_load<kSpace, 12>(list, load + "dwordx3");
  add_load<kSpace, 16>(list, load + "dwordx4");
  add_load<kSpace, 2, false, Half16::kLow>(list, load + "short_d16");
  add_load<kSpace, 2, false, Half16::kHigh>(list, load + "short_d16_hi");
  add_load<kSpace, 1, false, Half16::kLow>(list, load + "ubyte_d16");
  add_load<kSpace, 1, false, Half16::kHigh>(list, load + "ubyte_d16_hi");
  add_load<kSpace, 1, true, Half16::kLow>(list, load + "sbyte_d16");
  add_load<kSpace, 1, true, Half16::kHigh>(list, load + "sbyte_d16_hi");
  add_store<kSpace, 1>(list, store + "byte");
  add_store<kSpace, 2>(list, store + "short");
  add_store<kSpace, 4>(list, store + "dword");
  add_store<kSpace, 8>(list, store + "dwordx2");
  add_store<kSpace, 12>(list, store + "dwordx3");
  add_store<kSpace, 16>(list, store + "dwordx4");
  add_store<kSpace, 1, Half16::kHigh>(list, store + "byte_d16_hi");
  add_store<kSpace, 2, Half16::kHigh>(list, store + "short_d16_hi");
}

template <Space kSpace>
void add_gfx1100(OpcodeList& list, const std::string& space) {
  const std::string load = space + "_load_";
  const std::string store = space + "_store_";
  add_load<kSpace, 1>(list, load + "u8");
  add_load<kSpace, 1, true>(list, load + "i8");
  add_load<kSpace, 2>(list, load + "u16");
  add_load<kSpace, 2, true>(list, load + "i16");
  add_load<kSpace, 4>(list, load + "b32");
  add_load<kSpace, 8>(list, load + "b64");
  add_load<kSpace, 12>(list, load + "b96");
  add_load<kSpace, 16>(list, load + "b128");
  add_load<kSpace, 2, false, Half16::kLow>(list, load + "d16_b16");
  add_load<kSpace, 2, false, Half16::kHigh>(list, load + "d16_hi_b16");
  add_load<kSpace, 1, false, Half16::kLow>(list, load + "d16_u8");
  add_load<kSpace, 1, false, Half16::kHigh>(list, load + "d16_hi_u8");
  add_load<kSpace, 1, true, Half16::kLow>(list, load + "d16_i8");
  add_load<kSpace, 1, true, Half16::kHigh>(list, load + "d16_hi_i8");
  add_store<kSpace, 1>(list, store + "b8");
  add_store<kSpace, 2>(list, store + "b16");
  add_store<kSpace, 4>(list, store + "b32");
  add_store<kSpace, 8>(list, store + "b64");
  add_store<kSpace, 12>(list, store + "b96");
  add_store<kSpace, 16>(list, store + "b128");
  add_store<kSpace, 1, Half16::kHigh>(list, store + "d16_hi_b8");
  add_store<kSpace, 2, Half16::kHigh>(list, store + "d16_hi_b16");
}

}  // namespace

OpcodeList global_opcodes(Architecture architecture) {
  OpcodeList list;
  if (architecture == Architecture::kGfx942) {
    add_gfx942<Space::kGlobal>(list, "global");
    add_gfx942<Space::kFlat>(list, "flat");
    add_gfx942<Space::kScratch>(list, "scratch");
  } else {
    add_gfx1100<Space::kGlobal>(list, "global");
    add_gfx1100<Space::kFlat>(list, "flat");
    add_gfx1100<Space::kScratch>(list, "scratch");
  }
  return list;
}

}  // namespace aaco::amd
