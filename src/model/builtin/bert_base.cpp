// SPDX-License-Identifier: MIT
// BERT base, uncased (Devlin et al., NAACL 2019), with the operators that PyTorch's exporter writes for it, so that
// runtimes recognise the patterns that they fuse. Token types are all zero, as when a caller passes none.
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <string>

#include "model/builtin/builtin.h"
#include "model/builtin/onnx_writer.h"

namespace aaco {

namespace {

constexpr int64_t kLayers = 12;
constexpr int64_t kHidden = 768;
constexpr int64_t kHeads = 12;
constexpr int64_t kHeadDim = kHidden / kHeads;
constexpr int64_t kFeedForward = 3072;
constexpr int64_t kVocabulary = 30522;
constexpr int64_t kPositions = 512;
constexpr double kInitialDeviation = 0.02;

class Bert {
 public:
  explicit Bert(OnnxWriter& writer) : writer_(writer) {}

  std::string node(const std::string& op, const std::string& path, const std::vector<std::string>& inputs,
                   const std::vector<Attribute>& attributes = {}) {
    return writer_.add_node(op, path + "/" + op, inputs, attributes);
  }

  void add_constants() {
    axis0_ = writer_.add_integers("axis0", {0});
    axis1_ = writer_.add_integers("axis1", {1});
    axis2_ = writer_.add_integers("axis2", {2});
    split_heads_ = writer_.add_integers("split_heads", {0, 0, kHeads, kHeadDim});
    merge_heads_ = writer_.add_integers("merge_heads", {0, 0, kHidden});
    score_divisor_ = writer_.add_scalar("score_divisor", std::sqrt(static_cast<double>(kHeadDim)));
    sqrt2_ = writer_.add_scalar("sqrt2", std::sqrt(2.0));
    one_ = writer_.add_scalar("one", 1);
    half_ = writer_.add_scalar("half", 0.5);
    // Finite in binary16, and small enough that the softmax of a masked position is exactly zero.
    masked_ = writer_.add_scalar("masked", -10000);
  }

  std::string linear(const std::string& module, const std::string& path, const std::string& x, int64_t in,
                     int64_t out) {
    const std::string weight = writer_.add_weight(module + ".weight", {in, out}, {0, kInitialDeviation});
    const std::string bias = writer_.add_weight(module + ".bias", {out}, {0, kInitialDeviation});
    return node("Add", path, {bias, node("MatMul", path, {x, weight})});
  }

  std::string layer_norm(const std::string& module, const std::string& path, const std::string& x,
                         const std::string& output = "") {
    const std::string weight = writer_.add_weight(module + ".weight", {kHidden}, {1, kInitialDeviation});
    const std::string bias = writer_.add_weight(module + ".bias", {kHidden}, {0, kInitialDeviation});
    return writer_.add_node("LayerNormalization", path + "/LayerNormalization", {x, weight, bias},
                            {{"axis", int64_t{-1}}, {"epsilon", 1e-12F}}, output);
  }

  std::string embeddings(const std::string& input_ids) {
    const std::string module = "embeddings";
    const std::string path = "/embeddings";
    const std::string words = table(module + ".word_embeddings", path + "/word_embeddings", kVocabulary, input_ids);
    const std::string shape = node("Shape", path, {input_ids});
    const std::string length = node("Slice", path + "/length", {shape, axis1_, axis2_, axis0_});

    std::vector<int64_t> counting(kPositions);
    for (int64_t i = 0; i < kPositions; ++i) {
      counting[static_cast<size_t>(i)] = i;
    }
    const std::string all_positions = writer_.add_integers(module + ".position_ids", counting);
    const std::string positions =
        node("Unsqueeze", path + "/positions",
             {node("Slice", path + "/positions", {all_positions, axis0_, length, axis0_}), axis0_});
    const std::string zero = writer_.add_integers(module + ".token_type_ids", {0});
    const std::string types = node("Expand", path + "/types", {zero, shape});

    const std::string typed =
        node("Add", path, {words, table(module + ".token_type_embeddings", path + "/token_type_embeddings", 2, types)});
    const std::string placed =
        table(module + ".position_embeddings", path + "/position_embeddings", kPositions, positions);
    const std::string embedded =
        layer_norm(module + ".LayerNorm", path + "/LayerNorm", node("Add", path + "/placed", {typed, placed}));
    writer_.add_shape(embedded, writer_.float_type(), {"batch", "sequence", kHidden});
    return embedded;
  }

  // [batch, sequence] of ones and zeros to [batch, 1, 1, sequence] of zeros and a large negative number.
  std::string score_mask(const std::string& attention_mask) {
    const std::string wide =
        node("Unsqueeze", "/mask/columns", {node("Unsqueeze", "/mask", {attention_mask, axis1_}), axis2_});
    const std::string kept = node("Cast", "/mask", {wide}, {{"to", static_cast<int64_t>(writer_.float_type())}});
    return node("Mul", "/mask", {node("Sub", "/mask", {one_, kept}), masked_});
  }

  std::string layer(int64_t index, const std::string& x, const std::string& mask, const std::string& output) {
    const std::string module = fmt::format("encoder.layer.{}", index);
    const std::string path = fmt::format("/encoder/layer.{}", index);
    const std::string attended =
        layer_norm(module + ".attention.output.LayerNorm", path + "/attention/output/LayerNorm",
                   node("Add", path + "/attention/output", {attention(module, path, x, mask), x}));
    const std::string wide =
        gelu(path + "/intermediate/intermediate_act_fn",
             linear(module + ".intermediate.dense", path + "/intermediate/dense", attended, kHidden, kFeedForward));
    const std::string narrow = linear(module + ".output.dense", path + "/output/dense", wide, kFeedForward, kHidden);
    return layer_norm(module + ".output.LayerNorm", path + "/output/LayerNorm",
                      node("Add", path + "/output", {narrow, attended}), output);
  }

  void pooler(const std::string& hidden) {
    const std::string first = writer_.add_node(
        "Gather", "/pooler/Gather", {hidden, writer_.add_integer("pooler.first", 0)}, {{"axis", int64_t{1}}});
    const std::string weight = writer_.add_weight("pooler.dense.weight", {kHidden, kHidden}, {0, kInitialDeviation});
    const std::string bias = writer_.add_weight("pooler.dense.bias", {kHidden}, {0, kInitialDeviation});
    const std::string dense =
        node("Gemm", "/pooler/dense", {first, weight, bias}, {{"alpha", 1.0F}, {"beta", 1.0F}, {"transB", int64_t{1}}});
    writer_.add_node("Tanh", "/pooler/activation/Tanh", {dense}, {}, "pooler_output");
  }

 private:
  std::string table(const std::string& module, const std::string& path, int64_t rows, const std::string& indices) {
    return node("Gather", path,
                {writer_.add_weight(module + ".weight", {rows, kHidden}, {0, kInitialDeviation}), indices});
  }

  std::string heads(const std::string& module, const std::string& path, const std::string& x,
                    std::vector<int64_t> order) {
    const std::string projected = linear(module, path, x, kHidden, kHidden);
    return node("Transpose", path, {node("Reshape", path, {projected, split_heads_})}, {{"perm", std::move(order)}});
  }

  std::string attention(const std::string& module, const std::string& path, const std::string& x,
                        const std::string& mask) {
    const std::string self_module = module + ".attention.self";
    const std::string self = path + "/attention/self";
    const std::string query = heads(self_module + ".query", self + "/query", x, {0, 2, 1, 3});
    const std::string key = heads(self_module + ".key", self + "/key", x, {0, 2, 3, 1});
    const std::string value = heads(self_module + ".value", self + "/value", x, {0, 2, 1, 3});
    const std::string scores = node("Div", self, {node("MatMul", self + "/scores", {query, key}), score_divisor_});
    const std::string weights = node("Softmax", self, {node("Add", self, {scores, mask})}, {{"axis", int64_t{-1}}});
    const std::string mixed = node("Transpose", self, {node("MatMul", self + "/context", {weights, value})},
                                   {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
    const std::string merged = node("Reshape", self, {mixed, merge_heads_});
    return linear(module + ".attention.output.dense", path + "/attention/output/dense", merged, kHidden, kHidden);
  }

  // x / 2 * (1 + erf(x / sqrt 2)) (Hendrycks & Gimpel 2016).
  std::string gelu(const std::string& path, const std::string& x) {
    const std::string erf = node("Erf", path, {node("Div", path, {x, sqrt2_})});
    const std::string product = node("Mul", path, {x, node("Add", path, {erf, one_})});
    return node("Mul", path + "/halved", {product, half_});
  }

  OnnxWriter& writer_;
  std::string axis0_, axis1_, axis2_, split_heads_, merge_heads_, score_divisor_, sqrt2_, one_, half_, masked_;
};

Result<void> build_bert_base(const std::map<std::string, int64_t>&, OnnxWriter& writer) {
  const std::vector<Dim> tokens{"batch", "sequence"};
  const std::string input_ids = writer.add_input("input_ids", ElementType::kInt64, tokens);
  const std::string attention_mask = writer.add_input("attention_mask", ElementType::kInt64, tokens);
  Bert bert(writer);
  bert.add_constants();
  const std::string mask = bert.score_mask(attention_mask);
  std::string x = bert.embeddings(input_ids);
  for (int64_t layer = 0; layer < kLayers; ++layer) {
    x = bert.layer(layer, x, mask, layer + 1 == kLayers ? "last_hidden_state" : "");
  }
  bert.pooler(x);
  writer.add_output("last_hidden_state", writer.float_type(), {"batch", "sequence", kHidden});
  writer.add_output("pooler_output", writer.float_type(), {"batch", kHidden});
  return {};
}

}  // namespace

BuiltinModel bert_base_model() {
  return {"bert-base", "BERT base, text encoder, 109.5 M parameters", {"fp32", "fp16"}, {}, build_bert_base};
}

}  // namespace aaco
