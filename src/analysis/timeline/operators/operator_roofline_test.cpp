// SPDX-License-Identifier: MIT
#include "analysis/timeline/operators/operator_roofline.h"

#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/timeline/operators/backward_ratio.h"
#include "analysis/timeline/operators/elementwise_runs.h"
#include "analysis/timeline/operators/suspects.h"
#include "analysis/timeline/test_trace.h"

namespace aaco {
namespace {

// 1 TFLOP/s of matrices, of which 0.5 were reached, 0.1 TFLOP/s of the rest, 1 GB/s, 1 kB of cache.
Accelerator small_device() {
  Accelerator accelerator;
  accelerator.name = "X1";
  accelerator.patterns = {"X1"};
  accelerator.matrix = {{"bf16", 1e12}, {"tf32", 4e11}};
  accelerator.vector = {{"fp32", 1e11}};
  accelerator.achievable = {{"bf16", 5e11}};
  accelerator.bytes_per_s = 1e9;
  accelerator.cache_bytes = 1000;
  accelerator.source = "sheet";
  return accelerator;
}

class Rooflines : public testing::Test {
 protected:
  void name_device(const char* json) {
    trace_.table.metadata.push_back(
        {0, trace_.table.strings.intern("deviceProperties"), trace_.table.strings.intern(json)});
  }
  // An operator, with the kernel that it launches.
  void op(const char* name, const char* dims, const char* types, int64_t device_ns, const char* kernel = "k",
          const char* values = "", EventKind kind = EventKind::kKernel) {
    std::vector<Argument> arguments{trace_.text("Input Dims", dims), trace_.text("Input type", types)};
    if (*values != '\0') {
      arguments.push_back(trace_.text("Concrete Inputs", values));
    }
    trace_.add(host_, EventKind::kHostOp, name, now_, 10, kNoId, arguments);
    launch(device_ns, kernel, kind);
    now_ += 20;
  }
  void launch(int64_t device_ns, const char* kernel, EventKind kind = EventKind::kKernel) {
    ++correlation_;
    trace_.add(host_, EventKind::kHostCall, "launch", now_ + 1, 1, correlation_);
    trace_.add(stream_, kind, kernel, device_now_, device_ns, correlation_);
    device_now_ += device_ns;
  }
  // The engine around the operators that `inside` adds.
  template <class Inside>
  void engine(const char* node, const Inside& inside) {
    const int64_t began = now_;
    now_ += 1;
    inside();
    trace_.add(host_, EventKind::kHostOp, std::string("autograd::engine::evaluate_function: ") + node, began,
               now_ - began);
    now_ += 1;
  }
  std::vector<RankOperators> ranks() const {
    return link_operators(trace_.table, device_work(trace_.table, LaunchIndex(trace_.table)));
  }
  RankRoofline roofline(const RoofSources& sources = {{small_device()}, {}}) const {
    OperatorWorks works(trace_.table);
    return operator_roofline(trace_.table, ranks(), works, sources).at(0);
  }
  std::vector<BackwardRatio> ratios() const {
    OperatorWorks works(trace_.table);
    return backward_ratios(trace_.table, ranks(), works);
  }

  TestTrace trace_;
  uint32_t host_ = trace_.thread(0);
  uint32_t stream_ = trace_.stream(0, 0, 7);
  int64_t correlation_ = 0;
  int64_t now_ = 0;
  int64_t device_now_ = 1'000'000;
};

constexpr const char* kX1 = R"([{"id": 0, "name": "An X1"}])";
constexpr const char* kHalves = R"(["c10::BFloat16", "c10::BFloat16"])";

TEST_F(Rooflines, AProductAgainstItsComputeRoof) {
  name_device(kX1);
  // 2 x 100^3 FLOPs at 0.5 TFLOP/s are 4 us; 60,000 bytes at 1 GB/s are 60 us.
  op("aten::mm", "[[100, 100], [100, 100]]", kHalves, 80'000, "gemm");
  op("aten::mm", "[[100, 100], [100, 100]]", kHalves, 120'000, "gemm");
  const RankRoofline rank = roofline();
  ASSERT_EQ(rank.operators.size(), 1);
  const OperatorRoof& mm = rank.operators[0];
  EXPECT_EQ(mm.count, 2);
  EXPECT_EQ(mm.time_ns, 200'000);
  EXPECT_EQ(mm.work.flops, 2e6);
  EXPECT_EQ(mm.work.bytes, 60'000);
  EXPECT_DOUBLE_EQ(*mm.roof_ns, 60'000);
  EXPECT_DOUBLE_EQ(*mm.fraction(), 0.6);
  EXPECT_DOUBLE_EQ(*mm.flops_per_s(), 2e10);
  EXPECT_DOUBLE_EQ(*mm.bytes_per_s(), 6e8);
  EXPECT_DOUBLE_EQ(*mm.intensity(), 2e6 / 6e4);
  EXPECT_EQ(mm.bound, RoofBound::kMemory);
  EXPECT_EQ(mm.precision, "bf16");
  EXPECT_EQ(mm.flops_per_s_roof, 5e11);
  EXPECT_TRUE(mm.reached);
  ASSERT_EQ(mm.kernels.size(), 1);
  EXPECT_EQ(mm.kernels[0].count, 2);
  EXPECT_EQ(rank.device, "An X1");
  EXPECT_EQ(rank.operators_ns, 200'000);
  EXPECT_EQ(rank.roofed_ns, 200'000);
}

TEST_F(Rooflines, ComputeBindsWhereItTakesLonger) {
  Accelerator slow = small_device();
  slow.achievable = {{"bf16", 2e10}};  // 100 us
  op("aten::mm", "[[100, 100], [100, 100]]", kHalves, 200'000);
  const OperatorRoof mm = roofline({{}, slow}).operators.at(0);
  EXPECT_DOUBLE_EQ(*mm.roof_ns, 100'000);
  EXPECT_EQ(mm.bound, RoofBound::kCompute);
}

TEST_F(Rooflines, ShortAndFarFromItsRoofIsLatency) {
  name_device(kX1);
  op("aten::add", "[[100], [100], []]", R"(["c10::BFloat16", "c10::BFloat16", "Scalar"])", 9'000);    // roof 0.6 us
  op("aten::add", "[[1000], [1000], []]", R"(["c10::BFloat16", "c10::BFloat16", "Scalar"])", 9'000);  // roof 6 us
  const RankRoofline rank = roofline();
  std::map<double, RoofBound> bounds;
  for (const OperatorRoof& op : rank.operators) {
    bounds[op.work.bytes.value_or(0)] = op.bound;
  }
  EXPECT_EQ(bounds, (std::map<double, RoofBound>{{600, RoofBound::kLatency}, {6000, RoofBound::kMemory}}));
}

TEST_F(Rooflines, TimeIsTheUnionOfWhatACallLaunched) {
  name_device(kX1);
  const uint32_t other = trace_.stream(0, 0, 8);
  trace_.add(host_, EventKind::kHostOp, "aten::relu", 0, 10, kNoId,
             {trace_.text("Input Dims", "[[10]]"), trace_.text("Input type", R"(["float"])")});
  trace_.add(host_, EventKind::kHostCall, "launch", 1, 1, 71);
  trace_.add(host_, EventKind::kHostCall, "launch", 3, 1, 72);
  trace_.add(stream_, EventKind::kKernel, "a", 100, 50, 71);
  trace_.add(other, EventKind::kKernel, "b", 120, 50, 72);
  EXPECT_EQ(roofline().operators.at(0).time_ns, 70);
}

TEST_F(Rooflines, SinglePrecisionRunsAsItsKernelsSay) {
  name_device(kX1);
  op("aten::mm", "[[100, 100], [100, 100]]", R"(["float", "float"])", 80'000, "ampere_sgemm_128");
  op("aten::mm", "[[100, 100], [100, 50]]", R"(["float", "float"])", 80'000, "cutlass_80_tensorop_s1688gemm");
  std::map<int64_t, std::pair<std::string, double>> roofs;  // by the columns of the result
  for (const OperatorRoof& op : roofline().operators) {
    roofs[op.work.product->n] = {op.precision, op.flops_per_s_roof.value_or(0)};
  }
  EXPECT_EQ(roofs, (decltype(roofs){{100, {"fp32", 1e11}}, {50, {"tf32", 4e11}}}));
}

TEST_F(Rooflines, WithoutDataThereIsAReasonAndNeverZero) {
  const auto reason = [&](const RoofSources& sources) {
    const OperatorRoof op = roofline(sources).operators.at(0);
    EXPECT_FALSE(op.roof_ns);
    EXPECT_FALSE(op.fraction());
    EXPECT_EQ(op.bound, RoofBound::kUnknown);
    return op.missing;
  };
  op("aten::mm", "[[100, 100], [100, 100]]", kHalves, 80'000);
  EXPECT_EQ(reason({{small_device()}, {}}), "the trace does not name its device");
  name_device(R"([{"id": 0, "name": "A Y2"}])");
  EXPECT_EQ(reason({{small_device()}, {}}), "nothing is known of the device \"A Y2\"");
  Accelerator bare = small_device();
  bare.matrix.clear();
  bare.achievable.clear();
  EXPECT_EQ(reason({{}, bare}), "no bfloat16 of X1 on record");
  bare = small_device();
  bare.bytes_per_s.reset();
  EXPECT_EQ(reason({{}, bare}), "no memory rate of X1 on record");
}

TEST_F(Rooflines, WhatRunsElsewhereHasNoRoofHere) {
  name_device(kX1);
  op("aten::copy_", "[[100], [100], []]", R"(["float", "float", "Scalar"])", 5'000, "Memcpy HtoD (Pinned -> Device)",
     "", EventKind::kCopy);
  op("record_param_comms", "[[100]]", R"(["float"])", 6'000, "ncclDevKernel_AllReduce");
  op("mine::op", "[[100]]", R"(["float"])", 4'000);
  const RankRoofline rank = roofline();
  ASSERT_EQ(rank.operators.size(), 3);
  EXPECT_EQ(rank.operators[0].missing, "it communicates: the links are its roof");
  EXPECT_EQ(rank.operators[1].missing, "it copies between host and device, whose link is no roof on record");
  EXPECT_EQ(rank.operators[2].missing, "no formula for mine::op");
  EXPECT_EQ(rank.operators_ns, 9'000);
}

TEST_F(Rooflines, ADeviceThatIsNotListedHasTheNameThatAllShare) {
  name_device(R"([{"id": 4, "name": "An X1"}, {"id": 5, "name": "An X1"}])");
  op("aten::relu", "[[10]]", R"(["float"])", 100);
  EXPECT_EQ(roofline().device, "An X1");
}

TEST_F(Rooflines, FasterThanARoofIsSuspectAndSaysWhy) {
  name_device(kX1);
  op("aten::mm", "[[100, 100], [100, 100]]", kHalves, 50'000);  // the cache holds 1 kB of 60
  op("aten::relu", "[[100]]", R"(["float"])", 500);             // 800 bytes fit the cache
  const auto suspects = find_suspects(trace_.table, {roofline()}, {});
  ASSERT_EQ(suspects.size(), 2);
  EXPECT_EQ(suspects[0].kind, "memory roof");
  EXPECT_DOUBLE_EQ(suspects[0].value, 1.2);
  EXPECT_EQ(suspects[0].explanation, "");
  EXPECT_EQ(suspects[0].subject, "aten::mm [[100, 100], [100, 100]]");
  EXPECT_NE(suspects[1].explanation, "");
}

TEST_F(Rooflines, BetweenReachedAndPeakIsExplained) {
  Accelerator fast = small_device();
  fast.bytes_per_s = 1e12;
  op("aten::mm", "[[100, 100], [100, 100]]", kHalves, 3'000);  // 0.67 TFLOP/s
  op("aten::mm", "[[100, 100], [100, 200]]", kHalves, 3'000);  // 1.33 TFLOP/s
  const auto suspects = find_suspects(trace_.table, {roofline({{}, fast})}, {});
  ASSERT_EQ(suspects.size(), 2);
  EXPECT_EQ(suspects[0].explanation, "");
  EXPECT_NE(suspects[0].subject.find("200"), std::string::npos);
  EXPECT_NE(suspects[1].explanation, "");
}

TEST_F(Rooflines, BackwardTwiceForwardIsAsExpected) {
  op("aten::mm", "[[10, 20], [20, 30]]", kHalves, 100);
  engine("MmBackward0", [&] {
    op("aten::mm", "[[10, 30], [30, 20]]", kHalves, 120);
    op("aten::mm", "[[20, 10], [10, 30]]", kHalves, 130);
  });
  const auto all = ratios();
  ASSERT_EQ(all.size(), 1);
  EXPECT_EQ(all[0].family, OpFamily::kProduct);
  EXPECT_EQ(all[0].forward_flops, 12'000);
  EXPECT_EQ(all[0].backward_flops, 24'000);
  EXPECT_EQ(all[0].flops_ratio(), 2);
  EXPECT_EQ(all[0].time_ratio(), 2.5);
  EXPECT_TRUE(find_suspects(trace_.table, {}, all).empty());
}

TEST_F(Rooflines, MissingGradientsAreSuspect) {
  op("aten::mm", "[[10, 20], [20, 30]]", kHalves, 100);
  op("aten::mm", "[[10, 20], [20, 30]]", kHalves, 100);
  engine("MmBackward0", [&] { op("aten::mm", "[[10, 30], [30, 20]]", kHalves, 20); });
  const auto suspects = find_suspects(trace_.table, {}, ratios());
  ASSERT_EQ(suspects.size(), 2);
  EXPECT_EQ(suspects[0].kind, "backward FLOPs");
  EXPECT_EQ(suspects[0].value, 0.5);
  EXPECT_EQ(suspects[1].kind, "backward time");
  EXPECT_EQ(suspects[1].value, 0.1);
}

TEST_F(Rooflines, GradientsThatNothingNeedsExplainLessThanTwice) {
  op("aten::mm", "[[10, 20], [20, 30]]", kHalves, 100);
  engine("MmBackward0", [&] {
    op("aten::mm", "[[20, 10], [10, 30]]", kHalves, 130);
    op("mine::gradient", "[[10]]", R"(["float"])", 70);
  });
  const auto all = ratios();
  EXPECT_EQ(all.at(0).unknown_ns, 70);
  const auto suspects = find_suspects(trace_.table, {}, all);
  ASSERT_EQ(suspects.size(), 1);
  EXPECT_EQ(suspects[0].value, 1);
  EXPECT_NE(suspects[0].explanation, "");
  EXPECT_NE(suspects[0].evidence.find("unknown FLOPs took 70"), std::string::npos) << suspects[0].evidence;
}

TEST_F(Rooflines, ForwardWithinTheEngineIsComputedAgain) {
  const char* const values = R"(["", "", "", "[1]", "[0]", "[1]", "1"])";
  const char* const dims = "[[1, 1, 9], [1, 1, 3], [], [], [], [], []]";
  const char* const types =
      R"(["c10::BFloat16", "c10::BFloat16", "", "ScalarList", "ScalarList", "ScalarList", "Scalar"])";
  op("aten::conv1d", dims, types, 100, "k", values);
  engine("ConvolutionBackward0", [&] { op("aten::conv1d", dims, types, 100, "k", values); });
  const auto all = ratios();
  ASSERT_EQ(all.size(), 1);
  EXPECT_EQ(all[0].forward_flops, 2 * 7 * 3);
  EXPECT_EQ(all[0].recomputed_flops, 2 * 7 * 3);
  EXPECT_EQ(all[0].backward_flops, 0);
}

TEST_F(Rooflines, WithoutTheEngineThereIsNoRatio) {
  op("aten::mm", "[[10, 20], [20, 30]]", kHalves, 100);
  EXPECT_TRUE(ratios().empty());
}

TEST_F(Rooflines, ElementwiseKernelsInARow) {
  for (const int64_t ns : {10, 30, 20}) {
    op("aten::relu", "[[10]]", R"(["float"])", ns);
  }
  op("aten::mm", "[[10, 20], [20, 30]]", kHalves, 100);
  op("aten::relu", "[[10]]", R"(["float"])", 5);
  OperatorWorks works(trace_.table);
  const ElementwiseRuns runs = elementwise_runs(trace_.table, ranks(), works).at(0);
  EXPECT_EQ(runs.runs, 1);
  EXPECT_EQ(runs.kernels, 3);
  EXPECT_EQ(runs.total_ns, 60);
  EXPECT_EQ(runs.longest_ns, 30);
  EXPECT_EQ(runs.example.size(), 3);
}

TEST(TorchCalls, HostileArgumentsAreAbsent) {
  TestTrace trace;
  const uint32_t host = trace.thread(0);
  const char* const dims[] = {"", "{", "7", "[[1.5]]", "[[\"a\"], 3, null]", "[[[[1]]]]", "[[9223372036854775808]]"};
  for (const char* const text : dims) {
    trace.add(host, EventKind::kHostOp, "aten::mm", 0, 1, kNoId,
              {trace.text("Input Dims", text), trace.text("Input type", "[1, {}]")});
  }
  OperatorWorks works(trace.table);
  ASSERT_EQ(trace.table.size(), std::size(dims));
  for (uint64_t i = 0; i < trace.table.size(); ++i) {
    EXPECT_FALSE(works.work(i).flops) << dims[i];
    EXPECT_NE(works.work(i).missing, "") << dims[i];
  }
}

}  // namespace
}  // namespace aaco
