// SPDX-License-Identifier: MIT
// fp16 arithmetic, each result rounded once.
#include <bit>
#include <cmath>
#include <limits>

#include "half_arithmetic.h"
#include "lanes.h"

namespace aaco::amd {

OpcodeList vector_half_opcodes(Architecture architecture) {
  OpcodeList list;
  list.push_back(vector_op("v_add_f16", [](Half a, Half b) { return half_sum(a, b); }));
  list.push_back(vector_op("v_sub_f16", [](Half a, Half b) { return half_sum(a, negated(b)); }));
  list.push_back(vector_op("v_subrev_f16", [](Half a, Half b) { return half_sum(b, negated(a)); }));
  list.push_back(vector_op("v_mul_f16", [](Half a, Half b) { return half_product(a, b); }));
  list.push_back(vector_op("v_min_f16", [](Half a, Half b) { return half_minimum(a, b); }));
  list.push_back(vector_op("v_max_f16", [](Half a, Half b) { return half_maximum(a, b); }));
  list.push_back(vector_op("v_fma_f16", [](Half a, Half b, Half c) { return half_fused(a, b, c); }, kKeepsUpperHalf));
  list.push_back(accumulating_op("v_fmac_f16", [](Half a, Half b, Half d) { return half_fused(a, b, d); }));
  list.push_back(vector_op("v_rcp_f16", [](Half a) { return Half{to_half(1.0 / from_half(a.bits))}; }));
  list.push_back(vector_op("v_sqrt_f16", [](Half a) { return Half{to_half(std::sqrt(double{from_half(a.bits)}))}; }));
  list.push_back(vector_op("v_exp_f16", [](Half a) { return Half{to_half(std::exp2(double{from_half(a.bits)}))}; }));
  list.push_back(vector_op("v_log_f16", [](Half a) { return Half{to_half(std::log2(double{from_half(a.bits)}))}; }));
  list.push_back(vector_op("v_pack_b32_f16", [](Half a, Half b) -> std::uint32_t {
    return a.bits | (static_cast<std::uint32_t>(b.bits) << 16U);
  }));
  if (architecture == Architecture::kGfx1100) {
    // D += S0.lo * S1.lo, then += S0.hi * S1.hi, in fp32.
    list.push_back(accumulating_op("v_dot2acc_f32_f16", [](std::uint32_t a, std::uint32_t b, float d) {
      const float low = from_half(static_cast<std::uint16_t>(a)) * from_half(static_cast<std::uint16_t>(b));
      const float high =
          from_half(static_cast<std::uint16_t>(a >> 16U)) * from_half(static_cast<std::uint16_t>(b >> 16U));
      return d + low + high;
    }));
  }
  return list;
}

}  // namespace aaco::amd
