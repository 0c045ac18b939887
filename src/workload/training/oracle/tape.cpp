// SPDX-License-Identifier: MIT
#include "workload/training/oracle/tape.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <numeric>

namespace aaco {

namespace {

bool is_shape(const TapeShape& sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [](int64_t size) { return size > 0; });
}

size_t elements_of(const TapeShape& shape, size_t begin, size_t end) {
  size_t count = 1;
  for (size_t axis = begin; axis < end; ++axis) {
    count *= static_cast<size_t>(shape[axis]);
  }
  return count;
}

// With the axis of `shape` left out, where the element of a tensor that has the axis belongs.
std::vector<size_t> without_axis(const TapeShape& shape, size_t axis) {
  const size_t outer = elements_of(shape, 0, axis);
  const auto along = static_cast<size_t>(shape[axis]);
  const size_t inner = elements_of(shape, axis + 1, shape.size());
  std::vector<size_t> place;
  place.reserve(outer * along * inner);
  for (size_t o = 0; o < outer; ++o) {
    for (size_t n = 0; n < along; ++n) {
      for (size_t i = 0; i < inner; ++i) {
        place.push_back(o * inner + i);
      }
    }
  }
  return place;
}

std::vector<size_t> strides_of(const TapeShape& shape) {
  std::vector<size_t> strides(shape.size());
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    strides[axis] = elements_of(shape, axis + 1, shape.size());
  }
  return strides;
}

}  // namespace

size_t tape_elements(const TapeShape& shape) { return elements_of(shape, 0, shape.size()); }

TapeTensor Tape::record(TapeShape shape, std::vector<double> values, PullBack pull_back) {
  nodes_.push_back({std::move(shape), std::move(values), std::move(pull_back)});
  return {nodes_.size() - 1};
}

TapeTensor Tape::misfit(std::string what) {
  if (!error_) {
    error_ = Error{ErrorKind::kBug, "tape: " + std::move(what), ""};
  }
  return record({1}, {std::numeric_limits<double>::quiet_NaN()}, {});
}

TapeTensor Tape::leaf(TapeShape shape, std::vector<double> values) {
  if (!is_shape(shape) || values.size() != tape_elements(shape)) {
    return misfit(fmt::format("{} values for a leaf of shape {}", values.size(), shape));
  }
  return record(std::move(shape), std::move(values), {});
}

TapeTensor Tape::add(TapeTensor a, TapeTensor b) {
  if (!same_shape(a, b)) {
    return misfit(fmt::format("add: {} and {}", shape(a), shape(b)));
  }
  std::vector<double> out = values(a);
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] += values(b)[i];
  }
  return record(shape(a), std::move(out), [a, b](const std::vector<double>& gradient, Gradients& gradients) {
    for (size_t i = 0; i < gradient.size(); ++i) {
      gradients[a.node][i] += gradient[i];
      gradients[b.node][i] += gradient[i];
    }
  });
}

TapeTensor Tape::multiply(TapeTensor a, TapeTensor b) {
  if (!same_shape(a, b)) {
    return misfit(fmt::format("multiply: {} and {}", shape(a), shape(b)));
  }
  std::vector<double> out = values(a);
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] *= values(b)[i];
  }
  return record(shape(a), std::move(out), [this, a, b](const std::vector<double>& gradient, Gradients& gradients) {
    for (size_t i = 0; i < gradient.size(); ++i) {
      gradients[a.node][i] += gradient[i] * values(b)[i];
      gradients[b.node][i] += gradient[i] * values(a)[i];
    }
  });
}

TapeTensor Tape::map(TapeTensor a, const std::function<double(double)>& value,
                     const std::function<double(double)>& derivative) {
  std::vector<double> out(values(a).size());
  std::transform(values(a).begin(), values(a).end(), out.begin(), value);
  return record(shape(a), std::move(out),
                [this, a, derivative](const std::vector<double>& gradient, Gradients& gradients) {
                  for (size_t i = 0; i < gradient.size(); ++i) {
                    gradients[a.node][i] += gradient[i] * derivative(values(a)[i]);
                  }
                });
}

TapeTensor Tape::scale(TapeTensor a, double factor) {
  return map(a, [factor](double x) { return x * factor; }, [factor](double) { return factor; });
}

TapeTensor Tape::shift(TapeTensor a, double term) {
  return map(a, [term](double x) { return x + term; }, [](double) { return 1.0; });
}

TapeTensor Tape::power(TapeTensor a, double exponent) {
  return map(
      a, [exponent](double x) { return std::pow(x, exponent); },
      [exponent](double x) { return exponent * std::pow(x, exponent - 1); });
}

TapeTensor Tape::exponential(TapeTensor a) {
  return map(a, [](double x) { return std::exp(x); }, [](double x) { return std::exp(x); });
}

TapeTensor Tape::logarithm(TapeTensor a) {
  return map(a, [](double x) { return std::log(x); }, [](double x) { return 1 / x; });
}

TapeTensor Tape::fill(TapeTensor a, const std::vector<bool>& mask, double value) {
  if (mask.size() != values(a).size()) {
    return misfit(fmt::format("fill: {} with a mask of {}", shape(a), mask.size()));
  }
  std::vector<double> out = values(a);
  for (size_t i = 0; i < out.size(); ++i) {
    if (mask[i]) {
      out[i] = value;
    }
  }
  return record(shape(a), std::move(out), [a, mask](const std::vector<double>& gradient, Gradients& gradients) {
    for (size_t i = 0; i < gradient.size(); ++i) {
      gradients[a.node][i] += mask[i] ? 0 : gradient[i];
    }
  });
}

TapeTensor Tape::product(TapeTensor a, TapeTensor b) {
  const TapeShape left = shape(a);
  const TapeShape right = shape(b);
  const size_t axes = left.size();
  if (axes < 2 || right.size() != axes || left[axes - 1] != right[axes - 2] ||
      !std::equal(left.begin(), left.end() - 2, right.begin())) {
    return misfit(fmt::format("product: {} and {}", left, right));
  }
  TapeShape shape_out = left;
  shape_out[axes - 1] = right[axes - 1];
  // Calls use(i, j, l) with the elements of out, of a and of b that meet.
  const auto each = [batch = elements_of(left, 0, axes - 2), m = static_cast<size_t>(left[axes - 2]),
                     k = static_cast<size_t>(left[axes - 1]),
                     n = static_cast<size_t>(right[axes - 1])](const auto& use) {
    for (size_t row = 0; row < batch * m; ++row) {
      for (size_t inner = 0; inner < k; ++inner) {
        for (size_t col = 0; col < n; ++col) {
          use(row * n + col, row * k + inner, (row / m * k + inner) * n + col);
        }
      }
    }
  };
  std::vector<double> out(tape_elements(shape_out));
  each([&](size_t i, size_t j, size_t l) { out[i] += values(a)[j] * values(b)[l]; });
  return record(std::move(shape_out), std::move(out),
                [this, a, b, each](const std::vector<double>& gradient, Gradients& gradients) {
                  each([&](size_t i, size_t j, size_t l) {
                    gradients[a.node][j] += gradient[i] * values(b)[l];
                    gradients[b.node][l] += gradient[i] * values(a)[j];
                  });
                });
}

TapeTensor Tape::sum(TapeTensor a, size_t axis) {
  if (axis >= shape(a).size()) {
    return misfit(fmt::format("sum: axis {} of {}", axis, shape(a)));
  }
  std::vector<size_t> to = without_axis(shape(a), axis);
  TapeShape shape_out = shape(a);
  shape_out[axis] = 1;
  std::vector<double> out(tape_elements(shape_out));
  for (size_t i = 0; i < to.size(); ++i) {
    out[to[i]] += values(a)[i];
  }
  return record(std::move(shape_out), std::move(out),
                [a, to = std::move(to)](const std::vector<double>& gradient, Gradients& gradients) {
                  for (size_t i = 0; i < to.size(); ++i) {
                    gradients[a.node][i] += gradient[to[i]];
                  }
                });
}

TapeTensor Tape::take(TapeTensor a, TapeShape shape_out, std::vector<size_t> from) {
  std::vector<double> out;
  out.reserve(from.size());
  for (const size_t i : from) {
    out.push_back(values(a)[i]);
  }
  return record(std::move(shape_out), std::move(out),
                [a, from = std::move(from)](const std::vector<double>& gradient, Gradients& gradients) {
                  for (size_t i = 0; i < from.size(); ++i) {
                    gradients[a.node][from[i]] += gradient[i];
                  }
                });
}

TapeTensor Tape::repeat(TapeTensor a, size_t axis, int64_t count) {
  if (axis >= shape(a).size() || shape(a)[axis] != 1 || count < 1) {
    return misfit(fmt::format("repeat: axis {} of {}, {} times", axis, shape(a), count));
  }
  TapeShape shape_out = shape(a);
  shape_out[axis] = count;
  std::vector<size_t> from = without_axis(shape_out, axis);
  return take(a, std::move(shape_out), std::move(from));
}

TapeTensor Tape::gather(TapeTensor a, const std::vector<int64_t>& indices) {
  if (shape(a).size() != 2 || indices.empty()) {
    return misfit(fmt::format("gather: {} rows of {}", indices.size(), shape(a)));
  }
  const int64_t cols = shape(a)[1];
  std::vector<size_t> from;
  for (const int64_t index : indices) {
    if (index < 0 || index >= shape(a)[0]) {
      return misfit(fmt::format("gather: row {} of {}", index, shape(a)));
    }
    for (int64_t col = 0; col < cols; ++col) {
      from.push_back(static_cast<size_t>(index * cols + col));
    }
  }
  return take(a, {static_cast<int64_t>(indices.size()), cols}, std::move(from));
}

TapeTensor Tape::reshape(TapeTensor a, TapeShape shape_out) {
  if (!is_shape(shape_out) || tape_elements(shape_out) != values(a).size()) {
    return misfit(fmt::format("reshape: {} to {}", shape(a), shape_out));
  }
  std::vector<size_t> from(values(a).size());
  std::iota(from.begin(), from.end(), size_t{0});
  return take(a, std::move(shape_out), std::move(from));
}

TapeTensor Tape::permute(TapeTensor a, const std::vector<size_t>& order) {
  const size_t axes = shape(a).size();
  std::vector<size_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<size_t> all(axes);
  std::iota(all.begin(), all.end(), size_t{0});
  if (sorted != all) {
    return misfit(fmt::format("permute: {} by {}", shape(a), order));
  }
  TapeShape shape_out;
  for (const size_t axis : order) {
    shape_out.push_back(shape(a)[axis]);
  }
  const std::vector<size_t> strides_in = strides_of(shape(a));
  const std::vector<size_t> strides_out = strides_of(shape_out);
  std::vector<size_t> from(values(a).size());
  for (size_t i = 0; i < from.size(); ++i) {
    for (size_t axis = 0; axis < axes; ++axis) {
      from[i] += i / strides_out[axis] % static_cast<size_t>(shape_out[axis]) * strides_in[order[axis]];
    }
  }
  return take(a, std::move(shape_out), std::move(from));
}

Result<std::vector<std::vector<double>>> Tape::gradients(TapeTensor tape_tensor,
                                                         const std::vector<TapeTensor>& by) const {
  if (error_) {
    return *error_;
  }
  if (values(tape_tensor).size() != 1) {
    return Error{ErrorKind::kBug,
                 fmt::format("tape: gradients of {}, which is more than one number", shape(tape_tensor)), ""};
  }
  Gradients gradients;
  for (const Node& node : nodes_) {
    gradients.emplace_back(node.values.size());
  }
  gradients[tape_tensor.node] = {1};
  for (size_t node = tape_tensor.node + 1; node-- > 0;) {
    if (nodes_[node].pull_back) {
      nodes_[node].pull_back(gradients[node], gradients);
    }
  }
  std::vector<std::vector<double>> wanted;
  for (const TapeTensor tensor : by) {
    wanted.push_back(gradients[tensor.node]);
  }
  return wanted;
}

}  // namespace aaco
