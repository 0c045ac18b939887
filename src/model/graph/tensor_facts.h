// SPDX-License-Identifier: MIT
// What is known about a tensor without running the model, and how it is read from ONNX messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/graph/input_trace.h"
#include "model/tensor.h"

namespace onnx {
class TensorProto;
class TypeProto;
}  // namespace onnx

namespace aaco {

using Dims = std::vector<int64_t>;  // -1: not known

// Longest shape and longest constant that are followed; longer ones are not known.
constexpr size_t kMaxRank = 16;
constexpr size_t kMaxValues = 1024;
// A larger dimension is taken for damage and is not known, so that sums and single products of dimensions fit an int64.
constexpr int64_t kMaxDim = int64_t{1} << 40;

// A constant is shared by all tensors that pass it on; null when not known.
using Values = std::shared_ptr<const Dims>;
using Reals = std::shared_ptr<const std::vector<double>>;

struct TensorFacts {
  std::string dtype;          // "" when not known
  std::optional<Dims> shape;  // no value: not even the rank
  Values values;              // elements of a small integer or boolean constant
  Reals reals;                // elements of a small float32 constant
  InputTraces traces = {};    // of the model's inputs that its values come from
};

// "float32", "int64", ...; "" for a number that is no element type.
std::string dtype_name(int32_t onnx_type);

// Negative and absurd dimensions become -1; too long a shape becomes unknown.
std::optional<Dims> sane_shape(Dims dims);

// A shape of `rank` unknown dimensions; no value for a rank that no shape has.
std::optional<Dims> unknown_of_rank(int64_t rank);

// Type, shape and small values of a constant.
TensorFacts facts_of(const onnx::TensorProto& tensor);

// The position of `axis`, from the back when negative, in a shape of `rank`; no value when outside.
std::optional<size_t> axis_position(int64_t axis, size_t rank);

// Shapes of two or more operands after broadcasting; no value when one is unknown or they do not fit.
std::optional<Dims> broadcast(std::span<const std::optional<Dims>> shapes);

// "[1,3,?]", or "?" for an unknown shape.
std::string shape_text(const std::optional<Dims>& shape);

}  // namespace aaco
