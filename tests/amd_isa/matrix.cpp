// SPDX-License-Identifier: MIT
// Matrix products of a whole wave: D = A B + C. They ignore EXEC. Sums run over k upwards in fp32, one fused product at
// a time; the documents leave the order open.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "half.h"
#include "reach.h"

namespace aaco::amd {
namespace {

using U32 = std::uint32_t;

struct AsHalf {
  static constexpr int kBytes = 2;
  static float value(U32 bits) { return from_half(static_cast<std::uint16_t>(bits)); }
};

struct AsBfloat {
  static constexpr int kBytes = 2;
  static float value(U32 bits) { return from_bfloat(static_cast<std::uint16_t>(bits)); }
};

struct AsFloat {
  static constexpr int kBytes = 4;
  static float value(U32 bits) { return std::bit_cast<float>(bits); }
};

// Element `element` of what a lane holds from `first` on.
template <class Type>
float element_of(Wave& wave, int first, int lane, int element) {
  if constexpr (Type::kBytes == 4) {
    return Type::value(wave.registers(first + element)[lane]);
  } else {
    const U32 word = wave.registers(first + element / 2)[lane];
    return Type::value(element % 2 == 0 ? word & 0xffffU : word >> 16U);
  }
}

float addend(Wave& wave, const Operand& operand, int word, int lane) {
  if (operand.file == File::kVector) {
    return std::bit_cast<float>(wave.registers(operand.index + word)[lane]);
  }
  return std::bit_cast<float>(read_word(wave, operand));
}

// gfx942, one block: a lane holds kPerLane neighbours in k of row (A) or column (B) lane % kSide; D's registers go down
// the rows in fours, then the lanes do, then the next fours.
template <class Type, int kSide, int kDepth>
void run_mfma(Wave& wave, const Instruction& instruction) {
  constexpr int kGroups = 64 / kSide;
  constexpr int kPerLane = kDepth / kGroups;
  const int a = vector_index(instruction.operands[1]);
  const int b = vector_index(instruction.operands[2]);
  const Operand& c = instruction.operands[3];
  const int d = vector_index(instruction.operands[0]);
  std::vector<float> left(std::size_t{kSide} * kDepth);
  std::vector<float> right(std::size_t{kSide} * kDepth);
  for (int lane = 0; lane < 64; ++lane) {
    for (int j = 0; j < kPerLane; ++j) {
      const int place = lane % kSide * kDepth + lane / kSide * kPerLane + j;
      left.data()[place] = element_of<Type>(wave, a, lane, j);
      right.data()[place] = element_of<Type>(wave, b, lane, j);
    }
  }
  constexpr int kResults = kSide * kSide / 64;
  std::vector<float> sums(static_cast<std::size_t>(kResults) * 64);
  for (int word = 0; word < kResults; ++word) {
    for (int lane = 0; lane < 64; ++lane) {
      const int row = word / 4 * (4 * kGroups) + lane / kSide * 4 + word % 4;
      const float* in_row = left.data() + static_cast<std::ptrdiff_t>(row) * kDepth;
      const float* in_column = right.data() + static_cast<std::ptrdiff_t>(lane % kSide) * kDepth;
      float sum = addend(wave, c, word, lane);
      for (int k = 0; k < kDepth; ++k) {
        sum = std::fma(in_row[k], in_column[k], sum);
      }
      sums[static_cast<std::size_t>(word) * 64 + static_cast<std::size_t>(lane)] = sum;
    }
  }
  for (int word = 0; word < kResults; ++word) {
    std::memcpy(wave.registers(d + word), sums.data() + static_cast<std::ptrdiff_t>(word) * 64, 64 * sizeof(float));
  }
}

// gfx1100, 16 x 16 x 16: lane l holds row (column) l % 16; both halves of the wave must hold the same. Register r of D
// is row 2 r in the lower half and 2 r + 1 in the upper one.
template <class Type>
void run_wmma(Wave& wave, const Instruction& instruction) {
  const int a = vector_index(instruction.operands[1]);
  const int b = vector_index(instruction.operands[2]);
  const Operand& c = instruction.operands[3];
  const int d = vector_index(instruction.operands[0]);
  for (const int source : {a, b}) {
    for (int word = 0; word < 8; ++word) {
      const U32* lanes = wave.registers(source + word);
      if (std::memcmp(lanes, lanes + 16, 16 * sizeof(U32)) != 0) {
        throw Fault{"lanes 16 to 31 do not hold what lanes 0 to 15 do of a source of WMMA"};
      }
    }
  }
  std::vector<float> sums(8 * 32);
  for (int word = 0; word < 8; ++word) {
    for (int lane = 0; lane < 32; ++lane) {
      float sum = addend(wave, c, word, lane);
      for (int k = 0; k < 16; ++k) {
        sum =
            std::fma(element_of<Type>(wave, a, 2 * word + lane / 16, k), element_of<Type>(wave, b, lane % 16, k), sum);
      }
      sums[static_cast<std::size_t>(word) * 32 + static_cast<std::size_t>(lane)] = sum;
    }
  }
  for (int word = 0; word < 8; ++word) {
    std::memcpy(wave.registers(d + word), sums.data() + static_cast<std::ptrdiff_t>(word) * 32, 32 * sizeof(float));
  }
}

Opcode matrix_op(std::string name, Handler handler) { return {std::move(name), handler, Unit::kMatrix, 1, {}, 0}; }

}  // namespace

OpcodeList matrix_opcodes(Architecture architecture) {
  if (architecture == Architecture::kGfx1100) {
    return {matrix_op("v_wmma_f32_16x16x16_f16", run_wmma<AsHalf>),
            matrix_op("v_wmma_f32_16x16x16_bf16", run_wmma<AsBfloat>)};
  }
  return {matrix_op("v_mfma_f32_16x16x16_f16", run_mfma<AsHalf, 16, 16>),
          matrix_op("v_mfma_f32_16x16x16_bf16", run_mfma<AsBfloat, 16, 16>),
          matrix_op("v_mfma_f32_32x32x8_f16", run_mfma<AsHalf, 32, 8>),
          matrix_op("v_mfma_f32_32x32x8_bf16", run_mfma<AsBfloat, 32, 8>),
          matrix_op("v_mfma_f32_16x16x4_f32", run_mfma<AsFloat, 16, 4>),
          matrix_op("v_mfma_f32_32x32x2_f32", run_mfma<AsFloat, 32, 2>)};
}

}  // namespace aaco::amd
