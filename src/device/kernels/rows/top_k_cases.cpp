// SPDX-License-Identifier: MIT
#include "device/check/case_shapes.h"
#include "device/check/op_case.h"

namespace aaco {

namespace {

constexpr const char* kWhy = "nothing is computed";

using Values = std::function<double(int64_t i)>;  // null: random

void add(std::vector<OpCase>& cases, const std::string& name, const MatrixShape& shape, int64_t k, Dtype dtype,
         const Values& values) {
  cases.push_back(make_case<TopKArgs>(name + " " + std::to_string(k) + " of " + text_of(shape, dtype), 0, kWhy,
                                      [=](CaseMemory& memory, TopKArgs& args) {
                                        const int64_t n = shape.rows * shape.cols;
                                        args.in =
                                            values ? memory.given(dtype, n, values) : memory.random(dtype, n, -1, 1);
                                        args.values = k != 3 ? memory.output(dtype, shape.rows * k, 0) : nullptr;
                                        args.indices =
                                            static_cast<int32_t*>(memory.output(Dtype::kI32, shape.rows * k, 0));
                                        args.rows = shape.rows;
                                        args.cols = shape.cols;
                                        args.k = k;
                                        args.dtype = dtype;
                                      }));
}

// What a filter and a sort may get wrong: equal values, each value better than all before, zeros of both signs, NaN,
// infinities.
void add_orders(std::vector<OpCase>& cases, int64_t cols) {
  const MatrixShape shape{3, cols};
  for (const int64_t k : {1, 10, 64}) {
    add(cases, "all equal,", shape, k, Dtype::kF32, [](int64_t) { return -2.5; });
    add(cases, "few values,", shape, k, Dtype::kF32, [](int64_t i) { return static_cast<double>(i * 7919 % 13); });
    add(cases, "rising,", shape, k, Dtype::kF32, [](int64_t i) { return static_cast<double>(i); });
    add(cases, "falling,", shape, k, Dtype::kF32, [](int64_t i) { return static_cast<double>(-i); });
    add(cases, "zeros,", shape, k, Dtype::kBf16, [](int64_t i) { return i % 3 == 0 ? -0.0 : 0.0; });
    add(cases, "infinities,", shape, k, Dtype::kF32,
        [](int64_t i) { return i % 5 == 0 ? __builtin_huge_val() : -__builtin_huge_val(); });
    add(cases, "NaN,", shape, k, Dtype::kF16, [](int64_t i) { return i % 40 == 0 ? __builtin_nan("") : 1.0; });
  }
}

}  // namespace

std::vector<OpCase> top_k_cases() {
  std::vector<OpCase> cases;
  for (const Dtype dtype : kFloatTypes) {
    for (const MatrixShape& shape : kMatrices) {
      for (const int64_t k : {1, 3, 10, 64}) {
        add(cases, "", shape, k, dtype, nullptr);
      }
    }
    add(cases, "", {4, 2048}, 5, dtype, nullptr);
    cases.back().unaligned = true;
    cases.back().name += ", unaligned";
  }
  add_orders(cases, 200);
  add_orders(cases, 6000);
  return cases;
}

}  // namespace aaco
