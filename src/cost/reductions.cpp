// SPDX-License-Identifier: MIT
// Reductions count n - 1 operations for n elements that become one; softmax and normalisations count their passes over
// the elements and leave out what happens once per row.
#include <algorithm>
#include <array>

#include "cost/flops_rule.h"
#include "cost/shape_arithmetic.h"

namespace aaco::cost {
namespace {

double in(const OpShape& op) { return input_elements(op, 0); }
double out(const OpShape& op) { return output_elements(op); }

// Sum, product, minimum, maximum. Only of nothing do more elements become than there were.
double fold(const OpShape& op) {
  if (in(op) < out(op)) {
    return in(op) == 0 ? 0 : kUnknown;
  }
  return in(op)-out(op);
}
double fold_then_one(const OpShape& op) { return fold(op) + out(op); }  // mean, log of the sum
double map_then_fold(const OpShape& op) { return in(op) + fold(op); }   // sum of magnitudes or squares
double l2(const OpShape& op) { return in(op) + fold(op) + out(op); }
// maximum, subtract it, exp, sum, log, add it back
double log_sum_exp(const OpShape& op) { return 2 * in(op) + 2 * fold(op) + 2 * out(op); }

double one_pass(const OpShape& op) { return in(op); }
double softmax(const OpShape& op) { return 5 * in(op); }  // maximum, subtract, exp, sum, divide (or subtract the log)
double bias_softmax(const OpShape& op) { return 6 * in(op); }

double batch_normalization(const OpShape& op) {
  return attribute(op, "training_mode") != 0 ? kUnknown : 2 * in(op);  // the channel's factor and offset are constants
}

// mean, subtract it, square, sum, times the reciprocal deviation, scale; then the bias
double layer_normalization(const OpShape& op) { return (6.0 + (has_input(op, 2) ? 1 : 0)) * in(op); }
double full_normalization(const OpShape& op) { return 7 * in(op); }
// square, sum, times the reciprocal root, scale
double rms_normalization(const OpShape& op) { return 4 * in(op); }
// input, skip, gamma, beta, bias
double skip_layer_normalization(const OpShape& op) {
  return (7.0 + (has_input(op, 3) ? 1 : 0) + (has_input(op, 4) ? 1 : 0)) * in(op);
}
// input, skip, gamma, bias
double skip_rms_normalization(const OpShape& op) { return (5.0 + (has_input(op, 3) ? 1 : 0)) * in(op); }
// Two or three embeddings are added (segment_ids is the second input), then normalised.
double embed_layer_normalization(const OpShape& op) { return (8.0 + (has_input(op, 1) ? 1 : 0)) * out(op); }

double group_norm(const OpShape& op) {
  constexpr double kSilu = 5;
  return (7 + (attribute(op, "activation") != 0 ? kSilu : 0)) * in(op);
}
// X, gamma, beta, skip, bias
double skip_group_norm(const OpShape& op) { return group_norm(op) + (has_input(op, 4) ? 2 : 1) * in(op); }

double local_response_normalization(const OpShape& op) {
  const int64_t size = attribute(op, "size");
  // squares, their sum, scale, offset, power, divide
  return size > 0 ? (static_cast<double>(size) + 4) * in(op) : kUnknown;
}
double lp_normalization(const OpShape& op) { return 3 * in(op); }             // magnitude or square, sum, divide
double mean_variance_normalization(const OpShape& op) { return 5 * in(op); }  // mean, subtract, square, sum, divide

// minimum and maximum of the tensor, then divide, round, offset and two clamps
double dynamic_quantize(const OpShape& op) { return 7 * in(op); }

}  // namespace

std::span<const FlopsRule> reduction_rules() {
  static constexpr auto kRules = std::to_array<FlopsRule>({
      {"ReduceSum", fold},
      {"ReduceMax", fold},
      {"ReduceMin", fold},
      {"ReduceProd", fold},
      {"ReduceMean", fold_then_one},
      {"ReduceLogSum", fold_then_one},
      {"ReduceL1", map_then_fold},
      {"ReduceSumSquare", map_then_fold},
      {"ReduceL2", l2},
      {"ReduceLogSumExp", log_sum_exp},
      {"ReduceSumInteger", fold},
      {"ArgMax", fold},
      {"ArgMin", fold},
      {"CumSum", one_pass},
      {"CumProd", one_pass},
      {"NonZero", one_pass},
      {"Softmax", softmax},
      {"LogSoftmax", softmax},
      {"BiasSoftmax", bias_softmax},
      {"BatchNormalization", batch_normalization},
      {"InstanceNormalization", full_normalization},
      {"GroupNormalization", full_normalization},
      {"GroupNorm", group_norm},
      {"SkipGroupNorm", skip_group_norm},
      {"LayerNormalization", layer_normalization},
      {"SkipLayerNormalization", skip_layer_normalization},
      {"EmbedLayerNormalization", embed_layer_normalization},
      {"RMSNormalization", rms_normalization},
      {"SimplifiedLayerNormalization", rms_normalization},
      {"SkipSimplifiedLayerNormalization", skip_rms_normalization},
      {"LRN", local_response_normalization},
      {"LpNormalization", lp_normalization},
      {"MeanVarianceNormalization", mean_variance_normalization},
      {"DynamicQuantizeLinear", dynamic_quantize},
  });
  return kRules;
}

}  // namespace aaco::cost
