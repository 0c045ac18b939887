// SPDX-License-Identifier: MIT
// Graphs of known behaviour: chains of element-wise operators, small or large, and chains of matrix products.
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string>

#include "model/builtin/builtin.h"
#include "model/builtin/onnx_writer.h"

namespace aaco {

namespace {

// `count` element-wise nodes one after the other on [batch, elements]. The cycle Abs, Add, Mul, Sqrt keeps any input
// finite and has no pair that ONNX Runtime's graph optimisations merge; both constants are positive and below one, so
// no node is an identity.
void build_chain(int64_t count, int64_t elements, OnnxWriter& writer) {
  const ElementType type = writer.float_type();
  const std::string offset = count > 1 ? writer.add_weight("offset", {1}, {0.5, 0.1}) : "";
  const std::string factor = count > 2 ? writer.add_weight("factor", {1}, {0.5, 0.1}) : "";
  std::string x = writer.add_input("input", type, {"batch", elements});
  for (int64_t i = 0; i < count; ++i) {
    const std::array<std::pair<const char*, std::vector<std::string>>, 4> cycle{
        {{"Abs", {x}}, {"Add", {x, offset}}, {"Mul", {x, factor}}, {"Sqrt", {x}}}};
    const auto& [op, inputs] = cycle[static_cast<size_t>(i % 4)];
    x = writer.add_node(op, fmt::format("/{}/{}", i, op), inputs, {}, i + 1 == count ? "output" : "");
  }
  writer.add_output("output", type, {"batch", elements});
}

Result<void> build_chain_tiny(const std::map<std::string, int64_t>& parameters, OnnxWriter& writer) {
  build_chain(parameters.at("nodes"), parameters.at("elements"), writer);
  return {};
}

Result<void> build_elementwise(const std::map<std::string, int64_t>& parameters, OnnxWriter& writer) {
  build_chain(parameters.at("count"), parameters.at("elements"), writer);
  return {};
}

// [batch, m, k] times [k, n] times [n, k] times [k, n] ...: 2 m n k floating-point operations each.
Result<void> build_gemm(const std::map<std::string, int64_t>& parameters, OnnxWriter& writer) {
  const ElementType type = writer.float_type();
  const int64_t m = parameters.at("m");
  const int64_t count = parameters.at("count");
  int64_t in = parameters.at("k");
  int64_t out = parameters.at("n");
  std::string x = writer.add_input("input", type, {"batch", m, in});
  for (int64_t i = 0; i < count; ++i) {
    // Products of this deviation keep the variance of what they multiply.
    const std::string weight =
        writer.add_weight(fmt::format("weight{}", i), {in, out}, {0, 1 / std::sqrt(static_cast<double>(in))});
    x = writer.add_node("MatMul", fmt::format("/{}/MatMul", i), {x, weight}, {}, i + 1 == count ? "output" : "");
    std::swap(in, out);
  }
  writer.add_output("output", type, {"batch", m, in});
  return {};
}

constexpr int64_t kManyElements = int64_t{1} << 30;

}  // namespace

BuiltinModel chain_tiny_model() {
  return {"chain-tiny",
          "tiny element-wise operators one after the other: launch cost",
          {"fp32", "fp16"},
          {{"nodes", "operators", 1000, 1, 100'000},
           {"elements", "elements of the tensor, per sample", 16, 1, kManyElements}},
          build_chain_tiny};
}

BuiltinModel elementwise_model() {
  return {"elementwise",
          "element-wise operators on a large tensor: memory bandwidth",
          {"fp32", "fp16"},
          {{"count", "operators", 8, 1, 100'000},
           {"elements", "elements of the tensor, per sample", int64_t{1} << 24, 1, kManyElements}},
          build_elementwise};
}

BuiltinModel gemm_model() {
  return {"gemm",
          "matrix products one after the other: arithmetic",
          {"fp32", "fp16"},
          {{"m", "rows, per sample", 1024, 1, 65536},
           {"n", "columns of the first product", 1024, 1, 65536},
           {"k", "length of the first product's sums", 1024, 1, 65536},
           {"count", "products", 1, 1, 10'000}},
          build_gemm};
}

}  // namespace aaco
