// SPDX-License-Identifier: MIT
// Vector comparisons: a mask of lanes, zero for those that are not active. v_cmpx also writes EXEC; on gfx1100 nothing
// else.
#include <cmath>
#include <string>

#include "lanes.h"

namespace aaco::amd {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

template <class T>
auto number_of(T value) {
  if constexpr (std::is_same_v<T, Half>) {
    return from_half(value.bits);
  } else {
    return value;
  }
}

template <class T, class Second, class F>
U64 compared(Wave& wave, const Instruction& instruction) {
  const Source<T> a(wave, instruction, instruction.outputs);
  const Source<Second> b(wave, instruction, instruction.outputs + 1);
  U64 mask = 0;
  for_active(wave, [&](int lane) {
    const bool holds = F{}(number_of(without_denormals(wave, a[lane])), number_of(without_denormals(wave, b[lane])));
    mask |= static_cast<U64>(holds) << lane;
  });
  return mask;
}

template <class T, class Second, class F>
void run_compare(Wave& wave, const Instruction& instruction) {
  write_mask(wave, instruction.operands[0], compared<T, Second, F>(wave, instruction));
}

template <class T, class Second, class F>
void run_compare_exec(Wave& wave, const Instruction& instruction) {
  const U64 mask = compared<T, Second, F>(wave, instruction);
  if (instruction.outputs != 0) {
    write_mask(wave, instruction.operands[0], mask);
  }
  wave.set_lane_mask(kExec, mask);
}

template <class T, class Second, class F>
void add_compare(OpcodeList& list, Architecture architecture, const std::string& name, F) {
  const Kind a = kind_of<T>();
  const Kind b = kind_of<Second>();
  list.push_back({"v_cmp_" + name, run_compare<T, Second, F>, Unit::kVector, 1, {Kind::kLong, a, b}, 0});
  if (architecture == Architecture::kGfx942) {
    list.push_back({"v_cmpx_" + name, run_compare_exec<T, Second, F>, Unit::kVector, 1, {Kind::kLong, a, b}, 0});
  } else {
    list.push_back({"v_cmpx_" + name, run_compare_exec<T, Second, F>, Unit::kVector, 0, {a, b}, 0});
  }
}

template <class T>
void add_integer(OpcodeList& list, Architecture architecture, const std::string& type) {
  add_compare<T, T>(list, architecture, "lt_" + type, [](T a, T b) { return a < b; });
  add_compare<T, T>(list, architecture, "eq_" + type, [](T a, T b) { return a == b; });
  add_compare<T, T>(list, architecture, "le_" + type, [](T a, T b) { return a <= b; });
  add_compare<T, T>(list, architecture, "gt_" + type, [](T a, T b) { return a > b; });
  add_compare<T, T>(list, architecture, "ne_" + type, [](T a, T b) { return a != b; });
  add_compare<T, T>(list, architecture, "ge_" + type, [](T a, T b) { return a >= b; });
}

// The names with n hold where the comparison does not: of a NaN too.
template <class T>
void add_float(OpcodeList& list, Architecture architecture, const std::string& type) {
  add_compare<T, T>(list, architecture, "lt_" + type, [](auto a, auto b) { return a < b; });
  add_compare<T, T>(list, architecture, "eq_" + type, [](auto a, auto b) { return a == b; });
  add_compare<T, T>(list, architecture, "le_" + type, [](auto a, auto b) { return a <= b; });
  add_compare<T, T>(list, architecture, "gt_" + type, [](auto a, auto b) { return a > b; });
  add_compare<T, T>(list, architecture, "lg_" + type, [](auto a, auto b) { return a < b || a > b; });
  add_compare<T, T>(list, architecture, "ge_" + type, [](auto a, auto b) { return a >= b; });
  add_compare<T, T>(list, architecture, "o_" + type, [](auto a, auto b) { return a == a && b == b; });
  add_compare<T, T>(list, architecture, "u_" + type, [](auto a, auto b) { return a != a || b != b; });
  add_compare<T, T>(list, architecture, "nge_" + type, [](auto a, auto b) { return !(a >= b); });
  add_compare<T, T>(list, architecture, "nlg_" + type, [](auto a, auto b) { return !(a < b || a > b); });
  add_compare<T, T>(list, architecture, "ngt_" + type, [](auto a, auto b) { return !(a > b); });
  add_compare<T, T>(list, architecture, "nle_" + type, [](auto a, auto b) { return !(a <= b); });
  add_compare<T, T>(list, architecture, "neq_" + type, [](auto a, auto b) { return !(a == b); });
  add_compare<T, T>(list, architecture, "nlt_" + type, [](auto a, auto b) { return !(a < b); });
}

// Bits of the second operand: signaling NaN, quiet NaN, then -infinity, -normal, -denormal, -0, +0, +denormal, +normal,
// +infinity.
template <class T>
U32 class_bit(T value, bool quiet) {
  const bool negative = std::signbit(value);
  switch (std::fpclassify(value)) {
    case FP_NAN:
      return quiet ? 2 : 1;
    case FP_INFINITE:
      return negative ? 4 : 0x200;
    case FP_SUBNORMAL:
      return negative ? 0x10 : 0x80;
    case FP_ZERO:
      return negative ? 0x20 : 0x40;
    default:
      return negative ? 8 : 0x100;
  }
}

}  // namespace

OpcodeList compare_opcodes(Architecture architecture) {
  OpcodeList list;
  add_float<Half>(list, architecture, "f16");
  add_float<float>(list, architecture, "f32");
  add_float<double>(list, architecture, "f64");
  add_integer<std::uint16_t>(list, architecture, "u16");
  add_integer<std::int16_t>(list, architecture, "i16");
  add_integer<std::uint32_t>(list, architecture, "u32");
  add_integer<std::int32_t>(list, architecture, "i32");
  add_integer<std::uint64_t>(list, architecture, "u64");
  add_integer<std::int64_t>(list, architecture, "i64");
  add_compare<float, U32>(list, architecture, "class_f32", [](float a, U32 b) {
    return (class_bit(a, (std::bit_cast<U32>(a) & 0x400000U) != 0) & b) != 0;
  });
  add_compare<double, U32>(list, architecture, "class_f64", [](double a, U32 b) {
    return (class_bit(a, (std::bit_cast<U64>(a) & 0x8'0000'0000'0000ULL) != 0) & b) != 0;
  });
  return list;
}

}  // namespace aaco::amd
