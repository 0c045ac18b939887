// SPDX-License-Identifier: MIT
#include "device/cpu/blas.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <latch>
#include <limits>
#include <thread>
#include <vector>

#include "base/test_skip.h"
#include "device/kernels/test_values.h"

namespace aaco::cpu {
namespace {

using Multiply = void (*)(const MatrixProduct&);

class Products : public testing::TestWithParam<Multiply> {};

// Every element, by the definition, in double.
double expected(const MatrixProduct& p, int64_t i, int64_t j, float before) {
  double sum = 0;
  for (int64_t k = 0; k < p.k; ++k) {
    const float a = p.transpose_a ? p.a[k * p.lda + i] : p.a[i * p.lda + k];
    const float b = p.transpose_b ? p.b[j * p.ldb + k] : p.b[k * p.ldb + j];
    sum += double{a} * b;
  }
  return p.alpha * sum + (p.beta == 0 ? 0 : double{p.beta} * before);
}

TEST_P(Products, AreTheDefinition) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const int64_t sizes[][3] = {{1, 1, 1}, {3, 5, 7}, {17, 300, 130}, {64, 1, 33}, {1, 65, 129}, {5, 4, 0}};
  for (const auto& [m, n, k] : sizes) {
    for (int form = 0; form < 8; ++form) {
      const bool ta = (form & 1) != 0;
      const bool tb = (form & 2) != 0;
      const float beta = (form & 4) != 0 ? 0.5F : 0;
      const std::vector<float> a = random_values((ta ? k : m) * ((ta ? m : k) + 2) + 1, 1);
      const std::vector<float> b = random_values((tb ? n : k) * ((tb ? k : n) + 3) + 1, 2);
      const std::vector<float> before =
          beta == 0 ? std::vector<float>(m * (n + 1), kNan) : random_values(m * (n + 1), 3);
      std::vector<float> c = before;
      const MatrixProduct product{a.data(),         b.data(), c.data(), m,  n,    k,   (ta ? m : k) + 2,
                                  (tb ? k : n) + 3, n + 1,    ta,       tb, 2.0F, beta};
      GetParam()(product);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          // k products of up to 1: each addition rounds a sum of at most 2 k by 2^-24 of it.
          ASSERT_NEAR(c[i * (n + 1) + j], expected(product, i, j, before[i * (n + 1) + j]),
                      2e-7 * static_cast<double>(1 + 2 * k))
              << m << "x" << n << "x" << k << " form " << form << " at " << i << ", " << j;
        }
        const float gap = c[i * (n + 1) + n];  // between the rows
        EXPECT_TRUE(gap == before[i * (n + 1) + n] || (std::isnan(gap) && beta == 0));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Both, Products, testing::Values(&multiply, &multiply_by_reference));

TEST(Blas, NamesItsLibrary) {
  const char* asked = std::getenv("AACO_REFERENCE_GEMM");
  void* handle = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr || (asked != nullptr && asked[0] == '1')) {
    EXPECT_EQ(gemm_library(), "reference");
  } else {
    EXPECT_TRUE(gemm_library().starts_with("OpenBLAS 0.")) << gemm_library();
    EXPECT_EQ(gemm_library().find(' ', 9), std::string::npos) << gemm_library();
  }
}

// More calls at once than the library has buffers for (Debian's: 128) make it complain, and far more end the process.
// Each call is longer than a turn of the scheduler's, so that without a bound most would be under way together.
TEST(Blas, TakesMoreThreadsThanTheLibraryHasBuffersFor) {
  if (gemm_library() == "reference") {
    AACO_SKIP("OpenBLAS is not used here");
  }
  constexpr int kThreads = 300;
  constexpr int64_t kSize = 640;
  const std::vector<float> ones(kSize * kSize, 1.0F);
  std::vector<float> sums(kThreads);
  std::vector<std::thread> threads;
  std::latch all_there(kThreads);
  testing::internal::CaptureStderr();
  for (float& sum : sums) {
    threads.emplace_back([&] {
      std::vector<float> c(kSize * kSize);
      all_there.arrive_and_wait();
      multiply({ones.data(), ones.data(), c.data(), kSize, kSize, kSize, kSize, kSize, kSize});
      sum = *std::min_element(c.begin(), c.end()) + *std::max_element(c.begin(), c.end());
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(sums, std::vector<float>(kThreads, 2.0F * kSize));
}

}  // namespace
}  // namespace aaco::cpu
