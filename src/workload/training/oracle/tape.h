// SPDX-License-Identifier: MIT
// Reverse-mode automatic differentiation in fp64, over tensors in row-major order. Each operation is a primitive with
// its own vector-Jacobian product; what is made of them needs no gradient written by hand. Straight loops: for checks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace aaco {

using TapeShape = std::vector<int64_t>;

// A tensor of one tape.
struct TapeTensor {
  size_t node = 0;
};

// Operations are recorded as they are done. Operands whose shapes do not fit, and indices out of range, are an error
// that the tape keeps, the first of them, and that gradients() returns; what the operation gives is then one NaN.
class Tape {
 public:
  Tape() = default;
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  // A parameter or a constant; as many values as the shape has elements.
  TapeTensor leaf(TapeShape shape, std::vector<double> values);

  // Element by element; shapes are equal.
  TapeTensor add(TapeTensor a, TapeTensor b);
  TapeTensor multiply(TapeTensor a, TapeTensor b);

  // Element by element; `factor`, `term` and `exponent` are constants.
  TapeTensor scale(TapeTensor a, double factor);
  TapeTensor shift(TapeTensor a, double term);
  TapeTensor power(TapeTensor a, double exponent);
  TapeTensor exponential(TapeTensor a);
  TapeTensor logarithm(TapeTensor a);
  // `value`, without a gradient, where `mask` is true; as many of it as elements.
  TapeTensor fill(TapeTensor a, const std::vector<bool>& mask, double value);

  // [..., m, k] times [..., k, n] is [..., m, n]; the leading axes are equal.
  TapeTensor product(TapeTensor a, TapeTensor b);

  // The axis is of 1 afterwards.
  TapeTensor sum(TapeTensor a, size_t axis);
  // The axis, which is of 1, `count` times.
  TapeTensor repeat(TapeTensor a, size_t axis, int64_t count);
  // [rows, cols] is [indices, cols] afterwards; an index may come more than once.
  TapeTensor gather(TapeTensor a, const std::vector<int64_t>& indices);
  // The same elements in the same order.
  TapeTensor reshape(TapeTensor a, TapeShape shape);
  // Axis i of the result is axis order[i] of `a`.
  TapeTensor permute(TapeTensor a, const std::vector<size_t>& order);

  // Valid until the next operation.
  const TapeShape& shape(TapeTensor a) const { return nodes_[a.node].shape; }
  const std::vector<double>& values(TapeTensor a) const { return nodes_[a.node].values; }

  // The gradients of `of`, which has one element, by each of `by`. Errors: kBug, where an operation did not fit, or
  // `of` has more elements.
  Result<std::vector<std::vector<double>>> gradients(TapeTensor tensor, const std::vector<TapeTensor>& by) const;

 private:
  using Gradients = std::vector<std::vector<double>>;  // of each node
  // The vector-Jacobian product: what a node's gradient adds to those of its operands.
  using PullBack = std::function<void(const std::vector<double>& gradient, Gradients& gradients)>;

  struct Node {
    TapeShape shape;
    std::vector<double> values;
    PullBack pull_back;  // none: a leaf
  };

  TapeTensor record(TapeShape shape, std::vector<double> values, PullBack pull_back);
  TapeTensor misfit(std::string what);
  // `value` of each element, and its `derivative` by that element.
  TapeTensor map(TapeTensor a, const std::function<double(double)>& value,
                 const std::function<double(double)>& derivative);
  // Element i of the result is element from[i] of `a`.
  TapeTensor take(TapeTensor a, TapeShape shape, std::vector<size_t> from);
  bool same_shape(TapeTensor a, TapeTensor b) const { return shape(a) == shape(b); }

  std::vector<Node> nodes_;
  std::optional<Error> error_;
};

// Elements of a shape.
size_t tape_elements(const TapeShape& shape);

}  // namespace aaco
