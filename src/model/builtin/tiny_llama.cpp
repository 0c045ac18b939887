// SPDX-License-Identifier: MIT
// A small LLaMA decoder (Touvron et al. 2023) with its key and value caches as inputs and outputs, named and shaped as
// Hugging Face's exports are. RMSNorm, rotary embedding, grouped-query attention by expansion, SwiGLU, output head tied
// to the embedding, no biases. The rotary pairs are (i, i + head_dim / 2): with pairs (2i, 2i + 1) the model is the
// same up to an order of the query's and key's columns.
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <string>

#include "model/builtin/builtin.h"
#include "model/builtin/onnx_writer.h"

namespace aaco {

namespace {

constexpr double kInitialDeviation = 0.02;
constexpr double kRotaryBase = 10000;
constexpr double kNormEpsilon = 1e-6;

struct Sizes {
  int64_t layers, hidden, heads, kv_heads, vocabulary;

  int64_t head_dim() const { return hidden / heads; }
  int64_t feed_forward() const { return 4 * hidden; }
};

// Cosine and sine of each position's angles, [batch, 1, sequence, head_dim].
struct Rotary {
  std::string cosine, sine;
};

class Llama {
 public:
  Llama(OnnxWriter& writer, Sizes sizes) : writer_(writer), sizes_(sizes) {}

  std::string node(const std::string& op, const std::string& path, const std::vector<std::string>& inputs,
                   const std::vector<Attribute>& attributes = {}) {
    return writer_.add_node(op, path + "/" + op, inputs, attributes);
  }

  void add_constants() {
    const int64_t half = sizes_.head_dim() / 2;
    axis0_ = writer_.add_integers("axis0", {0});
    axis1_ = writer_.add_integers("axis1", {1});
    axis2_ = writer_.add_integers("axis2", {2});
    axis3_ = writer_.add_integers("axis3", {3});
    half_head_ = writer_.add_integers("half_head", {half});
    to_the_end_ = writer_.add_integers("to_the_end", {INT64_MAX});
    split_heads_ = writer_.add_integers("split_heads", {0, 0, sizes_.heads, sizes_.head_dim()});
    split_kv_heads_ = writer_.add_integers("split_kv_heads", {0, 0, sizes_.kv_heads, sizes_.head_dim()});
    merge_heads_ = writer_.add_integers("merge_heads", {0, 0, sizes_.hidden});
    if (sizes_.heads != sizes_.kv_heads) {
      repeats_ = writer_.add_integers("repeats", {1, 1, sizes_.heads / sizes_.kv_heads, 1, 1});
      repeated_heads_ = writer_.add_integers("repeated_heads", {0, sizes_.heads, -1, sizes_.head_dim()});
    }
    score_scale_ = writer_.add_scalar("score_scale", 1 / std::sqrt(static_cast<double>(sizes_.head_dim())));
    square_ = writer_.add_floats("square", {2}, {}, ElementType::kFloat);
    epsilon_ = writer_.add_floats("epsilon", {kNormEpsilon}, {}, ElementType::kFloat);
    visible_ = writer_.add_scalar("visible", 0);
    // Finite in binary16, and small enough that the softmax of a masked position is exactly zero.
    masked_ = writer_.add_scalar("masked", -10000);
  }

  std::string embed(const std::string& input_ids) {
    embedding_ =
        writer_.add_weight("model.embed_tokens.weight", {sizes_.vocabulary, sizes_.hidden}, {0, kInitialDeviation});
    return node("Gather", "/model/embed_tokens", {embedding_, input_ids});
  }

  // [batch, 1, sequence, total]: a position sees itself and what came before it, unless the caller masked that.
  std::string score_mask(const std::string& input_ids, const std::string& attention_mask, const std::string& past_key) {
    const std::string path = "/model/mask";
    const std::string zero = writer_.add_integer("zero", 0);
    const std::string one_name = writer_.add_integer("one", 1);
    const std::string past =
        node("Gather", path + "/past", {node("Shape", path + "/past", {past_key}), writer_.add_integer("two", 2)});
    const std::string length =
        node("Gather", path + "/length", {node("Shape", path + "/length", {input_ids}), one_name});
    const std::string total = node("Add", path + "/total", {past, length});
    const std::string rows =
        node("Unsqueeze", path + "/rows", {node("Range", path + "/rows", {past, total, one_name}), axis1_});
    const std::string columns = node("Range", path + "/columns", {zero, total, one_name});
    const std::string causal = node("LessOrEqual", path, {columns, rows});
    const std::string given = node("Cast", path, {attention_mask}, {{"to", static_cast<int64_t>(ElementType::kBool)}});
    const std::string wide = node("Unsqueeze", path, {given, writer_.add_integers("axes12", {1, 2})});
    const std::string mask = node("Where", path, {node("And", path, {causal, wide}), visible_, masked_});
    writer_.add_shape(mask, writer_.float_type(), {"batch", 1, "sequence", "total_sequence"});
    return mask;
  }

  // Angles in fp32 in either precision: a binary16 position above 2048 would be rounded.
  Rotary rotary(const std::string& position_ids) {
    const std::string path = "/model/rotary_emb";
    std::vector<double> frequencies;
    for (int64_t i = 0; i < sizes_.head_dim() / 2; ++i) {
      frequencies.push_back(
          std::pow(kRotaryBase, -2.0 * static_cast<double>(i) / static_cast<double>(sizes_.head_dim())));
    }
    const std::string inverse =
        writer_.add_floats("model.rotary_emb.inv_freq", frequencies, {sizes_.head_dim() / 2}, ElementType::kFloat);
    const std::string positions = node("Cast", path, {node("Unsqueeze", path, {position_ids, axis2_})},
                                       {{"to", static_cast<int64_t>(ElementType::kFloat)}});
    const std::string angles = node("Mul", path, {positions, inverse});
    const std::string both = node("Concat", path, {angles, angles}, {{"axis", int64_t{-1}}});
    const auto wide = [&](const char* op) {
      const std::string table = from_fp32(path + "/" + op, node(op, path, {both}));
      return node("Unsqueeze", path + "/" + op, {table, axis1_});
    };
    return {wide("Cos"), wide("Sin")};
  }

  // Returns the layer's output; adds the layer's past inputs and present outputs.
  std::string layer(int64_t index, const std::string& x, const Rotary& tables, const std::string& mask) {
    const std::string module = fmt::format("model.layers.{}", index);
    const std::string path = fmt::format("/model/layers.{}", index);
    const std::string normed = rms_norm(module + ".input_layernorm", path + "/input_layernorm", x);
    const std::string attended =
        node("Add", path, {x, attention(index, module + ".self_attn", path + "/self_attn", normed, tables, mask)});
    const std::string ready =
        rms_norm(module + ".post_attention_layernorm", path + "/post_attention_layernorm", attended);
    return node("Add", path + "/mlp_residual", {attended, feed_forward(module + ".mlp", path + "/mlp", ready)});
  }

  void head(const std::string& x) {
    const std::string normed = rms_norm("model.norm", "/model/norm", x);
    const std::string tied = node("Transpose", "/lm_head", {embedding_}, {{"perm", std::vector<int64_t>{1, 0}}});
    writer_.add_node("MatMul", "/lm_head/MatMul", {normed, tied}, {}, "logits");
  }

 private:
  bool fp16() const { return writer_.float_type() == ElementType::kFloat16; }
  std::string to_fp32(const std::string& path, const std::string& x) {
    return fp16() ? node("Cast", path + "/to_fp32", {x}, {{"to", static_cast<int64_t>(ElementType::kFloat)}}) : x;
  }
  std::string from_fp32(const std::string& path, const std::string& x) {
    return fp16() ? node("Cast", path + "/from_fp32", {x}, {{"to", static_cast<int64_t>(ElementType::kFloat16)}}) : x;
  }

  std::string linear(const std::string& module, const std::string& path, const std::string& x, int64_t in,
                     int64_t out) {
    return node("MatMul", path, {x, writer_.add_weight(module + ".weight", {in, out}, {0, kInitialDeviation})});
  }

  // weight * x / sqrt(mean(x^2) + epsilon) (Zhang & Sennrich 2019), in fp32.
  std::string rms_norm(const std::string& module, const std::string& path, const std::string& x) {
    const std::string wide = to_fp32(path, x);
    const std::string mean = node("ReduceMean", path, {node("Pow", path, {wide, square_})},
                                  {{"axes", std::vector<int64_t>{-1}}, {"keepdims", int64_t{1}}});
    const std::string root = node("Sqrt", path, {node("Add", path, {mean, epsilon_})});
    const std::string normed = from_fp32(path, node("Div", path, {wide, root}));
    return node("Mul", path, {normed, writer_.add_weight(module + ".weight", {sizes_.hidden}, {1, kInitialDeviation})});
  }

  std::string split(const std::string& path, const std::string& x, const std::string& shape) {
    return node("Transpose", path, {node("Reshape", path, {x, shape})}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
  }

  // x cos + (-second half, first half) sin (Su et al. 2021).
  std::string rotate(const std::string& path, const std::string& x, const Rotary& tables) {
    const std::string first = node("Slice", path + "/first", {x, axis0_, half_head_, axis3_});
    const std::string second = node("Slice", path + "/second", {x, half_head_, to_the_end_, axis3_});
    const std::string turned = node("Concat", path, {node("Neg", path, {second}), first}, {{"axis", int64_t{-1}}});
    return node("Add", path,
                {node("Mul", path + "/cos", {x, tables.cosine}), node("Mul", path + "/sin", {turned, tables.sine})});
  }

  // Appends to the cache: declares its input and output and returns all keys or values so far.
  std::string extend_cache(int64_t index, const char* kind, const std::string& path, const std::string& fresh) {
    const ElementType type = writer_.float_type();
    const std::string past = writer_.add_input(fmt::format("past_key_values.{}.{}", index, kind), type,
                                               {"batch", sizes_.kv_heads, "past_sequence", sizes_.head_dim()});
    const std::string present = fmt::format("present.{}.{}", index, kind);
    writer_.add_output(present, type, {"batch", sizes_.kv_heads, "total_sequence", sizes_.head_dim()});
    return writer_.add_node("Concat", path + "/Concat", {past, fresh}, {{"axis", int64_t{2}}}, present);
  }

  // [batch, kv_heads, total, head_dim] to [batch, heads, total, head_dim], each head repeated in place.
  std::string repeat_heads(const std::string& path, const std::string& x) {
    if (sizes_.heads == sizes_.kv_heads) {
      return x;
    }
    const std::string repeated = node("Expand", path, {node("Unsqueeze", path, {x, axis2_}), repeats_});
    const std::string all = node("Reshape", path, {repeated, repeated_heads_});
    writer_.add_shape(all, writer_.float_type(), {"batch", sizes_.heads, "total_sequence", sizes_.head_dim()});
    return all;
  }

  std::string attention(int64_t index, const std::string& module, const std::string& path, const std::string& x,
                        const Rotary& tables, const std::string& mask) {
    const int64_t kv_width = sizes_.kv_heads * sizes_.head_dim();
    const std::string query = rotate(
        path + "/q_rotary",
        split(path + "/q", linear(module + ".q_proj", path + "/q_proj", x, sizes_.hidden, sizes_.hidden), split_heads_),
        tables);
    const std::string key = rotate(
        path + "/k_rotary",
        split(path + "/k", linear(module + ".k_proj", path + "/k_proj", x, sizes_.hidden, kv_width), split_kv_heads_),
        tables);
    const std::string value =
        split(path + "/v", linear(module + ".v_proj", path + "/v_proj", x, sizes_.hidden, kv_width), split_kv_heads_);
    const std::string keys = repeat_heads(path + "/k_repeat", extend_cache(index, "key", path + "/k_cache", key));
    const std::string values = repeat_heads(path + "/v_repeat", extend_cache(index, "value", path + "/v_cache", value));
    const std::string turned =
        node("Transpose", path + "/scores", {keys}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}});
    const std::string scores = node("Mul", path, {node("MatMul", path + "/scores", {query, turned}), score_scale_});
    const std::string wide = to_fp32(path, node("Add", path, {scores, mask}));
    const std::string weights = from_fp32(path, node("Softmax", path, {wide}, {{"axis", int64_t{-1}}}));
    const std::string mixed = node("Transpose", path, {node("MatMul", path + "/context", {weights, values})},
                                   {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
    return linear(module + ".o_proj", path + "/o_proj", node("Reshape", path, {mixed, merge_heads_}), sizes_.hidden,
                  sizes_.hidden);
  }

  // SwiGLU (Shazeer 2020): down(silu(gate(x)) * up(x)).
  std::string feed_forward(const std::string& module, const std::string& path, const std::string& x) {
    const std::string gate =
        linear(module + ".gate_proj", path + "/gate_proj", x, sizes_.hidden, sizes_.feed_forward());
    const std::string up = linear(module + ".up_proj", path + "/up_proj", x, sizes_.hidden, sizes_.feed_forward());
    const std::string silu = node("Mul", path + "/act_fn", {gate, node("Sigmoid", path + "/act_fn", {gate})});
    return linear(module + ".down_proj", path + "/down_proj", node("Mul", path, {silu, up}), sizes_.feed_forward(),
                  sizes_.hidden);
  }

  OnnxWriter& writer_;
  Sizes sizes_;
  std::string embedding_;
  std::string axis0_, axis1_, axis2_, axis3_, half_head_, to_the_end_, split_heads_, split_kv_heads_, merge_heads_,
      repeats_, repeated_heads_, score_scale_, square_, epsilon_, visible_, masked_;
};

Result<void> check(const Sizes& sizes) {
  if (sizes.hidden % (2 * sizes.heads) != 0) {
    return Error{ErrorKind::kUsage,
                 fmt::format("built-in model tiny-llama: hidden {} does not give {} heads an even size", sizes.hidden,
                             sizes.heads),
                 "choose hidden as a multiple of twice heads"};
  }
  if (sizes.heads % sizes.kv_heads != 0) {
    return Error{
        ErrorKind::kUsage,
        fmt::format("built-in model tiny-llama: {} heads cannot share {} kv_heads evenly", sizes.heads, sizes.kv_heads),
        "choose heads as a multiple of kv_heads"};
  }
  return {};
}

Result<void> build_tiny_llama(const std::map<std::string, int64_t>& parameters, OnnxWriter& writer) {
  const Sizes sizes{parameters.at("layers"), parameters.at("hidden"), parameters.at("heads"), parameters.at("kv_heads"),
                    parameters.at("vocabulary")};
  AACO_TRY(check(sizes));
  const std::string input_ids = writer.add_input("input_ids", ElementType::kInt64, {"batch", "sequence"});
  const std::string attention_mask =
      writer.add_input("attention_mask", ElementType::kInt64, {"batch", "total_sequence"});
  const std::string position_ids = writer.add_input("position_ids", ElementType::kInt64, {"batch", "sequence"});
  writer.add_output("logits", writer.float_type(), {"batch", "sequence", sizes.vocabulary});
  Llama llama(writer, sizes);
  llama.add_constants();
  std::string x = llama.embed(input_ids);
  const std::string mask = llama.score_mask(input_ids, attention_mask, "past_key_values.0.key");
  const Rotary tables = llama.rotary(position_ids);
  for (int64_t layer = 0; layer < sizes.layers; ++layer) {
    x = llama.layer(layer, x, tables, mask);
  }
  llama.head(x);
  return {};
}

}  // namespace

BuiltinModel tiny_llama_model() {
  return {"tiny-llama",
          "LLaMA decoder with key and value caches, 32.0 M parameters",
          {"fp32", "fp16"},
          {{"layers", "decoder layers", 8, 1, 128},
           {"hidden", "width; the feed-forward width is four times it", 512, 2, 16384},
           {"heads", "query heads", 8, 1, 256},
           {"kv_heads", "key and value heads", 4, 1, 256},
           {"vocabulary", "tokens", 1000, 2, 1'000'000}},
          build_tiny_llama};
}

}  // namespace aaco
