// SPDX-License-Identifier: MIT
#include <bit>

#include "device/check/case_shapes.h"
#include "device/check/op_case.h"

namespace aaco {

namespace {

constexpr const char* kWhy = "a handful of roundings in fp32, of values up to 1";

void add(std::vector<OpCase>& cases, int64_t n, bool has_low, Dtype low, bool unaligned) {
  const std::string name =
      std::to_string(n) + (has_low ? std::string(", also ") + name_of(low) : "") + (unaligned ? ", unaligned" : "");
  cases.push_back(make_case<SgdArgs>(name, 1.2e-7, "one product and one difference, perhaps fused",
                                     [=](CaseMemory& memory, SgdArgs& args) {
                                       args.param = static_cast<float*>(memory.in_out(Dtype::kF32, n, -1, 1, 1));
                                       args.grad = memory.floats(n, -1, 1);
                                       args.low = has_low ? memory.output(low, n, 1) : nullptr;
                                       args.n = n;
                                       args.rate = 0.1F;
                                       args.low_dtype = low;
                                     }));
  cases.back().unaligned = unaligned;
  cases.push_back(make_case<AdamArgs>(name, 5e-7, kWhy, [=](CaseMemory& memory, AdamArgs& args) {
    args.param = static_cast<float*>(memory.in_out(Dtype::kF32, n, -1, 1, 1));
    args.grad = memory.floats(n, -1, 1);
    args.first = static_cast<float*>(memory.in_out(Dtype::kF32, n, -1, 1, 1));
    args.second = static_cast<float*>(memory.in_out(Dtype::kF32, n, 0.01, 1, 1));
    args.low = has_low ? memory.output(low, n, 1) : nullptr;
    args.n = n;
    args.rate = 0.02F;
    args.weight_decay = 0.1F;
    args.step = 3;
    args.low_dtype = low;
  }));
  cases.back().unaligned = unaligned;
}

// What the arguments say besides is not to be read.
void add_by_clock(std::vector<OpCase>& cases, int64_t n, Dtype low, bool unaligned) {
  const std::string name = std::to_string(n) + ", by the clock" +
                           (low != Dtype::kBf16 ? std::string(", also ") + name_of(low) : "") +
                           (unaligned ? ", unaligned" : "");
  cases.push_back(make_case<AdamArgs>(name, 5e-7, kWhy, [=](CaseMemory& memory, AdamArgs& args) {
    const TrainingClock clock{
        .step = 3, .rate = 0.02F, .decay = 0.998F, .inverse_correction1 = 3.69F, .inverse_correction2 = 333.7F};
    args.param = static_cast<float*>(memory.in_out(Dtype::kF32, n, -1, 1, 1));
    args.grad = memory.floats(n, -1, 1);
    args.first = static_cast<float*>(memory.in_out(Dtype::kF32, n, -1, 1, 1));
    args.second = static_cast<float*>(memory.in_out(Dtype::kF32, n, 0.01, 1, 1));
    args.low = memory.output(low, n, 1);
    args.low_dtype = low;
    args.n = n;
    args.rate = 7;
    args.weight_decay = 7;
    args.clock = static_cast<const TrainingClock*>(memory.given(Dtype::kF32, 6, [=](int64_t i) {
      const auto words = std::bit_cast<std::array<float, 6>>(clock);
      return static_cast<double>(words[static_cast<size_t>(i)]);
    }));
  }));
  cases.back().unaligned = unaligned;
}

// Gradients of the elements [from, end) in an array of their own.
void add_low_grads(std::vector<OpCase>& cases, int64_t n, int64_t from, int64_t end, Dtype low) {
  const std::string name =
      std::to_string(n) + ", " + name_of(low) + " gradients of " + std::to_string(from) + " to " + std::to_string(end);
  cases.push_back(make_case<AdamArgs>(name, 5e-7, kWhy, [=](CaseMemory& memory, AdamArgs& args) {
    args.param = static_cast<float*>(memory.in_out(Dtype::kF32, n, -1, 1, 1));
    args.grad = memory.floats(n - (end - from), -1, 1);
    args.low_grad = memory.random(low, end - from, -1, 1);
    args.low_from = from;
    args.low_end = end;
    args.first = static_cast<float*>(memory.in_out(Dtype::kF32, n, -1, 1, 1));
    args.second = static_cast<float*>(memory.in_out(Dtype::kF32, n, 0.01, 1, 1));
    args.low = memory.output(low, n, 1);
    args.low_dtype = low;
    args.n = n;
    args.rate = 0.02F;
    args.step = 3;
  }));
}

void add_scaled(std::vector<OpCase>& cases, int64_t n, bool unaligned) {
  cases.push_back(make_case<AdamArgs>(std::to_string(n) + ", scaled" + (unaligned ? ", unaligned" : ""), 5e-7, kWhy,
                                      [=](CaseMemory& memory, AdamArgs& args) {
                                        args.param = static_cast<float*>(memory.in_out(Dtype::kF32, n, -1, 1, 1));
                                        args.grad = memory.floats(n, -1, 1);
                                        args.first = static_cast<float*>(memory.in_out(Dtype::kF32, n, -1, 1, 1));
                                        args.second = static_cast<float*>(memory.in_out(Dtype::kF32, n, 0.01, 1, 1));
                                        args.n = n;
                                        args.rate = 0.02F;
                                        args.step = 3;
                                        args.grad_scale = memory.floats(1, 0.1, 1);
                                      }));
  cases.back().unaligned = unaligned;
}

void add_norm(std::vector<OpCase>& cases, int64_t n, int64_t parts, bool unaligned) {
  const std::string name =
      std::to_string(n) + " in " + std::to_string(parts) + " parts" + (unaligned ? ", unaligned" : "");
  cases.push_back(make_case<SquareSumArgs>(name, 5e-6, "fp32 sums of some terms above 0",
                                           [=](CaseMemory& memory, SquareSumArgs& args) {
                                             args.in = memory.floats(n, -1, 1);
                                             args.out = static_cast<float*>(memory.output(Dtype::kF32, parts, 0));
                                             args.n = n;
                                             args.parts = parts;
                                           }));
  cases.back().unaligned = unaligned;
}

void add_clipping(std::vector<OpCase>& cases, int64_t n) {
  for (const float max_norm : {0.3F, 1e6F}) {
    cases.push_back(make_case<ClipScaleArgs>(std::to_string(n) + " sums, " + std::to_string(max_norm), 2e-7,
                                             "fp64 sums in another order, a root, a quotient",
                                             [=](CaseMemory& memory, ClipScaleArgs& args) {
                                               args.sums = memory.floats(n, 0.5, 1);
                                               args.scale = static_cast<float*>(memory.output(Dtype::kF32, 1, 0));
                                               args.n = n;
                                               args.max_norm = max_norm;
                                             }));
  }
}

}  // namespace

std::vector<OpCase> optimizer_cases() {
  std::vector<OpCase> cases;
  for (const int64_t n : kLengths) {
    add(cases, n, false, Dtype::kBf16, false);
    add(cases, n, true, Dtype::kBf16, false);
    add(cases, n, true, Dtype::kF16, n > 1);
    add_by_clock(cases, n, Dtype::kBf16, n % 2 != 0);
  }
  for (const bool unaligned : {false, true}) {
    add(cases, 1000, true, Dtype::kF32, unaligned);
    add(cases, 1000, true, Dtype::kBf16, unaligned);
    add_by_clock(cases, 1000, Dtype::kF32, unaligned);
    add_by_clock(cases, 1000, Dtype::kF16, unaligned);
  }
  add_low_grads(cases, 1000, 64, 640, Dtype::kBf16);  // in packs
  add_low_grads(cases, 1001, 0, 1001, Dtype::kBf16);
  add_low_grads(cases, 1000, 3, 1000, Dtype::kF16);
  add_low_grads(cases, 1000, 8, 9, Dtype::kBf16);
  for (const bool unaligned : {false, true}) {
    add_scaled(cases, 1001, unaligned);
    add_norm(cases, 100'003, 64, unaligned);
    add_norm(cases, 5000, 7, unaligned);
  }
  for (const int64_t n : {0, 1, 30, 5000, 100'003}) {
    add_clipping(cases, n);
  }
  add_norm(cases, 0, 3, false);
  add_norm(cases, 1, 1, false);
  add_norm(cases, 30, 16, false);
  return cases;
}

}  // namespace aaco
