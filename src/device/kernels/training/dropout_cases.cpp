// SPDX-License-Identifier: MIT
#include <array>
#include <fmt/format.h>

#include "device/check/case_shapes.h"
#include "device/check/op_case.h"

namespace aaco {

namespace {

constexpr const char* kKept = "a product and perhaps a sum, fused or not; which are kept is the same to the bit";
constexpr const char* kErfc = "erfc within 16 units in the last place (OpenCL's bound), its argument's rounding, 2 z^2";
constexpr const char* kExp = "exp and log within some units in the last place, and a handful of roundings after them";

struct DropoutTrial {
  int64_t n;
  int64_t first = 0;
  UnaryOp op = UnaryOp::kCast;
  bool adds = false;
  bool unaligned = false;

  std::string name(Dtype dtype) const {
    return fmt::format("{} from {}{}{} {}{}", n, first, op == UnaryOp::kGelu ? " gelu" : "", adds ? " added" : "",
                       name_of(dtype), unaligned ? ", unaligned" : "");
  }
  double bound() const { return op == UnaryOp::kGelu ? 5e-6 : 2e-7; }
  const char* why() const { return op == UnaryOp::kGelu ? kErfc : kKept; }
};

DropoutMask mask_of(CaseMemory& memory, const DropoutTrial& trial) {
  constexpr int64_t kClockWords = sizeof(TrainingClock) / sizeof(int32_t);
  const void* const clock =
      memory.given(Dtype::kI32, kClockWords, [](int64_t i) { return i == 0 ? 7 : 100; });  // its step, and the rest
  return {static_cast<const TrainingClock*>(clock), 0x123456789abcdefU, trial.first, 0.3, 5};
}

void add(std::vector<OpCase>& cases, const DropoutTrial& trial, Dtype dtype) {
  cases.push_back(
      make_case<DropoutArgs>(trial.name(dtype), trial.bound(), trial.why(), [=](CaseMemory& memory, DropoutArgs& args) {
        args.in = memory.random(dtype, trial.n, -6, 6);
        args.add = trial.adds ? memory.random(dtype, trial.n, -6, 6) : nullptr;
        args.out = memory.output(dtype, trial.n, trial.adds ? 15 : 0);
        args.n = trial.n;
        args.mask = mask_of(memory, trial);
        args.op = trial.op;
        args.dtype = dtype;
      }));
  cases.back().unaligned = trial.unaligned;
  if (trial.adds) {
    return;
  }
  cases.push_back(make_case<DropoutGradArgs>(
      trial.name(dtype), trial.bound(), trial.why(), [=](CaseMemory& memory, DropoutGradArgs& args) {
        args.in = trial.op == UnaryOp::kGelu ? memory.random(dtype, trial.n, -6, 6) : nullptr;
        args.out_grad = memory.random(dtype, trial.n, -1, 1);
        args.in_grad = memory.output(dtype, trial.n, 2);
        args.n = trial.n;
        args.mask = mask_of(memory, trial);
        args.op = trial.op;
        args.dtype = dtype;
      }));
  cases.back().unaligned = trial.unaligned;
}

void add_in_place(std::vector<OpCase>& cases, Dtype dtype) {
  const DropoutTrial trial{.n = 1025};
  cases.push_back(make_case<DropoutGradArgs>(trial.name(dtype) + ", in place", trial.bound(), kKept,
                                             [=](CaseMemory& memory, DropoutGradArgs& args) {
                                               args.in_grad = memory.in_out(dtype, trial.n, -1, 1, 0);
                                               args.out_grad = args.in_grad;
                                               args.n = trial.n;
                                               args.mask = mask_of(memory, trial);
                                               args.dtype = dtype;
                                             }));
}

void add_cross_entropy(std::vector<OpCase>& cases, int64_t n, Dtype dtype, bool unaligned) {
  cases.push_back(make_case<BinaryCrossEntropyArgs>(
      fmt::format("{} {}{}", n, name_of(dtype), unaligned ? ", unaligned" : ""), 1e-6, kExp,
      [=](CaseMemory& memory, BinaryCrossEntropyArgs& args) {
        args.score = memory.given(dtype, n, [](int64_t i) {  // small ones, and such as no exponential can take
          constexpr std::array kLarge{0.0, -0.0, 60.0, -60.0, 1000.0, -1000.0};
          return i % 3 == 0 ? kLarge[static_cast<size_t>(i / 3) % kLarge.size()] : static_cast<double>(i % 97) / 10 - 5;
        });
        args.target = memory.floats(n, 0, 1);
        args.weight = memory.floats(n, 0, 1);
        args.loss = static_cast<float*>(memory.output(Dtype::kF32, n, 0));
        args.grad = memory.output(dtype, n, 1);
        args.n = n;
        args.scale = 0.25F;
        args.dtype = dtype;
      }));
  cases.back().unaligned = unaligned;
}

}  // namespace

std::vector<OpCase> dropout_cases() {
  std::vector<OpCase> cases;
  for (const Dtype dtype : kFloatTypes) {
    for (const UnaryOp op : {UnaryOp::kCast, UnaryOp::kGelu}) {
      for (const bool adds : {false, true}) {
        add(cases, {0, 0, op, adds}, dtype);
        add(cases, {7, 0, op, adds}, dtype);
        add(cases, {2051, int64_t{1} << 40, op, adds}, dtype);
        add(cases, {2051, 6, op, adds}, dtype);
        add(cases, {530, 4, op, adds, true}, dtype);
      }
    }
    add_in_place(cases, dtype);
    add_cross_entropy(cases, 0, dtype, false);
    add_cross_entropy(cases, 700, dtype, false);
    add_cross_entropy(cases, 33, dtype, true);
  }
  add(cases, {100003}, Dtype::kBf16);
  return cases;
}

}  // namespace aaco
