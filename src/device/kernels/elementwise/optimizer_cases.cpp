// SPDX-License-Identifier: MIT
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

}  // namespace

std::vector<OpCase> optimizer_cases() {
  std::vector<OpCase> cases;
  for (const int64_t n : kLengths) {
    add(cases, n, false, Dtype::kBf16, false);
    add(cases, n, true, Dtype::kBf16, false);
    add(cases, n, true, Dtype::kF16, n > 1);
  }
  return cases;
}

}  // namespace aaco
