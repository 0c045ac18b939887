// SPDX-License-Identifier: MIT
// Patterns of what operators launched.
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "analysis/timeline/advice/test_findings.h"

namespace aaco {
namespace {

// Each operator launches one kernel of 100 us, one behind the other.
class OperatorPatterns : public testing::Test {
 protected:
  void call(const std::vector<std::string>& nested, std::string_view dims, std::string_view types,
            std::string_view kernel = "k", int64_t length_ns = 100'000) {
    const int64_t at_ns = 10'000 * trace_.launches;
    for (size_t level = 0; level < nested.size(); ++level) {
      const auto inset = static_cast<int64_t>(level);
      trace_.add(trace_.host, EventKind::kHostOp, nested[level], at_ns + inset, 5'000 - 2 * inset, kNoId,
                 {trace_.text("Input Dims", dims), trace_.text("Input type", types)});
    }
    end_ns_ = std::max(end_ns_, at_ns + 200);
    trace_.launch(at_ns + 100, 100, kernel, end_ns_, length_ns);
    end_ns_ += length_ns;
  }
  TraceSummary summary() { return summarise_trace(trace_.table, {{}, device_}); }

  LaunchingTrace trace_;
  int64_t end_ns_ = 100'000;
  Accelerator device_ = {.name = "X1",
                         .patterns = {},
                         .matrix = {{"fp32", 1e12}, {"bf16", 4e12}},
                         .vector = {},
                         .achievable = {},
                         .bytes_per_s = 1e12,
                         .cache_bytes = {},
                         .source = "sheet",
                         .achievable_source = ""};
};

constexpr const char* kHalf = R"(["c10::BFloat16", "c10::BFloat16"])";
constexpr const char* kSingle = R"(["float", "float"])";
constexpr const char* kScores = "[[8, 128, 64], [8, 64, 128]]";
constexpr const char* kSoftmaxTypes = R"(["c10::BFloat16", "Scalar", "Scalar"])";

// Two products of 2 * 8 * 128 * 128 * 64 FLOP at 4 TFLOP/s: 8388.608 ns. The tensors of 8 * 128 * 64 elements would
// take 0.5 us.
TEST_F(OperatorPatterns, AttentionNotFused) {
  call({"aten::bmm"}, kScores, kHalf);
  call({"aten::mul"}, "[[8, 128, 128], []]", R"(["c10::BFloat16", "double"])");
  call({"aten::_softmax"}, "[[8, 128, 128], [], []]", kSoftmaxTypes);
  call({"aten::bmm"}, "[[8, 128, 128], [8, 128, 64]]", kHalf);
  const TraceSummary summary = this->summary();
  const TraceFinding* const finding = finding_named(summary, "unfused-attention");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->cost_ns, 400'000);
  EXPECT_DOUBLE_EQ(finding->saves_ns, 400'000 - 16'777.216 / 2);
  EXPECT_NE(finding->evidence.find("1024 rows of 128 keys, heads of 64, bfloat16"), std::string::npos);
  EXPECT_EQ(summary.offenders[0].rule, "unfused-attention");
  EXPECT_FALSE(has_offender(summary, "aten::bmm (compute)"));  // named once, with its remedy
}

TEST_F(OperatorPatterns, AttentionNotFusedInBackward) {
  const char* const types = R"(["c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar"])";
  call({"aten::bmm"}, "[[8, 128, 128], [8, 128, 64]]", kHalf);  // of the values
  call({"aten::bmm"}, kScores, kHalf);                          // of the weights
  call({"aten::_softmax_backward_data"}, "[[8, 128, 128], [8, 128, 128], [], []]", types);
  call({"aten::bmm"}, "[[8, 64, 128], [8, 128, 128]]", kHalf);  // of the keys
  call({"aten::bmm"}, "[[8, 128, 128], [8, 128, 64]]", kHalf);  // of the queries
  const TraceSummary summary = this->summary();
  const TraceFinding* const finding = finding_named(summary, "unfused-attention");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->cost_ns, 500'000);
  EXPECT_DOUBLE_EQ(finding->saves_ns, 500'000 - 16'777.216);
}

TEST_F(OperatorPatterns, ASoftmaxBetweenOtherProductsIsNoAttention) {
  call({"aten::mm"}, "[[128, 64], [64, 1000]]", kHalf);
  call({"aten::_softmax"}, "[[128, 1000], [], []]", kSoftmaxTypes);
  call({"aten::mm"}, "[[128, 64], [64, 64]]", kHalf);
  EXPECT_EQ(finding_named(summary(), "unfused-attention"), nullptr);
}

TEST_F(OperatorPatterns, AttentionOfOneKernelIsFused) {
  call({"aten::_scaled_dot_product_flash_attention"}, "[[1, 8, 128, 64], [1, 8, 128, 64], [1, 8, 128, 64]]",
       R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])");
  EXPECT_EQ(finding_named(summary(), "unfused-attention"), nullptr);
}

// 2e9 FLOP: 2 ms at the roof of single precision, 0.5 ms at that of bfloat16; 12 MB take 12 us.
TEST_F(OperatorPatterns, SinglePrecisionWhereBfloat16IsAtHand) {
  call({"aten::mm"}, "[[1000, 1000], [1000, 1000]]", kSingle, "Cijk_Ailk_Bljk_S_MT128x128", 4'000'000);
  const TraceSummary summary = this->summary();
  const TraceFinding* const finding = finding_named(summary, "single-precision");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->cost_ns, 4'000'000);
  EXPECT_DOUBLE_EQ(finding->saves_ns, 3'500'000);
  EXPECT_TRUE(finding->remedy.starts_with("Compute products in bfloat16"));
  device_.matrix["tf32"] = 2e12;
  EXPECT_TRUE(finding_named(this->summary(), "single-precision")->remedy.starts_with("Let products use TF32"));
}

TEST_F(OperatorPatterns, SinglePrecisionIsNoFindingWithoutAFasterOne) {
  device_.matrix.erase("bf16");
  call({"aten::mm"}, "[[1000, 1000], [1000, 1000]]", kSingle, "volta_sgemm_128x64_nn", 4'000'000);
  EXPECT_EQ(finding_named(summary(), "single-precision"), nullptr);
}

TEST_F(OperatorPatterns, SinglePrecisionIsNoFindingWhereTheKernelUsesTf32OrDoesNotSay) {
  device_.matrix["tf32"] = 2e12;
  call({"aten::mm"}, "[[1000, 1000], [1000, 1000]]", kSingle, "cutlass_80_tensorop_s1688gemm_128x128", 4'000'000);
  call({"aten::mm"}, "[[2000, 1000], [1000, 1000]]", kSingle, "nvjet_sm90_sss_128x128", 4'000'000);
  EXPECT_EQ(finding_named(summary(), "single-precision"), nullptr);
}

// One row through a square matrix: memory bounds it.
TEST_F(OperatorPatterns, SinglePrecisionIsNoFindingWhereMemoryBounds) {
  call({"aten::mm"}, "[[1, 4000], [4000, 4000]]", kSingle, "gemv", 100'000);
  EXPECT_EQ(finding_named(summary(), "single-precision"), nullptr);
}

TEST_F(OperatorPatterns, LayoutCopiesByWhoAskedForThem) {
  call({"aten::contiguous", "aten::clone", "aten::copy_"}, "[[64, 64]]", kHalf);
  call({"aten::clone", "aten::copy_"}, "[[64, 64]]", kHalf);  // the program wants a copy
  call({"aten::cudnn_convolution"}, "[]", "[]", "void cudnn::ops::nchwToNhwcKernel<float>", 50'000);
  const TraceSummary summary = this->summary();
  const TraceFinding* const finding = finding_named(summary, "layout-copies");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->cost_ns, 150'000);
  EXPECT_EQ(finding->where.front(), "aten::contiguous");
  EXPECT_TRUE(finding->remedy.starts_with("Write results"));
}

TEST_F(OperatorPatterns, AConversionIsNoLayoutCopy) {
  call({"aten::to", "aten::_to_copy", "aten::copy_"}, "[[64, 64]]", kHalf);
  EXPECT_EQ(finding_named(summary(), "layout-copies"), nullptr);
}

TEST_F(OperatorPatterns, OptimiserInSmallKernels) {
  trace_.add(trace_.host, EventKind::kHostRange, "Optimizer.step#Adam.step", -10, 10'000'000);
  for (int i = 0; i < 60; ++i) {
    call({"aten::addcmul_"}, "[[64]]", kSingle, "k", i == 0 ? 3'000 : 2'000);
  }
  const TraceSummary summary = this->summary();
  const TraceFinding* const finding = finding_named(summary, "small-optimizer-steps");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->figures[2].value, 121'000);
  EXPECT_EQ(finding->saves_ns, static_cast<double>(finding->cost_ns) - 3'000);
  EXPECT_EQ(finding->where.front(), "Optimizer.step#Adam.step");
}

TEST_F(OperatorPatterns, FewOrLongKernelsOfAnOptimiserAreNoFinding) {
  trace_.add(trace_.host, EventKind::kHostRange, "Optimizer.step#AdamW.step", -10, 400'000);
  for (int i = 0; i < 40; ++i) {
    call({"aten::_foreach_add_"}, "[[64]]", kSingle, "k", 2'000);
  }
  for (int i = 0; i < 60; ++i) {  // beyond the step
    call({"aten::add"}, "[[64]]", kSingle, "k", 2'000);
  }
  EXPECT_EQ(finding_named(summary(), "small-optimizer-steps"), nullptr);
}

TEST_F(OperatorPatterns, LongKernelsOfAnOptimiserAreNoFinding) {
  trace_.add(trace_.host, EventKind::kHostRange, "Optimizer.step#SGD.step", -10, 10'000'000);
  for (int i = 0; i < 60; ++i) {
    call({"aten::add_"}, "[[64]]", kSingle, "k", 20'000);
  }
  EXPECT_EQ(finding_named(summary(), "small-optimizer-steps"), nullptr);
}

}  // namespace
}  // namespace aaco
