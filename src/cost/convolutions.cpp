// SPDX-License-Identifier: MIT
// Convolutions and pooling, any rank, group count and layout.
#include <array>

#include "cost/flops_rule.h"
#include "cost/shape_arithmetic.h"

namespace aaco::cost {
namespace {

// Multiply-adds per element on the filter's first axis. It leads in every layout, so this is channels per group times
// kernel positions for channels-first, channels-last and blocked filters alike.
double filter_length(const OpShape& op, size_t filter) { return input_elements(op, filter) / input_dim(op, filter, 0); }

double with_bias_sum_activation(const OpShape& op, double products) {
  const double per_output =
      (has_input(op, 2) ? 1.0 : 0.0) + (has_input(op, 3) ? 1.0 : 0.0) + fused_activation_flops(op);
  return products + per_output * output_elements(op);
}

// X, W, B, and for the fused forms a tensor that is added to the output.
double convolution(const OpShape& op) {
  return with_bias_sum_activation(op, 2 * output_elements(op) * filter_length(op, 1));
}

// Each input element meets each filter position once; the filter's first axis is the input channel.
double transposed_convolution(const OpShape& op) {
  return with_bias_sum_activation(op, 2 * input_elements(op, 0) * filter_length(op, 1));
}

double integer_convolution(const OpShape& op) { return 2 * output_elements(op) * filter_length(op, 1); }

double quantized_convolution(const OpShape& op) {
  return 2 * output_elements(op) * filter_length(op, 3) + (has_input(op, 8) ? output_elements(op) : 0);
}

double max_pool(const OpShape& op) { return (attribute_product(op, "kernel_shape") - 1) * output_elements(op); }
double average_pool(const OpShape& op) { return attribute_product(op, "kernel_shape") * output_elements(op); }
double lp_pool(const OpShape& op) { return 2 * attribute_product(op, "kernel_shape") * output_elements(op); }
double global_max_pool(const OpShape& op) { return input_elements(op, 0) - output_elements(op); }
double global_average_pool(const OpShape& op) { return input_elements(op, 0); }
double global_lp_pool(const OpShape& op) { return 2 * input_elements(op, 0); }

}  // namespace

std::span<const FlopsRule> convolution_rules() {
  static constexpr auto kRules = std::to_array<FlopsRule>({
      {"Conv", convolution},
      {"FusedConv", convolution},
      {"NhwcConv", convolution},
      {"NhwcFusedConv", convolution},
      {"ConvTranspose", transposed_convolution},
      {"ConvInteger", integer_convolution},
      {"QLinearConv", quantized_convolution},
      {"MaxPool", max_pool},
      {"NhwcMaxPool", max_pool},
      {"AveragePool", average_pool},
      {"QLinearAveragePool", average_pool},
      {"LpPool", lp_pool},
      {"GlobalMaxPool", global_max_pool},
      {"GlobalAveragePool", global_average_pool},
      {"QLinearGlobalAveragePool", global_average_pool},
      {"GlobalLpPool", global_lp_pool},
  });
  return kRules;
}

}  // namespace aaco::cost
