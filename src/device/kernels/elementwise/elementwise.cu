// SPDX-License-Identifier: MIT
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/elementwise/gelu.h"
#include "device/kernels/index_division.h"
#include "device/kernels/packed_access.h"

namespace aaco::gpu {

namespace {

AACO_DEVICE float silu(float x) { return x / (1 + expf(-x)); }

// One choice per pack rather than per element.
template <int kCount>
AACO_DEVICE void apply(const UnaryArgs& args, float* x) {
  const auto each = [x](auto&& op) {
    AACO_UNROLL
    for (int j = 0; j < kCount; ++j) {
      x[j] = op(x[j]);
    }
  };
  switch (args.op) {
    case UnaryOp::kCast:
      return;
    case UnaryOp::kScaleShift:
      return each([&](float v) { return args.a * v + args.b; });
    case UnaryOp::kAbs:
      return each([](float v) { return fabsf(v); });
    case UnaryOp::kClamp:
      return each([&](float v) { return v < args.a ? args.a : (v > args.b ? args.b : v); });
    case UnaryOp::kRelu:
      return each([](float v) { return v < 0 ? 0 : v; });
    case UnaryOp::kGelu:
      return each([](float v) { return v * normal_below(v); });
    case UnaryOp::kSilu:
      return each([](float v) { return silu(v); });
    case UnaryOp::kExp:
      return each([](float v) { return expf(v); });
    case UnaryOp::kSquare:
      return each([](float v) { return v * v; });
  }
}

AACO_DEVICE float derivative(UnaryOp op, float x) {
  switch (op) {
    case UnaryOp::kGelu:
      return gelu_derivative(x);
    case UnaryOp::kSilu: {
      const float s = 1 / (1 + expf(-x));
      return s * (1 + x * (1 - s));
    }
    default:  // kRelu
      return x > 0 ? 1 : (x != x ? x : 0);
  }
}

AACO_DEVICE float combine(BinaryOp op, float a, float b) {
  switch (op) {
    case BinaryOp::kAdd:
      return a + b;
    case BinaryOp::kSub:
      return a - b;
    case BinaryOp::kMul:
      return a * b;
    case BinaryOp::kMax:
      return a > b || a != a ? a : b;
    case BinaryOp::kSiluMul:
      return silu(a) * b;
  }
  return 0;
}

AACO_DEVICE int32_t combine(BinaryOp op, int32_t a, int32_t b) {
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
      return a > b ? a : b;
    default:
      return 0;
  }
}

AACO_DEVICE float scaled(float scale, float value) { return scale * value; }
AACO_DEVICE int32_t scaled(float /*scale*/, int32_t value) { return value; }

// Where b's elements stand for a pack of a's: side by side (all of a's size, or a row), one for all (a column), or
// anywhere.
enum class Broadcast : int32_t { kSame, kRow, kColumn, kAny };

struct BinaryKernelArgs {
  BinaryArgs op;
  Broadcast broadcast = Broadcast::kSame;
};

template <int kCount, class T>
AACO_DEVICE void load_other(const BinaryKernelArgs& args, int64_t i, ComputeType<T>* to) {
  const T* b = static_cast<const T*>(args.op.b);
  switch (args.broadcast) {
    case Broadcast::kSame:
      return load_pack<kCount>(b, i, to);
    case Broadcast::kRow:
      return load_pack<kCount>(b, remainder(i, args.op.b_period), to);
    case Broadcast::kColumn: {
      const ComputeType<T> value = load(b, remainder(quotient(i, args.op.b_repeat), args.op.b_period));
      for (int j = 0; j < kCount; ++j) {
        to[j] = value;
      }
      return;
    }
    case Broadcast::kAny:
      break;
  }
  for (int j = 0; j < kCount; ++j) {
    to[j] = load(b, remainder(quotient(i + j, args.op.b_repeat), args.op.b_period));
  }
}

template <class In, class Out, int kPack>
AACO_KERNEL void unary(UnaryArgs args) {
  for_packs<kPack>(args.n, [&]<int kCount>(int64_t i) {
    float x[kCount];
    load_pack<kCount>(static_cast<const In*>(args.in), i, x);
    apply<kCount>(args, x);
    store_pack<kCount>(static_cast<Out*>(args.out), i, x);
  });
}

template <class T, int kPack>
AACO_KERNEL void unary_grad(UnaryGradArgs args) {
  for_packs<kPack>(args.n, [&]<int kCount>(int64_t i) {
    float x[kCount];
    float grad[kCount];
    load_pack<kCount>(static_cast<const T*>(args.in), i, x);
    load_pack<kCount>(static_cast<const T*>(args.out_grad), i, grad);
    AACO_UNROLL
    for (int j = 0; j < kCount; ++j) {
      grad[j] *= derivative(args.op, x[j]);
    }
    store_pack<kCount>(static_cast<T*>(args.in_grad), i, grad);
  });
}

template <class T, int kPack>
AACO_KERNEL void binary(BinaryKernelArgs args) {
  for_packs<kPack>(args.op.n, [&]<int kCount>(int64_t i) {
    ComputeType<T> left[kCount];
    ComputeType<T> right[kCount];
    load_pack<kCount>(static_cast<const T*>(args.op.a), i, left);
    load_other<kCount, T>(args, i, right);
    AACO_UNROLL
    for (int j = 0; j < kCount; ++j) {
      left[j] = combine(args.op.op, left[j], scaled(args.op.scale, right[j]));
    }
    store_pack<kCount>(static_cast<T*>(args.op.out), i, left);
  });
}

Broadcast broadcast_of(const BinaryArgs& args, int pack) {
  if (args.b_repeat == 1 && args.b_period >= args.n) {
    return Broadcast::kSame;
  }
  if (args.b_repeat == 1 && args.b_period % pack == 0) {
    return Broadcast::kRow;
  }
  return args.b_repeat % pack == 0 ? Broadcast::kColumn : Broadcast::kAny;
}

template <class T>
void launch_binary(StreamContext& stream, const BinaryArgs& args) {
  constexpr int kPack = packed_count<T>();
  const Dim3 grid = grid_for((args.n + kPack - 1) / kPack);
  if (are_aligned(args.a, args.b, args.out)) {
    launch<binary<T, kPack>>(stream, grid, kElementBlock, 0, BinaryKernelArgs{args, broadcast_of(args, kPack)});
  } else {
    launch<binary<T, 1>>(stream, grid_for(args.n), kElementBlock, 0, BinaryKernelArgs{args, broadcast_of(args, 1)});
  }
}

template <class In, class Out>
void launch_unary(StreamContext& stream, const UnaryArgs& args) {
  constexpr int kPack = packed_count<In, Out>();
  if (are_aligned(args.in, args.out)) {
    launch<unary<In, Out, kPack>>(stream, grid_for((args.n + kPack - 1) / kPack), kElementBlock, 0, args);
  } else {
    launch<unary<In, Out, 1>>(stream, grid_for(args.n), kElementBlock, 0, args);
  }
}

}  // namespace

void run_on_gpu(StreamContext& stream, const UnaryArgs& args) {
  if (args.n == 0) {
    return;
  }
  with_float_type(args.in_dtype, [&](auto* in) {
    with_float_type(args.out_dtype, [&](auto* out) {
      launch_unary<std::remove_pointer_t<decltype(in)>, std::remove_pointer_t<decltype(out)>>(stream, args);
    });
  });
}

void run_on_gpu(StreamContext& stream, const UnaryGradArgs& args) {
  if (args.n == 0) {
    return;
  }
  with_float_type(args.dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    constexpr int kPack = packed_count<T>();
    if (are_aligned(args.in, args.out_grad, args.in_grad)) {
      launch<unary_grad<T, kPack>>(stream, grid_for((args.n + kPack - 1) / kPack), kElementBlock, 0, args);
    } else {
      launch<unary_grad<T, 1>>(stream, grid_for(args.n), kElementBlock, 0, args);
    }
  });
}

void run_on_gpu(StreamContext& stream, const BinaryArgs& args) {
  if (args.n == 0) {
    return;
  }
  if (args.dtype == Dtype::kI32) {
    return launch_binary<int32_t>(stream, args);
  }
  with_float_type(args.dtype, [&](auto* type) { launch_binary<std::remove_pointer_t<decltype(type)>>(stream, args); });
}

}  // namespace aaco::gpu
