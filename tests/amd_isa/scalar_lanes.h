// SPDX-License-Identifier: MIT
// Scalar operations from functions of their operands' values; a last parameter bool& is SCC.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "instruction.h"
#include "wave.h"

namespace aaco::amd {

template <class T>
T read_scalar(const Wave& wave, const Operand& operand) {
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(read_long(wave, operand));
  } else {
    return static_cast<T>(read_word(wave, operand));
  }
}

template <class T>
void write_scalar(Wave& wave, const Operand& operand, T value) {
  if constexpr (sizeof(T) == 8) {
    write_long(wave, operand, static_cast<std::uint64_t>(value));
  } else {
    write_word(wave, operand, static_cast<std::uint32_t>(value));
  }
}

template <class F>
struct ScalarSignature : ScalarSignature<decltype(&F::operator())> {};

template <class F, class R, class... A>
struct ScalarSignature<R (F::*)(A...) const> {
  static constexpr bool kUsesScc = (std::is_same_v<A, bool&> || ...);
  static constexpr std::size_t kInputs = sizeof...(A) - (kUsesScc ? 1 : 0);
  static constexpr std::size_t kOutputs = std::is_void_v<R> ? 0 : 1;

  template <std::size_t I>
  using Parameter = std::tuple_element_t<I, std::tuple<A...>>;

  // `first`: the operand of the first parameter.
  template <std::size_t... I>
  static void run(Wave& wave, const Instruction& instruction, std::size_t first, std::index_sequence<I...>) {
    constexpr F kFunction{};
    const auto call = [&](auto... values) -> R {
      if constexpr (kUsesScc) {
        return kFunction(values..., wave.scc);
      } else {
        return kFunction(values...);
      }
    };
    if constexpr (std::is_void_v<R>) {
      call(read_scalar<Parameter<I>>(wave, instruction.operands[first + I])...);
    } else {
      write_scalar<R>(wave, instruction.operands[0],
                      call(read_scalar<Parameter<I>>(wave, instruction.operands[first + I])...));
    }
  }

  static constexpr std::array<Kind, kOperands> kinds() {
    std::array<Kind, kOperands> found{};
    std::size_t next = kOutputs;
    ((next < kOperands ? found[next++] = sizeof(std::remove_reference_t<A>) == 8 ? Kind::kLong : Kind::kWord
                       : Kind::kWord),
     ...);
    return found;
  }
};

template <class F>
Opcode scalar_op(std::string name, F) {
  using Types = ScalarSignature<F>;
  return {std::move(name),
          [](Wave& wave, const Instruction& instruction) {
            Types::run(wave, instruction, Types::kOutputs, std::make_index_sequence<Types::kInputs>{});
          },
          Unit::kScalar,
          Types::kOutputs,
          Types::kinds(),
          0};
}

// The first parameter is what the destination holds.
template <class F>
Opcode scalar_update(std::string name, F) {
  using Types = ScalarSignature<F>;
  Opcode made{std::move(name),
              [](Wave& wave, const Instruction& instruction) {
                Types::run(wave, instruction, 0, std::make_index_sequence<Types::kInputs>{});
              },
              Unit::kScalar,
              Types::kOutputs,
              {},
              kReadsOutput};
  return made;
}

}  // namespace aaco::amd
