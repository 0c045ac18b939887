// SPDX-License-Identifier: MIT
#include "cost/ort_node.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

using Shape = std::vector<int64_t>;

std::vector<OrtTensor> tensors(const std::vector<Shape>& shapes, const std::string& dtype) {
  std::vector<OrtTensor> all;
  for (const Shape& shape : shapes) {
    all.push_back({shape, dtype});
  }
  return all;
}

CallWork work(const std::string& type, const std::vector<Shape>& inputs, const std::vector<Shape>& outputs,
              const std::string& dtype = "float32") {
  return ort_work({type, tensors(inputs, dtype), tensors(outputs, dtype)});
}

TEST(OrtProducts, BothOperandsRecorded) {
  const CallWork product = work("MatMul", {{7, 4, 2, 3}, {7, 4, 3, 5}}, {{7, 4, 2, 5}});
  EXPECT_EQ(product.family, OpFamily::kProduct);
  EXPECT_TRUE(product.matrix);
  EXPECT_EQ(product.flops, 2 * 28 * 2 * 5 * 3);
  EXPECT_EQ(product.bytes, 4 * 28 * (2 * 3 + 3 * 5 + 2 * 5));
  EXPECT_EQ(product.product->batch, 28);
  EXPECT_EQ(product.product->m, 2);
  EXPECT_EQ(product.product->n, 5);
  EXPECT_EQ(product.product->k, 3);
  EXPECT_EQ(product.missing, "");
}

// A constant second operand is packed when the session begins, and is in the profile no more.
TEST(OrtProducts, APackedOperandCounts) {
  const CallWork recorded = work("MatMul", {{4, 128}, {128, 256}}, {{4, 256}});
  const CallWork packed = work("MatMul", {{4, 128}}, {{4, 256}});
  EXPECT_EQ(packed.flops, recorded.flops);
  EXPECT_EQ(packed.bytes, recorded.bytes);
  EXPECT_EQ(packed.product->k, 128);
}

TEST(OrtProducts, WhatFollowsAPackedOperandIsTheBias) {
  const CallWork recorded = work("Gemm", {{4, 64}, {128, 64}, {128}}, {{4, 128}});
  EXPECT_EQ(recorded.flops, 4 * 128 * (2 * 64 + 1));
  EXPECT_EQ(recorded.bytes, 4 * (4 * 64 + 128 * 64 + 128 + 4 * 128));
  const CallWork packed = work("Gemm", {{4, 64}, {128}}, {{4, 128}});
  EXPECT_EQ(packed.flops, recorded.flops);
  EXPECT_EQ(packed.bytes, recorded.bytes);
  EXPECT_EQ(work("Gemm", {{4, 64}, {64, 128}}, {{4, 128}}).flops, 4 * 128 * 2 * 64);  // no bias
}

TEST(OrtProducts, WhetherAIsTransposedFollowsFromTheResult) {
  EXPECT_EQ(work("Gemm", {{64, 4}, {64, 128}}, {{4, 128}}).flops, 4 * 128 * 2 * 64);
  EXPECT_EQ(work("FusedMatMul", {{2, 64, 4}, {2, 64, 128}}, {{2, 4, 128}}).flops, 2 * 4 * 128 * 2 * 64);
  EXPECT_EQ(work("FusedMatMul", {{4, 128}, {4, 256}}, {{128, 256}}).flops, 2 * 128 * 256 * 4);
  // MatMul transposes nothing, and a batch that moved is not made out.
  EXPECT_EQ(work("MatMul", {{64, 4}, {64, 128}}, {{4, 128}}).flops, std::nullopt);
  EXPECT_EQ(work("FusedMatMul", {{4, 2, 64}, {2, 64, 128}}, {{2, 4, 128}}).flops, std::nullopt);
}

TEST(OrtProducts, QuantisedOperandsAreOfOneByte) {
  const CallWork packed = ort_work({"MatMulInteger", {{{4, 128}, "uint8"}, {{}, "uint8"}}, {{{4, 256}, "int32"}}});
  EXPECT_EQ(packed.dtype, "uint8");
  EXPECT_EQ(packed.flops, 2 * 4 * 256 * 128);
  EXPECT_EQ(packed.bytes, 4 * 128 + 128 * 256 + 1 + 4 * 4 * 256);
}

TEST(OrtConvolutions, GroupsFollowFromTheFilter) {
  const CallWork conv = work("Conv", {{4, 32, 32, 32}, {64, 8, 3, 3}}, {{4, 64, 32, 32}});
  EXPECT_EQ(conv.family, OpFamily::kConvolution);
  EXPECT_EQ(conv.flops, 2.0 * 4 * 64 * 32 * 32 * 8 * 9);
  EXPECT_EQ(conv.bytes, 4.0 * (4 * 32 * 1024 + 64 * 72 + 4 * 64 * 1024));
  EXPECT_EQ(work("Conv", {{1, 8, 4, 4}, {16, 8, 1, 1}, {16}}, {{1, 16, 4, 4}}).flops, 256 * (2 * 8 + 1));
}

TEST(OrtConvolutions, APackedFilterIsMissedNotGuessed) {
  const CallWork transposed = work("ConvTranspose", {{1, 8, 4, 4}, {16}}, {{1, 16, 8, 8}});
  EXPECT_EQ(transposed.flops, std::nullopt);
  EXPECT_EQ(transposed.missing, "its filter was packed ahead and is not in the profile");
  // What is added to the result lies where the filter was.
  EXPECT_EQ(work("FusedConv", {{1, 64, 56, 56}, {1, 64, 56, 56}}, {{1, 64, 56, 56}}).flops, std::nullopt);
  // The scales of the filter lie where the filter was.
  EXPECT_EQ(work("QLinearConv", {{1, 8, 4, 4}, {}, {}, {16}, {16}, {}, {}}, {{1, 16, 4, 4}}, "uint8").flops,
            std::nullopt);
  EXPECT_EQ(
      work("QLinearConv", {{1, 8, 4, 4}, {}, {}, {16, 8, 1, 1}, {16}, {16}, {}, {}}, {{1, 16, 4, 4}}, "uint8").flops,
      2 * 256 * 8);
}

TEST(OrtNodes, TheRestByTheFormulasOfModels) {
  const CallWork norm = work("LayerNormalization", {{4, 16, 64}, {64}, {64}}, {{4, 16, 64}});
  EXPECT_EQ(norm.family, OpFamily::kNormalization);
  EXPECT_EQ(norm.flops, 7 * 4 * 16 * 64);
  EXPECT_EQ(work("Softmax", {{4, 256}}, {{4, 256}}).family, OpFamily::kReduction);
  EXPECT_EQ(work("Mul", {{128, 256}, {}}, {{128, 256}}).flops, 128 * 256);
  const CallWork gather =
      ort_work({"Gather", {{{1000, 64}, "float32"}, {{4, 16}, "int64"}}, {{{4, 16, 64}, "float32"}}});
  EXPECT_EQ(gather.family, OpFamily::kMovement);
  EXPECT_EQ(gather.flops, 0);
  EXPECT_EQ(gather.bytes, 2 * 4 * 16 * 64 * 4 + 4 * 16 * 8);
  EXPECT_EQ(ort_work({"DequantizeLinear", {{{8}, "int8"}, {{}, "float32"}}, {{{8}, "float32"}}}).dtype, "float32");
}

TEST(OrtNodes, NoFigureWhereAnAttributeDecides) {
  for (const char* type : {"MaxPool", "Resize", "BatchNormalization", "LSTM", "MultiHeadAttention", "MatMulNBits",
                           "GatherBlockQuantized"}) {
    const CallWork call_work = work(type, {{1, 8, 4, 4}, {8}, {8}}, {{1, 8, 4, 4}});
    EXPECT_EQ(call_work.flops, std::nullopt) << type;
    EXPECT_EQ(call_work.missing, "its formula asks for attributes or inputs that the profile does not hold") << type;
  }
  EXPECT_EQ(work("GatherBlockQuantized", {{8, 4}, {2}, {8, 1}}, {{2, 4}}).bytes, std::nullopt);
  EXPECT_EQ(work("Mystery", {{2}}, {{2}}).missing, "no formula for Mystery");
  EXPECT_EQ(work("Gather", {{8}, {2}}, {{2}}, "string").missing, "the type of a tensor is not known");
  EXPECT_EQ(ort_work({"Relu", {}, tensors({{2}}, "float32"), false}).missing,
            "the shapes of its tensors are not recorded");
  EXPECT_EQ(work("Relu", {}, {}).missing, "the shapes of its tensors are not recorded");
}

TEST(OrtNodes, ShapesThatNoNodeHasGiveNoFigure) {
  for (const Shape& shape : {Shape{-1, 3}, Shape{3, -5}, Shape{INT64_MIN, INT64_MAX}, Shape{0, 0}, Shape{}}) {
    const CallWork call_work = work("MatMul", {shape}, {shape});
    EXPECT_TRUE(!call_work.flops || *call_work.flops >= 0);
    EXPECT_TRUE(!call_work.bytes || *call_work.bytes >= 0);
  }
}

TEST(OrtNodes, WordsForTypes) {
  EXPECT_EQ(ort_dtype("float"), "float32");
  EXPECT_EQ(ort_dtype("double"), "float64");
  EXPECT_EQ(ort_dtype("bfloat16"), "bfloat16");
}

}  // namespace
}  // namespace aaco
