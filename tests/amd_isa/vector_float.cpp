// SPDX-License-Identifier: MIT
// fp32 arithmetic. Reciprocals, roots, exponentials and logarithms are of one unit in the last place on the device;
// here they are rounded from fp64, and as on the device denormals count as zero in them.
#include <bit>
#include <cmath>
#include <limits>

#include "lanes.h"

namespace aaco::amd {
namespace {

float flushed(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value; }

template <class F>
Opcode transcendental(std::string name, F) {
  return vector_op(std::move(name),
                   [](float a) { return flushed(static_cast<float>(F{}(static_cast<double>(flushed(a))))); });
}

// Of a NaN the other operand; of a signaling NaN, in the mode in which HIP's kernels run (IEEE), the NaN, quiet.
float beside_nan(float a, float b) {
  for (const float value : {a, b}) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value) && (bits & 0x40'0000U) == 0) {
      return std::bit_cast<float>(bits | 0x40'0000U);
    }
  }
  return std::isnan(a) ? b : a;
}

// -0 is below +0.
float minimum(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) {
    return beside_nan(a, b);
  }
  return a < b || (a == b && std::signbit(a)) ? a : b;
}

float maximum(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) {
    return beside_nan(a, b);
  }
  return a > b || (a == b && std::signbit(b)) ? a : b;
}

float median(float a, float b, float c) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(c)) {
    return minimum(minimum(a, b), c);
  }
  return maximum(minimum(a, b), minimum(maximum(a, b), c));
}

void add_arithmetic(OpcodeList& list, Architecture architecture) {
  list.push_back(vector_op("v_add_f32", [](float a, float b) { return a + b; }));
  list.push_back(vector_op("v_sub_f32", [](float a, float b) { return a - b; }));
  list.push_back(vector_op("v_subrev_f32", [](float a, float b) { return b - a; }));
  list.push_back(vector_op("v_mul_f32", [](float a, float b) { return a * b; }));
  // Zero times anything is zero.
  list.push_back(vector_op(architecture == Architecture::kGfx942 ? "v_mul_legacy_f32" : "v_mul_dx9_zero_f32",
                           [](float a, float b) { return a == 0 || b == 0 ? 0.0F : a * b; }));
  list.push_back(vector_op("v_min_f32", [](float a, float b) { return minimum(a, b); }));
  list.push_back(vector_op("v_max_f32", [](float a, float b) { return maximum(a, b); }));
  list.push_back(vector_op("v_min3_f32", [](float a, float b, float c) { return minimum(minimum(a, b), c); }));
  list.push_back(vector_op("v_max3_f32", [](float a, float b, float c) { return maximum(maximum(a, b), c); }));
  list.push_back(vector_op("v_med3_f32", [](float a, float b, float c) { return median(a, b, c); }));
}

void add_fused(OpcodeList& list) {
  list.push_back(vector_op("v_fma_f32", [](float a, float b, float c) { return std::fma(a, b, c); }));
  list.push_back(accumulating_op("v_fmac_f32", [](float a, float b, float d) { return std::fma(a, b, d); }));
  // With a literal as factor (fmamk) or as addend (fmaak): the text has both in the places of a fused product and sum.
  list.push_back(vector_op("v_fmamk_f32", [](float a, float k, float b) { return std::fma(a, k, b); }));
  list.push_back(vector_op("v_fmaak_f32", [](float a, float b, float k) { return std::fma(a, b, k); }));
}

void add_rounding(OpcodeList& list) {
  list.push_back(vector_op("v_trunc_f32", [](float a) { return std::trunc(a); }));
  list.push_back(vector_op("v_ceil_f32", [](float a) { return std::ceil(a); }));
  list.push_back(vector_op("v_floor_f32", [](float a) { return std::floor(a); }));
  list.push_back(vector_op("v_rndne_f32", [](float a) { return std::nearbyint(a); }));
  list.push_back(vector_op("v_fract_f32", [](float a) { return std::min(a - std::floor(a), 0x1.fffffep-1F); }));
  list.push_back(vector_op("v_ldexp_f32", [](float a, std::int32_t b) { return std::ldexp(a, b); }));
  // The mantissa in [0.5, 1) and its exponent, as frexp has them; of infinities and NaN themselves and zero.
  list.push_back(vector_op("v_frexp_mant_f32", [](float a) {
    int exponent = 0;
    return std::isfinite(a) ? std::frexp(a, &exponent) : a;
  }));
  list.push_back(vector_op("v_frexp_exp_i32_f32", [](float a) -> std::int32_t {
    int exponent = 0;
    static_cast<void>(std::isfinite(a) ? std::frexp(a, &exponent) : a);
    return exponent;
  }));
}

void add_transcendental(OpcodeList& list) {
  list.push_back(transcendental("v_exp_f32", [](double a) { return std::exp2(a); }));
  list.push_back(transcendental("v_log_f32", [](double a) { return std::log2(a); }));
  list.push_back(transcendental("v_rcp_f32", [](double a) { return 1.0 / a; }));
  list.push_back(transcendental("v_rcp_iflag_f32", [](double a) { return 1.0 / a; }));
  list.push_back(transcendental("v_rsq_f32", [](double a) { return 1.0 / std::sqrt(a); }));
  list.push_back(transcendental("v_sqrt_f32", [](double a) { return std::sqrt(a); }));
  // The operand is in turns.
  list.push_back(transcendental("v_sin_f32", [](double a) { return std::sin(a * 6.283185307179586); }));
  list.push_back(transcendental("v_cos_f32", [](double a) { return std::cos(a * 6.283185307179586); }));
}

}  // namespace

OpcodeList vector_float_opcodes(Architecture architecture) {
  OpcodeList list;
  add_arithmetic(list, architecture);
  add_fused(list);
  add_rounding(list);
  add_transcendental(list);
  return list;
}

}  // namespace aaco::amd
