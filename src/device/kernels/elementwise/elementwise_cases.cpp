// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>

#include "device/check/case_shapes.h"
#include "device/check/op_case.h"

namespace aaco {

namespace {

constexpr const char* kExact = "one operation, rounded once";
constexpr const char* kFused = "the product may be fused with the sum: half a unit in the last place of the larger";
constexpr const char* kExp = "exp within a unit in the last place, and a sum and a quotient after it";
constexpr const char* kErfc = "erfc within 16 units in the last place (OpenCL's bound), its argument's rounding, 2 z^2";

struct UnaryTrial {
  UnaryOp op;
  const char* name;
  double relative;
  const char* why;
  double magnitude;
};
constexpr std::array kUnary{UnaryTrial{UnaryOp::kCast, "cast", 0, kExact, 0},
                            UnaryTrial{UnaryOp::kScaleShift, "scale_shift", 1.2e-7, kFused, 10},
                            UnaryTrial{UnaryOp::kAbs, "abs", 0, kExact, 0},
                            UnaryTrial{UnaryOp::kClamp, "clamp", 0, kExact, 0},
                            UnaryTrial{UnaryOp::kRelu, "relu", 0, kExact, 0},
                            UnaryTrial{UnaryOp::kGelu, "gelu", 5e-6, kErfc, 0},
                            UnaryTrial{UnaryOp::kSilu, "silu", 1e-6, kExp, 0},
                            UnaryTrial{UnaryOp::kExp, "exp", 5e-7, kExp, 0},
                            UnaryTrial{UnaryOp::kSquare, "square", 0, kExact, 0}};

void add_unary(std::vector<OpCase>& cases, const UnaryTrial& trial, int64_t n, Dtype in, Dtype out) {
  cases.push_back(make_case<UnaryArgs>(
      std::string(trial.name) + " " + std::to_string(n) + " " + name_of(in) + " to " + name_of(out), trial.relative,
      trial.why, [=](CaseMemory& memory, UnaryArgs& args) {
        args = {memory.random(in, n, -6, 6), memory.output(out, n, trial.magnitude), n, trial.op, 1.5F, 3, in, out};
      }));
}

// NaN, infinities, zeros of both signs, subnormals of each type, the largest.
double special_value(int64_t i) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::array kValues{
      std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity, 0.0, -0.0, 1e-40, -6e-8, 65504.0, -3e38, 1.0};
  return kValues[static_cast<size_t>(i) % kValues.size()];
}

void add_special(std::vector<OpCase>& cases, const UnaryTrial& trial) {
  constexpr int64_t kCount = 30;
  constexpr double kSmallestNormal = 0x1p-126;  // below it, roundings are relative to it
  cases.push_back(
      make_case<UnaryArgs>(std::string(trial.name) + " of special values", trial.relative, trial.why,
                           [=](CaseMemory& memory, UnaryArgs& args) {
                             args = {memory.given(Dtype::kF32, kCount, special_value),
                                     memory.output(Dtype::kF32, kCount, std::max(trial.magnitude, kSmallestNormal)),
                                     kCount,
                                     trial.op,
                                     -2,
                                     2};
                           }));
}

void add_in_place(std::vector<OpCase>& cases, Dtype dtype) {
  constexpr int64_t kCount = 2051;
  cases.push_back(make_case<UnaryArgs>(std::string("relu in place ") + name_of(dtype), 0, kExact,
                                       [=](CaseMemory& memory, UnaryArgs& args) {
                                         void* data = memory.in_out(dtype, kCount, -1, 1, 0);
                                         args = {data, data, kCount, UnaryOp::kRelu, 1, 0, dtype, dtype};
                                       }));
}

void add_gradients(std::vector<OpCase>& cases, int64_t n, Dtype dtype) {
  for (const UnaryOp op : {UnaryOp::kRelu, UnaryOp::kGelu, UnaryOp::kSilu}) {
    cases.push_back(make_case<UnaryGradArgs>(
        "op " + std::to_string(static_cast<int>(op)) + " " + std::to_string(n) + " " + name_of(dtype),
        op == UnaryOp::kRelu ? 0 : 2e-6, kErfc, [=](CaseMemory& memory, UnaryGradArgs& args) {
          args.in = memory.random(dtype, n, -6, 6);
          args.out_grad = memory.random(dtype, n, -1, 1);
          args.in_grad = memory.output(dtype, n, 1);
          args.n = n;
          args.op = op;
          args.dtype = dtype;
        }));
  }
}

struct BinaryTrial {
  const char* name;
  int64_t n;
  int64_t period;
  int64_t repeat;
};
constexpr std::array kBinary{BinaryTrial{"same size", 2051, 2051, 1},   BinaryTrial{"nothing", 0, 1, 1},
                             BinaryTrial{"row", 4096, 128, 1},          BinaryTrial{"odd row", 4095, 63, 1},
                             BinaryTrial{"column", 4096, 32, 128},      BinaryTrial{"odd column", 4095, 65, 63},
                             BinaryTrial{"column, again", 4096, 8, 64}, BinaryTrial{"one", 1000, 1, 1},
                             BinaryTrial{"large", 1000003, 1000003, 1}, BinaryTrial{"cut off", 1001, 24, 100}};

void add_binary(std::vector<OpCase>& cases, const BinaryTrial& trial, BinaryOp op, Dtype dtype) {
  const bool integer = dtype == Dtype::kI32;
  const double relative = op == BinaryOp::kSiluMul ? 1e-6 : 1.2e-7;
  const int64_t of_b = std::min(trial.period, (trial.n + trial.repeat - 1) / trial.repeat);
  cases.push_back(make_case<BinaryArgs>(
      std::string(trial.name) + ", op " + std::to_string(static_cast<int>(op)) + " " + name_of(dtype),
      integer ? 0 : relative, op == BinaryOp::kSiluMul ? kExp : kFused, [=](CaseMemory& memory, BinaryArgs& args) {
        args.a = memory.random(dtype, trial.n, integer ? -1e9 : -2, integer ? 1e9 : 2);
        args.b = memory.random(dtype, of_b, integer ? -1e9 : -2, integer ? 1e9 : 2);
        args.out = memory.output(dtype, trial.n, 3);
        args.n = trial.n;
        args.b_period = trial.period;
        args.b_repeat = trial.repeat;
        args.op = op;
        args.scale = 0.3F;
        args.dtype = dtype;
      }));
}

void add_generators(std::vector<OpCase>& cases, Dtype dtype) {
  for (const int64_t n : kLengths) {
    const std::string name = std::to_string(n) + " " + name_of(dtype);
    const bool integer = dtype == Dtype::kI32 || dtype == Dtype::kU8;
    cases.push_back(make_case<FillArgs>(name, 0, kExact, [=](CaseMemory& memory, FillArgs& args) {
      args = {memory.output(dtype, n, 0), n, integer ? 7 : -1.7, dtype};
    }));
    cases.push_back(
        make_case<RandomArgs>(name, 0, "the same bits everywhere", [=](CaseMemory& memory, RandomArgs& args) {
          args = {memory.output(dtype, n, 0), n,    0x123456789abcdefU, integer ? 3.0 : -0.3,
                  integer ? 200.0 : 1.7,      dtype};
        }));
  }
  cases.push_back(cases.back());
  cases.back().name += ", random, unaligned";
  cases.back().unaligned = true;
}

// The same, where no address allows packs.
void add_unaligned(std::vector<OpCase>& cases) {
  const size_t aligned = cases.size();
  for (size_t i = 0; i < aligned; i += 7) {  // a prime, so that all operations and types have their turn
    cases.push_back(cases[i]);
    cases.back().name += ", unaligned";
    cases.back().unaligned = true;
  }
}

}  // namespace

std::vector<OpCase> elementwise_cases() {
  std::vector<OpCase> cases;
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF16, Dtype::kBf16, Dtype::kI32, Dtype::kU8}) {
    add_generators(cases, dtype);
  }
  for (const UnaryTrial& trial : kUnary) {
    add_special(cases, trial);
    for (const int64_t n : kLengths) {
      add_unary(cases, trial, n, Dtype::kF32, Dtype::kF32);
    }
    for (const Dtype in : kFloatTypes) {
      for (const Dtype out : kFloatTypes) {
        add_unary(cases, trial, 2052, in, out);
      }
    }
  }
  for (const Dtype dtype : kFloatTypes) {
    add_in_place(cases, dtype);
    for (const int64_t n : kLengths) {
      add_gradients(cases, n, dtype);
    }
  }
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF16, Dtype::kBf16, Dtype::kI32}) {
    for (const BinaryOp op : {BinaryOp::kAdd, BinaryOp::kSub, BinaryOp::kMul, BinaryOp::kMax, BinaryOp::kSiluMul}) {
      if (dtype == Dtype::kI32 && op == BinaryOp::kSiluMul) {
        continue;  // not of integers
      }
      for (const BinaryTrial& trial : kBinary) {
        add_binary(cases, trial, op, dtype);
      }
    }
  }
  add_unaligned(cases);
  return cases;
}

}  // namespace aaco
