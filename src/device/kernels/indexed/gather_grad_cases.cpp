// SPDX-License-Identifier: MIT
#include "device/check/case_shapes.h"
#include "device/check/op_case.h"

namespace aaco {

namespace {

constexpr const char* kWhy = "one order of the sums, so one result";

struct GatherGradTrial {
  int64_t count;
  int64_t cols;
  int32_t table_rows;
  bool crowded = false;  // half of the indices are the same
  bool accumulate = false;
  bool unaligned = false;
  int64_t pool = 1;  // a power of two
};

// Some indices lie outside.
void add(std::vector<OpCase>& cases, const GatherGradTrial& trial, Dtype dtype) {
  const std::string name = text_of(MatrixShape{trial.count, trial.cols}, dtype) + " to " +
                           std::to_string(trial.table_rows) + " rows" + (trial.crowded ? ", crowded" : "") +
                           (trial.accumulate ? ", added" : "") + (trial.unaligned ? ", unaligned" : "") +
                           (trial.pool > 1 ? ", pools of " + std::to_string(trial.pool) : "");
  cases.push_back(make_case<GatherGradArgs>(name, 0, kWhy, [=](CaseMemory& memory, GatherGradArgs& args) {
    args.in = memory.random(dtype, trial.count / trial.pool * trial.cols, -1, 1);
    args.ids = trial.crowded ? static_cast<const int32_t*>(memory.given(
                                   Dtype::kI32, trial.count,
                                   [rows = trial.table_rows](int64_t i) {
                                     return static_cast<double>(i % 2 == 0 ? rows / 2 : i * 7 % (rows + 2) - 1);
                                   }))
                             : memory.integers(trial.count, -2, trial.table_rows + 2);
    const int64_t elements = trial.table_rows * trial.cols;
    args.out = static_cast<float*>(trial.accumulate ? memory.in_out(Dtype::kF32, elements, -1, 1, 0)
                                                    : memory.output(Dtype::kF32, elements, 0));
    args.count = trial.count;
    args.cols = trial.cols;
    args.out_rows = trial.table_rows;
    args.accumulate = trial.accumulate ? 1 : 0;
    args.pool = trial.pool;
    args.in_dtype = dtype;
  }));
  cases.back().unaligned = trial.unaligned;
}

}  // namespace

std::vector<OpCase> gather_grad_cases() {
  std::vector<OpCase> cases;
  for (const Dtype dtype : kFloatTypes) {
    for (const bool accumulate : {false, true}) {
      add(cases, {0, 8, 4, false, accumulate}, dtype);
      add(cases, {50, 1, 9, false, accumulate}, dtype);
      add(cases, {33, 7, 5, false, accumulate}, dtype);
      add(cases, {300, 64, 1000, false, accumulate}, dtype);
      add(cases, {9, 1032, 2, false, accumulate}, dtype);
      add(cases, {2100, 24, 40, true, accumulate}, dtype);
      add(cases, {130, 40, 33, false, accumulate, true}, dtype);
      add(cases, {9001, 8, 3, true, accumulate}, dtype);
      add(cases, {96, 24, 17, false, accumulate, false, 32}, dtype);
      add(cases, {60, 7, 9, false, accumulate, false, 4}, dtype);
    }
  }
  add(cases, {500, 8, 40000}, Dtype::kBf16);
  return cases;
}

}  // namespace aaco
