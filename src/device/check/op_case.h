// SPDX-License-Identifier: MIT
// A case of an operation on fresh random inputs, for the check of a device against the CPU (check_op.h). A case says
// which arrays it needs and fills in the arguments; the check decides where the arrays lie and what they hold.
#pragma once

#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "device/ops/op_list.h"

namespace aaco {

// Hands out a case's arrays, each between guard bytes that nothing may change. A case is filled in several times, and
// must ask for the same arrays in the same order each time.
class CaseMemory {
 public:
  virtual ~CaseMemory() = default;
  // Uniform in [low, high), integers for an integer type. Must not be changed.
  virtual void* random(Dtype dtype, int64_t n, double low, double high) = 0;
  // value(i), rounded to the type. Must not be changed.
  virtual void* given(Dtype dtype, int64_t n, const std::function<double(int64_t)>& value) = 0;
  // Holds poison before: NaN, or a rare integer. `magnitude`: what the rounding errors of an element are relative to
  // where that is more than the element itself, as with sums of terms that cancel: the sum of the terms' magnitudes.
  virtual void* output(Dtype dtype, int64_t n, double magnitude) = 0;
  // Random before, and changed.
  virtual void* in_out(Dtype dtype, int64_t n, double low, double high, double magnitude) = 0;

  // int32 of {low, ..., high - 1}.
  int32_t* integers(int64_t n, int32_t low, int32_t high) {
    return static_cast<int32_t*>(random(Dtype::kI32, n, low, high));
  }
  float* floats(int64_t n, double low, double high) { return static_cast<float*>(random(Dtype::kF32, n, low, high)); }
};

// An element may differ from the CPU's by `relative` times the larger of its own and its array's magnitude, and, where
// it is fp16 or bf16, by one unit in the last place, since both round a sum of their own. Integers, and all elements
// where `relative` is 0, must be equal to the bit, but that any NaN equals any other.
struct OpCase {
  std::string name;  // what is particular to it: "rows 3, cols 1000, bf16"
  OpId op = OpId::kNull;
  std::function<void(CaseMemory& memory, void* args)> fill;
  double relative = 0;
  std::string why;         // this bound
  bool unaligned = false;  // arrays begin one element after an address that 16 divides
};

// `fill(CaseMemory&, Args&)`.
template <class Args, class Fill>
OpCase make_case(const std::string& name, double relative, const std::string& why, const Fill& fill) {
  return {.name = name,
          .op = OpOf<Args>::kId,
          .fill =
              [fill](CaseMemory& memory, void* args) {
                Args filled;
                fill(memory, filled);
                std::memcpy(args, &filled, sizeof(filled));
              },
          .relative = relative,
          .why = why,
          .unaligned = false};
}

// Of one family of operations each, beside their kernels: kernels/*/*_cases.cpp.
std::vector<OpCase> elementwise_cases();
std::vector<OpCase> optimizer_cases();
std::vector<OpCase> reduce_cases();
std::vector<OpCase> softmax_cases();
std::vector<OpCase> norm_cases();
std::vector<OpCase> top_k_cases();
std::vector<OpCase> cross_entropy_cases();
std::vector<OpCase> gemm_cases();
std::vector<OpCase> conv_cases();
std::vector<OpCase> attention_cases();
std::vector<OpCase> decode_attention_cases();
std::vector<OpCase> indexed_cases();
std::vector<OpCase> gather_grad_cases();
std::vector<OpCase> sum_parts_cases();
std::vector<OpCase> training_cases();
std::vector<OpCase> dropout_cases();

// All of them, in the order of op_list.h.
std::vector<OpCase> all_op_cases();

}  // namespace aaco
