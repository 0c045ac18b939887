// SPDX-License-Identifier: MIT
// Sums with a carry out and in, both masks of lanes: text operands are result, carry out, sources, carry in.
#include "lanes.h"

namespace aaco::amd {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using I64 = std::int64_t;

// F(a, b, carry in): the result in the lower word, the carry out in bit 32.
template <class F, bool kCarryIn>
void run_carry(Wave& wave, const Instruction& instruction) {
  const Source<U32> a(wave, instruction, 2);
  const Source<U32> b(wave, instruction, 3);
  Destination<U32> result(wave, instruction);
  const U64 carries_in = kCarryIn ? read_mask(wave, instruction.operands[4]) : 0;
  U64 carries = 0;
  if (instruction.clamp) {
    throw Fault{"clamp of an integer has no handler"};
  }
  for_active(wave, [&](int lane) {
    const U64 value = F{}(U64{a[lane]}, U64{b[lane]}, (carries_in >> lane) & 1U);
    result.set(lane, static_cast<U32>(value));
    carries |= ((value >> 32U) & 1U) << lane;
  });
  write_mask(wave, instruction.operands[1], carries);
}

template <class F>
void add_carry(OpcodeList& list, const char* plain, const char* with_carry, F) {
  list.push_back({plain, run_carry<F, false>, Unit::kVector, 2, {}, 0});
  list.push_back({with_carry,
                  run_carry<F, true>,
                  Unit::kVector,
                  2,
                  {Kind::kWord, Kind::kLong, Kind::kWord, Kind::kWord, Kind::kLong},
                  0});
}

// D (64 bits) = a * b + c; the carry out of the sum.
template <bool kSigned>
void run_wide_product(Wave& wave, const Instruction& instruction) {
  const Source<U32> a(wave, instruction, 2);
  const Source<U32> b(wave, instruction, 3);
  const Source<U64> c(wave, instruction, 4);
  Destination<U64> result(wave, instruction);
  U64 carries = 0;
  for_active(wave, [&](int lane) {
    const U64 product =
        kSigned ? static_cast<U64>(I64{static_cast<std::int32_t>(a[lane])} * static_cast<std::int32_t>(b[lane]))
                : U64{a[lane]} * b[lane];
    const U64 addend = c[lane];
    const U64 sum = product + addend;
    // Of the signed form bit 64 of the sign-extended sum.
    const bool carry =
        kSigned ? (static_cast<U64>(sum < product) + (product >> 63U) + (addend >> 63U)) % 2 != 0 : sum < product;
    result.set(lane, sum);
    carries |= static_cast<U64>(carry) << lane;
  });
  write_mask(wave, instruction.operands[1], carries);
}

}  // namespace

OpcodeList vector_carry_opcodes(Architecture architecture) {
  const bool rdna = architecture == Architecture::kGfx1100;
  OpcodeList list;
  add_carry(list, "v_add_co_u32", rdna ? "v_add_co_ci_u32" : "v_addc_co_u32",
            [](U64 a, U64 b, U64 carry) { return a + b + carry; });
  add_carry(list, "v_sub_co_u32", rdna ? "v_sub_co_ci_u32" : "v_subb_co_u32",
            [](U64 a, U64 b, U64 carry) { return a - b - carry; });
  add_carry(list, "v_subrev_co_u32", rdna ? "v_subrev_co_ci_u32" : "v_subbrev_co_u32",
            [](U64 a, U64 b, U64 carry) { return b - a - carry; });
  const std::array<Kind, kOperands> kinds = {Kind::kLong, Kind::kLong, Kind::kWord, Kind::kWord, Kind::kLong};
  list.push_back({"v_mad_u64_u32", run_wide_product<false>, Unit::kVector, 2, kinds, 0});
  list.push_back({"v_mad_i64_i32", run_wide_product<true>, Unit::kVector, 2, kinds, 0});
  return list;
}

}  // namespace aaco::amd
