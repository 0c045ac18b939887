// SPDX-License-Identifier: MIT
// For tests: operations again, by the formulas that stand beside their arguments, one element after the other in fp64.
// Nothing here is shared with the operations of the CPU but the types.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "device/ops/conv_shape.h"
#include "device/ops/op_list.h"

namespace aaco::formula {

inline double get(const void* array, Dtype dtype, int64_t i) {
  const auto element = [&]<class T>(T value) {
    std::memcpy(&value, static_cast<const char*>(array) + i * size_of(dtype), sizeof(T));
    return value;
  };
  switch (dtype) {
    case Dtype::kF32:
      return element(0.0F);
    case Dtype::kF16:
      return to_float(element(Half{}));
    case Dtype::kBf16:
      return to_float(element(Bfloat16{}));
    case Dtype::kI32:
      return element(int32_t{0});
    case Dtype::kU8:
      return element(uint8_t{0});
  }
  return 0;
}

inline void put(void* array, Dtype dtype, int64_t i, double value) {
  const auto element = [&](auto rounded) {
    std::memcpy(static_cast<char*>(array) + i * size_of(dtype), &rounded, sizeof(rounded));
  };
  switch (dtype) {
    case Dtype::kF32:
      return element(static_cast<float>(value));
    case Dtype::kF16:
      return element(to_half(static_cast<float>(value)));
    case Dtype::kBf16:
      return element(to_bfloat16(static_cast<float>(value)));
    case Dtype::kI32:  // overflow wraps
      return element(static_cast<uint32_t>(static_cast<int64_t>(value)));
    case Dtype::kU8:
      return element(static_cast<uint8_t>(value));
  }
}

// Of a row or of parameters; `otherwise` where there is no such array.
inline double get_or(const void* array, Dtype dtype, int64_t i, double otherwise) {
  return array == nullptr ? otherwise : get(array, dtype, i);
}

inline double gelu(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }
inline double silu(double x) { return x / (1 + std::exp(-x)); }
inline double normal_density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0)); }
inline double relu(double x) { return x < 0 ? 0 : x; }

inline void run(const FillArgs& args) {
  for (int64_t i = 0; i < args.n; ++i) {
    put(args.out, args.dtype, i, args.value);
  }
}

inline double unary(const UnaryArgs& args, double x) {
  switch (args.op) {
    case UnaryOp::kCast:
      return x;
    case UnaryOp::kScaleShift:
      return static_cast<double>(args.a) * x + static_cast<double>(args.b);
    case UnaryOp::kAbs:
      return std::abs(x);
    case UnaryOp::kClamp:
      return x < args.a ? args.a : x > args.b ? args.b : x;
    case UnaryOp::kRelu:
      return relu(x);
    case UnaryOp::kGelu:
      return gelu(x);
    case UnaryOp::kSilu:
      return silu(x);
    case UnaryOp::kExp:
      return std::exp(x);
    case UnaryOp::kSquare:
      return x * x;
  }
  return 0;
}

inline void run(const UnaryArgs& args) {
  for (int64_t i = 0; i < args.n; ++i) {
    put(args.out, args.out_dtype, i, unary(args, get(args.in, args.in_dtype, i)));
  }
}

inline double unary_slope(UnaryOp op, double x) {
  const double sigmoid = 1 / (1 + std::exp(-x));
  switch (op) {
    case UnaryOp::kGelu:
      return 0.5 * std::erfc(-x / std::sqrt(2.0)) + x * normal_density(x);
    case UnaryOp::kSilu:
      return sigmoid + x * sigmoid * (1 - sigmoid);
    default:
      return x > 0 ? 1 : 0;
  }
}

inline void run(const UnaryGradArgs& args) {
  for (int64_t i = 0; i < args.n; ++i) {
    put(args.in_grad, args.dtype, i,
        get(args.out_grad, args.dtype, i) * unary_slope(args.op, get(args.in, args.dtype, i)));
  }
}

inline void run(const BinaryArgs& args) {
  const double scale = args.dtype == Dtype::kI32 ? 1 : args.scale;
  for (int64_t i = 0; i < args.n; ++i) {
    const double a = get(args.a, args.dtype, i);
    const double b = scale * get(args.b, args.dtype, i / args.b_repeat % args.b_period);
    if (args.dtype == Dtype::kI32 && args.op == BinaryOp::kMul) {  // more digits than fp64 has
      const uint64_t product =
          static_cast<uint64_t>(static_cast<int64_t>(a)) * static_cast<uint64_t>(static_cast<int64_t>(b));
      put(args.out, args.dtype, i, static_cast<double>(static_cast<uint32_t>(product)));
      continue;
    }
    switch (args.op) {
      case BinaryOp::kAdd:
        put(args.out, args.dtype, i, a + b);
        break;
      case BinaryOp::kSub:
        put(args.out, args.dtype, i, a - b);
        break;
      case BinaryOp::kMul:
        put(args.out, args.dtype, i, a * b);
        break;
      case BinaryOp::kMax:
        put(args.out, args.dtype, i, a > b ? a : b);
        break;
      case BinaryOp::kSiluMul:
        put(args.out, args.dtype, i, silu(a) * b);
        break;
    }
  }
}

inline void run(const ReduceArgs& args) {
  const bool along_row = args.axis == ReduceAxis::kAlongRow;
  const int64_t terms = along_row ? args.cols : args.rows;
  for (int64_t i = 0; i < (along_row ? args.rows : args.cols); ++i) {
    double sum = args.accumulate != 0 ? get(args.out, args.out_dtype, i) : 0;
    double most = -std::numeric_limits<double>::infinity();
    for (int64_t term = 0; term < terms; ++term) {
      const double value = get(args.in, args.in_dtype, along_row ? i * args.cols + term : term * args.cols + i);
      sum += value;
      most = std::isnan(most) || value <= most ? most : value;
    }
    const double mean = sum / static_cast<double>(terms);
    put(args.out, args.out_dtype, i, args.op == ReduceOp::kMax ? most : args.op == ReduceOp::kMean ? mean : sum);
  }
}

// The softmax of a row, by logarithms: exp(z - log(sum of exp z)).
inline std::vector<double> softmax(const void* in, Dtype dtype, int64_t row, int64_t cols, double scale) {
  std::vector<double> z(static_cast<size_t>(cols));
  double shift = -std::numeric_limits<double>::infinity();
  for (int64_t c = 0; c < cols; ++c) {
    z[static_cast<size_t>(c)] = scale * get(in, dtype, row * cols + c);
    shift = std::max(shift, z[static_cast<size_t>(c)]);
  }
  double sum = 0;
  for (const double value : z) {
    sum += std::exp(value - shift);
  }
  for (double& value : z) {
    value = std::exp(value - shift - std::log(sum));
  }
  return z;
}

inline void run(const SoftmaxArgs& args) {
  for (int64_t r = 0; r < args.rows; ++r) {
    const std::vector<double> y = softmax(args.in, args.dtype, r, args.cols, args.scale);
    for (int64_t c = 0; c < args.cols; ++c) {
      put(args.out, args.dtype, r * args.cols + c, y[static_cast<size_t>(c)]);
    }
  }
}

inline void run(const SoftmaxGradArgs& args) {
  for (int64_t r = 0; r < args.rows; ++r) {
    double inner = 0;
    for (int64_t i = r * args.cols; i < (r + 1) * args.cols; ++i) {
      inner += get(args.out, args.dtype, i) * get(args.out_grad, args.dtype, i);
    }
    for (int64_t i = r * args.cols; i < (r + 1) * args.cols; ++i) {
      put(args.in_grad, args.dtype, i,
          static_cast<double>(args.scale) * get(args.out, args.dtype, i) * (get(args.out_grad, args.dtype, i) - inner));
    }
  }
}

inline void run(const CrossEntropyArgs& args) {
  for (int64_t r = 0; r < args.rows; ++r) {
    const int32_t target = args.targets[r];
    const bool known = target >= 0 && target < args.cols;
    const std::vector<double> y = softmax(args.logits, args.dtype, r, args.cols, 1);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    args.loss[r] = static_cast<float>(known ? -std::log(y[static_cast<size_t>(target)]) : nan);
    for (int64_t c = 0; args.grad != nullptr && c < args.cols; ++c) {
      const double slope = static_cast<double>(args.scale) * (y[static_cast<size_t>(c)] - (c == target ? 1 : 0));
      put(args.grad, args.dtype, r * args.cols + c, known ? slope : nan);
    }
  }
}

// The variance as the mean of squares of the differences to the mean.
inline void run(const NormArgs& args) {
  const bool layer = args.kind == NormKind::kLayer;
  const auto count = static_cast<double>(args.cols);
  for (int64_t r = 0; r < args.rows; ++r) {
    std::vector<double> x;
    double sum = 0;
    for (int64_t i = r * args.cols; i < (r + 1) * args.cols; ++i) {
      x.push_back(get(args.in, args.dtype, i));
      if (args.add != nullptr) {
        const double added = x.back() + get(args.add, args.dtype, i);
        put(args.sum, args.dtype, i, added);
        x.back() = get(args.sum, args.dtype, i);
      }
      sum += x.back();
    }
    const double mean = layer ? sum / count : 0;
    double squares = 0;
    for (const double value : x) {
      squares += std::pow(value - mean, 2);
    }
    const double rstd = std::pow(squares / count + static_cast<double>(args.eps), -0.5);
    for (int64_t c = 0; c < args.cols; ++c) {
      put(args.out, args.dtype, r * args.cols + c,
          (x[static_cast<size_t>(c)] - mean) * rstd * get_or(args.weight, args.dtype, c, 1) +
              get_or(args.bias, args.dtype, c, 0));
    }
    if (layer && args.mean != nullptr) {
      args.mean[r] = static_cast<float>(mean);
    }
    if (args.rstd != nullptr) {
      args.rstd[r] = static_cast<float>(rstd);
    }
  }
}

inline void run(const GemmArgs& args) {
  for (int64_t at = 0; at < args.batch * args.m * args.n; ++at) {
    const int64_t product = at / (args.m * args.n);
    const int64_t row = at / args.n % args.m;
    const int64_t col = at % args.n;
    double sum = 0;
    for (int64_t k = 0; k < args.k; ++k) {
      const int64_t a = product * args.stride_a + (args.transpose_a != 0 ? k * args.lda + row : row * args.lda + k);
      const int64_t b = product * args.stride_b + (args.transpose_b != 0 ? col * args.ldb + k : k * args.ldb + col);
      sum += get(args.a, args.in_dtype, a) * get(args.b, args.in_dtype, b);
    }
    const int64_t c = product * args.stride_c + row * args.ldc + col;
    double value = static_cast<double>(args.alpha) * sum;
    value += args.beta == 0 ? 0 : static_cast<double>(args.beta) * get(args.c, args.out_dtype, c);
    value += args.epilogue == Epilogue::kNone ? 0 : get(args.bias, args.out_dtype, col);
    value = args.epilogue == Epilogue::kBiasRelu ? relu(value) : value;
    value = args.epilogue == Epilogue::kBiasGelu ? gelu(value) : value;
    put(args.c, args.out_dtype, c, value);
  }
}

inline void run(const ConvArgs& args) {
  const ConvShape shape = shape_of(args);
  for (int64_t at = 0; at < int64_t{args.n} * args.o * shape.out_pixels(); ++at) {
    const int64_t image = at / shape.out_pixels() / args.o;
    const int64_t filter = at / shape.out_pixels() % args.o;
    const int64_t y = at % shape.out_pixels() / shape.out_w * args.stride - args.pad;
    const int64_t x = at % shape.out_w * args.stride - args.pad;
    double sum = get_or(args.bias, args.dtype, filter, 0);
    for (int64_t c = 0; c < args.c; ++c) {
      for (int64_t r = std::max<int64_t>(0, -y); r < std::min<int64_t>(args.r, args.h - y); ++r) {
        for (int64_t s = std::max<int64_t>(0, -x); s < std::min<int64_t>(args.s, args.w - x); ++s) {
          sum += get(args.in, args.dtype, ((image * args.c + c) * args.h + y + r) * args.w + x + s) *
                 get(args.weight, args.dtype, ((filter * args.c + c) * args.r + r) * args.s + s);
        }
      }
    }
    put(args.out, args.dtype, at, args.relu != 0 ? relu(sum) : sum);
  }
}

inline void run(const PoolArgs& args) {
  const int64_t rows = args.h / args.window;
  const int64_t cols = args.w / args.window;
  for (int64_t at = 0; at < args.planes * rows * cols; ++at) {
    double sum = 0;
    double most = -std::numeric_limits<double>::infinity();
    for (int64_t i = 0; i < int64_t{args.window} * args.window; ++i) {
      const int64_t y = at / cols % rows * args.window + i / args.window;
      const int64_t x = at % cols * args.window + i % args.window;
      const double value = get(args.in, args.dtype, (at / cols / rows * args.h + y) * args.w + x);
      sum += value;
      most = std::max(most, value);
    }
    put(args.out, args.dtype, at,
        args.kind == PoolKind::kMax ? most : sum / (static_cast<double>(args.window) * args.window));
  }
}

inline void run(const GatherArgs& args) {
  for (int64_t at = 0; at < args.count * args.cols; ++at) {
    const int64_t row = args.ids[at / args.cols];
    const bool known = row >= 0 && row < args.table_rows;
    put(args.out, args.dtype, at, known ? get(args.table, args.dtype, row * args.cols + at % args.cols) : 0);
  }
}

inline void run(const SumPartsArgs& args) {
  for (int64_t at = 0; at < args.groups * args.cols; ++at) {
    double sum = 0;
    for (int64_t part = 0; part < args.parts; ++part) {
      sum += args.in[(at / args.cols * args.parts + part) * args.cols + at % args.cols];
    }
    args.out[at] = static_cast<float>(sum);
  }
}

inline void run(const SgdArgs& args) {
  for (int64_t i = 0; i < args.n; ++i) {
    args.param[i] = static_cast<float>(args.param[i] - static_cast<double>(args.rate) * args.grad[i]);
    if (args.low != nullptr) {
      put(args.low, args.low_dtype, i, args.param[i]);
    }
  }
}

inline void run(const SquareSumArgs& args) {
  std::fill_n(args.out, args.parts, 0.0F);
  std::vector<double> sums(static_cast<size_t>(args.parts));
  for (int64_t i = 0; i < args.n; ++i) {
    sums[static_cast<size_t>(i / args.stride())] += std::pow(args.in[i], 2);
  }
  std::copy(sums.begin(), sums.end(), args.out);
}

inline void run(const ClipScaleArgs& args) {
  double sum = 0;
  for (int64_t i = 0; i < args.n; ++i) {
    sum += args.sums[i];
  }
  *args.scale = static_cast<float>(std::min(1.0, static_cast<double>(args.max_norm) / (std::sqrt(sum) + 1e-6)));
}

// False, and nothing is done, where an operation has no formula here.
inline bool run(OpId op, const void* args) {
  switch (op) {
#define AACO_FORMULA(Name)                        \
  case OpId::k##Name:                             \
    if (args != nullptr) {                        \
      run(*static_cast<const Name##Args*>(args)); \
    }                                             \
    return true;
    AACO_FORMULA(Fill)
    AACO_FORMULA(Unary)
    AACO_FORMULA(UnaryGrad)
    AACO_FORMULA(Binary)
    AACO_FORMULA(Reduce)
    AACO_FORMULA(Softmax)
    AACO_FORMULA(SoftmaxGrad)
    AACO_FORMULA(CrossEntropy)
    AACO_FORMULA(Norm)
    AACO_FORMULA(Gemm)
    AACO_FORMULA(Conv)
    AACO_FORMULA(Pool)
    AACO_FORMULA(Gather)
    AACO_FORMULA(SumParts)
    AACO_FORMULA(Sgd)
    AACO_FORMULA(SquareSum)
    AACO_FORMULA(ClipScale)
#undef AACO_FORMULA
    default:
      return false;
  }
}

}  // namespace aaco::formula
