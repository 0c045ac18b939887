// SPDX-License-Identifier: MIT
// The reference: arrays go through short stretches of fp32, so that `out` may be `in`. Exponentials and erf in fp64.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>

#include "device/kernels/elementwise/gelu_reference.h"
#include "device/kernels/elementwise/random_range.h"
#include "device/ops/float_array.h"
#include "device/ops/op_work.h"

namespace aaco {

namespace {

constexpr int64_t kStretch = 1024;
using Stretch = std::array<float, kStretch>;

// body(first, count) over [0, n).
template <class Body>
void for_stretches(int64_t n, Body&& body) {
  for (int64_t first = 0; first < n; first += kStretch) {
    body(first, std::min(kStretch, n - first));
  }
}

template <class Op>
void map(Stretch& values, int64_t count, Op&& op) {
  for (int64_t i = 0; i < count; ++i) {
    values[i] = op(values[i]);
  }
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

float silu(float x) { return static_cast<float>(x / (1 + std::exp(-static_cast<double>(x)))); }

// NaN stays NaN in these.
float relu(float x) { return x < 0 ? 0 : x; }
float clamp_to(float x, float low, float high) { return x < low ? low : (x > high ? high : x); }
float larger(float a, float b) { return a > b || a != a ? a : b; }

void apply(const UnaryArgs& args, Stretch& x, int64_t count) {
  switch (args.op) {
    case UnaryOp::kCast:
      return;
    case UnaryOp::kScaleShift:
      return map(x, count, [&](float v) { return args.a * v + args.b; });
    case UnaryOp::kAbs:
      return map(x, count, [](float v) { return std::abs(v); });
    case UnaryOp::kClamp:
      return map(x, count, [&](float v) { return clamp_to(v, args.a, args.b); });
    case UnaryOp::kRelu:
      return map(x, count, relu);
    case UnaryOp::kGelu:
      return map(x, count, [](float v) { return static_cast<float>(gelu(v)); });
    case UnaryOp::kSilu:
      return map(x, count, silu);
    case UnaryOp::kExp:
      return map(x, count, [](float v) { return static_cast<float>(std::exp(static_cast<double>(v))); });
    case UnaryOp::kSquare:
      return map(x, count, [](float v) { return v * v; });
  }
}

double derivative(UnaryOp op, double x) {
  switch (op) {
    case UnaryOp::kGelu:
      return gelu_derivative(x);
    case UnaryOp::kSilu: {  // s (1 + x (1 - s))
      const double s = sigmoid(x);
      return s * (1 + x * (1 - s));
    }
    default:  // kRelu
      return x > 0 ? 1 : (x != x ? x : 0);
  }
}

float combine(BinaryOp op, float a, float b) {
  switch (op) {
    case BinaryOp::kAdd:
      return a + b;
    case BinaryOp::kSub:
      return a - b;
    case BinaryOp::kMul:
      return a * b;
    case BinaryOp::kMax:
      return larger(a, b);
    case BinaryOp::kSiluMul:
      return silu(a) * b;
  }
  std::abort();
}

// Sums and products wrap around, as they do on a GPU.
int32_t combine(BinaryOp op, int32_t a, int32_t b) {
  const auto left = static_cast<uint32_t>(a);
  const auto right = static_cast<uint32_t>(b);
  switch (op) {
    case BinaryOp::kAdd:
      return static_cast<int32_t>(left + right);
    case BinaryOp::kSub:
      return static_cast<int32_t>(left - right);
    case BinaryOp::kMul:
      return static_cast<int32_t>(left * right);
    case BinaryOp::kMax:
      return std::max(a, b);
    case BinaryOp::kSiluMul:
      break;
  }
  std::abort();  // not of integers
}

template <class T>
void fill(const RandomArgs& args) {
  const UniformRange range = uniform_range(args);
  for (int64_t i = 0; i < args.n; i += 4) {
    const PhiloxBlock block = philox_block(static_cast<uint64_t>(i) / 4, args.seed);
    for (int64_t j = 0; j < std::min<int64_t>(4, args.n - i); ++j) {
      static_cast<T*>(args.out)[i + j] = static_cast<T>(uniform_integer(block.word[j], range));
    }
  }
}

}  // namespace

void run_on_cpu(const FillArgs& args) {
  switch (args.dtype) {
    case Dtype::kI32:
      if (args.n == 1) {  // perhaps a mark, which other threads look at
        std::atomic_ref<int32_t>(*static_cast<int32_t*>(args.out))
            .store(static_cast<int32_t>(args.value), std::memory_order_release);
        return;
      }
      std::fill_n(static_cast<int32_t*>(args.out), args.n, static_cast<int32_t>(args.value));
      return;
    case Dtype::kU8:
      std::fill_n(static_cast<uint8_t*>(args.out), args.n, static_cast<uint8_t>(args.value));
      return;
    default:
      break;
  }
  Stretch values;
  values.fill(static_cast<float>(args.value));
  for_stretches(args.n,
                [&](int64_t first, int64_t count) { write_floats(args.out, args.dtype, first, count, values.data()); });
}

void run_on_cpu(const RandomArgs& args) {
  if (args.dtype == Dtype::kI32) {
    return fill<int32_t>(args);
  }
  if (args.dtype == Dtype::kU8) {
    return fill<uint8_t>(args);
  }
  const UniformRange range = uniform_range(args);
  Stretch values;
  for_stretches(args.n, [&](int64_t first, int64_t count) {
    for (int64_t i = 0; i < count; i += 4) {
      const PhiloxBlock block = philox_block(static_cast<uint64_t>(first + i) / 4, args.seed);
      for (int j = 0; j < 4; ++j) {
        values[i + j] = uniform_float(block.word[j], range);
      }
    }
    write_floats(args.out, args.dtype, first, count, values.data());
  });
}

void run_on_cpu(const UnaryArgs& args) {
  Stretch values;
  for_stretches(args.n, [&](int64_t first, int64_t count) {
    read_floats(args.in, args.in_dtype, first, count, values.data());
    apply(args, values, count);
    write_floats(args.out, args.out_dtype, first, count, values.data());
  });
}

void run_on_cpu(const UnaryGradArgs& args) {
  Stretch x;
  Stretch grad;
  for_stretches(args.n, [&](int64_t first, int64_t count) {
    read_floats(args.in, args.dtype, first, count, x.data());
    read_floats(args.out_grad, args.dtype, first, count, grad.data());
    for (int64_t i = 0; i < count; ++i) {
      grad[i] = static_cast<float>(grad[i] * derivative(args.op, x[i]));
    }
    write_floats(args.in_grad, args.dtype, first, count, grad.data());
  });
}

void run_on_cpu(const BinaryArgs& args) {
  if (args.dtype == Dtype::kI32) {
    for (int64_t i = 0; i < args.n; ++i) {
      const int32_t b = static_cast<const int32_t*>(args.b)[i / args.b_repeat % args.b_period];
      static_cast<int32_t*>(args.out)[i] = combine(args.op, static_cast<const int32_t*>(args.a)[i], b);
    }
    return;
  }
  const int64_t rows_of_b = std::min(args.b_period, (args.n + args.b_repeat - 1) / args.b_repeat);
  const bool same_size = args.b_repeat == 1 && args.b_period >= args.n;
  const std::vector<float> b = same_size ? std::vector<float>{} : read_floats(args.b, args.dtype, 0, rows_of_b);
  Stretch left;
  Stretch right;
  for_stretches(args.n, [&](int64_t first, int64_t count) {
    read_floats(args.a, args.dtype, first, count, left.data());
    if (same_size) {
      read_floats(args.b, args.dtype, first, count, right.data());
    }
    for (int64_t i = 0; i < count; ++i) {
      const float other = same_size ? right[i] : b[(first + i) / args.b_repeat % args.b_period];
      left[i] = combine(args.op, left[i], args.scale * other);
    }
    write_floats(args.out, args.dtype, first, count, left.data());
  });
}

}  // namespace aaco
