// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "analysis/timeline/operators/call_groups.h"
#include "analysis/timeline/operators/operator_roofline.h"
#include "analysis/timeline/operators/suspects.h"
#include "analysis/timeline/test_trace.h"
#include "analysis/timeline/trace_summary.h"

namespace aaco {
namespace {

// 1 TFLOP/s and 1 GB/s.
Accelerator measured() {
  Roofs roofs;
  roofs.device = "a processor";
  roofs.flops_per_s = {{"fp32", 1e12}};
  roofs.bytes_per_s = 1e9;
  return accelerator_of(roofs);
}

class HostRooflines : public testing::Test {
 protected:
  void op(const char* name, const char* dims, const char* types, int64_t start_ns, int64_t duration_ns) {
    trace_.add(host_, EventKind::kHostOp, name, start_ns, duration_ns, kNoId,
               {trace_.text("Input Dims", dims), trace_.text("Input type", types)});
  }
  void node(const char* type, const char* inputs, const char* outputs, int64_t start_ns, int64_t duration_ns,
            const char* provider = "CPUExecutionProvider") {
    trace_.add(host_, EventKind::kHostOp, std::string("n") + std::to_string(start_ns) + "_kernel_time", start_ns,
               duration_ns, kNoId,
               {trace_.text("op_name", type), trace_.text("input_type_shape", inputs),
                trace_.text("output_type_shape", outputs), trace_.text("provider", provider)});
  }
  RankRoofline roofline(const RoofSources& sources = {{}, measured(), true}) const {
    OperatorWorks works(trace_.table);
    const auto ranks = link_operators(trace_.table, device_work(trace_.table, LaunchIndex(trace_.table)));
    return operator_roofline(trace_.table, ranks, works, sources).at(0);
  }
  const OperatorRoof& row(const RankRoofline& rank, const char* name) const {
    const auto position = std::find_if(rank.operators.begin(), rank.operators.end(),
                                       [&](const OperatorRoof& op) { return trace_.table.strings[op.name] == name; });
    EXPECT_NE(position, rank.operators.end()) << name;
    static const OperatorRoof none;
    return position == rank.operators.end() ? none : *position;
  }

  TestTrace trace_;
  uint32_t host_ = trace_.thread(0);
};

constexpr const char* kFloats = R"(["float", "float", "float"])";

TEST_F(HostRooflines, TheWorkIsThatOfTheOperatorWithinWhichNothingElseComputes) {
  // 2 x 100^3 + 100^2 FLOPs; 120,400 bytes at 1 GB/s are 120.4 us.
  op("aten::linear", "[[100, 100], [100, 100], [100]]", kFloats, 0, 600'000);
  op("aten::addmm", "[[100], [100, 100], [100, 100]]", kFloats, 50'000, 500'000);
  op("aten::expand", "[[100]]", R"(["float"])", 60'000, 10'000);
  op("aten::copy_", "[[100, 100], [100, 100]]", kFloats, 70'000, 80'000);
  const RankRoofline rank = roofline();
  EXPECT_TRUE(rank.on_host);
  const OperatorRoof& addmm = row(rank, "aten::addmm");
  EXPECT_EQ(addmm.place, WorkPlace::kHere);
  EXPECT_EQ(addmm.time_ns, 410'000);
  EXPECT_EQ(addmm.work.flops, 2'010'000);
  EXPECT_DOUBLE_EQ(*addmm.roof_ns, 120'400);
  EXPECT_DOUBLE_EQ(*addmm.fraction(), 120'400.0 / 410'000);
  EXPECT_EQ(addmm.bound, RoofBound::kMemory);
  EXPECT_TRUE(addmm.kernels.empty());
  const OperatorRoof& linear = row(rank, "aten::linear");
  EXPECT_EQ(linear.place, WorkPlace::kOperatorsWithin);
  EXPECT_EQ(linear.time_ns, 100'000);
  EXPECT_FALSE(linear.roof_ns);
  EXPECT_FALSE(linear.flops_per_s());
  EXPECT_EQ(row(rank, "aten::copy_").time_ns, 80'000);
  EXPECT_DOUBLE_EQ(*row(rank, "aten::copy_").roof_ns, 80'000);
  EXPECT_EQ(row(rank, "aten::expand").missing, "no formula for aten::expand");
  EXPECT_EQ(rank.operators_ns, 600'000);
  EXPECT_EQ(rank.roofed_ns, 490'000);
}

TEST_F(HostRooflines, ACopyWithinACopyIsCountedOnce) {
  op("aten::clone", "[[100]]", R"(["float"])", 0, 1'000);
  op("aten::copy_", "[[100], [100]]", kFloats, 100, 800);
  const RankRoofline rank = roofline();
  EXPECT_EQ(row(rank, "aten::clone").place, WorkPlace::kOperatorsWithin);
  EXPECT_EQ(row(rank, "aten::copy_").place, WorkPlace::kHere);
}

TEST_F(HostRooflines, WhatFinishesAProductLeavesItItsWork) {
  op("aten::_addmm_activation", "[[100], [100, 100], [100, 100]]", kFloats, 0, 900'000);
  op("aten::relu_", "[[100, 100]]", R"(["float"])", 700'000, 100'000);
  const RankRoofline rank = roofline();
  EXPECT_EQ(row(rank, "aten::_addmm_activation").place, WorkPlace::kHere);
  EXPECT_EQ(row(rank, "aten::_addmm_activation").time_ns, 800'000);
  EXPECT_EQ(row(rank, "aten::relu_").place, WorkPlace::kHere);
}

TEST_F(HostRooflines, WhatNobodyKnowsMayDoTheWork) {
  op("aten::relu", "[[100]]", R"(["float"])", 0, 1'000);
  op("mine::relu", "[[100]]", R"(["float"])", 100, 800);
  op("aten::relu", "[[200]]", R"(["float"])", 2'000, 1'000);
  op("mine::prepare", "[[200]]", R"(["float"])", 2'100, 300);
  const RankRoofline rank = roofline();
  std::map<std::string, WorkPlace> places;  // of each relu, by its shapes
  for (const OperatorRoof& relu : rank.operators) {
    if (trace_.table.strings[relu.name] == "aten::relu") {
      places[std::string(trace_.table.strings[relu.shapes])] = relu.place;
    }
  }
  EXPECT_EQ(places, (std::map<std::string, WorkPlace>{{"[[100]]", WorkPlace::kOperatorsWithin},
                                                      {"[[200]]", WorkPlace::kHere}}));
}

TEST_F(HostRooflines, AShortCopyWithinLeavesTheWorkToALongOperator) {
  op("aten::sort", "[[1000]]", R"(["float"])", 0, 100'000);
  op("aten::copy_", "[[1000], [1000]]", kFloats, 100, 4'000);
  op("aten::mean", "[[1000]]", R"(["float"])", 200'000, 10'000);
  op("aten::sum", "[[1000]]", R"(["float"])", 201'000, 8'000);
  const RankRoofline rank = roofline();
  EXPECT_EQ(row(rank, "aten::sort").place, WorkPlace::kHere);
  EXPECT_EQ(row(rank, "aten::sort").missing, "no formula for aten::sort");
  EXPECT_EQ(row(rank, "aten::mean").place, WorkPlace::kOperatorsWithin);
  EXPECT_EQ(row(rank, "aten::sum").place, WorkPlace::kHere);
}

TEST_F(HostRooflines, NodesOfOnnxRuntime) {
  node("MatMul", R"([{"float":[4,128]}])", R"([{"float":[4,256]}])", 0, 200'000);
  node("MatMul", R"([{"float":[4,128]}])", R"([{"float":[4,256]}])", 300'000, 400'000);
  node("Relu", R"([{"float":[1000]}])", R"([{"float":[1000]}])", 800'000, 9'000, "CUDAExecutionProvider");
  const RankRoofline rank = roofline();
  const OperatorRoof& product = row(rank, "MatMul");
  EXPECT_EQ(product.count, 2);
  EXPECT_EQ(product.time_ns, 600'000);
  EXPECT_EQ(product.work.flops, 2 * 4 * 256 * 128);
  EXPECT_EQ(product.precision, "fp32");
  EXPECT_DOUBLE_EQ(*product.roof_ns, 4 * (4 * 128 + 128 * 256 + 4 * 256));
  EXPECT_EQ(row(rank, "Relu").place, WorkPlace::kOtherProvider);
  EXPECT_FALSE(row(rank, "Relu").roof_ns);
}

// A device that is named, called or holds memory did the work, though nothing of it is in the trace.
TEST_F(HostRooflines, NotWhereADeviceIsNamed) {
  op("aten::relu", "[[100]]", R"(["float"])", 0, 1'000);
  EXPECT_TRUE(roofline().on_host);
  trace_.table.metadata.push_back({0, trace_.table.strings.intern("deviceProperties"),
                                   trace_.table.strings.intern(R"([{"id": 0, "name": "X1"}])")});
  EXPECT_FALSE(roofline().on_host);
  EXPECT_TRUE(roofline().operators.empty());
}

TEST_F(HostRooflines, NotWhereADeviceIsCalled) {
  op("aten::relu", "[[100]]", R"(["float"])", 0, 1'000);
  trace_.add(host_, EventKind::kHostCall, "cudaLaunchKernel", 10, 5);
  EXPECT_FALSE(roofline().on_host);
}

// 2,010,000 FLOPs in 21 ns are 96 * 10^12 a second, 4,020,000 in 39 ns 103 * 10^12.
TEST_F(HostRooflines, NotWhereNoHostIsSoFast) {
  op("aten::addmm", "[[100], [100, 100], [100, 100]]", kFloats, 0, 21);
  EXPECT_TRUE(roofline({}).on_host);
  op("aten::addmm", "[[100], [100, 100], [100, 100]]", kFloats, 100, 18);
  const RankRoofline rank = roofline({});
  EXPECT_FALSE(rank.on_host);
  EXPECT_TRUE(rank.operators.empty());
  EXPECT_EQ(rank.operators_ns, 0);
}

TEST_F(HostRooflines, NotWhereADeviceHoldsMemory) {
  op("aten::relu", "[[100]]", R"(["float"])", 0, 1'000);
  const auto mark = [&](int64_t type) {
    const std::vector<Argument> arguments{trace_.integer("Device Type", type)};
    trace_.table.add({10, 0, kNoId, kNoId, trace_.table.strings.intern("[memory]"), kEmptyString, host_,
                      EventKind::kOther, EventShape::kInstant},
                     arguments);
  };
  mark(0);
  EXPECT_TRUE(roofline().on_host);
  mark(1);
  EXPECT_FALSE(roofline().on_host);
}

TEST_F(HostRooflines, NotWhereAnotherFileHasTheDevicesWork) {
  op("aten::relu", "[[100]]", R"(["float"])", 0, 1'000);
  trace_.table.tracks.push_back({kEmptyString, kEmptyString, kEmptyString, kEmptyString, 0, 0, 7, 1});
  trace_.add(1, EventKind::kKernel, "gemm", 10, 5);
  EXPECT_FALSE(roofline().on_host);
}

TEST_F(HostRooflines, ADevicesSheetIsNoRoofOfAHost) {
  op("aten::relu", "[[100]]", R"(["float"])", 0, 1'000);
  const RankRoofline rank = roofline({{}, measured(), false});
  EXPECT_FALSE(rank.accelerator);
  EXPECT_EQ(rank.operators[0].missing, "no roofs are given (--roofs)");
}

TEST_F(HostRooflines, FasterThanMemoryIsExplainedByACacheFasterThanArithmeticIsNot) {
  op("aten::relu", "[[1000000]]", R"(["float"])", 0, 4'000'000);  // 8 MB: 8 ms
  op("aten::mm", "[[1000, 1000], [1000, 1000]]", kFloats, 5'000'000, 1'000);
  const auto suspects = find_suspects(trace_.table, {roofline()}, {});
  ASSERT_EQ(suspects.size(), 2);
  EXPECT_EQ(suspects[0].explanation, "");
  EXPECT_TRUE(suspects[0].subject.starts_with("aten::mm"));
  EXPECT_EQ(suspects[1].explanation, "the processor's caches, which are faster than memory, can have held its data");
}

TEST_F(HostRooflines, WithoutAFormulaShapesAreOneRow) {
  op("aten::sort", "[[1000], [], []]", kFloats, 0, 1'000);
  op("aten::sort", "[[2000], [], []]", kFloats, 2'000, 3'000);
  const TraceSummary summary = summarise_trace(trace_.table);
  ASSERT_EQ(summary.rooflines[0].operators.size(), 1);
  EXPECT_EQ(summary.rooflines[0].operators[0].time_ns, 4'000);
  ASSERT_EQ(summary.offenders.size(), 1);
  EXPECT_EQ(summary.offenders[0].evidence, "2 calls");
  EXPECT_EQ(summary.offenders[0].rule, "count-its-work");
}

TEST_F(HostRooflines, OffendersWithAndWithoutRoofs) {
  op("aten::mm", "[[100, 100], [100, 100]]", kFloats, 0, 900'000);
  op("aten::copy_", "[[100], [100]]", kFloats, 900'000, 100'000);
  const TraceSummary unknown = summarise_trace(trace_.table);
  ASSERT_EQ(unknown.offenders.size(), 2);
  EXPECT_EQ(unknown.offenders[0].subject, "aten::mm");
  EXPECT_EQ(unknown.offenders[0].stake_ns, 900'000);
  EXPECT_DOUBLE_EQ(unknown.offenders[0].share, 0.9);
  EXPECT_EQ(unknown.offenders[0].rule, "measure-the-roofs");
  EXPECT_EQ(unknown.offenders[0].evidence, "1 call of 1 shape; most in [[100, 100], [100, 100]] of fp32");
  const TraceSummary known = summarise_trace(trace_.table, {{}, measured(), true});
  ASSERT_EQ(known.offenders.size(), 2);
  EXPECT_EQ(known.offenders[0].subject, "aten::mm (memory)");
  EXPECT_EQ(known.offenders[0].stake_ns, 900'000 - 120'000);
  EXPECT_EQ(known.offenders[1].rule, "avoid-copies");
}

}  // namespace
}  // namespace aaco
