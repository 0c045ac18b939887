// SPDX-License-Identifier: MIT
#include "cost/torch_cost.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace aaco {
namespace {

using Shape = std::vector<int64_t>;

TorchArgument tensor(Shape shape, const char* dtype = "bfloat16", std::optional<Shape> strides = std::nullopt) {
  TorchArgument argument;
  argument.kind = TorchArgument::Kind::kTensor;
  argument.shapes = {std::move(shape)};
  argument.dtype = dtype;
  argument.strides = std::move(strides);
  return argument;
}

TorchArgument val(const char* text) {
  TorchArgument argument;
  argument.kind = TorchArgument::Kind::kValue;
  argument.value = text;
  return argument;
}

TorchArgument list(std::vector<Shape> shapes) {
  TorchArgument argument;
  argument.kind = TorchArgument::Kind::kTensorList;
  argument.shapes = std::move(shapes);
  return argument;
}

const TorchArgument kNothing;

CallWork work(const char* name, std::vector<TorchArgument> arguments) {
  return torch_work({name, std::move(arguments)});
}

void expect(const CallWork& got, double flops, double bytes) {
  EXPECT_EQ(got.missing, "");
  EXPECT_EQ(got.flops, flops);
  EXPECT_EQ(got.bytes, bytes);
}

TEST(TorchProducts, TwoForEachMultiplyAdd) {
  expect(work("aten::mm", {tensor({2, 3}), tensor({3, 5})}), 2 * 2 * 3 * 5, 2 * (6 + 15 + 10));
  expect(work("aten::bmm", {tensor({7, 2, 3}), tensor({7, 3, 5})}), 7 * 60, 7 * 2 * (6 + 15 + 10));
  expect(work("aten::mv", {tensor({2, 3}), tensor({3})}), 2 * 2 * 3, 2 * (6 + 3 + 2));
  expect(work("aten::dot", {tensor({3}), tensor({3})}), 6, 2 * (3 + 3 + 1));
}

TEST(TorchProducts, WhatIsAddedCountsOnceForEachResult) {
  expect(work("aten::addmm", {tensor({5}), tensor({2, 3}), tensor({3, 5}), val("1"), val("1")}), 60 + 10,
         2 * (5 + 6 + 15 + 10));
  expect(work("aten::baddbmm", {tensor({7, 2, 5}), tensor({7, 2, 3}), tensor({7, 3, 5})}), 7 * 70,
         2 * 7 * (10 + 6 + 15 + 10));
  expect(work("aten::linear", {tensor({4, 2, 3}), tensor({5, 3}), tensor({5})}), 4 * 70, 2 * (24 + 15 + 5 + 40));
  expect(work("aten::linear", {tensor({4, 2, 3}), tensor({5, 3}), kNothing}), 4 * 60, 2 * (24 + 15 + 40));
  expect(work("mkldnn::_linear_pointwise", {tensor({4, 2, 3}), tensor({5, 3}), kNothing}), 4 * 60, 2 * (24 + 15 + 40));
}

TEST(TorchProducts, DimensionsAndLayout) {
  const CallWork plain =
      work("aten::mm", {tensor({2, 3}, "float32", Shape{3, 1}), tensor({3, 5}, "float32", Shape{1, 3})});
  ASSERT_TRUE(plain.product);
  EXPECT_EQ(plain.product->m, 2);
  EXPECT_EQ(plain.product->n, 5);
  EXPECT_EQ(plain.product->k, 3);
  EXPECT_EQ(plain.product->batch, 1);
  EXPECT_EQ(plain.product->transposed_a, false);
  EXPECT_EQ(plain.product->transposed_b, true);
  EXPECT_TRUE(plain.matrix);
  EXPECT_EQ(plain.dtype, "float32");
  const CallWork linear = work("aten::linear", {tensor({4, 2, 3}), tensor({5, 3}, "bfloat16", Shape{3, 1}), kNothing});
  EXPECT_EQ(linear.product->m, 8);  // one tall product
  EXPECT_EQ(linear.product->batch, 1);
  EXPECT_EQ(linear.product->transposed_b, true);  // given as [n, k]
  EXPECT_FALSE(linear.product->transposed_a);     // strides not recorded
  const CallWork batched = work("aten::matmul", {tensor({7, 1, 2, 3}), tensor({4, 3, 5})});
  EXPECT_EQ(batched.product->batch, 28);
  EXPECT_EQ(batched.flops, 28 * 60);
}

TEST(TorchProducts, ScaledOnesNameTheTypeOfTheirResult) {
  const TorchArgument scale = tensor({}, "float32");
  // self, mat2, scale_a, scale_b, bias, scale_result, out_dtype
  expect(work("aten::_scaled_mm", {tensor({2, 3}, "float8e4m3fn"), tensor({3, 5}, "float8e4m3fn"), scale, scale,
                                   kNothing, kNothing, val("15"), val("False")}),
         60, 6 + 15 + 2 * 10);
  // self, mat2, bias, out_dtype, scale_a, scale_b
  expect(work("aten::_scaled_mm",
              {tensor({2, 3}, "float8e4m3fn"), tensor({3, 5}, "float8e4m3fn"), tensor({5}), val("15"), scale, scale}),
         70, 6 + 15 + 2 * 5 + 2 * 10);
}

TEST(TorchProducts, WhatDoesNotFitIsMissing) {
  EXPECT_EQ(work("aten::mm", {tensor({2, 3}), tensor({4, 5})}).missing,
            "the shapes of its operands do not fit together");
  EXPECT_EQ(work("aten::mm", {}).missing, "the shapes of its operands are not recorded");
  const CallWork unknown = work("aten::mm", {tensor({2, 3}, ""), tensor({3, 5}, "")});
  EXPECT_EQ(unknown.flops, 60);
  EXPECT_FALSE(unknown.bytes);
  EXPECT_EQ(unknown.missing, "the type of a tensor is not recorded or not known");
  const CallWork negative = work("aten::mm", {tensor({-2, 3}), tensor({3, 5})});
  EXPECT_FALSE(negative.flops);
  EXPECT_NE(negative.missing, "");
  const CallWork huge =
      work("aten::bmm", {tensor({INT64_MAX, INT64_MAX, INT64_MAX}), tensor({INT64_MAX, INT64_MAX, INT64_MAX})});
  EXPECT_TRUE(huge.flops && *huge.flops > 1e70);  // a number, though no machine has the memory
}

TEST(TorchConvolutions, ForwardOfEachLibrary) {
  // 4 x 3 x 8 x 8 with 6 filters of 3 x 3, stride 2, padding 1: 4 x 6 x 4 x 4 outputs of 27 products.
  const double flops = 2.0 * 4 * 6 * 4 * 4 * 27;
  const double bytes = 2.0 * (4 * 3 * 64 + 6 * 27 + 4 * 6 * 16);
  const TorchArgument x = tensor({4, 3, 8, 8});
  const TorchArgument w = tensor({6, 3, 3, 3});
  expect(work("aten::conv2d", {x, w, kNothing, val("[2, 2]"), val("[1, 1]"), val("[1, 1]"), val("1")}), flops, bytes);
  expect(work("aten::convolution",
              {x, w, kNothing, val("[2, 2]"), val("[1, 1]"), val("[1, 1]"), val("False"), val("[0, 0]"), val("1")}),
         flops, bytes);
  expect(work("aten::cudnn_convolution", {x, w, val("[1, 1]"), val("[2, 2]"), val("[1, 1]"), val("1")}), flops, bytes);
  expect(work("aten::mkldnn_convolution", {x, w, tensor({6}), val("[1, 1]"), val("[2, 2]"), val("[1, 1]"), val("1")}),
         flops, bytes);
  expect(work("aten::miopen_convolution", {x, w, tensor({6}), val("[1, 1]"), val("[2, 2]"), val("[1, 1]"), val("1")}),
         flops, bytes);
}

TEST(TorchConvolutions, GroupsDilationAndTransposition) {
  // Two groups: each output has half of the channels.
  expect(work("aten::conv2d", {tensor({1, 4, 5, 5}), tensor({6, 2, 3, 3}), kNothing, val("[1, 1]"), val("[0, 0]"),
                               val("[1, 1]"), val("2")}),
         2.0 * 6 * 9 * 18, 2.0 * (100 + 108 + 54));
  // Dilation 2 makes the window 5 wide.
  EXPECT_EQ(work("aten::conv1d",
                 {tensor({1, 1, 9}), tensor({1, 1, 3}), kNothing, val("[1]"), val("[0]"), val("[2]"), val("1")})
                .flops,
            2.0 * 5 * 3);
  // Transposed: each of 2 x 3 inputs meets 4 outputs x 2 positions; (3 - 1) 2 + 2 = 6 long.
  expect(work("aten::convolution", {tensor({1, 2, 3}), tensor({2, 4, 2}), kNothing, val("[2]"), val("[0]"), val("[1]"),
                                    val("True"), val("[0]"), val("1")}),
         2.0 * 6 * 8, 2.0 * (6 + 16 + 24));
}

TEST(TorchConvolutions, BackwardCountsTheGradientsAskedFor) {
  const TorchArgument dy = tensor({4, 6, 4, 4});
  const TorchArgument x = tensor({4, 3, 8, 8});
  const TorchArgument w = tensor({6, 3, 3, 3});
  const double forward = 2.0 * 4 * 6 * 16 * 27;
  const auto backward = [&](const char* mask) {
    return work("aten::convolution_backward", {dy, x, w, val("[0]"), val("[2, 2]"), val("[1, 1]"), val("[1, 1]"),
                                               val("False"), val("[0, 0]"), val("1"), val(mask)});
  };
  expect(backward("[True, True, False]"), 2 * forward, 2.0 * (384 + 162 + 768 + 768 + 162));
  expect(backward("[False, True, False]"), forward, 2.0 * (384 + 768 + 162));
  EXPECT_TRUE(backward("[True, True, True]").backward);
}

TEST(TorchConvolutions, HostileNumbersHaveNoWork) {
  const auto with = [](const char* stride, const char* padding) {
    return work("aten::conv1d",
                {tensor({1, 1, 9}), tensor({1, 1, 3}), kNothing, val(stride), val(padding), val("[1]"), val("1")});
  };
  for (const auto& [stride, padding] : {std::pair("[0]", "[0]"),
                                        {"[-1]", "[0]"},
                                        {"[1]", "[9223372036854775807]"},
                                        {"[1", "[0]"},
                                        {"", "[0]"},
                                        {"[1, 1, 1]", "[0]"},
                                        {"[99999999999999999999]", "[0]"}}) {
    EXPECT_FALSE(with(stride, padding).flops) << stride << padding;
    EXPECT_NE(with(stride, padding).missing, "");
  }
  EXPECT_FALSE(work("aten::conv1d",
                    {tensor({1, 1, 2}), tensor({1, 1, 3}), kNothing, val("[1]"), val("[0]"), val("[1]"), val("1")})
                   .flops);
}

TEST(TorchAttention, ProductsOfAllPairsAndOfHalfWhereCausal) {
  const TorchArgument q = tensor({2, 3, 4, 8});
  const TorchArgument k = tensor({2, 3, 6, 8});
  const double pairs = 2 * 3 * 4 * 6;
  expect(work("aten::_scaled_dot_product_flash_attention", {q, k, k, val("0."), val("False")}), pairs * (2 * 8 + 2 * 8),
         2 * (192 + 288 + 288 + 192));
  const auto causal = work("aten::_scaled_dot_product_flash_attention", {q, q, q, val("0."), val("True")});
  EXPECT_EQ(causal.flops, 2 * 3 * (1 + 2 + 3 + 4) * 32.0);
  const char* of_processors = "aten::_scaled_dot_product_flash_attention_for_cpu";
  EXPECT_EQ(work(of_processors, {q, q, q, val("0."), val("True")}).flops, causal.flops);
  // Which corner the mask begins in is not said: all pairs.
  EXPECT_EQ(work("aten::_scaled_dot_product_flash_attention", {q, k, k, val("0."), val("True")}).flops, pairs * 32);
}

TEST(TorchAttention, LayoutsHeadsAndBackward) {
  const TorchArgument last = tensor({2, 4, 3, 8});  // batch, length, heads, size
  EXPECT_EQ(work("aten::_flash_attention_forward",
                 {last, last, last, kNothing, kNothing, val("4"), val("4"), val("0."), val("False")})
                .flops,
            2.0 * 3 * 4 * 4 * 32);
  // Fewer heads of keys: bytes are those of the keys, products those of the queries.
  const CallWork grouped =
      work("aten::scaled_dot_product_attention",
           {tensor({1, 4, 2, 8}), tensor({1, 1, 2, 8}), tensor({1, 1, 2, 8}), kNothing, val("0."), val("False")});
  expect(grouped, 4 * 2 * 2 * 32, 2 * (64 + 16 + 16 + 64));
  const TorchArgument q = tensor({2, 3, 4, 8});
  const CallWork backward = work(
      "aten::_scaled_dot_product_flash_attention_backward",
      {q, q, q, q, q, tensor({2, 3, 4}, "float32"), kNothing, kNothing, val("4"), val("4"), val("0."), val("False")});
  expect(backward, 2.5 * 2 * 3 * 16 * 32, 2 * 192 * 8);
  EXPECT_TRUE(backward.backward);
  expect(work("aten::_scaled_dot_product_flash_attention_for_cpu_backward",
              {q, q, q, q, q, tensor({2, 3, 4}, "float32"), val("0."), val("False")}),
         2.5 * 2 * 3 * 16 * 32, 2 * 192 * 8);
  EXPECT_EQ(work("aten::_flash_attention_forward",
                 {tensor({9, 3, 8}), tensor({9, 3, 8}), tensor({9, 3, 8}), tensor({4}, "int32")})
                .missing,
            "the lengths of its sequences are not recorded");
}

TEST(TorchElementwise, OperationsAndBytesOfEach) {
  expect(work("aten::isneginf", {tensor({3, 4})}), 12, 2 * 12 + 12);
  expect(work("aten::add", {tensor({2, 3}), tensor({2, 3}), val("1")}), 6, 2 * 18);
  expect(work("aten::mul", {tensor({2, 3}, "float32"), tensor({2, 1}, "float32")}), 6, 4 * (6 + 2 + 6));
  expect(work("aten::mul", {tensor({6}), tensor({}, "float64"), tensor({6})}), 6,
         2 * 12 + 8);  // a number, and where it goes
  expect(work("aten::relu_", {tensor({6})}), 6, 24);
  expect(work("aten::silu", {tensor({6})}), 6 * 5, 24);
  expect(work("aten::gelu", {tensor({6}), kNothing}), 6 * 5, 24);
  expect(work("aten::eq", {tensor({6}, "int64"), val("1")}), 6, 8 * 6 + 6);
  expect(work("aten::where", {tensor({6}, "bool"), tensor({6}), tensor({6})}), 0, 6 + 12 + 12 + 12);
  expect(work("aten::threshold_backward", {tensor({6}), tensor({6}), val("0")}), 6, 36);
  expect(work("aten::copy_", {tensor({6}), tensor({6}, "float32"), val("False")}), 0, 12 + 24);
  expect(work("aten::fill_", {tensor({6}), val("0")}), 0, 12);
}

TEST(TorchElementwise, ResultsArePromoted) {
  EXPECT_EQ(work("aten::add", {tensor({6}), tensor({6}, "float32")}).bytes, 12 + 24 + 24);
  EXPECT_EQ(work("aten::add", {tensor({6}), tensor({6}, "float16")}).bytes, 12 + 12 + 24);
  EXPECT_EQ(work("aten::mul", {tensor({6}, "int64"), tensor({}, "float64")}).bytes, 48 + 8 + 24);
  EXPECT_EQ(work("aten::add_", {tensor({6}), tensor({6}, "float32")}).bytes, 12 + 24 + 12);  // in place
}

TEST(TorchReductions, FoldAndNormalise) {
  expect(work("aten::sum", {tensor({4, 6}), val("[0]"), val("True"), val("")}), 24 - 6, 2 * (24 + 6));
  expect(work("aten::sum", {tensor({4, 6}), val("")}), 23, 2 * 25);
  expect(work("aten::sum", {tensor({4, 6}), val("[-1]"), val("False"), val("6")}), 20, 2 * 24 + 4 * 4);
  expect(work("aten::mean", {tensor({4, 6}), val("[1]"), val("True"), val("")}), 24, 2 * (24 + 4));
  expect(work("aten::argmax", {tensor({4, 6}), val("-1"), val("False")}), 20, 48 + 8 * 4);
  expect(work("aten::_softmax", {tensor({4, 6}), val("-1"), val("False")}), 5 * 24, 96);
  expect(work("aten::native_layer_norm", {tensor({4, 6}), val("[6]"), tensor({6}), tensor({6}), val("1e-5")}), 7 * 24,
         96 + 24);
  expect(work("aten::native_batch_norm", {tensor({2, 3, 4}), tensor({3}), tensor({3}), tensor({3}), tensor({3}),
                                          val("True"), val("0.1"), val("1e-5")}),
         7 * 24, 96 + 24);
  EXPECT_EQ(work("aten::native_batch_norm", {tensor({2, 3, 4}), tensor({3}), tensor({3}), tensor({3}), tensor({3}),
                                             val("False"), val("0.1"), val("1e-5")})
                .flops,
            48);
  expect(work("aten::native_layer_norm_backward",
              {tensor({4, 6}), tensor({4, 6}), val("[6]"), tensor({4, 1}, "float32"), tensor({4, 1}, "float32"),
               tensor({6}), tensor({6}), val("[True, True, True]")}),
         13 * 24, 3 * 48 + 24);
}

TEST(TorchReductions, WithoutRecordedAxesThereIsNoFigure) {
  TorchArgument hidden = val("");
  hidden.value.reset();
  EXPECT_EQ(work("aten::sum", {tensor({4, 6}), hidden}).missing, "the axes that it folds are not recorded");
  EXPECT_EQ(work("aten::sum", {tensor({4, 6}), val("[7]")}).missing, "the axes that it folds do not fit its shape");
}

TEST(TorchSelections, ReadWhatTheySelect) {
  expect(work("aten::embedding", {tensor({1000, 8}), tensor({2, 3}, "int64")}), 0, 2 * 48 + 8 * 6 + 2 * 48);
  expect(work("aten::index_select", {tensor({1000, 8}), val("0"), tensor({6}, "int64")}), 0, 2 * 48 + 48 + 2 * 48);
  expect(work("aten::embedding_dense_backward",
              {tensor({2, 3, 8}), tensor({2, 3}, "int64"), val("1000"), val("-1"), val("False")}),
         48, 96 + 48 + 2 * 8000);
}

TEST(TorchLists, FlopsWithoutBytes) {
  const CallWork adam = work("aten::_fused_adamw_", {list({{4, 6}, {6}})});
  EXPECT_EQ(adam.flops, 16 * 30);
  EXPECT_FALSE(adam.bytes);
  EXPECT_EQ(adam.missing, "of a list of tensors the element type is not recorded");
  EXPECT_FALSE(work("aten::_foreach_add_", {list({})}).flops);
}

TEST(TorchWorkOf, NothingWithoutAFormula) {
  const CallWork unknown = work("mine::op", {tensor({6})});
  EXPECT_FALSE(unknown.flops);
  EXPECT_FALSE(unknown.bytes);
  EXPECT_EQ(unknown.missing, "no formula for mine::op");
  EXPECT_EQ(torch_dtype("c10::BFloat16"), "bfloat16");
  EXPECT_EQ(torch_dtype("Scalar"), "");
}

}  // namespace
}  // namespace aaco
