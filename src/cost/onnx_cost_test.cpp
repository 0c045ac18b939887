// SPDX-License-Identifier: MIT
#include "cost/onnx_cost.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

using Shapes = std::vector<std::vector<int64_t>>;

// All tensors float32; inputs named in `omitted` are not given.
OpShape op(const std::string& type, const Shapes& inputs, const Shapes& outputs, const std::string& domain = "",
           const std::vector<size_t>& omitted = {}) {
  OpShape shape;
  shape.op_type = type;
  shape.domain = domain;
  shape.input_shapes = inputs;
  shape.output_shapes = outputs;
  shape.input_dtypes.assign(inputs.size(), "float32");
  shape.output_dtypes.assign(outputs.size(), "float32");
  for (const size_t index : omitted) {
    shape.input_dtypes[index] = kOmittedTensor;
  }
  return shape;
}

OpShape with(OpShape shape, const std::string& name, const std::vector<int64_t>& values) {
  shape.int_attributes[name] = values;
  return shape;
}

OpShape with_text(OpShape shape, const std::string& name, const std::string& value) {
  shape.string_attributes[name] = value;
  return shape;
}

const std::string kMs = "com.microsoft";

TEST(Products, MatMul) {
  EXPECT_EQ(op_flops(op("MatMul", {{2, 3}, {3, 5}}, {{2, 5}})), 2 * 2 * 5 * 3);
  EXPECT_EQ(op_flops(op("MatMul", {{7, 1, 2, 3}, {4, 3, 5}}, {{7, 4, 2, 5}})), 2 * 7 * 4 * 2 * 5 * 3);  // broadcast
  EXPECT_EQ(op_flops(op("MatMul", {{3}, {3}}, {{}})), 2 * 3);
  EXPECT_EQ(op_flops(op("MatMul", {{-1, 3}, {3, 5}}, {{-1, 5}})), std::nullopt);
  EXPECT_EQ(op_flops(op("MatMul", {{kUnknownDim}, {3, 5}}, {{2, 5}})), std::nullopt);
  EXPECT_EQ(op_flops(op("MatMulInteger", {{2, 3}, {3, 5}}, {{2, 5}})), 2 * 2 * 5 * 3);
  EXPECT_EQ(op_flops(op("QLinearMatMul", {{2, 3}, {}, {}, {3, 5}, {}, {}, {}, {}}, {{2, 5}})), 2 * 2 * 5 * 3);
}

TEST(Products, Gemm) {
  const OpShape plain = op("Gemm", {{2, 3}, {3, 5}}, {{2, 5}});
  EXPECT_EQ(op_flops(plain), 60);
  EXPECT_EQ(op_flops(op("Gemm", {{2, 3}, {3, 5}, {5}}, {{2, 5}})), 60 + 10);
  EXPECT_EQ(op_flops(op("Gemm", {{2, 3}, {3, 5}, {}}, {{2, 5}}, "", {2})), 60);  // the bias was not given
  EXPECT_EQ(op_flops(with(op("Gemm", {{3, 2}, {3, 5}}, {{2, 5}}), "transA", {1})), 60);
  EXPECT_EQ(op_flops(with_text(op("FusedGemm", {{2, 3}, {3, 5}, {5}}, {{2, 5}}, kMs), "activation", "Relu")),
            60 + 10 + 10);
  EXPECT_EQ(op_flops(with_text(op("FusedGemm", {{2, 3}, {3, 5}}, {{2, 5}}, kMs), "activation", "Mystery")),
            std::nullopt);
}

TEST(Products, FusedMatMul) {
  EXPECT_EQ(op_flops(with(op("FusedMatMul", {{7, 3, 2}, {7, 3, 5}}, {{7, 2, 5}}, kMs), "transA", {1})), 7 * 60);
  // A is [K, batch, M]: transBatchA brings it to [batch, K, M], transA to [batch, M, K].
  OpShape batch = op("FusedMatMul", {{3, 7, 2}, {7, 3, 5}}, {{7, 2, 5}}, kMs);
  EXPECT_EQ(op_flops(with(with(batch, "transA", {1}), "transBatchA", {1})), 7 * 60);
}

TEST(Products, Einsum) {
  EXPECT_EQ(op_flops(with_text(op("Einsum", {{7, 2, 3}, {7, 3, 5}}, {{7, 2, 5}}), "equation", "bij, bjk -> bik")),
            2 * 7 * 2 * 3 * 5);
  EXPECT_EQ(op_flops(with_text(op("Einsum", {{2}, {3}}, {{2, 3}}), "equation", "i,j->ij")), 6);  // nothing summed
  EXPECT_EQ(op_flops(with_text(op("Einsum", {{2, 3}}, {{3, 2}}), "equation", "...ij->...ji")), std::nullopt);
  EXPECT_EQ(op_flops(with_text(op("Einsum", {{2}, {3}}, {{2, 3}}), "equation", "ij,j->i")), std::nullopt);
}

TEST(Convolutions, AnyRankAndGroups) {
  // ResNet's first layer: 2 x 112 x 112 x 64 x 3 x 7 x 7
  EXPECT_EQ(op_flops(op("Conv", {{1, 3, 224, 224}, {64, 3, 7, 7}}, {{1, 64, 112, 112}})), 2.0 * 112 * 112 * 64 * 147);
  // depthwise: one input channel a group
  EXPECT_EQ(op_flops(op("Conv", {{1, 8, 6, 6}, {8, 1, 3, 3}}, {{1, 8, 4, 4}})), 2 * 8 * 16 * 9);
  EXPECT_EQ(op_flops(op("Conv", {{1, 4, 10}, {6, 4, 3}, {6}}, {{1, 6, 8}})), 2 * 6 * 8 * 12 + 48);
  EXPECT_EQ(op_flops(op("Conv", {{1, 4, 5, 5, 5}, {6, 4, 3, 3, 3}}, {{1, 6, 3, 3, 3}})), 2 * 6 * 27 * 4 * 27);
  EXPECT_EQ(op_flops(op("Conv", {{1, 4, 10}, {kUnknownDim}}, {{1, 6, 8}})), std::nullopt);
}

TEST(Convolutions, Fused) {
  const OpShape fused = op("FusedConv", {{1, 4, 10}, {6, 4, 3}, {6}, {1, 6, 8}}, {{1, 6, 8}}, kMs);
  EXPECT_EQ(op_flops(with_text(fused, "activation", "Relu")), 2 * 48 * 12 + 3 * 48);  // bias, sum, Relu
  // Channels last: the filter is [6, 3, 4] and the output [1, 8, 6]; the same work.
  EXPECT_EQ(op_flops(op("NhwcFusedConv", {{1, 10, 4}, {6, 3, 4}, {6}}, {{1, 8, 6}}, kMs)), 2 * 48 * 12 + 48);
  // 24 channels padded to 32: what is executed counts.
  EXPECT_EQ(op_flops(op("Conv", {{1, 3, 8, 8}, {32, 3, 3, 3}, {32}}, {{1, 32, 8, 8}}, "com.microsoft.nchwc")),
            2 * 32 * 64 * 27 + 32 * 64);
}

TEST(Convolutions, TransposedAndQuantized) {
  // Each of 5 x 5 x 4 input elements meets 6 x 3 x 3 filter elements.
  EXPECT_EQ(op_flops(op("ConvTranspose", {{1, 4, 5, 5}, {4, 6, 3, 3}}, {{1, 6, 7, 7}})), 2 * 100 * 54);
  EXPECT_EQ(op_flops(op("ConvInteger", {{1, 4, 10}, {6, 4, 3}, {}, {}}, {{1, 6, 8}})), 2 * 48 * 12);
  EXPECT_EQ(op_flops(op("QLinearConv", {{1, 4, 10}, {}, {}, {6, 4, 3}, {}, {}, {}, {}, {6}}, {{1, 6, 8}})),
            2 * 48 * 12 + 48);
}

TEST(Convolutions, Pooling) {
  const Shapes in = {{1, 2, 6, 6}};
  const Shapes out = {{1, 2, 3, 3}};
  EXPECT_EQ(op_flops(with(op("MaxPool", in, out), "kernel_shape", {2, 2})), 18 * 3);      // three comparisons
  EXPECT_EQ(op_flops(with(op("AveragePool", in, out), "kernel_shape", {2, 2})), 18 * 4);  // three adds, one division
  EXPECT_EQ(op_flops(op("MaxPool", in, out)), std::nullopt);
  EXPECT_EQ(op_flops(op("GlobalAveragePool", in, {{1, 2, 1, 1}})), 72);
  EXPECT_EQ(op_flops(op("GlobalMaxPool", in, {{1, 2, 1, 1}})), 70);
}

TEST(Reductions, CountFolds) {
  const Shapes in = {{4, 10}};
  const Shapes out = {{4, 1}};
  EXPECT_EQ(op_flops(op("ReduceSum", in, out)), 4 * 9);
  EXPECT_EQ(op_flops(op("ReduceMean", in, out)), 4 * 10);
  EXPECT_EQ(op_flops(op("ReduceL2", in, out)), 4 * (10 + 9 + 1));
  EXPECT_EQ(op_flops(op("ReduceSumSquare", in, out)), 4 * 19);
  EXPECT_EQ(op_flops(op("ReduceLogSumExp", in, out)), 4 * (9 + 10 + 10 + 9 + 1 + 1));
  EXPECT_EQ(op_flops(op("ArgMax", in, out)), 4 * 9);
  EXPECT_EQ(op_flops(op("ReduceSum", {{0, 10}}, {{1, 10}})), 0);     // of nothing
  EXPECT_EQ(op_flops(op("ReduceSum", {{2}}, {{5}})), std::nullopt);  // of two elements never five
  EXPECT_EQ(op_flops(op("ReduceSum", in, {{kUnknownDim}})), std::nullopt);
}

TEST(Reductions, Normalisations) {
  const Shapes x = {{2, 5}};
  EXPECT_EQ(op_flops(op("Softmax", x, x)), 5 * 10);
  EXPECT_EQ(op_flops(op("BiasSoftmax", {{2, 5}, {2, 5}}, x, kMs)), 6 * 10);
  EXPECT_EQ(op_flops(op("BatchNormalization", {{2, 5}, {5}, {5}, {5}, {5}}, x)), 2 * 10);
  EXPECT_EQ(op_flops(with(op("BatchNormalization", {{2, 5}}, x), "training_mode", {1})), std::nullopt);
  EXPECT_EQ(op_flops(op("LayerNormalization", {{2, 5}, {5}}, x)), 6 * 10);
  EXPECT_EQ(op_flops(op("LayerNormalization", {{2, 5}, {5}, {5}}, x)), 7 * 10);
  EXPECT_EQ(op_flops(op("SkipLayerNormalization", {{2, 5}, {2, 5}, {5}, {5}, {5}}, x, kMs)), 9 * 10);
  EXPECT_EQ(op_flops(op("RMSNormalization", {{2, 5}, {5}}, x)), 4 * 10);
  EXPECT_EQ(op_flops(op("SkipSimplifiedLayerNormalization", {{2, 5}, {2, 5}, {5}}, x, kMs)), 5 * 10);
  // ids [1,2], segments, three tables, gamma, beta: two adds and a normalisation of 2 x 5
  EXPECT_EQ(
      op_flops(op("EmbedLayerNormalization", {{1, 2}, {1, 2}, {99, 5}, {9, 5}, {2, 5}, {5}, {5}}, {{1, 2, 5}}, kMs)),
      9 * 10);
  EXPECT_EQ(op_flops(with(op("LRN", x, x), "size", {3})), 7 * 10);
}

TEST(Attention, StandardForm) {
  // B 2, heads 4, S 3, T 3 + 5 past, D 16, E 8
  const double scores = 2.0 * 4 * 3 * 8;
  const Shapes split = {{2, 4, 3, 16}, {2, 4, 3, 16}, {2, 4, 3, 8}, {}, {2, 4, 5, 16}, {2, 4, 5, 8}};
  EXPECT_EQ(op_flops(op("Attention", split, {{2, 4, 3, 8}}, "", {3})), scores * (2 * 16 + 2 * 8 + 6));
  const Shapes packed = {{2, 3, 64}, {2, 3, 64}, {2, 3, 32}, {3, 8}, {2, 4, 5, 16}, {2, 4, 5, 8}};
  EXPECT_EQ(op_flops(with(op("Attention", packed, {{2, 3, 32}}), "q_num_heads", {4})), scores * (2 * 16 + 2 * 8 + 7));
}

TEST(Attention, MicrosoftForms) {
  // B 2, S 3, hidden 64, 4 heads of 16: projections 2 x 3 x 192 x (2 x 64 + 1), scores 2 x 4 x 3 x 3 x (64 + 6)
  EXPECT_EQ(op_flops(with(op("Attention", {{2, 3, 64}, {64, 192}, {192}}, {{2, 3, 64}}, kMs), "num_heads", {4})),
            2 * 3 * 192 * 129 + 72 * (2 * 16 + 2 * 16 + 6));
  EXPECT_EQ(op_flops(with(op("MultiHeadAttention", {{2, 3, 64}, {2, 7, 64}, {2, 7, 64}}, {{2, 3, 64}}, kMs),
                          "num_heads", {4})),
            2 * 4 * 3 * 7 * 70);
  const Shapes grouped = {{1, 1, 64}, {1, 1, 32}, {1, 1, 32}, {1, 2, 9, 16}, {1, 2, 9, 16}};
  EXPECT_EQ(op_flops(with(op("GroupQueryAttention", grouped, {{1, 1, 64}, {1, 2, 10, 16}}, kMs), "num_heads", {4})),
            4 * 10 * 70);
  // A shared cache hides how many of its keys are valid.
  EXPECT_EQ(op_flops(with(op("GroupQueryAttention", grouped, {{1, 1, 64}, {1, 2, 9, 16}}, kMs), "num_heads", {4})),
            std::nullopt);
  EXPECT_EQ(op_flops(op("MultiHeadAttention", {{2, 3, 64}}, {{2, 3, 64}}, kMs)), std::nullopt);  // heads unknown
}

TEST(Attention, AddedBiasAndMask) {
  const auto with_input = [](const std::string& type, size_t index, const Shapes& outputs) {
    Shapes inputs = {{1, 3, 64}, {1, 3, 64}, {1, 3, 64}};
    std::vector<size_t> omitted;
    for (size_t i = inputs.size(); i < index; ++i) {
      omitted.push_back(i);
    }
    inputs.resize(index, {});
    inputs.push_back({1, 1, 3, 3});
    return with(op(type, inputs, outputs, kMs, omitted), "num_heads", {4});
  };
  const double scores = 4 * 3 * 3;
  EXPECT_EQ(op_flops(with_input("MultiHeadAttention", 4, {{1, 3, 64}})), scores * (64 + 7));
  EXPECT_EQ(op_flops(with_input("MultiHeadAttention", 5, {{1, 3, 64}})), scores * (64 + 7));
  EXPECT_EQ(op_flops(with_input("GroupQueryAttention", 10, {{1, 3, 64}, {1, 4, 3, 16}})), scores * (64 + 7));
  const Shapes masked = {{1, 3, 64}, {64, 192}, {192}, {1, 3}};
  EXPECT_EQ(op_flops(with(op("Attention", masked, {{1, 3, 64}}, kMs), "num_heads", {4})),
            3 * 192 * 129 + scores * (64 + 7));
}

// The buffer has room for 1024 keys, and no shape says how many of them are there.
TEST(Attention, SharedCacheIsUnknown) {
  const Shapes inputs = {{1, 1, 64}, {64, 192}, {192}, {}, {2, 1, 4, 1024, 16}, {}};
  const Shapes outputs = {{1, 1, 64}, {2, 1, 4, 1024, 16}};
  const OpShape packed = with(op("Attention", inputs, outputs, kMs, {3, 5}), "num_heads", {4});
  const Shapes separate = {{1, 1, 64}, {1, 1, 64}, {1, 1, 64}, {}, {}, {}, {1, 4, 1024, 16}, {1, 4, 1024, 16}};
  const OpShape multi = with(op("MultiHeadAttention", separate, {{1, 1, 64}}, kMs, {3, 4, 5}), "num_heads", {4});
  OpShape packed_length = packed;
  OpShape multi_length = multi;
  for (OpShape* given : {&packed_length, &multi_length}) {
    given->input_shapes.push_back({1});  // past_sequence_length
    given->input_dtypes.emplace_back("int32");
  }
  const auto grouped = [](const std::vector<int64_t>& past) {
    const Shapes tensors = {{1, 1, 64}, {1, 1, 32}, {1, 1, 32}, past, past};
    const Shapes present = {{1, 1, 64}, {1, 2, 4096, 16}, {1, 2, 4096, 16}};
    return with(op("GroupQueryAttention", tensors, present, kMs), "num_heads", {4});
  };
  for (const OpShape& known : {packed, multi, grouped({1, 2, 4095, 16})}) {
    EXPECT_TRUE(op_flops(known).has_value()) << known.op_type;
    EXPECT_TRUE(op_bytes(known).has_value()) << known.op_type;
  }
  for (const OpShape& shared : {with(packed, "past_present_share_buffer", {1}), packed_length, multi_length,
                                grouped({1, 2, 4096, 16}), grouped({kUnknownDim})}) {
    EXPECT_EQ(op_flops(shared), std::nullopt) << shared.op_type;
    EXPECT_EQ(op_bytes(shared), std::nullopt) << shared.op_type;
  }
}

TEST(Attention, RotaryEmbedding) {
  EXPECT_EQ(op_flops(op("RotaryEmbedding", {{1, 4, 3, 16}}, {{1, 4, 3, 16}})), 3 * 192);
  EXPECT_EQ(op_flops(with(op("RotaryEmbedding", {{1, 4, 3, 16}}, {{1, 4, 3, 16}}), "rotary_embedding_dim", {4})),
            3 * 48);
}

TEST(Recurrent, PerStepProductsAndGates) {
  // 5 steps, batch 2, input 3, hidden 4, one direction: 40 hidden values, each 2 gates (3 + 4) + pointwise + bias
  const auto layer = [](const char* type, int64_t gates) {
    return op(type, {{5, 2, 3}, {1, gates * 4, 3}, {1, gates * 4, 4}, {1, 2 * gates * 4}}, {{5, 1, 2, 4}});
  };
  EXPECT_EQ(op_flops(layer("LSTM", 4)), 40 * (2 * 4 * 7 + 22 + 4));
  EXPECT_EQ(op_flops(layer("GRU", 3)), 40 * (2 * 3 * 7 + 17 + 3));
  EXPECT_EQ(op_flops(layer("RNN", 1)), 40 * (2 * 1 * 7 + 2 + 1));
  OpShape peepholes = layer("LSTM", 4);
  peepholes.input_shapes.resize(8);
  peepholes.input_dtypes.resize(8, std::string(kOmittedTensor));
  EXPECT_EQ(op_flops(peepholes), op_flops(layer("LSTM", 4)));
  peepholes.input_dtypes[7] = "float32";
  EXPECT_EQ(op_flops(peepholes), 40 * (2 * 4 * 7 + 22 + 4 + 6));
  const std::string defaults = "Sigmoid,Tanh";
  EXPECT_EQ(op_flops(with_text(layer("GRU", 3), "activations", defaults)), op_flops(layer("GRU", 3)));
  EXPECT_EQ(op_flops(with_text(layer("GRU", 3), "activations", defaults + "," + defaults)), op_flops(layer("GRU", 3)));
  for (const char* type : {"LSTM", "GRU", "RNN"}) {
    EXPECT_EQ(op_flops(with_text(layer(type, 4), "activations", "Relu,Tanh,Tanh")), std::nullopt) << type;
  }
}

TEST(Elementwise, PerOutputElement) {
  const Shapes x = {{2, 5}};
  EXPECT_EQ(op_flops(op("Add", {{2, 5}, {5}}, x)), 10);
  EXPECT_EQ(op_flops(op("Relu", x, x)), 10);
  EXPECT_EQ(op_flops(op("Erf", x, x)), 10);
  EXPECT_EQ(op_flops(op("Sigmoid", x, x)), 40);
  EXPECT_EQ(op_flops(op("Gelu", x, x)), 50);
  EXPECT_EQ(op_flops(with_text(op("Gelu", x, x), "approximate", "tanh")), 80);
  EXPECT_EQ(op_flops(op("FastGelu", {{2, 5}, {5}}, x, kMs)), 90);
  EXPECT_EQ(op_flops(op("BiasGelu", {{2, 5}, {5}}, x, kMs)), 60);
  EXPECT_EQ(op_flops(op("Clip", x, x)), 20);  // its bounds are attributes
  EXPECT_EQ(op_flops(op("Clip", {{2, 5}, {}, {}}, x)), 20);
  EXPECT_EQ(op_flops(op("Clip", {{2, 5}, {}}, x)), 10);
  EXPECT_EQ(op_flops(op("Clip", {{2, 5}, {}, {}}, x, "", {1})), 10);
  EXPECT_EQ(op_flops(op("Sum", {{2, 5}, {5}, {1}}, x)), 20);
  EXPECT_EQ(op_flops(op("Mean", {{2, 5}, {5}, {1}}, x)), 30);
  EXPECT_EQ(op_flops(op("Add", {{2, 5}, {5}}, {{-1, 5}})), std::nullopt);
}

TEST(Elementwise, MovementIsZeroEvenWhereShapesAreUnknown) {
  EXPECT_EQ(op_flops(op("Reshape", {{kUnknownDim}}, {{kUnknownDim}})), 0);
  EXPECT_EQ(op_flops(op("Concat", {{2}, {3}}, {{5}})), 0);
  EXPECT_EQ(op_flops(with_text(op("Resize", {{1, 1, 2, 2}}, {{1, 1, 4, 4}}), "mode", "nearest")), 0);
  EXPECT_EQ(op_flops(with_text(op("Resize", {{1, 1, 2, 2}}, {{1, 1, 4, 4}}), "mode", "cubic")), std::nullopt);
  EXPECT_EQ(op_flops(op("ReorderOutput", {{1, 32, 8, 8}}, {{1, 24, 8, 8}}, "com.microsoft.nchwc")), 0);
  const OpShape scatter = op("ScatterElements", {{9}, {4}, {4}}, {{9}});
  EXPECT_EQ(op_flops(scatter), 0);
  EXPECT_EQ(op_flops(with_text(scatter, "reduction", "add")), 4);
}

TEST(OpFlops, UnknownOperators) {
  EXPECT_EQ(op_flops(op("Mystery", {{2}}, {{2}})), std::nullopt);
  EXPECT_EQ(op_flops(op("Relu", {{2}}, {{2}}, "my.domain")), std::nullopt);
  EXPECT_EQ(op_flops(op("Relu", {{2}}, {{2}}, "ai.onnx")), 2);
  EXPECT_EQ(op_flops(op("If", {{}}, {{2}})), std::nullopt);
  EXPECT_EQ(op_flops(op("TopK", {{9}, {1}}, {{2}, {2}})), std::nullopt);
  EXPECT_EQ(op_flops(op("Add", {}, {})), std::nullopt);
}

TEST(OpFlops, ShapesThatNoValidOperatorHas) {
  EXPECT_EQ(op_flops(op("LRN", {{4}}, {{4}})), std::nullopt);
  EXPECT_EQ(op_flops(with(op("LRN", {{4}}, {{4}}), "size", {-3})), std::nullopt);
  const std::vector<int64_t> huge(16, int64_t{1} << 40);
  EXPECT_EQ(op_flops(op("Conv", {huge, huge}, {huge})), std::nullopt);
  EXPECT_EQ(op_flops(op("Conv", {{1, 1, 1}, {0, 1, 1}}, {{1, 0, 1}})), std::nullopt);
}

TEST(OpBytes, EachInputAndOutputOnce) {
  EXPECT_EQ(op_bytes(op("MatMul", {{2, 3}, {3, 5}}, {{2, 5}})), 4 * (6 + 15 + 10));
  EXPECT_EQ(op_bytes(op("Gemm", {{2, 3}, {3, 5}, {}}, {{2, 5}}, "", {2})), 4 * (6 + 15 + 10));
  EXPECT_EQ(op_bytes(op("MatMul", {{-1, 3}, {3, 5}}, {{-1, 5}})), std::nullopt);
  OpShape strings = op("Concat", {{2}, {3}}, {{5}});
  strings.input_dtypes[0] = "string";
  EXPECT_EQ(op_bytes(strings), std::nullopt);
  OpShape halves = op("Relu", {{3}}, {{3}});
  halves.input_dtypes = halves.output_dtypes = {"int4"};
  EXPECT_EQ(op_bytes(halves), 2 + 2);  // three half bytes take two
  OpShape untyped = op("Relu", {{3}}, {{3}});
  untyped.output_dtypes.clear();
  EXPECT_EQ(op_bytes(untyped), std::nullopt);
}

TEST(OpBytes, ViewsSelectionsAndShapes) {
  EXPECT_EQ(op_bytes(op("Reshape", {{2, 3}, {1}}, {{6}})), 0);
  EXPECT_EQ(op_bytes(op("Transpose", {{2, 3}}, {{3, 2}})), 48);
  // BERT's embedding: 128 rows of 768 out of 30,522, and 128 indices
  OpShape gather = op("Gather", {{30522, 768}, {1, 128}}, {{1, 128, 768}});
  gather.input_dtypes[1] = "int64";
  EXPECT_EQ(op_bytes(gather), 2 * 128 * 768 * 4 + 128 * 8);
  OpShape shape = op("Shape", {{1000, 1000}}, {{2}});
  shape.output_dtypes[0] = "int64";
  EXPECT_EQ(op_bytes(shape), 16);
  EXPECT_EQ(op_bytes(op("Loop", {{2}}, {{2}})), std::nullopt);
}

// An embedding of 4 bits, two values a byte, with a scale and a zero point for 16 values: 6 rows of 1000 are read.
TEST(OpBytes, OfAQuantizedTableTheRowsThatAreSelected) {
  OpShape gather = op("GatherBlockQuantized", {{1000, 32}, {2, 3}, {1000, 4}, {1000, 4}}, {{2, 3, 64}}, kMs);
  gather.input_dtypes = {"uint8", "int64", "float16", "uint8"};
  gather.output_dtypes = {"float16"};
  EXPECT_EQ(op_bytes(gather), 6 * (32 + 4 * 2 + 4) + 6 * 8 + 6 * 64 * 2);
  gather.input_dtypes[3] = kOmittedTensor;
  EXPECT_EQ(op_bytes(gather), 6 * (32 + 4 * 2) + 6 * 8 + 6 * 64 * 2);
  gather.input_shapes[1] = {kUnknownDim, 3};
  EXPECT_EQ(op_bytes(gather), std::nullopt);
  OpShape columns = op("GatherBlockQuantized", {{32, 1000}, {6}, {2, 1000}}, {{32, 6}}, kMs);
  columns.input_dtypes = {"int4", "int64", "float16"};
  columns.output_dtypes = {"float16"};
  EXPECT_EQ(op_bytes(with(columns, "gather_axis", {1})), 6 * (16 + 2 * 2) + 6 * 8 + 32 * 6 * 2);
}

// Operators of other domains share names but not meanings: each input and output once.
TEST(OpBytes, OfOtherDomains) {
  EXPECT_EQ(op_bytes(op("Gather", {{1000}, {2}}, {{2}}, "my.domain")), 4 * (1000 + 2 + 2));
  EXPECT_EQ(op_bytes(op("Shape", {{1000}}, {{1}}, "my.domain")), 4 * (1000 + 1));
  EXPECT_EQ(op_bytes(op("Loop", {{2}}, {{2}}, "my.domain")), 4 * (2 + 2));
  EXPECT_EQ(op_bytes(op("Identity", {{2}}, {{2}}, "my.domain")), 4 * (2 + 2));
}

TEST(DtypeBytes, Names) {
  EXPECT_EQ(dtype_bytes("float32"), 4);
  EXPECT_EQ(dtype_bytes("bfloat16"), 2);
  EXPECT_EQ(dtype_bytes("complex128"), 16);
  EXPECT_EQ(dtype_bytes("uint4"), 0.5);
  EXPECT_EQ(dtype_bytes("string"), std::nullopt);
  EXPECT_EQ(dtype_bytes(""), std::nullopt);
  EXPECT_EQ(dtype_bytes(kOmittedTensor), std::nullopt);
}

}  // namespace
}  // namespace aaco
