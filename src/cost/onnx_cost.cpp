// SPDX-License-Identifier: MIT
#include "cost/onnx_cost.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cost/flops_rule.h"
#include "cost/shape_arithmetic.h"

namespace aaco {
namespace {

double flops_or_unknown(const OpShape& op) {
  for (const auto rules : {cost::product_rules(), cost::convolution_rules(), cost::reduction_rules(),
                           cost::attention_rules(), cost::recurrent_rules()}) {
    for (const cost::FlopsRule& rule : rules) {
      if (rule.op_type == op.op_type) {
        return rule.flops(op);
      }
    }
  }
  const double per_output = cost::elementwise_flops_per_output(op);
  return per_output == 0 ? 0 : per_output * cost::output_elements(op);
}

}  // namespace

bool cost::has_known_domain(const OpShape& op) {
  constexpr std::array<std::string_view, 5> kDomains = {"", "ai.onnx", "com.microsoft", "com.microsoft.nchwc",
                                                        "com.ms.internal.nhwc"};
  return std::find(kDomains.begin(), kDomains.end(), op.domain) != kDomains.end();
}

std::optional<double> op_flops(const OpShape& op) {
  if (!cost::has_known_domain(op) || cost::hides_past_length(op)) {
    return std::nullopt;
  }
  const double flops = flops_or_unknown(op);
  // Shapes that no valid operator has may give a negative count or one beyond double's range.
  return std::isfinite(flops) && flops >= 0 ? std::optional(flops) : std::nullopt;
}

std::optional<double> dtype_bytes(std::string_view dtype) {
  struct Size {
    std::string_view dtype;
    double bytes;
  };
  static constexpr auto kSizes = std::to_array<Size>({
      {"float32", 4},       {"float16", 2},        {"bfloat16", 2},   {"float64", 8},        {"int64", 8},
      {"int32", 4},         {"int16", 2},          {"int8", 1},       {"uint64", 8},         {"uint32", 4},
      {"uint16", 2},        {"uint8", 1},          {"bool", 1},       {"complex64", 8},      {"complex128", 16},
      {"float8e4m3fn", 1},  {"float8e4m3fnuz", 1}, {"float8e5m2", 1}, {"float8e5m2fnuz", 1}, {"float8e8m0", 1},
      {"int4", 0.5},        {"uint4", 0.5},        {"int2", 0.25},    {"uint2", 0.25},       {"float4e2m1", 0.5},
      {"float6e2m3", 0.75}, {"float6e3m2", 0.75},
  });
  const auto position =
      std::find_if(kSizes.begin(), kSizes.end(), [&](const Size& size) { return size.dtype == dtype; });
  return position == kSizes.end() ? std::nullopt : std::optional(position->bytes);
}

}  // namespace aaco
