// SPDX-License-Identifier: MIT
// The steps that compilers build a division from: scale (D, VCC = scaled operand, "the result is to be scaled back"),
// the last fused step, and the repair of special cases.
#include <bit>
#include <cmath>
#include <limits>

#include "lanes.h"

namespace aaco::amd {
namespace {

using U64 = std::uint64_t;

template <class T>
struct Limits;

template <>
struct Limits<float> {
  static constexpr int kFar = 96;    // exponents this far apart: the quotient is near the largest number
  static constexpr int kTiny = 23;   // biased exponent up to which a numerator is tiny
  static constexpr int kScale = 64;  // powers of two
  static constexpr int kUnderflow = -150;
  static constexpr int kBias = 127;
};

template <>
struct Limits<double> {
  static constexpr int kFar = 768;
  static constexpr int kTiny = 53;
  static constexpr int kScale = 128;
  static constexpr int kUnderflow = -1075;
  static constexpr int kBias = 1023;
};

int biased_exponent(float value) { return static_cast<int>((std::bit_cast<std::uint32_t>(value) >> 23U) & 0xffU); }
int biased_exponent(double value) { return static_cast<int>((std::bit_cast<U64>(value) >> 52U) & 0x7ffU); }

template <class T>
bool denormal(T value) {
  return std::fpclassify(value) == FP_SUBNORMAL;
}

template <class T>
struct Scaled {
  T value;
  bool scale_back;
};

// `value` is the numerator or the denominator, whichever is to be scaled.
template <class T>
Scaled<T> scale(T value, T denominator, T numerator) {
  using L = Limits<T>;
  if (numerator == 0 || denominator == 0) {
    return {std::numeric_limits<T>::quiet_NaN(), false};
  }
  const T up = std::ldexp(value, L::kScale);
  if (biased_exponent(numerator) - biased_exponent(denominator) >= L::kFar) {
    return {value == denominator ? up : value, true};
  }
  if (denormal(denominator)) {
    return {up, false};
  }
  const bool small_reciprocal = denormal(T{1} / denominator);
  const bool small_quotient = denormal(numerator / denominator);
  if (small_reciprocal && small_quotient) {
    return {value == denominator ? up : value, true};
  }
  if (small_reciprocal) {
    return {std::ldexp(value, -L::kScale), false};
  }
  if (small_quotient) {
    return {value == numerator ? up : value, true};
  }
  return {biased_exponent(numerator) <= L::kTiny ? up : value, false};
}

template <class T>
void run_scale(Wave& wave, const Instruction& instruction) {
  const Source<T> value(wave, instruction, 2);
  const Source<T> denominator(wave, instruction, 3);
  const Source<T> numerator(wave, instruction, 4);
  Destination<T> result(wave, instruction);
  U64 mask = 0;
  for_active(wave, [&](int lane) {
    const Scaled<T> scaled = scale(value[lane], denominator[lane], numerator[lane]);
    result.set(lane, scaled.value);
    mask |= static_cast<U64>(scaled.scale_back) << lane;
  });
  write_mask(wave, instruction.operands[1], mask);
}

// D = VCC ? fma(...) scaled back : fma(...). Back is up where the quotient is large, else down.
template <class T>
void run_fmas(Wave& wave, const Instruction& instruction) {
  const Source<T> a(wave, instruction, 1);
  const Source<T> b(wave, instruction, 2);
  const Source<T> c(wave, instruction, 3);
  Destination<T> result(wave, instruction);
  const U64 vcc = wave.vcc();
  for_active(wave, [&](int lane) {
    const T sum = std::fma(a[lane], b[lane], c[lane]);
    const int back = biased_exponent(c[lane]) > Limits<T>::kBias ? Limits<T>::kScale : -Limits<T>::kScale;
    result.set(lane, ((vcc >> lane) & 1U) != 0 ? std::ldexp(sum, back) : sum);
  });
}

template <class T>
T repaired(T quotient, T denominator, T numerator) {
  const T sign = std::signbit(denominator) != std::signbit(numerator) ? T{-1} : T{1};
  if (std::isnan(numerator) || std::isnan(denominator)) {
    return std::isnan(numerator) ? numerator : denominator;
  }
  if ((denominator == 0 && numerator == 0) || (std::isinf(denominator) && std::isinf(numerator))) {
    return std::copysign(std::numeric_limits<T>::quiet_NaN(), T{-1});
  }
  if (denominator == 0 || std::isinf(numerator)) {
    return sign * std::numeric_limits<T>::infinity();
  }
  if (std::isinf(denominator) || numerator == 0) {
    return std::copysign(T{0}, sign);
  }
  if (biased_exponent(numerator) - biased_exponent(denominator) < Limits<T>::kUnderflow) {
    return std::copysign(T{0}, sign);
  }
  return std::copysign(quotient, sign);
}

template <class T>
OpcodeList division(const char* type, Kind kind) {
  const std::string suffix = type;
  OpcodeList list;
  list.push_back({"v_div_scale_" + suffix, run_scale<T>, Unit::kVector, 2, {kind, Kind::kLong, kind, kind, kind}, 0});
  list.push_back({"v_div_fmas_" + suffix, run_fmas<T>, Unit::kVector, 1, {kind, kind, kind, kind}, kReadsVcc});
  list.push_back(vector_op("v_div_fixup_" + suffix, [](T quotient, T denominator, T numerator) {
    return repaired(quotient, denominator, numerator);
  }));
  return list;
}

}  // namespace

OpcodeList vector_division_opcodes(Architecture) {
  OpcodeList list = division<float>("f32", Kind::kWord);
  for (Opcode& opcode : division<double>("f64", Kind::kDouble)) {
    list.push_back(std::move(opcode));
  }
  return list;
}

}  // namespace aaco::amd
