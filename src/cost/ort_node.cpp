// SPDX-License-Identifier: MIT
#include "cost/ort_node.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "cost/flops_rule.h"
#include "cost/onnx_cost.h"
#include "cost/shape_arithmetic.h"

namespace aaco {

namespace {

using Shape = std::vector<int64_t>;

struct ProductRule {
  std::string_view op_type;
  bool has_bias = false;         // an optional third operand that is added
  bool may_transpose_a = false;  // by an attribute
};
constexpr auto kProducts = std::to_array<ProductRule>({
    {"MatMul"},
    {"FusedMatMul", false, true},
    {"MatMulInteger"},
    {"Gemm", true, true},
    {"FusedGemm", true, true},
});

struct ConvolutionRule {
  std::string_view op_type;
  size_t filter = 1;  // which input
};
constexpr auto kConvolutions = std::to_array<ConvolutionRule>({
    {"Conv"},
    {"FusedConv"},
    {"NhwcConv"},
    {"NhwcFusedConv"},
    {"ConvTranspose"},
    {"ConvInteger"},
    {"QLinearConv", 3},
});

// Those whose formula asks for an attribute, for an input by a place that one left out before it moves, or for what is
// no tensor and thus not recorded.
constexpr auto kNeedsMore = std::to_array<std::string_view>({"Resize",
                                                             "Upsample",
                                                             "ScatterElements",
                                                             "ScatterND",
                                                             "Gelu",
                                                             "BatchNormalization",
                                                             "GroupNorm",
                                                             "SkipGroupNorm",
                                                             "EmbedLayerNormalization",
                                                             "GatherBlockQuantized",
                                                             "RotaryEmbedding",
                                                             "Attention",
                                                             "MultiHeadAttention",
                                                             "GroupQueryAttention",
                                                             "RNN",
                                                             "GRU",
                                                             "LSTM",
                                                             "TransposeMatMul",
                                                             "FusedMatMulActivation",
                                                             "GemmFastGelu",
                                                             "MatMulInteger16",
                                                             "QLinearMatMul",
                                                             "MatMulIntegerToFloat",
                                                             "DynamicQuantizeMatMul",
                                                             "QGemm",
                                                             "MatMulNBits",
                                                             "MatMulBnb4",
                                                             "SequenceAt",
                                                             "SequenceLength",
                                                             "SequenceErase",
                                                             "SequenceInsert",
                                                             "ConcatFromSequence"});

constexpr std::string_view kNoShapes = "the shapes of its tensors are not recorded";

template <class Rules>
const typename Rules::value_type* find_rule(const Rules& rules, std::string_view op_type) {
  const auto rule =
      std::find_if(rules.begin(), rules.end(), [&](const auto& candidate) { return candidate.op_type == op_type; });
  return rule == rules.end() ? nullptr : &*rule;
}

OpShape op_shape(const OrtNode& node) {
  OpShape op;
  op.op_type = node.op_type;
  for (const OrtTensor& tensor : node.inputs) {
    op.input_shapes.push_back(tensor.dims);
    op.input_dtypes.push_back(tensor.dtype);
  }
  for (const OrtTensor& tensor : node.outputs) {
    op.output_shapes.push_back(tensor.dims);
    op.output_dtypes.push_back(tensor.dtype);
  }
  return op;
}

bool is_floating(std::string_view dtype) { return dtype.starts_with("float") || dtype.starts_with("bfloat"); }

// Where integers go in or come out beside floating point (quantisation), the arithmetic is floating point.
std::string arithmetic_dtype(const OrtNode& node) {
  for (const auto& tensors : {node.outputs, node.inputs}) {
    if (!tensors.empty() && is_floating(tensors.front().dtype)) {
      return tensors.front().dtype;
    }
  }
  return node.inputs.empty() ? node.outputs.front().dtype : node.inputs.front().dtype;
}

// The matrices that a product takes, where the shapes of the first and of the result tell. A [.., m, k] or, where an
// attribute transposes it, [.., k, m]: where both would do they are the same.
std::optional<MatrixProduct> product_of(const Shape& a, const Shape& result, bool may_transpose) {
  if (a.size() < 2 || result.size() < 2) {
    return std::nullopt;
  }
  MatrixProduct product;
  product.m = result[result.size() - 2];
  product.n = result.back();
  const int64_t row = a[a.size() - 2];
  if (row != product.m && (!may_transpose || a.back() != product.m)) {
    return std::nullopt;
  }
  product.k = row == product.m ? a.back() : row;
  const bool counted = product.m > 0 && product.n > 0;
  const double batch =
      counted ? cost::elements(result) / (static_cast<double>(product.m) * static_cast<double>(product.n)) : 0;
  product.batch = batch < 9e15 ? static_cast<int64_t>(batch) : kUnknownDim;
  return product;
}

// Its axes before the last two, as they are broadcast to the result's; else A was transposed with its batch.
bool has_batch_of(const Shape& a, const Shape& result) {
  if (a.size() > result.size()) {
    return false;
  }
  for (size_t i = 3; i <= a.size(); ++i) {
    const int64_t size = a[a.size() - i];
    if (size != 1 && size != result[result.size() - i]) {
      return false;
    }
  }
  return true;
}

bool is_second_operand(const Shape& shape, const MatrixProduct& product) {
  if (shape.size() < 2) {
    return false;
  }
  const int64_t row = shape[shape.size() - 2];
  const int64_t column = shape.back();
  return (row == product.k && column == product.n) || (row == product.n && column == product.k);
}

CallWork product_work(const OrtNode& node, const ProductRule& rule) {
  const OrtTensor& a = node.inputs.front();
  const OrtTensor& result = node.outputs.front();
  const auto product = product_of(a.dims, result.dims, rule.may_transpose_a);
  if (!product || !has_batch_of(a.dims, result.dims)) {
    return unknown_work(OpFamily::kProduct, "the shapes of its operands do not tell what it multiplies");
  }
  OpShape op = op_shape(node);
  const bool packed = node.inputs.size() < 2 || !is_second_operand(node.inputs[1].dims, *product);
  if (packed) {
    op.input_shapes.insert(op.input_shapes.begin() + 1, {product->k, product->n});
    op.input_dtypes.insert(op.input_dtypes.begin() + 1, a.dtype);
  }
  CallWork work;
  work.family = OpFamily::kProduct;
  work.matrix = true;
  work.dtype = a.dtype;
  work.product = product;
  const double sums = cost::elements(result.dims);
  const double length = cost::elements({product->k});
  const bool added = rule.has_bias && op.input_shapes.size() > 2;
  work.flops = sums * (2 * length + (added ? 1 : 0));
  work.bytes = op_bytes(op);
  return work;
}

CallWork convolution_work(const OrtNode& node, const ConvolutionRule& rule) {
  // The filter has the rank of what it slides over. What moved into the place of one packed ahead has not, or is added
  // to the result and has its shape.
  const Shape& input = node.inputs[0].dims;
  const Shape filter = node.inputs.size() > rule.filter ? node.inputs[rule.filter].dims : Shape();
  if (filter.size() != input.size() || filter.size() < 3 || filter == node.outputs[0].dims) {
    return unknown_work(OpFamily::kConvolution, "its filter was packed ahead and is not in the profile");
  }
  const OpShape op = op_shape(node);
  CallWork work;
  work.family = OpFamily::kConvolution;
  work.matrix = true;
  work.dtype = node.inputs[0].dtype;
  work.flops = op_flops(op);
  work.bytes = op_bytes(op);
  return work;
}

OpFamily family_of(const OrtNode& node, const std::optional<double>& flops) {
  const auto in = [&](std::span<const cost::FlopsRule> rules) {
    return std::any_of(rules.begin(), rules.end(), [&](const auto& rule) { return rule.op_type == node.op_type; });
  };
  if (in(cost::product_rules())) {
    return OpFamily::kProduct;
  }
  if (in(cost::attention_rules())) {
    return OpFamily::kAttention;
  }
  if (in(cost::convolution_rules()) || in(cost::reduction_rules())) {  // of the first, pooling
    return node.op_type.find("Norm") != std::string::npos ? OpFamily::kNormalization : OpFamily::kReduction;
  }
  return !flops ? OpFamily::kUnknown : *flops > 0 ? OpFamily::kElementwise : OpFamily::kMovement;
}

}  // namespace

std::string_view ort_dtype(std::string_view recorded) {
  return recorded == "float" ? "float32" : recorded == "double" ? "float64" : recorded;
}

CallWork ort_work(const OrtNode& node) {
  if (!node.recorded || node.outputs.empty()) {
    return unknown_work(OpFamily::kUnknown, std::string(kNoShapes));
  }
  if (!node.inputs.empty()) {
    if (const auto* product = find_rule(kProducts, node.op_type)) {
      return checked(product_work(node, *product));
    }
    if (const auto* convolution = find_rule(kConvolutions, node.op_type)) {
      return checked(convolution_work(node, *convolution));
    }
  }
  const OpShape op = op_shape(node);
  const bool needs_more = std::find(kNeedsMore.begin(), kNeedsMore.end(), node.op_type) != kNeedsMore.end();
  CallWork work;
  work.flops = needs_more ? std::nullopt : op_flops(op);
  work.bytes = needs_more ? std::nullopt : op_bytes(op);
  work.family = family_of(node, work.flops);
  work.dtype = arithmetic_dtype(node);
  if (needs_more || (!work.flops && work.family != OpFamily::kUnknown)) {
    work.missing = "its formula asks for attributes or inputs that the profile does not hold";
  } else if (!work.flops) {
    work.missing = "no formula for " + node.op_type;
  } else if (!work.bytes) {
    work.missing = "the type of a tensor is not known";
  }
  return checked(std::move(work));
}

}  // namespace aaco
