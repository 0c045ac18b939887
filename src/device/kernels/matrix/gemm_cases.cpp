// SPDX-License-Identifier: MIT
#include <string>

#include "device/check/op_case.h"

namespace aaco {

namespace {

constexpr const char* kWhy = "fp32 sums in another order; relative to the sum of the products' magnitudes";
constexpr const char* kWhyTf32 = "inputs rounded to 11 bits, two per product";

struct Sizes {
  int64_t m, n, k, batch;
};

struct Form {
  Dtype in = Dtype::kF32;
  Dtype out = Dtype::kF32;
  bool transpose_a = false;
  bool transpose_b = false;
  float alpha = 1;
  float beta = 0;
  Epilogue epilogue = Epilogue::kNone;
  MathMode math = MathMode::kF32;
  int64_t gap = 0;             // between rows
  bool shared_matrix = false;  // one b for all of the batch
};

std::string name_of(const Sizes& sizes, const Form& form) {
  std::string name = std::to_string(sizes.batch) + " x [" + std::to_string(sizes.m) + ", " + std::to_string(sizes.n) +
                     ", " + std::to_string(sizes.k) + "] " + name_of(form.in) + " to " + name_of(form.out);
  name += form.transpose_a ? ", a transposed" : "";
  name += form.transpose_b ? ", b transposed" : "";
  name += form.beta != 0 ? ", added" : "";
  name += form.gap != 0 ? ", gaps" : "";
  name += form.shared_matrix ? ", one b" : "";
  name += form.math == MathMode::kTf32 ? ", tf32" : "";
  return name +
         (form.epilogue == Epilogue::kNone ? "" : ", epilogue " + std::to_string(static_cast<int>(form.epilogue)));
}

void fill(CaseMemory& memory, GemmArgs& args, const Sizes& sizes, const Form& form) {
  const int64_t a_rows = form.transpose_a ? sizes.k : sizes.m;
  const int64_t b_rows = form.transpose_b ? sizes.n : sizes.k;
  args.m = sizes.m;
  args.n = sizes.n;
  args.k = sizes.k;
  args.batch = sizes.batch;
  args.lda = (form.transpose_a ? sizes.m : sizes.k) + form.gap;
  args.ldb = (form.transpose_b ? sizes.k : sizes.n) + form.gap;
  args.ldc = sizes.n + form.gap;
  args.stride_a = a_rows * args.lda;
  args.stride_b = form.shared_matrix ? 0 : b_rows * args.ldb;
  args.stride_c = sizes.m * args.ldc;
  args.alpha = form.alpha;
  args.beta = form.beta;
  args.transpose_a = form.transpose_a ? 1 : 0;
  args.transpose_b = form.transpose_b ? 1 : 0;
  args.in_dtype = form.in;
  args.out_dtype = form.out;
  args.math = form.math;
  args.epilogue = form.epilogue;
  const double magnitude = 1 + static_cast<double>(sizes.k) / 4;
  args.a = memory.random(form.in, sizes.batch * args.stride_a, -1, 1);
  args.b = memory.random(form.in, form.shared_matrix ? b_rows * args.ldb : sizes.batch * args.stride_b, -1, 1);
  args.c = form.beta == 0 ? memory.output(form.out, sizes.batch * args.stride_c, magnitude)
                          : memory.in_out(form.out, sizes.batch * args.stride_c, -1, 1, magnitude);
  if (form.epilogue != Epilogue::kNone) {
    args.bias = memory.random(form.out, sizes.n, -1, 1);
  }
}

// Libraries round a 16-bit product before they add the bias to it: half a unit in the last place of the product (2^-12,
// 2^-9) is then there in a sum that may be much smaller.
struct Bound {
  double relative;
  const char* why;
};
Bound bound_of(const Form& form) {
  if (form.math == MathMode::kTf32) {
    return {2e-3, kWhyTf32};
  }
  if (form.epilogue == Epilogue::kNone || form.out == Dtype::kF32) {
    return {2e-6, kWhy};
  }
  return {form.out == Dtype::kBf16 ? 0x1p-9 : 0x1p-12, "the product may be rounded before the bias is added"};
}

void add(std::vector<OpCase>& cases, const Sizes& sizes, const Form& form) {
  const Bound bound = bound_of(form);
  cases.push_back(make_case<GemmArgs>(name_of(sizes, form), bound.relative, bound.why,
                                      [=](CaseMemory& memory, GemmArgs& args) { fill(memory, args, sizes, form); }));
}

}  // namespace

std::vector<OpCase> gemm_cases() {
  std::vector<OpCase> cases;
  constexpr Sizes kOdd{33, 65, 17, 1};
  constexpr Sizes kEven{64, 128, 96, 2};
  constexpr std::pair<Dtype, Dtype> kTypes[] = {{Dtype::kF32, Dtype::kF32},
                                                {Dtype::kF16, Dtype::kF16},
                                                {Dtype::kBf16, Dtype::kBf16},
                                                {Dtype::kF16, Dtype::kF32},
                                                {Dtype::kBf16, Dtype::kF32}};
  for (const auto& [in, out] : kTypes) {
    for (int transposed = 0; transposed < 4; ++transposed) {
      for (const Sizes& sizes : {kOdd, kEven}) {
        add(cases, sizes,
            {.in = in, .out = out, .transpose_a = (transposed & 1) != 0, .transpose_b = (transposed & 2) != 0});
      }
    }
    for (const Epilogue epilogue : {Epilogue::kBias, Epilogue::kBiasRelu, Epilogue::kBiasGelu}) {
      add(cases, kEven, {.in = in, .out = out, .transpose_b = true, .epilogue = epilogue});
      add(cases, kOdd, {.in = in, .out = out, .epilogue = epilogue});
    }
    add(cases, {8, 24, 16, 3}, {.in = in, .out = out, .alpha = 0.5F, .beta = 2, .gap = 8, .shared_matrix = true});
    add(cases, {1, 512, 256, 1}, {.in = in, .out = out});
    add(cases, {4, 4, 0, 1}, {.in = in, .out = out});
    add(cases, {0, 4, 4, 1}, {.in = in, .out = out});
  }
  add(cases, kEven, {.math = MathMode::kTf32});
  add(cases, {512, 384, 1024, 1}, {.in = Dtype::kBf16, .out = Dtype::kBf16});
  return cases;
}

}  // namespace aaco
