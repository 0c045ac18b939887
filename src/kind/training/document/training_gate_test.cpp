// SPDX-License-Identifier: MIT
#include "kind/training/document/training_gate.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace aaco {
namespace {

TrainingGate gate_with(std::optional<std::vector<std::string>> kernels, std::string against = "the oracle") {
  TrainingGate gate{"gradients", true, "1e-06", "at most 1e-04"};
  gate.against = std::move(against);
  gate.kernels = std::move(kernels);
  return gate;
}

TrainingGate judge(const std::vector<std::string>& timed, const std::vector<TrainingGate>& gates) {
  return kernels_gate(timed, gates, "no CUPTI");
}

TEST(KernelsGate, HoldsWhereGatesTogetherRanEachTimedKernel) {
  const TrainingGate gate = judge({"a", "b", "b"}, {gate_with({{"a", "x"}}), gate_with({{"b"}})});
  EXPECT_TRUE(gate.passed);
  EXPECT_EQ(gate.found, "2 of 2 kernels");
}

// Heads of 128 take another kernel than the small shapes' heads of 8.
TEST(KernelsGate, FailsForAKernelThatNoGateRan) {
  const TrainingGate gate = judge({"attention<8>", "attention<128>"}, {gate_with({{"attention<8>"}})});
  EXPECT_TRUE(is_failed(gate));
  EXPECT_EQ(gate.found, "1 of 2 in none: attention<128>");
}

TEST(KernelsGate, AGateThatComparesNothingProvesNothing) {
  EXPECT_TRUE(is_failed(judge({"a"}, {gate_with({{"a"}}, "")})));
  TrainingGate failed = gate_with({{"a"}});
  failed.passed = false;
  EXPECT_TRUE(is_failed(judge({"a"}, {failed})));
}

TEST(KernelsGate, NamesThreeOfMany) {
  EXPECT_EQ(judge({"a", "b", "c", "d", "e"}, {gate_with({{"a"}})}).found, "4 of 5 in none: b, c, d and 1 more");
}

TEST(KernelsGate, WhatWasNotRecordedIsNotKnown) {
  const TrainingGate gate = judge({"a", "b"}, {gate_with({{"a"}}), gate_with(std::nullopt)});
  EXPECT_FALSE(gate.passed);
  EXPECT_FALSE(is_failed(gate));
  EXPECT_EQ(gate.unknown, "no CUPTI");
  EXPECT_TRUE(judge({"a"}, {gate_with({{"a"}}), gate_with(std::nullopt)}).passed) << "the names that are there decide";
  EXPECT_EQ(kernels_gate({}, std::vector{gate_with({{"a"}})}, "").unknown, "the device's records have no kernel");
}

// On a device that the training fills, the gates of the run's size have no room: what they would have run is open.
TEST(KernelsGate, WhatAGateThatWasLeftOutWouldHaveRunIsNotKnown) {
  const TrainingGate left_out = gate_without_memory("a step of the run's size", "at most 1e-04", "the fused step");
  EXPECT_FALSE(left_out.passed);
  EXPECT_FALSE(is_failed(left_out));
  const std::vector<std::string> timed = {"attention<8>", "attention<128>"};
  const std::vector<TrainingGate> gates = {gate_with({{"attention<8>"}}), left_out};
  const TrainingGate gate = kernels_gate(timed, gates, "");
  EXPECT_FALSE(gate.passed);
  EXPECT_FALSE(is_failed(gate));
  EXPECT_EQ(gate.unknown, "a step of the run's size: it needs more memory than the training leaves");
  EXPECT_TRUE(judge({"attention<8>"}, gates).passed) << "the gates that were made ran it";
}

TEST(FoldedKernels, HaveTheNamesOfFunctions) {
  EXPECT_EQ(function_name("gemm"), "gemm");
  EXPECT_EQ(function_name("void aaco::gpu::norm_kernel<float, (int)4>(aaco::NormArgs)"), "norm_kernel");
  EXPECT_EQ(function_name("void (anonymous namespace)::fill<float>(float*, int)"), "fill");
  EXPECT_EQ(function_name("nvjet_sm90_tst_128x256_64x4_2x1_v_bz_TNN"), "nvjet_sm90_tst_128x256_64x4_2x1_v_bz_TNN");
  EXPECT_EQ(function_name("void cutlass::Kernel2<cutlass_80_simt::Tile<64, 64>>(T::Params)"), "Kernel2");
  const std::vector<std::string> kernels = {"void b<1>(int)", "a", "void b<2>(int)"};
  EXPECT_EQ(folded_kernels(kernels), "a, b (2)");
}

TEST(TrainingGate, JsonHasNullForWhatCouldNotBeJudged) {
  TrainingGate gate = gate_with({{"a"}});
  gate.seconds = 0.5;
  auto read = Json(gate).get<TrainingGate>();
  EXPECT_EQ(read.kernels, gate.kernels);
  EXPECT_EQ(read.against, "the oracle");
  EXPECT_EQ(read.seconds, 0.5);
  EXPECT_TRUE(read.passed);
  gate.passed = false;
  gate.unknown = "no CUPTI";
  EXPECT_TRUE(Json(gate)["passed"].is_null());
  read = Json(gate).get<TrainingGate>();
  EXPECT_EQ(read.unknown, "no CUPTI");
  EXPECT_FALSE(is_failed(read));
  const Json old = {{"name", "n"}, {"passed", true}, {"found", "f"}, {"must", "m"}};
  EXPECT_FALSE(old.get<TrainingGate>().kernels) << "an older document did not record them";
}

}  // namespace
}  // namespace aaco
