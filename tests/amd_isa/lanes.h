// SPDX-License-Identifier: MIT
// Vector operations from functions of one lane's values. The function's parameter types say how operands are read:
//   vector_op("v_add_f32", [](float a, float b) { return a + b; })
#pragma once

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "dpp.h"
#include "half.h"
#include "instruction.h"
#include "wave.h"

namespace aaco::amd {

template <class T>
inline constexpr bool kSixteenBits = std::is_same_v<T, Half> || sizeof(T) == 2;

template <class T>
constexpr Kind kind_of() {
  if constexpr (std::is_same_v<T, Half>) {
    return Kind::kHalf;
  } else if constexpr (std::is_same_v<T, double>) {
    return Kind::kDouble;
  } else {
    return sizeof(T) == 8 ? Kind::kLong : Kind::kWord;
  }
}

// An operand as values of type T, lane by lane.
template <class T>
class Source {
 public:
  Source(Wave& wave, const Instruction& instruction, int index) {
    const Operand& operand = instruction.operands[static_cast<std::size_t>(index)];
    locate(wave, operand);
    if (operand.part != Part::kDword || operand.sign_extend) {
      take_part(wave, operand);
    }
    const std::uint32_t sign = kSixteenBits<T> ? 0x8000U : 0x8000'0000U;
    keep_ = operand.absolute ? ~sign : ~0U;
    flip_ = operand.negate ? sign : 0;
    const int source = index - instruction.outputs;
    shift_ = kSixteenBits<T> && source >= 0 && ((instruction.op_sel >> source) & 1) != 0 ? 16 : 0;
  }

  T operator[](int lane) const {
    const std::uint32_t* place = at_ + static_cast<std::size_t>(lane) * lane_step_;
    if constexpr (std::is_same_v<T, Half>) {
      return {static_cast<std::uint16_t>(((*place >> shift_) & keep_) ^ flip_)};
    } else if constexpr (sizeof(T) == 2) {
      return std::bit_cast<T>(static_cast<std::uint16_t>(*place >> shift_));
    } else if constexpr (sizeof(T) == 8) {
      return std::bit_cast<T>(*place | (static_cast<std::uint64_t>((place[word_step_] & keep_) ^ flip_) << 32U));
    } else {
      return std::bit_cast<T>((*place & keep_) ^ flip_);
    }
  }

 private:
  void locate(Wave& wave, const Operand& operand) {
    static constexpr std::uint32_t kZeros[2] = {0, 0};
    if (&operand == wave.moved) {
      at_ = wave.moved_lanes.data();
      lane_step_ = 1;
      word_step_ = kMaxLanes;
      return;
    }
    switch (operand.file) {
      case File::kVector:
        at_ = wave.registers(operand.index);
        lane_step_ = 1;
        word_step_ = kMaxLanes;
        return;
      case File::kScalar:
        at_ = &wave.scalar[operand.index];
        return;
      case File::kConstant:
        at_ = operand.constant.data();
        return;
      case File::kScc:
        at_ = wave.scc ? &kOne[0] : &kZeros[0];
        return;
      case File::kNull:
        at_ = &kZeros[0];
        return;
      case File::kNone:
        throw Fault{"an operand is missing"};
    }
  }

  void take_part(Wave& wave, const Operand& operand) {
    std::uint32_t* parts = wave.staging[static_cast<std::size_t>(wave.staged++ % 4)].data();
    for (int lane = 0; lane < wave.lanes(); ++lane) {
      parts[lane] = part_of_word(at_[static_cast<std::size_t>(lane) * lane_step_], operand.part, operand.sign_extend);
    }
    at_ = parts;
    lane_step_ = 1;
  }

  static constexpr std::uint32_t kOne[2] = {1, 0};
  const std::uint32_t* at_ = nullptr;
  std::size_t lane_step_ = 0;
  std::size_t word_step_ = 1;
  std::uint32_t keep_ = ~0U;
  std::uint32_t flip_ = 0;
  int shift_ = 0;
};

// Where values of type T go. 16-bit results leave the upper half alone on gfx1100 and clear it on gfx942, but for the
// instructions that say otherwise (Instruction::preserve_rest).
template <class T>
class Destination {
 public:
  Destination(Wave& wave, const Instruction& instruction) : instruction_(instruction) {
    const Operand& operand = instruction.operands[0];
    if (operand.file != File::kVector) {
      throw Fault{"the result is not of a vector register"};
    }
    at_ = wave.registers(operand.index);
    keeps_half_ = wave.lanes() == 32 || instruction.preserve_rest;
    upper_ = kSixteenBits<T> && ((instruction.op_sel >> (instruction.count - instruction.outputs)) & 1) != 0;
  }

  void set(int lane, T value) {
    std::uint32_t* place = at_ + lane;
    if constexpr (kSixteenBits<T>) {
      const std::uint32_t bits = std::bit_cast<std::uint16_t>(value);
      if (upper_) {
        *place = (*place & 0xffffU) | (bits << 16U);
      } else {
        *place = keeps_half_ ? (*place & 0xffff'0000U) | bits : bits;
      }
    } else if constexpr (sizeof(T) == 8) {
      const auto bits = std::bit_cast<std::uint64_t>(value);
      place[0] = static_cast<std::uint32_t>(bits);
      place[kMaxLanes] = static_cast<std::uint32_t>(bits >> 32U);
    } else {
      *place = std::bit_cast<std::uint32_t>(value);
    }
  }

  // With a part of the register as destination (SDWA).
  void set_part(int lane, T value) {
    const Part part = instruction_.operands[0].part;
    if (part == Part::kDword || sizeof(T) == 8) {
      set(lane, value);
      return;
    }
    std::uint32_t bits = 0;
    if constexpr (kSixteenBits<T>) {
      bits = std::bit_cast<std::uint16_t>(value);
    } else if constexpr (sizeof(T) == 4) {
      bits = std::bit_cast<std::uint32_t>(value);
    }
    at_[lane] = with_part(instruction_.preserve_rest ? at_[lane] : 0, part, bits);
  }

 private:
  const Instruction& instruction_;
  std::uint32_t* at_;
  bool keeps_half_;
  bool upper_;
};

template <class T>
T without_denormals(const Wave& wave, T value) {
  if constexpr (std::is_same_v<T, float>) {
    return wave.flush_float && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value;
  } else if constexpr (std::is_same_v<T, double>) {
    return wave.flush_double && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0, value) : value;
  } else if constexpr (std::is_same_v<T, Half>) {
    const bool denormal = (value.bits & 0x7c00U) == 0;
    return wave.flush_double && denormal ? Half{static_cast<std::uint16_t>(value.bits & 0x8000U)} : value;
  } else {
    return value;
  }
}

// clamp to [0, 1] (a NaN becomes 0) and multiplication of the result.
template <class T>
T modified_output(const Instruction& instruction, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    value *= static_cast<T>(instruction.output_factor);
    return instruction.clamp ? (value > 0 ? std::min(value, T{1}) : T{0}) : value;
  } else if constexpr (std::is_same_v<T, Half>) {
    return {to_half(modified_output(instruction, from_half(value.bits)))};
  } else {
    if (instruction.clamp) {
      throw Fault{"clamp of an integer has no handler"};
    }
    return value;
  }
}

// While it lives, the host rounds as MODE says for results of type T.
template <class T>
class RoundingScope {
 public:
  explicit RoundingScope(const Wave& wave) {
    constexpr int kHost[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    const std::uint32_t wanted = (wave.mode >> (std::is_same_v<T, float> ? 0U : 2U)) & 3U;
    if (std::is_same_v<T, Half> && wanted != 0) {
      throw Fault{"MODE rounds 16-bit floats other than to nearest, which has no handler"};
    }
    if (std::is_floating_point_v<T> && wanted != 0) {
      std::fesetround(kHost[wanted]);
    }
  }
  ~RoundingScope() { std::fesetround(FE_TONEAREST); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;
};

template <class F>
struct Signature : Signature<decltype(&F::operator())> {};

template <class F, class R, class... A>
struct Signature<R (F::*)(A...) const> {
  using Result = R;
  static constexpr std::size_t kCount = sizeof...(A);

  template <bool kAccumulates, std::size_t... I>
  static void run(Wave& wave, const Instruction& instruction, std::index_sequence<I...>) {
    constexpr F kFunction{};
    Destination<R> result(wave, instruction);
    // The last parameter of an accumulating function is the destination's value.
    const std::tuple<Source<A>...> sources{Source<A>(
        wave, instruction, kAccumulates && I + 1 == kCount ? 0 : instruction.outputs + static_cast<int>(I))...};
    if (!instruction.special && !wave.special_mode) {
      for_active(wave, [&](int lane) { result.set(lane, kFunction(std::get<I>(sources)[lane]...)); });
      return;
    }
    const RoundingScope<R> rounding(wave);
    for_active(wave, [&](int lane) {
      const R value = kFunction(without_denormals(wave, std::get<I>(sources)[lane])...);
      result.set_part(lane, modified_output(instruction, without_denormals(wave, value)));
    });
  }

  static constexpr std::array<Kind, kOperands> kinds() {
    static_assert(sizeof...(A) < kOperands);
    return {kind_of<R>(), kind_of<A>()...};
  }
};

template <class F>
Opcode vector_op(std::string name, F, std::uint32_t traits = 0) {
  using Types = Signature<F>;
  return {std::move(name),
          [](Wave& wave, const Instruction& instruction) {
            Types::template run<false>(wave, instruction, std::make_index_sequence<Types::kCount>{});
          },
          Unit::kVector,
          1,
          Types::kinds(),
          traits};
}

// The last parameter is what the destination holds.
template <class F>
Opcode accumulating_op(std::string name, F) {
  using Types = Signature<F>;
  return {std::move(name),
          [](Wave& wave, const Instruction& instruction) {
            Types::template run<true>(wave, instruction, std::make_index_sequence<Types::kCount>{});
          },
          Unit::kVector,
          1,
          Types::kinds(),
          kReadsOutput};
}

}  // namespace aaco::amd
