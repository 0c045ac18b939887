// SPDX-License-Identifier: MIT
#include "device/check/case_shapes.h"
#include "device/check/op_case.h"

namespace aaco {

namespace {

constexpr const char* kWhy = "fp32 sums; relative to the terms: input over deviation, times weight, plus bias";
constexpr const char* kWhyGrad = "fp32 sums, of parameters over all rows; relative to the sum of magnitudes";

struct NormTrial {
  MatrixShape shape;
  NormKind kind = NormKind::kLayer;
  Dtype dtype = Dtype::kF32;
  bool affine = true;  // weight and bias
  double centre = 0;   // of the inputs, which spread by 1 to both sides: a deviation of 0.58
  bool unaligned = false;
  bool adds = false;      // a residual path
  bool in_place = false;  // that path goes on where it came from
  bool in_order = false;  // the gradient's sums over rows, without a residual path too
};

std::string text_of(const NormTrial& trial) {
  return std::string(trial.kind == NormKind::kLayer ? "layer " : "rms ") + text_of(trial.shape, trial.dtype) +
         (trial.affine ? "" : ", plain") + (trial.centre != 0 ? ", far from 0" : "") +
         (trial.adds ? ", with a residual" : "") + (trial.in_place ? " in place" : "") +
         (trial.in_order ? ", in order" : "") + (trial.unaligned ? ", unaligned" : "");
}

void add_norm(std::vector<OpCase>& cases, const NormTrial& trial) {
  const auto [rows, cols] = trial.shape;
  const bool layer = trial.kind == NormKind::kLayer;
  const double magnitude = (1 + trial.centre) / 0.58 + 1;
  cases.push_back(make_case<NormArgs>(text_of(trial), 1e-6, kWhy, [=](CaseMemory& memory, NormArgs& args) {
    if (trial.in_place) {
      args.sum = memory.in_out(trial.dtype, rows * cols, -0.5, 0.5, 1);
      args.in = args.sum;
      args.add = memory.random(trial.dtype, rows * cols, -0.5, 0.5);
    } else {
      args.in = memory.random(trial.dtype, rows * cols, trial.centre - 1, trial.centre + 1);
      args.add = trial.adds ? memory.random(trial.dtype, rows * cols, -1, 1) : nullptr;
      args.sum = trial.adds ? memory.output(trial.dtype, rows * cols, 2) : nullptr;
    }
    args.weight = trial.affine ? memory.random(trial.dtype, cols, -1, 1) : nullptr;
    args.bias = trial.affine && layer ? memory.random(trial.dtype, cols, -1, 1) : nullptr;
    args.out = memory.output(trial.dtype, rows * cols, magnitude);
    args.mean =
        trial.affine && layer ? static_cast<float*>(memory.output(Dtype::kF32, rows, 1 + trial.centre)) : nullptr;
    args.rstd = trial.affine ? static_cast<float*>(memory.output(Dtype::kF32, rows, 2)) : nullptr;
    args.rows = rows;
    args.cols = cols;
    args.kind = trial.kind;
    args.dtype = trial.dtype;
  }));
  cases.back().unaligned = trial.unaligned;
}

void add_gradient(std::vector<OpCase>& cases, const NormTrial& trial) {
  const auto [rows, cols] = trial.shape;
  const bool layer = trial.kind == NormKind::kLayer;
  const double of_weight = 2.0 * static_cast<double>(rows) + 1;
  cases.push_back(make_case<NormGradArgs>(text_of(trial), 2e-6, kWhyGrad, [=](CaseMemory& memory, NormGradArgs& args) {
    args.in = memory.random(trial.dtype, rows * cols, -1, 1);
    args.weight = trial.affine ? memory.random(trial.dtype, cols, -1, 1) : nullptr;
    args.mean = layer ? memory.floats(rows, -0.1, 0.1) : nullptr;
    args.rstd = memory.floats(rows, 1, 2);
    args.out_grad = memory.random(trial.dtype, rows * cols, -1, 1);
    if (trial.in_place) {
      args.in_grad = memory.in_out(trial.dtype, rows * cols, -1, 1, 5);
      args.add = args.in_grad;
    } else {
      args.in_grad = memory.output(trial.dtype, rows * cols, trial.adds ? 5 : 4);
      args.add = trial.adds ? memory.random(trial.dtype, rows * cols, -1, 1) : nullptr;
    }
    if (trial.affine && (trial.adds || trial.in_order)) {  // in order, in place: in parts
      args.weight_grad = trial.in_place ? nullptr : static_cast<float*>(memory.output(Dtype::kF32, cols, of_weight));
      args.partial =
          static_cast<float*>(memory.output(Dtype::kF32, norm_grad_parts(rows) * cols, trial.in_place ? of_weight : 0));
    } else if (trial.affine) {
      args.weight_grad = static_cast<float*>(memory.in_out(Dtype::kF32, cols, -1, 1, of_weight));
      args.bias_grad = layer ? static_cast<float*>(memory.in_out(Dtype::kF32, cols, -1, 1, of_weight)) : nullptr;
    }
    args.rows = rows;
    args.cols = cols;
    args.kind = trial.kind;
    args.dtype = trial.dtype;
  }));
  cases.back().unaligned = trial.unaligned;
}

}  // namespace

std::vector<OpCase> norm_cases() {
  std::vector<NormTrial> trials;
  for (const NormKind kind : {NormKind::kLayer, NormKind::kRms}) {
    for (const Dtype dtype : kFloatTypes) {
      for (const MatrixShape& shape : kMatrices) {
        trials.push_back({.shape = shape, .kind = kind, .dtype = dtype});
      }
      trials.push_back({.shape = {9, 768}, .kind = kind, .dtype = dtype, .affine = false});
      trials.push_back({.shape = {300, 512}, .kind = kind, .dtype = dtype, .unaligned = true});
      for (const MatrixShape& shape : kMatrices) {
        if (shape.cols > 10000) {
          continue;  // of the scratch array there would be hundreds of megabytes
        }
        const bool in_place = shape.cols % 3 == 0 || shape.cols == 2048 || shape.cols == 8200;
        trials.push_back({.shape = shape, .kind = kind, .dtype = dtype, .adds = true, .in_place = in_place});
      }
      trials.push_back({.shape = {33, 768}, .kind = kind, .dtype = dtype, .in_order = true});
      trials.push_back({.shape = {333, 40}, .kind = kind, .dtype = dtype, .unaligned = true, .adds = true});
      trials.push_back({.shape = {9, 768}, .kind = kind, .dtype = dtype, .affine = false, .adds = true});
    }
  }
  std::vector<OpCase> cases;
  for (const NormTrial& trial : trials) {
    add_norm(cases, trial);
    add_gradient(cases, trial);
  }
  for (const int64_t cols : {512, 4096, 20000}) {
    add_norm(cases, {.shape = {3, cols}, .centre = 100});
  }
  return cases;
}

}  // namespace aaco
