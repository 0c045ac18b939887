// SPDX-License-Identifier: MIT
#include "device/check/case_shapes.h"
#include "device/check/op_case.h"

namespace aaco {

namespace {

constexpr const char* kWhy = "fp32 sums of a thread's terms, then of threads; relative to the sum of magnitudes";

struct ReduceTrial {
  ReduceOp op;
  ReduceAxis axis;
  bool accumulate;
};
constexpr std::array kTrials{ReduceTrial{ReduceOp::kSum, ReduceAxis::kAlongRow, false},
                             ReduceTrial{ReduceOp::kSum, ReduceAxis::kAlongRow, true},
                             ReduceTrial{ReduceOp::kMean, ReduceAxis::kAlongRow, false},
                             ReduceTrial{ReduceOp::kMax, ReduceAxis::kAlongRow, false},
                             ReduceTrial{ReduceOp::kSum, ReduceAxis::kAlongColumn, false},
                             ReduceTrial{ReduceOp::kSum, ReduceAxis::kAlongColumn, true},
                             ReduceTrial{ReduceOp::kMean, ReduceAxis::kAlongColumn, false},
                             ReduceTrial{ReduceOp::kMax, ReduceAxis::kAlongColumn, false}};

std::string text_of(const ReduceTrial& trial) {
  constexpr std::array kNames{"sum", "mean", "max"};
  return std::string(kNames[static_cast<size_t>(trial.op)]) +
         (trial.axis == ReduceAxis::kAlongRow ? " along rows " : " along columns ") +
         (trial.accumulate ? "added " : "");
}

void add(std::vector<OpCase>& cases, const ReduceTrial& trial, const MatrixShape& shape, Dtype in, Dtype out) {
  const bool along_row = trial.axis == ReduceAxis::kAlongRow;
  const int64_t results = along_row ? shape.rows : shape.cols;
  const int64_t terms = along_row ? shape.cols : shape.rows;
  const double magnitude = trial.op == ReduceOp::kSum ? 0.5 * static_cast<double>(terms) + 1 : 0.5;
  cases.push_back(make_case<ReduceArgs>(text_of(trial) + text_of(shape, in) + " to " + name_of(out),
                                        trial.op == ReduceOp::kMax ? 0 : 1e-6, kWhy,
                                        [=](CaseMemory& memory, ReduceArgs& args) {
                                          args.in = memory.random(in, shape.rows * shape.cols, -1, 1);
                                          args.out = trial.accumulate ? memory.in_out(out, results, -1, 1, magnitude)
                                                                      : memory.output(out, results, magnitude);
                                          args.rows = shape.rows;
                                          args.cols = shape.cols;
                                          args.op = trial.op;
                                          args.axis = trial.axis;
                                          args.in_dtype = in;
                                          args.out_dtype = out;
                                          args.accumulate = trial.accumulate ? 1 : 0;
                                        }));
}

// One NaN among numbers: its row or column becomes NaN, no other.
void add_nan(std::vector<OpCase>& cases, ReduceAxis axis, int64_t place) {
  constexpr MatrixShape kShape{16, 48};
  const int64_t results = axis == ReduceAxis::kAlongRow ? kShape.rows : kShape.cols;
  cases.push_back(make_case<ReduceArgs>(
      std::string(axis == ReduceAxis::kAlongRow ? "rows" : "columns") + ", NaN at " + std::to_string(place), 0, kWhy,
      [=](CaseMemory& memory, ReduceArgs& args) {
        args.in = memory.given(Dtype::kF32, kShape.rows * kShape.cols, [=](int64_t i) {
          return i == place ? __builtin_nan("") : static_cast<double>(i % 11) - 5;
        });
        args.out = memory.output(Dtype::kF32, results, 0);
        args.rows = kShape.rows;
        args.cols = kShape.cols;
        args.op = ReduceOp::kMax;
        args.axis = axis;
      }));
}

}  // namespace

std::vector<OpCase> reduce_cases() {
  // Also rows that several blocks share, columns of many rows, and one empty side or the other.
  std::vector<MatrixShape> shapes(kMatrices.begin(), kMatrices.end());
  shapes.insert(shapes.end(), {{2, 300000}, {3000, 260}, {777, 1}, {8, 0}});
  std::vector<OpCase> cases;
  for (const ReduceTrial& trial : kTrials) {
    for (const MatrixShape& shape : shapes) {
      add(cases, trial, shape, Dtype::kF32, Dtype::kF32);
    }
    for (const Dtype in : kFloatTypes) {
      for (const Dtype out : kFloatTypes) {
        add(cases, trial, {70, 264}, in, out);
        add(cases, trial, {130, 1288}, in, out);
        cases.back().unaligned = true;
        cases.back().name += ", unaligned";
        if (trial.axis == ReduceAxis::kAlongRow && !trial.accumulate && trial.op != ReduceOp::kMean) {
          add(cases, trial, {11, 263}, in, out);  // short rows that no pack divides
          add(cases, trial, {3, 2064}, in, out);  // long ones that every pack does
        }
      }
    }
  }
  for (const int64_t place : {0, 5, 100, 767}) {
    add_nan(cases, ReduceAxis::kAlongRow, place);
    add_nan(cases, ReduceAxis::kAlongColumn, place);
  }
  return cases;
}

}  // namespace aaco
