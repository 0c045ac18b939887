// SPDX-License-Identifier: MIT
// fp64 arithmetic. The device's reciprocal and roots are approximations that kernels refine; here they are rounded.
#include <cmath>

#include "lanes.h"

namespace aaco::amd {
namespace {

double minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) ? b : a;
  }
  return a < b || (a == b && std::signbit(a)) ? a : b;
}

double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) ? b : a;
  }
  return a > b || (a == b && std::signbit(b)) ? a : b;
}

}  // namespace

OpcodeList vector_double_opcodes(Architecture) {
  OpcodeList list;
  list.push_back(vector_op("v_add_f64", [](double a, double b) { return a + b; }));
  list.push_back(vector_op("v_mul_f64", [](double a, double b) { return a * b; }));
  list.push_back(vector_op("v_fma_f64", [](double a, double b, double c) { return std::fma(a, b, c); }));
  list.push_back(accumulating_op("v_fmac_f64", [](double a, double b, double d) { return std::fma(a, b, d); }));
  list.push_back(vector_op("v_min_f64", [](double a, double b) { return minimum(a, b); }));
  list.push_back(vector_op("v_max_f64", [](double a, double b) { return maximum(a, b); }));
  list.push_back(vector_op("v_ldexp_f64", [](double a, std::int32_t b) { return std::ldexp(a, b); }));
  list.push_back(vector_op("v_rcp_f64", [](double a) { return 1.0 / a; }));
  list.push_back(vector_op("v_rsq_f64", [](double a) { return 1.0 / std::sqrt(a); }));
  list.push_back(vector_op("v_sqrt_f64", [](double a) { return std::sqrt(a); }));
  list.push_back(vector_op("v_trunc_f64", [](double a) { return std::trunc(a); }));
  list.push_back(vector_op("v_ceil_f64", [](double a) { return std::ceil(a); }));
  list.push_back(vector_op("v_floor_f64", [](double a) { return std::floor(a); }));
  list.push_back(vector_op("v_rndne_f64", [](double a) { return std::nearbyint(a); }));
  list.push_back(vector_op("v_fract_f64", [](double a) { return std::min(a - std::floor(a), 0x1.fffffffffffffp-1); }));
  list.push_back(vector_op("v_frexp_mant_f64", [](double a) {
    int exponent = 0;
    return std::isfinite(a) ? std::frexp(a, &exponent) : a;
  }));
  list.push_back(vector_op("v_frexp_exp_i32_f64", [](double a) -> std::int32_t {
    int exponent = 0;
    static_cast<void>(std::isfinite(a) ? std::frexp(a, &exponent) : a);
    return exponent;
  }));
  return list;
}

}  // namespace aaco::amd
