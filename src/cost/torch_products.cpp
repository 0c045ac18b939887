// SPDX-License-Identifier: MIT
// Matrix products of PyTorch, each as ONNX's MatMul of its operands.
#include <algorithm>
#include <array>
#include <cstddef>

#include "cost/torch_rule.h"

namespace aaco::cost {
namespace {

constexpr size_t kNone = SIZE_MAX;

struct ProductRule {
  std::string_view name;
  size_t a;
  size_t b;
  size_t added = kNone;          // a bias or a matrix that the product is added to
  bool b_is_transposed = false;  // given as [n, k]
  size_t dtype = kNone;          // the argument that names the result's element type
};

constexpr auto kProducts = std::to_array<ProductRule>({
    {"aten::mm", 0, 1},
    {"aten::bmm", 0, 1},
    {"aten::matmul", 0, 1},
    {"aten::mv", 0, 1},
    {"aten::dot", 0, 1},
    {"aten::addmm", 1, 2, 0},
    {"aten::addmm_", 1, 2, 0},
    {"aten::_addmm_activation", 1, 2, 0},
    {"aten::addmv", 1, 2, 0},
    {"aten::addmv_", 1, 2, 0},
    {"aten::baddbmm", 1, 2, 0},
    {"aten::baddbmm_", 1, 2, 0},
    {"aten::linear", 0, 1, 2, true},
    {"aten::_int_mm", 0, 1},
    {"mkldnn::_linear_pointwise", 0, 1, 2, true},
    {"vllm::rocm_unquantized_gemm_impl", 0, 1, 2, true},
    {"aiter::gemm_a16w16", 0, 1, 2, true},
});

// It names its operands alike in all versions; the bias and the type of the result moved.
constexpr std::string_view kScaled = "aten::_scaled_mm";

struct Operands {
  Shape a;
  Shape b;
  Shape result;
  MatrixProduct product;
};

std::optional<bool> lies_by_column(const TorchArgument& argument) {
  const Shape& shape = argument.shapes.front();
  if (!argument.strides || argument.strides->size() != shape.size() || shape.size() < 2 || shape.back() == 1 ||
      shape[shape.size() - 2] == 1) {
    return std::nullopt;
  }
  const int64_t row = (*argument.strides)[shape.size() - 2];
  const int64_t column = argument.strides->back();
  return column == 1 ? std::optional(false) : row == 1 ? std::optional(true) : std::nullopt;
}

int64_t product_of(const Shape& shape) {
  double product = 1;
  for (const int64_t size : shape) {
    product *= static_cast<double>(size);
  }
  return product >= 0 && product < 9e18 ? static_cast<int64_t>(product) : kUnknownDim;
}

// Vectors become matrices, as torch.matmul has it. A second operand without batch axes makes one tall product.
std::optional<Operands> operands_of(const TorchArgument& a, const TorchArgument& b, bool b_is_transposed) {
  Operands it{a.shapes.front(), b.shapes.front(), {}, {}};
  if (it.a.empty() || it.b.empty()) {
    return std::nullopt;
  }
  const bool row = it.a.size() == 1;
  const bool column = it.b.size() == 1;
  if (row) {
    it.a.insert(it.a.begin(), 1);
  }
  if (column) {
    it.b.push_back(1);
  }
  if (b_is_transposed && !column) {
    std::swap(it.b[it.b.size() - 2], it.b[it.b.size() - 1]);
  }
  const auto batch = broadcast({it.a.begin(), it.a.end() - 2}, {it.b.begin(), it.b.end() - 2});
  if (!batch || it.a.back() != it.b[it.b.size() - 2]) {
    return std::nullopt;
  }
  it.product.m = it.a[it.a.size() - 2];
  it.product.k = it.a.back();
  it.product.n = it.b.back();
  it.product.batch = product_of(*batch);
  it.result = *batch;
  it.result.insert(it.result.end(), {it.product.m, it.product.n});
  if (it.b.size() == 2 && it.product.batch != kUnknownDim) {
    const int64_t rows = product_of({it.product.batch, it.product.m});
    it.product.m = rows;
    it.product.batch = 1;
  }
  it.product.transposed_a = row ? std::nullopt : lies_by_column(a);
  it.product.transposed_b = column ? std::nullopt : lies_by_column(b);
  if (b_is_transposed && it.product.transposed_b) {
    it.product.transposed_b = !*it.product.transposed_b;
  }
  return it;
}

CallWork product_work(const TorchCall& call, const ProductRule& rule) {
  const TorchArgument* a = tensor(call, rule.a);
  const TorchArgument* b = tensor(call, rule.b);
  if (a == nullptr || b == nullptr) {
    return unknown_work(OpFamily::kProduct, "the shapes of its operands are not recorded");
  }
  const auto operands = operands_of(*a, *b, rule.b_is_transposed);
  if (!operands) {
    return unknown_work(OpFamily::kProduct, "the shapes of its operands do not fit together");
  }
  CallWork work;
  work.family = OpFamily::kProduct;
  work.matrix = true;
  work.dtype = a->dtype;
  work.product = operands->product;
  const std::string_view result =
      rule.dtype == kNone ? std::string_view(a->dtype) : dtype_argument(call, rule.dtype, a->dtype);
  const Operand written{operands->result, result};
  std::vector<Operand> read{{operands->a, a->dtype}, {operands->b, b->dtype}};
  work.flops = op_flops(op_shape("MatMul", read, {written}));
  if (const TorchArgument* added = rule.added == kNone ? nullptr : tensor(call, rule.added)) {
    read.push_back(operand(*added));
    const auto additions = op_flops(op_shape("Add", {}, {written}));
    work.flops = work.flops && additions ? std::optional(*work.flops + *additions) : std::nullopt;
  }
  set_bytes(work, read, {written});
  return work;
}

// self, mat2, scale_a, scale_b, bias, scale_result, out_dtype; before: self, mat2, bias, out_dtype, scale_a, scale_b.
// Scales are single precision, so that a tensor of another type in the third place is the older form's bias.
ProductRule scaled_rule(const TorchCall& call) {
  const bool scale_is_third = tensor(call, 2) != nullptr && tensor(call, 2)->dtype == "float32";
  return scale_is_third ? ProductRule{kScaled, 0, 1, 4, false, 6} : ProductRule{kScaled, 0, 1, 2, false, 3};
}

}  // namespace

std::optional<CallWork> torch_product(const TorchCall& call) {
  if (call.name == kScaled) {
    return product_work(call, scaled_rule(call));
  }
  const auto rule = std::find_if(kProducts.begin(), kProducts.end(),
                                 [&](const ProductRule& product_rule) { return product_rule.name == call.name; });
  return rule == kProducts.end() ? std::nullopt : std::optional(product_work(call, *rule));
}

}  // namespace aaco::cost
