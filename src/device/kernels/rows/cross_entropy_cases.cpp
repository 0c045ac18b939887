// SPDX-License-Identifier: MIT
#include <cmath>

#include "device/check/case_shapes.h"
#include "device/check/op_case.h"

namespace aaco {

namespace {

constexpr const char* kWhy = "exp, log and fp32 sums of positive terms; the loss relative to log(cols) + 8";

struct EntropyTrial {
  MatrixShape shape;
  Dtype dtype = Dtype::kF32;
  bool gradient = true;
  bool in_place = false;
  bool unaligned = false;
  int32_t beyond = 0;  // targets go from -beyond to cols + beyond - 1
};

std::string text_of(const EntropyTrial& trial) {
  return text_of(trial.shape, trial.dtype) + (trial.gradient ? "" : ", loss alone") +
         (trial.in_place ? ", in place" : "") + (trial.beyond > 0 ? ", targets out of range" : "") +
         (trial.unaligned ? ", unaligned" : "");
}

void add(std::vector<OpCase>& cases, const EntropyTrial& trial) {
  const auto [rows, cols] = trial.shape;
  constexpr float kScale = 0.25F;
  cases.push_back(
      make_case<CrossEntropyArgs>(text_of(trial), 3e-6, kWhy, [=](CaseMemory& memory, CrossEntropyArgs& args) {
        const int64_t n = rows * cols;
        void* both = trial.in_place ? memory.in_out(trial.dtype, n, -4, 4, kScale) : nullptr;
        args.logits = trial.in_place ? both : memory.random(trial.dtype, n, -4, 4);
        args.targets = memory.integers(rows, -trial.beyond, static_cast<int32_t>(cols) + trial.beyond);
        args.loss = static_cast<float*>(memory.output(Dtype::kF32, rows, 8 + std::log(static_cast<double>(cols))));
        if (trial.gradient) {
          args.grad = trial.in_place ? both : memory.output(trial.dtype, n, kScale);
        }
        args.rows = rows;
        args.cols = cols;
        args.scale = kScale;
        args.dtype = trial.dtype;
      }));
  cases.back().unaligned = trial.unaligned;
}

}  // namespace

std::vector<OpCase> cross_entropy_cases() {
  std::vector<OpCase> cases;
  for (const Dtype dtype : kFloatTypes) {
    for (const MatrixShape& shape : kMatrices) {
      add(cases, {.shape = shape, .dtype = dtype});
      add(cases, {.shape = shape, .dtype = dtype, .in_place = true});
    }
    add(cases, {.shape = {65, 512}, .dtype = dtype, .gradient = false});
    add(cases, {.shape = {65, 6}, .dtype = dtype, .beyond = 3});
    add(cases, {.shape = {20, 2048}, .dtype = dtype, .beyond = 3000});
    add(cases, {.shape = {20, 10000}, .dtype = dtype, .beyond = 9000});
    add(cases, {.shape = {7, 1000}, .dtype = dtype, .unaligned = true});
    add(cases, {.shape = {4, 0}, .dtype = dtype, .beyond = 1});
  }
  return cases;
}

}  // namespace aaco
