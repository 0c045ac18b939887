// SPDX-License-Identifier: MIT
#include "kind/queue_run/document/workload_request.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workload/workload.h"

namespace aaco {
namespace {

using Values = std::map<std::string, std::string>;

QueueRequest request_of(const std::string& workload, const std::string& scale, const std::string& device = "cpu:0") {
  QueueRequest request;
  request.workload = workload;
  request.devices = {device};
  request.scale = scale;
  return request;
}

TEST(QueueRequest, OnACpuTheSizesAreThoseForACpu) {
  const auto request = complete_request(request_of("hetero_kernels", "auto"));
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->scale, "cpu");
  EXPECT_EQ(request->parameters, (Values{{"large", "384"}}));
  EXPECT_EQ(scale_note(*request), "sizes for a CPU: large=384; --scale full takes those for an accelerator");
}

TEST(QueueRequest, OnAnAcceleratorTheSizesAreTheDefaults) {
  const auto request = complete_request(request_of("hetero_kernels", "auto", "cuda:0"));
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->scale, "full");
  EXPECT_TRUE(request->parameters.empty());
  EXPECT_EQ(scale_note(*request), "");
}

TEST(QueueRequest, WhatIsAskedForIsNotChosen) {
  EXPECT_TRUE(complete_request(request_of("hetero_kernels", "full"))->parameters.empty());
  EXPECT_EQ(complete_request(request_of("hetero_kernels", "cpu", "cuda:0"))->parameters, (Values{{"large", "384"}}));
}

TEST(QueueRequest, AGivenParameterWinsOverTheScale) {
  QueueRequest given = request_of("graph_subgraphs", "auto");
  given.parameters = {{"hidden", "64"}, {"layers", "2"}};
  const auto request = complete_request(given);
  EXPECT_EQ(request->parameters.at("hidden"), "64");
  EXPECT_EQ(request->parameters.at("layers"), "2");
  EXPECT_EQ(request->parameters.at("batch"), "8");
  EXPECT_EQ(scale_note(*request),
            "sizes for a CPU: input=256, output=128, batch=8; --scale full takes those for an accelerator");
}

TEST(QueueRequest, ACompleteOneStaysAsItIs) {
  for (const WorkloadInfo* info : all_workloads()) {
    const auto once = complete_request(request_of(info->id, "auto"));
    ASSERT_TRUE(once) << once.error().message;
    const auto twice = complete_request(*once);
    EXPECT_EQ(twice->parameters, once->parameters) << info->id;
    EXPECT_EQ(twice->scale, once->scale);
    EXPECT_EQ(twice->emulated_ranks, once->emulated_ranks);
  }
}

TEST(QueueRequest, NothingIsNotedWhereTheScaleChoseNothing) {
  QueueRequest given = request_of("large_gemm_only", "auto");
  given.parameters = {{"size", "32"}};
  EXPECT_EQ(scale_note(*complete_request(given)), "");
  EXPECT_EQ(scale_note(*complete_request(request_of("tiny_kernel_stress", "auto"))), "");
}

TEST(QueueRequest, WhereANumberIsDueEachOtherTextIsRefused) {
  QueueRequest given = request_of("simple_transformer", "auto");
  for (const char* text : {"nan", "inf", "-inf", "1e999", "", " 1", "12x", "0x1g"}) {
    given.parameters = {{"rate", text}};
    const auto refused = complete_request(given);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
    EXPECT_EQ(refused.error().message, fmt::format("--param rate={}: not a number", text));
  }
  for (const char* text : {"0.5", "1e-3", "2", "0x10"}) {
    given.parameters = {{"rate", text}};
    EXPECT_TRUE(complete_request(given)) << text;
  }
}

// Two runs of it, one by its alias, are runs of the same thing.
TEST(QueueRequest, AnAliasBecomesTheName) {
  EXPECT_EQ(complete_request(request_of("torch_compile", "auto"))->workload, "multi_region");
}

TEST(QueueRequest, OtherScalesAreRefused) {
  const auto refused = complete_request(request_of("hetero_kernels", "half"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(refused.error().message, "--scale half: no such sizes");
}

}  // namespace
}  // namespace aaco
