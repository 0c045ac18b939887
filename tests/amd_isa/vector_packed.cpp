// SPDX-License-Identifier: MIT
// Two values in one operation: fp32 in pairs of registers (gfx942), fp16 and integers of 16 bits in halves of one; and
// products and sums of mixed fp16 and fp32. op_sel chooses the half of a source for the lower result, op_sel_hi for the
// upper one.
#include <cmath>

#include "half_arithmetic.h"
#include "lanes.h"

namespace aaco::amd {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

bool bit(std::uint8_t bits, int index) { return ((bits >> index) & 1) != 0; }

// Word `upper` of each source, with the sign changed as neg_lo or neg_hi say.
float packed_float(U64 pair, const Instruction& instruction, int source, bool second) {
  const bool upper = bit(second ? instruction.op_sel_hi : instruction.op_sel, source);
  const bool negate = bit(second ? instruction.neg_hi : instruction.neg_lo, source);
  const auto value = std::bit_cast<float>(static_cast<U32>(upper ? pair >> 32U : pair));
  return negate ? -value : value;
}

Half packed_half(U32 pair, const Instruction& instruction, int source, bool second) {
  const bool upper = bit(second ? instruction.op_sel_hi : instruction.op_sel, source);
  const bool negate = bit(second ? instruction.neg_hi : instruction.neg_lo, source);
  const Half value{static_cast<std::uint16_t>(upper ? pair >> 16U : pair)};
  return negate ? negated(value) : value;
}

template <class F, int kSources>
void run_float_pair(Wave& wave, const Instruction& instruction) {
  const Source<U64> a(wave, instruction, 1);
  const Source<U64> b(wave, instruction, 2);
  const Source<U64> c(wave, instruction, kSources == 3 ? 3 : 2);
  Destination<U64> result(wave, instruction);
  for_active(wave, [&](int lane) {
    U64 both = 0;
    for (int second = 0; second < 2; ++second) {
      const float value =
          modified_output(instruction, F{}(packed_float(a[lane], instruction, 0, second != 0),
                                           packed_float(b[lane], instruction, 1, second != 0),
                                           packed_float(c[lane], instruction, kSources - 1, second != 0)));
      both |= U64{std::bit_cast<U32>(value)} << (32 * second);
    }
    result.set(lane, both);
  });
}

template <class F, int kSources>
void run_half_pair(Wave& wave, const Instruction& instruction) {
  const Source<U32> a(wave, instruction, 1);
  const Source<U32> b(wave, instruction, 2);
  const Source<U32> c(wave, instruction, kSources == 3 ? 3 : 2);
  Destination<U32> result(wave, instruction);
  for_active(wave, [&](int lane) {
    U32 both = 0;
    for (int second = 0; second < 2; ++second) {
      const Half value =
          modified_output(instruction, F{}(packed_half(a[lane], instruction, 0, second != 0),
                                           packed_half(b[lane], instruction, 1, second != 0),
                                           packed_half(c[lane], instruction, kSources - 1, second != 0)));
      both |= U32{value.bits} << (16 * second);
    }
    result.set(lane, both);
  });
}

void move_pair(Wave& wave, const Instruction& instruction) {
  const Source<U64> a(wave, instruction, 1);
  const Source<U64> b(wave, instruction, 2);
  Destination<U64> result(wave, instruction);
  for_active(wave, [&](int lane) {
    const U64 low = bit(instruction.op_sel, 0) ? a[lane] >> 32U : a[lane] & 0xffff'ffffU;
    const U64 high = bit(instruction.op_sel, 1) ? b[lane] >> 32U : b[lane] & 0xffff'ffffU;
    result.set(lane, low | (high << 32U));
  });
}

// A source of a mixed product: fp32, or the half that op_sel chooses where op_sel_hi says fp16.
float mixed(Wave& wave, const Instruction& instruction, int index, int lane) {
  const Operand& operand = instruction.operands[static_cast<std::size_t>(index) + 1];
  U32 word = operand.constant[0];
  if (operand.file == File::kVector) {
    word = wave.registers(operand.index)[lane];
  } else if (operand.file != File::kConstant) {
    word = read_word(wave, operand);
  }
  float value = std::bit_cast<float>(word);
  if (bit(instruction.op_sel_hi, index)) {
    value = from_half(static_cast<std::uint16_t>(bit(instruction.op_sel, index) ? word >> 16U : word));
  }
  value = operand.absolute ? std::fabs(value) : value;
  return operand.negate ? -value : value;
}

enum class MixedResult : std::uint8_t { kFloat, kLow, kHigh };

template <MixedResult kResult>
void run_mixed(Wave& wave, const Instruction& instruction) {
  if (instruction.operands[0].file != File::kVector) {
    throw Fault{"the result is not of a vector register"};
  }
  std::uint32_t* result = wave.registers(instruction.operands[0].index);
  for_active(wave, [&](int lane) {
    const float value =
        modified_output(instruction, std::fma(mixed(wave, instruction, 0, lane), mixed(wave, instruction, 1, lane),
                                              mixed(wave, instruction, 2, lane)));
    if constexpr (kResult == MixedResult::kFloat) {
      result[lane] = std::bit_cast<U32>(value);
    } else if constexpr (kResult == MixedResult::kLow) {
      result[lane] = (result[lane] & 0xffff'0000U) | to_half(value);
    } else {
      result[lane] = (result[lane] & 0xffffU) | (U32{to_half(value)} << 16U);
    }
  });
}

template <int kSources, class F>
Opcode float_pair(std::string name, F) {
  return {std::move(name), run_float_pair<F, kSources>, Unit::kVector, 1, {}, 0};
}

template <int kSources, class F>
Opcode half_pair(std::string name, F) {
  constexpr Kind kHalf = Kind::kHalf;
  return {std::move(name), run_half_pair<F, kSources>, Unit::kVector, 1, {kHalf, kHalf, kHalf, kHalf}, 0};
}

}  // namespace

OpcodeList vector_packed_opcodes(Architecture architecture) {
  OpcodeList list;
  list.push_back(half_pair<2>("v_pk_add_f16", [](Half a, Half b, Half) { return half_sum(a, b); }));
  list.push_back(half_pair<2>("v_pk_mul_f16", [](Half a, Half b, Half) { return half_product(a, b); }));
  list.push_back(half_pair<2>("v_pk_min_f16", [](Half a, Half b, Half) { return half_minimum(a, b); }));
  list.push_back(half_pair<2>("v_pk_max_f16", [](Half a, Half b, Half) { return half_maximum(a, b); }));
  list.push_back(half_pair<3>("v_pk_fma_f16", [](Half a, Half b, Half c) { return half_fused(a, b, c); }));
  list.push_back({"v_fma_mix_f32", run_mixed<MixedResult::kFloat>, Unit::kVector, 1, {}, 0});
  list.push_back({"v_fma_mixlo_f16", run_mixed<MixedResult::kLow>, Unit::kVector, 1, {}, kReadsOutput});
  list.push_back({"v_fma_mixhi_f16", run_mixed<MixedResult::kHigh>, Unit::kVector, 1, {}, kReadsOutput});
  if (architecture == Architecture::kGfx942) {
    list.push_back(float_pair<2>("v_pk_add_f32", [](float a, float b, float) { return a + b; }));
    list.push_back(float_pair<2>("v_pk_mul_f32", [](float a, float b, float) { return a * b; }));
    list.push_back(float_pair<3>("v_pk_fma_f32", [](float a, float b, float c) { return std::fma(a, b, c); }));
    list.push_back({"v_pk_mov_b32", move_pair, Unit::kVector, 1, {}, 0});
  }
  return list;
}

}  // namespace aaco::amd
