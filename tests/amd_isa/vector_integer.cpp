// SPDX-License-Identifier: MIT
// Integer and bitwise vector operations.
#include <algorithm>
#include <bit>

#include "lanes.h"

namespace aaco::amd {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
using I32 = std::int32_t;
using I64 = std::int64_t;

U32 low24(U32 a) { return a & 0xff'ffffU; }
I32 signed24(U32 a) { return static_cast<I32>(a << 8U) >> 8; }

void add_sums(OpcodeList& list, bool rdna) {
  const std::string middle = rdna ? "_nc_u32" : "_u32";
  list.push_back(vector_op("v_add" + middle, [](U32 a, U32 b) { return a + b; }));
  list.push_back(vector_op("v_sub" + middle, [](U32 a, U32 b) { return a - b; }));
  list.push_back(vector_op("v_subrev" + middle, [](U32 a, U32 b) { return b - a; }));
  list.push_back(vector_op(rdna ? "v_add_nc_i32" : "v_add_i32", [](U32 a, U32 b) { return a + b; }));
  list.push_back(vector_op(rdna ? "v_sub_nc_i32" : "v_sub_i32", [](U32 a, U32 b) { return a - b; }));
  list.push_back(vector_op("v_add3_u32", [](U32 a, U32 b, U32 c) { return a + b + c; }));
  list.push_back(vector_op("v_lshl_add_u32", [](U32 a, U32 b, U32 c) { return (a << (b & 31U)) + c; }));
  list.push_back(vector_op("v_add_lshl_u32", [](U32 a, U32 b, U32 c) { return (a + b) << (c & 31U); }));
  list.push_back(vector_op("v_xad_u32", [](U32 a, U32 b, U32 c) { return (a ^ b) + c; }));
  list.push_back(vector_op("v_lshl_add_u64", [](U64 a, U32 b, U64 c) { return (a << (b & 7U)) + c; }));
  list.push_back(vector_op(rdna ? "v_add_nc_u16" : "v_add_u16", [](U16 a, U16 b) { return static_cast<U16>(a + b); }));
  list.push_back(vector_op(rdna ? "v_sub_nc_u16" : "v_sub_u16", [](U16 a, U16 b) { return static_cast<U16>(a - b); }));
}

void add_products(OpcodeList& list) {
  list.push_back(vector_op("v_mul_lo_u32", [](U32 a, U32 b) { return a * b; }));
  list.push_back(vector_op("v_mul_hi_u32", [](U32 a, U32 b) { return static_cast<U32>((U64{a} * b) >> 32U); }));
  list.push_back(vector_op("v_mul_hi_i32", [](I32 a, I32 b) { return static_cast<I32>((I64{a} * b) >> 32); }));
  list.push_back(vector_op("v_mul_u32_u24", [](U32 a, U32 b) { return low24(a) * low24(b); }));
  list.push_back(
      vector_op("v_mul_hi_u32_u24", [](U32 a, U32 b) { return static_cast<U32>((U64{low24(a)} * low24(b)) >> 32U); }));
  list.push_back(
      vector_op("v_mul_i32_i24", [](U32 a, U32 b) { return static_cast<U32>(I64{signed24(a)} * signed24(b)); }));
  list.push_back(vector_op("v_mad_u32_u24", [](U32 a, U32 b, U32 c) { return low24(a) * low24(b) + c; }));
  list.push_back(vector_op("v_mad_i32_i24",
                           [](U32 a, U32 b, U32 c) { return static_cast<U32>(I64{signed24(a)} * signed24(b)) + c; }));
  list.push_back(vector_op("v_mul_lo_u16", [](U16 a, U16 b) { return static_cast<U16>(U32{a} * b); }));
}

void add_bitwise(OpcodeList& list) {
  list.push_back(vector_op("v_and_b32", [](U32 a, U32 b) { return a & b; }));
  list.push_back(vector_op("v_or_b32", [](U32 a, U32 b) { return a | b; }));
  list.push_back(vector_op("v_xor_b32", [](U32 a, U32 b) { return a ^ b; }));
  list.push_back(vector_op("v_xnor_b32", [](U32 a, U32 b) { return ~(a ^ b); }));
  list.push_back(vector_op("v_not_b32", [](U32 a) { return ~a; }));
  list.push_back(vector_op("v_and_or_b32", [](U32 a, U32 b, U32 c) { return (a & b) | c; }));
  list.push_back(vector_op("v_or3_b32", [](U32 a, U32 b, U32 c) { return a | b | c; }));
  list.push_back(vector_op("v_xor3_b32", [](U32 a, U32 b, U32 c) { return a ^ b ^ c; }));
  list.push_back(vector_op("v_lshl_or_b32", [](U32 a, U32 b, U32 c) { return (a << (b & 31U)) | c; }));
  list.push_back(vector_op("v_bfi_b32", [](U32 a, U32 b, U32 c) { return (a & b) | (~a & c); }));
}

void add_shifts(OpcodeList& list) {
  list.push_back(vector_op("v_lshlrev_b32", [](U32 a, U32 b) { return b << (a & 31U); }));
  list.push_back(vector_op("v_lshrrev_b32", [](U32 a, U32 b) { return b >> (a & 31U); }));
  list.push_back(vector_op("v_ashrrev_i32", [](U32 a, I32 b) { return b >> (a & 31U); }));
  list.push_back(vector_op("v_lshlrev_b64", [](U32 a, U64 b) { return b << (a & 63U); }));
  list.push_back(vector_op("v_lshrrev_b64", [](U32 a, U64 b) { return b >> (a & 63U); }));
  list.push_back(vector_op("v_ashrrev_i64", [](U32 a, I64 b) { return b >> (a & 63U); }));
  list.push_back(vector_op("v_lshlrev_b16", [](U16 a, U16 b) { return static_cast<U16>(b << (a & 15U)); }));
  list.push_back(vector_op("v_lshrrev_b16", [](U16 a, U16 b) { return static_cast<U16>(b >> (a & 15U)); }));
  list.push_back(vector_op("v_alignbit_b32",
                           [](U32 a, U32 b, U32 c) { return static_cast<U32>(((U64{a} << 32U) | b) >> (c & 31U)); }));
  list.push_back(vector_op("v_alignbyte_b32", [](U32 a, U32 b, U32 c) {
    return static_cast<U32>(((U64{a} << 32U) | b) >> (8U * (c & 3U)));
  }));
}

// A field of c bits of a from bit b on.
void add_fields(OpcodeList& list) {
  list.push_back(
      vector_op("v_bfe_u32", [](U32 a, U32 b, U32 c) { return (a >> (b & 31U)) & ((1U << (c & 31U)) - 1U); }));
  list.push_back(vector_op("v_bfe_i32", [](U32 a, U32 b, U32 c) {
    const U32 size = c & 31U;
    const U32 field = (a >> (b & 31U)) & ((1U << size) - 1U);
    const U32 sign = size == 0 ? 0 : 1U << (size - 1U);
    return (field ^ sign) - sign;
  }));
  list.push_back(vector_op("v_bfm_b32", [](U32 a, U32 b) { return ((1U << (a & 31U)) - 1U) << (b & 31U); }));
  list.push_back(vector_op("v_bfrev_b32", [](U32 a) {
    U32 result = 0;
    for (U32 bit = 0; bit < 32; ++bit) {
      result |= ((a >> bit) & 1U) << (31U - bit);
    }
    return result;
  }));
  list.push_back(vector_op("v_bcnt_u32_b32", [](U32 a, U32 b) { return static_cast<U32>(std::popcount(a)) + b; }));
  // Each byte of c chooses one of the eight bytes of a:b, or a sign, or a constant.
  list.push_back(vector_op("v_perm_b32", [](U32 a, U32 b, U32 c) {
    const U64 bytes = (U64{a} << 32U) | b;
    U32 result = 0;
    for (U32 place = 0; place < 4; ++place) {
      const U32 choice = (c >> (8U * place)) & 0xffU;
      U32 byte = 0xff;
      if (choice < 8) {
        byte = static_cast<U32>(bytes >> (8U * choice)) & 0xffU;
      } else if (choice < 12) {  // the sign of byte 1, 3, 5 or 7
        byte = ((bytes >> (16U * (choice - 8U) + 15U)) & 1U) != 0 ? 0xff : 0;
      } else if (choice == 12) {
        byte = 0;
      }
      result |= byte << (8U * place);
    }
    return result;
  }));
}

// The first bit that is set from below or above, and the first that is not as the sign; -1 where there is none.
void add_searches(OpcodeList& list, bool rdna) {
  list.push_back(
      vector_op(rdna ? "v_ctz_i32_b32" : "v_ffbl_b32", [](U32 a) -> I32 { return a == 0 ? -1 : std::countr_zero(a); }));
  list.push_back(
      vector_op(rdna ? "v_clz_i32_u32" : "v_ffbh_u32", [](U32 a) -> I32 { return a == 0 ? -1 : std::countl_zero(a); }));
  list.push_back(vector_op(rdna ? "v_cls_i32" : "v_ffbh_i32", [](U32 a) -> I32 {
    const U32 same = (a & 0x8000'0000U) != 0 ? ~a : a;
    return same == 0 ? -1 : std::countl_zero(same);
  }));
}

template <class T>
void add_extrema(OpcodeList& list, const std::string& type) {
  list.push_back(vector_op("v_min_" + type, [](T a, T b) { return std::min(a, b); }));
  list.push_back(vector_op("v_max_" + type, [](T a, T b) { return std::max(a, b); }));
  if constexpr (sizeof(T) == 4) {
    list.push_back(vector_op("v_min3_" + type, [](T a, T b, T c) { return std::min(std::min(a, b), c); }));
    list.push_back(vector_op("v_max3_" + type, [](T a, T b, T c) { return std::max(std::max(a, b), c); }));
    list.push_back(vector_op("v_med3_" + type,
                             [](T a, T b, T c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }));
  }
}

}  // namespace

OpcodeList vector_integer_opcodes(Architecture architecture) {
  const bool rdna = architecture == Architecture::kGfx1100;
  OpcodeList list;
  list.push_back(vector_op("v_mov_b32", [](U32 a) { return a; }));
  list.push_back(vector_op("v_mov_b64", [](U64 a) { return a; }));
  add_sums(list, rdna);
  add_products(list);
  add_bitwise(list);
  add_shifts(list);
  add_fields(list);
  add_searches(list, rdna);
  add_extrema<U32>(list, "u32");
  add_extrema<I32>(list, "i32");
  add_extrema<std::uint16_t>(list, "u16");
  add_extrema<std::int16_t>(list, "i16");
  return list;
}

}  // namespace aaco::amd
