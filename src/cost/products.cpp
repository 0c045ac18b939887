// SPDX-License-Identifier: MIT
// Matrix products: two FLOPs for each multiply-add, that is 2 x output elements x length of the contracted axis.
#include <array>
#include <cstddef>
#include <map>
#include <set>

#include "cost/flops_rule.h"
#include "cost/shape_arithmetic.h"

namespace aaco::cost {
namespace {

double product(const OpShape& op, int contracted_axis) {
  return 2 * output_elements(op) * input_dim(op, 0, contracted_axis);
}

double bias(const OpShape& op, size_t index) { return has_input(op, index) ? output_elements(op) : 0; }

double matmul(const OpShape& op) { return product(op, -1); }

// transBatchA moves the first axis of A behind its batch axes before transA swaps the last two.
double fused_matmul(const OpShape& op) {
  const bool transposed = attribute(op, "transA") != 0;
  const int axis = !transposed ? -1 : attribute(op, "transBatchA") != 0 ? 0 : -2;
  return product(op, axis) + output_elements(op) * fused_activation_flops(op);
}

double gemm(const OpShape& op) {
  return product(op, attribute(op, "transA") != 0 ? 0 : 1) + bias(op, 2) +
         output_elements(op) * fused_activation_flops(op);
}

double quantized_gemm(const OpShape& op) { return product(op, attribute(op, "transA") != 0 ? 0 : 1) + bias(op, 6); }

double matmul_with_bias_4(const OpShape& op) { return matmul(op) + bias(op, 4); }
double matmul_nbits(const OpShape& op) { return matmul(op) + bias(op, 5); }
double matmul_integer_to_float(const OpShape& op) { return matmul(op) + bias(op, 6); }

double gemm_fast_gelu(const OpShape& op) {
  constexpr double kFastGelu = 8;
  return matmul(op) + bias(op, 2) + kFastGelu * output_elements(op);
}

// The labels of an equation without ellipsis, one string per term; empty when it is not of that kind.
std::vector<std::string> equation_terms(const std::string& equation) {
  std::vector<std::string> terms(1);
  for (size_t i = 0; i < equation.size(); ++i) {
    const char label = equation[i];
    if (label == ' ') {
      continue;
    }
    if (label == ',') {
      terms.emplace_back();
    } else if (label == '-' && i + 1 < equation.size() && equation[i + 1] == '>') {
      terms.emplace_back();
      ++i;
    } else if ((label >= 'a' && label <= 'z') || (label >= 'A' && label <= 'Z')) {
      terms.back() += label;
    } else {
      return {};
    }
  }
  return equation.find("->") == std::string::npos ? std::vector<std::string>{} : terms;
}

// Two operands as one nest of loops over all labels: a multiplication each, and an addition where a label is summed.
double einsum(const OpShape& op) {
  const auto equation = op.string_attributes.find("equation");
  if (equation == op.string_attributes.end() || op.input_shapes.size() != 2) {
    return kUnknown;
  }
  const std::vector<std::string> terms = equation_terms(equation->second);
  if (terms.size() != 3) {
    return kUnknown;
  }
  std::map<char, double> sizes;
  for (size_t operand = 0; operand < 2; ++operand) {
    if (terms[operand].size() != op.input_shapes[operand].size()) {
      return kUnknown;
    }
    for (size_t axis = 0; axis < terms[operand].size(); ++axis) {
      double& size = sizes.try_emplace(terms[operand][axis], 1).first->second;
      const double here = input_dim(op, operand, static_cast<int>(axis));
      size = here == 1 ? size : here;  // a length of 1 is broadcast
    }
  }
  double loops = 1;
  for (const auto& [label, size] : sizes) {
    loops *= size;
  }
  const bool sums = sizes.size() > std::set<char>(terms[2].begin(), terms[2].end()).size();
  return sums ? 2 * loops : loops;
}

}  // namespace

std::span<const FlopsRule> product_rules() {
  static constexpr auto kRules = std::to_array<FlopsRule>({
      {"MatMul", matmul},
      {"Gemm", gemm},
      {"FusedMatMul", fused_matmul},
      {"TransposeMatMul", fused_matmul},
      {"FusedMatMulActivation", fused_matmul},
      {"FusedGemm", gemm},
      {"GemmFastGelu", gemm_fast_gelu},
      {"MatMulInteger", matmul},
      {"MatMulInteger16", matmul},
      {"QLinearMatMul", matmul},
      {"MatMulIntegerToFloat", matmul_integer_to_float},
      {"DynamicQuantizeMatMul", matmul_with_bias_4},
      {"QGemm", quantized_gemm},
      {"MatMulNBits", matmul_nbits},
      {"MatMulBnb4", matmul},
      {"Einsum", einsum},
  });
  return kRules;
}

}  // namespace aaco::cost
