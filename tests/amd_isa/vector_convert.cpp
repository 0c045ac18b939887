// SPDX-License-Identifier: MIT
// Conversions. To integers they truncate and saturate; a NaN becomes zero.
#include <cmath>
#include <limits>

#include "lanes.h"

namespace aaco::amd {
namespace {

using U32 = std::uint32_t;
using I32 = std::int32_t;

template <class To, class From>
To saturated(From value) {
  if (std::isnan(value)) {
    return 0;
  }
  const auto wide = static_cast<double>(value);
  if (wide <= static_cast<double>(std::numeric_limits<To>::min())) {
    return std::numeric_limits<To>::min();
  }
  return wide >= static_cast<double>(std::numeric_limits<To>::max()) ? std::numeric_limits<To>::max()
                                                                     : static_cast<To>(wide);
}

template <U32 kByte>
Opcode from_byte() {
  return vector_op("v_cvt_f32_ubyte" + std::to_string(kByte),
                   [](U32 a) { return static_cast<float>((a >> (8 * kByte)) & 0xffU); });
}

std::uint16_t half_towards_zero(float value) {
  const std::uint16_t nearest = to_half(value);
  const bool away = std::fabs(from_half(nearest)) > std::fabs(value);  // never of a NaN
  return away ? static_cast<std::uint16_t>(nearest - 1U) : nearest;
}

}  // namespace

OpcodeList vector_convert_opcodes(Architecture architecture) {
  OpcodeList list;
  list.push_back(vector_op("v_cvt_f32_f16", [](Half a) { return from_half(a.bits); }));
  list.push_back(vector_op("v_cvt_f16_f32", [](float a) { return Half{to_half(a)}; }));
  list.push_back(vector_op("v_cvt_f32_u32", [](U32 a) { return static_cast<float>(a); }));
  list.push_back(vector_op("v_cvt_f32_i32", [](I32 a) { return static_cast<float>(a); }));
  list.push_back(vector_op("v_cvt_u32_f32", [](float a) { return saturated<U32>(a); }));
  list.push_back(vector_op("v_cvt_i32_f32", [](float a) { return saturated<I32>(a); }));
  list.push_back(vector_op("v_cvt_f64_f32", [](float a) { return static_cast<double>(a); }));
  list.push_back(vector_op("v_cvt_f32_f64", [](double a) { return static_cast<float>(a); }));
  list.push_back(vector_op("v_cvt_f64_u32", [](U32 a) { return static_cast<double>(a); }));
  list.push_back(vector_op("v_cvt_f64_i32", [](I32 a) { return static_cast<double>(a); }));
  list.push_back(vector_op("v_cvt_u32_f64", [](double a) { return saturated<U32>(a); }));
  list.push_back(vector_op("v_cvt_i32_f64", [](double a) { return saturated<I32>(a); }));
  list.push_back(vector_op("v_cvt_f16_u16", [](std::uint16_t a) { return Half{to_half(a)}; }));
  list.push_back(vector_op("v_cvt_f16_i16", [](std::int16_t a) { return Half{to_half(a)}; }));
  list.push_back(from_byte<0>());
  list.push_back(from_byte<1>());
  list.push_back(from_byte<2>());
  list.push_back(from_byte<3>());
  const bool rdna = architecture == Architecture::kGfx1100;
  list.push_back(vector_op(rdna ? "v_cvt_pk_rtz_f16_f32" : "v_cvt_pkrtz_f16_f32", [](float a, float b) -> U32 {
    return half_towards_zero(a) | (static_cast<U32>(half_towards_zero(b)) << 16U);
  }));
  list.push_back(vector_op(rdna ? "v_cvt_floor_i32_f32" : "v_cvt_flr_i32_f32",
                           [](float a) { return saturated<I32>(std::floor(a)); }));
  return list;
}

}  // namespace aaco::amd
