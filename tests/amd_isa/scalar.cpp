// SPDX-License-Identifier: MIT
// Scalar arithmetic. SCC: carry or overflow of sums, "the first was taken" of minimum and maximum, else "not zero".
#include <bit>
#include <string>

#include "scalar_lanes.h"

namespace aaco::amd {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using I32 = std::int32_t;
using I64 = std::int64_t;

I32 sign_extend16(U32 value) { return static_cast<std::int16_t>(value); }

// Both widths of a bitwise operation, and its form that also saves EXEC.
template <class F>
void add_bitwise(OpcodeList& list, const std::string& name, F) {
  list.push_back(scalar_op("s_" + name + "_b32", [](U32 a, U32 b, bool& scc) -> U32 {
    const auto result = static_cast<U32>(F{}(a, b));
    scc = result != 0;
    return result;
  }));
  list.push_back(scalar_op("s_" + name + "_b64", [](U64 a, U64 b, bool& scc) -> U64 {
    const U64 result = F{}(a, b);
    scc = result != 0;
    return result;
  }));
}

// D = EXEC, EXEC = f(S0, EXEC).
template <class F>
void add_save_exec(OpcodeList& list, const std::string& name, F) {
  list.push_back({"s_" + name + "_b32",
                  [](Wave& wave, const Instruction& instruction) {
                    const U32 source = read_word(wave, instruction.operands[1]);
                    const U32 exec = wave.scalar[kExec];
                    write_word(wave, instruction.operands[0], exec);
                    wave.scalar[kExec] = static_cast<U32>(F{}(source, exec));
                    wave.scc = wave.scalar[kExec] != 0;
                  },
                  Unit::kScalar,
                  1,
                  {},
                  0});
  list.push_back({"s_" + name + "_b64",
                  [](Wave& wave, const Instruction& instruction) {
                    const U64 source = read_long(wave, instruction.operands[1]);
                    const U64 exec = wave.pair(kExec);
                    write_long(wave, instruction.operands[0], exec);
                    const U64 result = F{}(source, exec);
                    wave.set_pair(kExec, result);
                    wave.scc = result != 0;
                  },
                  Unit::kScalar,
                  1,
                  {Kind::kLong, Kind::kLong},
                  0});
}

void add_bits(OpcodeList& list, Architecture architecture) {
  const bool rdna = architecture == Architecture::kGfx1100;
  const std::string and_not = rdna ? "and_not1" : "andn2";
  const std::string or_not = rdna ? "or_not1" : "orn2";
  add_bitwise(list, "and", [](U64 a, U64 b) { return a & b; });
  add_bitwise(list, "or", [](U64 a, U64 b) { return a | b; });
  add_bitwise(list, "xor", [](U64 a, U64 b) { return a ^ b; });
  add_bitwise(list, and_not, [](U64 a, U64 b) { return a & ~b; });
  add_bitwise(list, or_not, [](U64 a, U64 b) { return a | ~b; });
  add_bitwise(list, "nand", [](U64 a, U64 b) { return ~(a & b); });
  add_bitwise(list, "nor", [](U64 a, U64 b) { return ~(a | b); });
  add_bitwise(list, "xnor", [](U64 a, U64 b) { return ~(a ^ b); });
  add_save_exec(list, "and_saveexec", [](U64 s, U64 exec) { return s & exec; });
  add_save_exec(list, "or_saveexec", [](U64 s, U64 exec) { return s | exec; });
  add_save_exec(list, "xor_saveexec", [](U64 s, U64 exec) { return s ^ exec; });
  add_save_exec(list, and_not + "_saveexec", [](U64 s, U64 exec) { return s & ~exec; });
}

void add_sums(OpcodeList& list) {
  list.push_back(scalar_op("s_add_u32", [](U32 a, U32 b, bool& scc) -> U32 {
    scc = a + b < a;
    return a + b;
  }));
  list.push_back(scalar_op("s_addc_u32", [](U32 a, U32 b, bool& scc) -> U32 {
    const U64 sum = U64{a} + b + (scc ? 1 : 0);
    scc = (sum >> 32U) != 0;
    return static_cast<U32>(sum);
  }));
  list.push_back(scalar_op("s_sub_u32", [](U32 a, U32 b, bool& scc) -> U32 {
    scc = b > a;
    return a - b;
  }));
  list.push_back(scalar_op("s_subb_u32", [](U32 a, U32 b, bool& scc) -> U32 {
    const U64 taken = U64{b} + (scc ? 1 : 0);
    scc = taken > a;
    return static_cast<U32>(a - taken);
  }));
  list.push_back(scalar_op("s_add_i32", [](I32 a, I32 b, bool& scc) -> I32 {
    I32 sum = 0;
    scc = __builtin_add_overflow(a, b, &sum);
    return sum;
  }));
  list.push_back(scalar_op("s_sub_i32", [](I32 a, I32 b, bool& scc) -> I32 {
    I32 difference = 0;
    scc = __builtin_sub_overflow(a, b, &difference);
    return difference;
  }));
  list.push_back(scalar_update("s_addk_i32", [](I32 a, U32 b, bool& scc) -> I32 {
    I32 sum = 0;
    scc = __builtin_add_overflow(a, sign_extend16(b), &sum);
    return sum;
  }));
  list.push_back(
      scalar_update("s_mulk_i32", [](U32 a, U32 b) -> U32 { return a * static_cast<U32>(sign_extend16(b)); }));
  list.push_back(scalar_op("s_mul_i32", [](U32 a, U32 b) -> U32 { return a * b; }));
  list.push_back(scalar_op("s_mul_hi_u32", [](U32 a, U32 b) -> U32 { return static_cast<U32>((U64{a} * b) >> 32U); }));
  list.push_back(scalar_op("s_mul_hi_i32", [](I32 a, I32 b) -> I32 { return static_cast<I32>((I64{a} * b) >> 32); }));
  list.push_back(scalar_op("s_min_i32", [](I32 a, I32 b, bool& scc) -> I32 {
    scc = a < b;
    return scc ? a : b;
  }));
  list.push_back(scalar_op("s_max_i32", [](I32 a, I32 b, bool& scc) -> I32 {
    scc = a >= b;
    return scc ? a : b;
  }));
  list.push_back(scalar_op("s_min_u32", [](U32 a, U32 b, bool& scc) -> U32 {
    scc = a < b;
    return scc ? a : b;
  }));
  list.push_back(scalar_op("s_max_u32", [](U32 a, U32 b, bool& scc) -> U32 {
    scc = a >= b;
    return scc ? a : b;
  }));
  list.push_back(scalar_op("s_abs_i32", [](I32 a, bool& scc) -> U32 {
    scc = a != 0;
    return a < 0 ? 0U - static_cast<U32>(a) : static_cast<U32>(a);
  }));
}

// Shifts count by the lowest bits of their second operand.
template <class T, class F>
Opcode shift(std::string name, F) {
  return scalar_op(std::move(name), [](T a, U32 b, bool& scc) -> T {
    const T result = static_cast<T>(F{}(a, b & (sizeof(T) * 8 - 1)));
    scc = result != 0;
    return result;
  });
}

template <int kBits>
Opcode shift_add() {
  return scalar_op("s_lshl" + std::to_string(kBits) + "_add_u32", [](U32 a, U32 b, bool& scc) -> U32 {
    const U64 sum = (U64{a} << static_cast<U32>(kBits)) + b;
    scc = (sum >> 32U) != 0;
    return static_cast<U32>(sum);
  });
}

// A field of `size` bits from `offset` on: bits 4:0 (5:0) and 22:16 of the second operand.
template <class T>
T field_of(T value, U32 coded) {
  constexpr U32 kWidth = sizeof(T) * 8;
  const U32 offset = coded & (kWidth - 1);
  const U32 size = std::min((coded >> 16U) & 0x7fU, kWidth);
  if (size == 0) {
    return 0;
  }
  if (offset + size >= kWidth) {
    return static_cast<T>(value >> offset);
  }
  using Bits = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<T>(static_cast<Bits>(value) << (kWidth - offset - size)) >> (kWidth - size));
}

template <class T>
Opcode bit_field(std::string name) {
  return scalar_op(std::move(name), [](T a, U32 b, bool& scc) -> T {
    const T result = field_of(a, b);
    scc = result != 0;
    return result;
  });
}

void add_shifts(OpcodeList& list) {
  list.push_back(shift<U32>("s_lshl_b32", [](U32 a, U32 b) { return a << b; }));
  list.push_back(shift<U64>("s_lshl_b64", [](U64 a, U32 b) { return a << b; }));
  list.push_back(shift<U32>("s_lshr_b32", [](U32 a, U32 b) { return a >> b; }));
  list.push_back(shift<U64>("s_lshr_b64", [](U64 a, U32 b) { return a >> b; }));
  list.push_back(shift<I32>("s_ashr_i32", [](I32 a, U32 b) { return a >> b; }));
  list.push_back(shift<I64>("s_ashr_i64", [](I64 a, U32 b) { return a >> b; }));
  list.push_back(shift_add<1>());
  list.push_back(shift_add<2>());
  list.push_back(shift_add<3>());
  list.push_back(shift_add<4>());
  list.push_back(bit_field<U32>("s_bfe_u32"));
  list.push_back(bit_field<I32>("s_bfe_i32"));
  list.push_back(bit_field<U64>("s_bfe_u64"));
  list.push_back(bit_field<I64>("s_bfe_i64"));
  list.push_back(scalar_op("s_bfm_b32", [](U32 a, U32 b) -> U32 { return ((1U << (a & 31U)) - 1U) << (b & 31U); }));
}

void add_counts(OpcodeList& list, Architecture architecture) {
  const bool rdna = architecture == Architecture::kGfx1100;
  list.push_back(scalar_op("s_bcnt1_i32_b32", [](U32 a, bool& scc) -> U32 {
    scc = a != 0;
    return static_cast<U32>(std::popcount(a));
  }));
  list.push_back(scalar_op("s_bcnt1_i32_b64", [](U64 a, bool& scc) -> U32 {
    scc = a != 0;
    return static_cast<U32>(std::popcount(a));
  }));
  list.push_back(scalar_op(rdna ? "s_ctz_i32_b32" : "s_ff1_i32_b32",
                           [](U32 a) -> I32 { return a == 0 ? -1 : std::countr_zero(a); }));
  list.push_back(scalar_op(rdna ? "s_ctz_i32_b64" : "s_ff1_i32_b64",
                           [](U64 a) -> I32 { return a == 0 ? -1 : std::countr_zero(a); }));
  list.push_back(scalar_op(rdna ? "s_clz_i32_u32" : "s_flbit_i32_b32",
                           [](U32 a) -> I32 { return a == 0 ? -1 : std::countl_zero(a); }));
  list.push_back(scalar_op(rdna ? "s_clz_i32_u64" : "s_flbit_i32_b64",
                           [](U64 a) -> I32 { return a == 0 ? -1 : std::countl_zero(a); }));
  // How many of the highest bits are as the sign; -1 where all are.
  list.push_back(scalar_op(rdna ? "s_cls_i32" : "s_flbit_i32", [](U32 a) -> I32 {
    const U32 same = (a & 0x8000'0000U) != 0 ? ~a : a;
    return same == 0 ? -1 : std::countl_zero(same);
  }));
  list.push_back(scalar_op("s_brev_b32", [](U32 a) -> U32 {
    U32 result = 0;
    for (U32 bit = 0; bit < 32; ++bit) {
      result |= ((a >> bit) & 1U) << (31U - bit);
    }
    return result;
  }));
}

void add_moves(OpcodeList& list) {
  list.push_back(scalar_op("s_mov_b32", [](U32 a) -> U32 { return a; }));
  list.push_back(scalar_op("s_mov_b64", [](U64 a) -> U64 { return a; }));
  list.push_back(scalar_op("s_movk_i32", [](U32 a) -> I32 { return sign_extend16(a); }));
  list.push_back(scalar_op("s_cselect_b32", [](U32 a, U32 b, bool& scc) -> U32 { return scc ? a : b; }));
  list.push_back(scalar_op("s_cselect_b64", [](U64 a, U64 b, bool& scc) -> U64 { return scc ? a : b; }));
  list.push_back(scalar_op("s_not_b32", [](U32 a, bool& scc) -> U32 {
    scc = ~a != 0;
    return ~a;
  }));
  list.push_back(scalar_op("s_not_b64", [](U64 a, bool& scc) -> U64 {
    scc = ~a != 0;
    return ~a;
  }));
  list.push_back(scalar_op("s_sext_i32_i8", [](U32 a) -> I32 { return static_cast<std::int8_t>(a); }));
  list.push_back(scalar_op("s_sext_i32_i16", [](U32 a) -> I32 { return sign_extend16(a); }));
  list.push_back(scalar_update("s_bitset1_b32", [](U32 d, U32 a) -> U32 { return d | (1U << (a & 31U)); }));
  list.push_back(scalar_update("s_bitset0_b32", [](U32 d, U32 a) -> U32 { return d & ~(1U << (a & 31U)); }));
  list.push_back(scalar_op("s_pack_ll_b32_b16", [](U32 a, U32 b) -> U32 { return (a & 0xffffU) | (b << 16U); }));
  list.push_back(scalar_op("s_pack_lh_b32_b16", [](U32 a, U32 b) -> U32 { return (a & 0xffffU) | (b & 0xffff0000U); }));
  list.push_back(scalar_op("s_pack_hh_b32_b16", [](U32 a, U32 b) -> U32 { return (a >> 16U) | (b & 0xffff0000U); }));
}

}  // namespace

OpcodeList scalar_opcodes(Architecture architecture) {
  OpcodeList list;
  add_bits(list, architecture);
  add_sums(list);
  add_shifts(list);
  add_counts(list, architecture);
  add_moves(list);
  return list;
}

}  // namespace aaco::amd
