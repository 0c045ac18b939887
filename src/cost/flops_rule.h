// SPDX-License-Identifier: MIT
// How an operator gets its FLOP formula: a line in the table of its family. To add an operator, add a line there.
#pragma once

#include <span>
#include <string_view>

#include "cost/onnx_cost.h"

namespace aaco::cost {

// `flops` gives NaN where a shape that it needs is unknown.
struct FlopsRule {
  std::string_view op_type;
  double (*flops)(const OpShape& op);
};

std::span<const FlopsRule> product_rules();      // matrix products, Einsum
std::span<const FlopsRule> convolution_rules();  // convolutions and pooling
std::span<const FlopsRule> reduction_rules();    // reductions, softmax, normalisations
std::span<const FlopsRule> attention_rules();
std::span<const FlopsRule> recurrent_rules();

// Operators of other domains share names with those that are known here, but not meanings.
bool has_known_domain(const OpShape& op);

// Attention on a cache whose buffer is longer than the past: how many keys are valid is in no shape.
bool hides_past_length(const OpShape& op);

// FLOPs per output element of an element-wise operator, data movement (0) included; NaN for other operators.
double elementwise_flops_per_output(const OpShape& op);

// Per element, of the activation that a fused operator applies (its string attribute "activation"); 0 without one.
double fused_activation_flops(const OpShape& op);

}  // namespace aaco::cost
