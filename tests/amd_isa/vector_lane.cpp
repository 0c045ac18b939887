// SPDX-License-Identifier: MIT
// Between lanes and scalars, choices by a mask of lanes, and accumulation registers.
#include <bit>

#include "lanes.h"

namespace aaco::amd {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

std::uint32_t* vector_of(Wave& wave, const Operand& operand) {
  if (operand.file != File::kVector) {
    throw Fault{"the operand is not of a vector register"};
  }
  return wave.registers(operand.index);
}

int lane_number(const Wave& wave, const Operand& operand) {
  return static_cast<int>(read_word(wave, operand) & static_cast<U32>(wave.lanes() - 1));
}

// These ignore EXEC.
void read_lane(Wave& wave, const Instruction& instruction) {
  const int lane = lane_number(wave, instruction.operands[2]);
  write_word(wave, instruction.operands[0], vector_of(wave, instruction.operands[1])[lane]);
}

void write_lane(Wave& wave, const Instruction& instruction) {
  const int lane = lane_number(wave, instruction.operands[2]);
  vector_of(wave, instruction.operands[0])[lane] = read_word(wave, instruction.operands[1]);
}

// Of the first lane that is active, or of lane 0.
void read_first_lane(Wave& wave, const Instruction& instruction) {
  const Source<U32> source(wave, instruction, 1);
  const U64 exec = wave.exec();
  write_word(wave, instruction.operands[0], source[exec == 0 ? 0 : std::countr_zero(exec)]);
}

// D = how many bits of the mask stand for lanes below this one, + c. Each handles 32 lanes.
template <bool kUpper>
void run_count_below(Wave& wave, const Instruction& instruction) {
  const Source<U32> mask(wave, instruction, 1);
  const Source<U32> addend(wave, instruction, 2);
  Destination<U32> result(wave, instruction);
  for_active(wave, [&](int lane) {
    const U64 below = (U64{1} << lane) - 1;
    const auto part = static_cast<U32>(kUpper ? below >> 32U : below);
    result.set(lane, static_cast<U32>(std::popcount(mask[lane] & part)) + addend[lane]);
  });
}

void choose(Wave& wave, const Instruction& instruction) {
  const Source<U32> otherwise(wave, instruction, 1);
  const Source<U32> chosen(wave, instruction, 2);
  Destination<U32> result(wave, instruction);
  const U64 mask = read_mask(wave, instruction.operands[3]);
  for_active(wave, [&](int lane) {
    const U32 value = ((mask >> lane) & 1U) != 0 ? chosen[lane] : otherwise[lane];
    if (instruction.special) {
      result.set_part(lane, value);
    } else {
      result.set(lane, value);
    }
  });
}

void swap(Wave& wave, const Instruction& instruction) {
  std::uint32_t* a = vector_of(wave, instruction.operands[0]);
  std::uint32_t* b = vector_of(wave, instruction.operands[1]);
  for_active(wave, [&](int lane) { std::swap(a[lane], b[lane]); });
}

// Each row of sixteen lanes reads a row (the other one: kAcross) by sixteen lane numbers of four bits in b:c.
template <bool kAcross>
void permute_row(Wave& wave, const Instruction& instruction) {
  std::uint32_t* result = vector_of(wave, instruction.operands[0]);
  const std::uint32_t* source = vector_of(wave, instruction.operands[1]);
  const U64 choices = read_word(wave, instruction.operands[2]) | (U64{read_word(wave, instruction.operands[3])} << 32U);
  std::array<U32, kMaxLanes> before{};
  std::copy_n(source, kMaxLanes, before.begin());
  for_active(wave, [&](int lane) {
    const int row = (kAcross ? lane ^ 16 : lane) & ~15;
    result[lane] = before[static_cast<std::size_t>(row) + ((choices >> (4U * (static_cast<U32>(lane) & 15U))) & 15U)];
  });
}

}  // namespace

OpcodeList vector_lane_opcodes(Architecture architecture) {
  OpcodeList list;
  list.push_back({"v_readlane_b32", read_lane, Unit::kVector, 1, {}, 0});
  list.push_back({"v_writelane_b32", write_lane, Unit::kVector, 1, {}, kReadsOutput});
  list.push_back({"v_readfirstlane_b32", read_first_lane, Unit::kVector, 1, {}, 0});
  list.push_back({"v_mbcnt_lo_u32_b32", run_count_below<false>, Unit::kVector, 1, {}, 0});
  list.push_back({"v_mbcnt_hi_u32_b32", run_count_below<true>, Unit::kVector, 1, {}, 0});
  list.push_back({"v_cndmask_b32", choose, Unit::kVector, 1, {}, 0});
  list.push_back({"v_swap_b32", swap, Unit::kVector, 2, {}, kReadsOutput});
  list.push_back({"v_nop", [](Wave&, const Instruction&) {}, Unit::kVector, 0, {}, 0});
  if (architecture == Architecture::kGfx942) {
    for (const char* name : {"v_accvgpr_read_b32", "v_accvgpr_write_b32", "v_accvgpr_mov_b32"}) {
      list.push_back(vector_op(name, [](U32 a) { return a; }));
    }
  } else {
    list.push_back({"v_permlane16_b32", permute_row<false>, Unit::kVector, 1, {}, kReadsOutput});
    list.push_back({"v_permlanex16_b32", permute_row<true>, Unit::kVector, 1, {}, kReadsOutput});
  }
  return list;
}

}  // namespace aaco::amd
