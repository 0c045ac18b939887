// SPDX-License-Identifier: MIT
#include "kind/sharded/config/sharded_plan.h"

#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "base/json/json.h"

namespace aaco::sharded {
namespace {

using ::testing::HasSubstr;

ConfigReading scenario(const std::string& name, const std::vector<std::string>& overrides = {}) {
  const auto file = std::filesystem::path(AACO_SOURCE_DIR) / "configs" / "overlap" / (name + ".yaml");
  auto reading = read_sharded_run_config(file, overrides);
  EXPECT_TRUE(reading) << reading.error().message;
  return std::move(reading).value();
}

const std::vector<std::string> kTwo{"cpu:0", "cpu:1"};

ShardedPlan nano(const std::vector<std::string>& overrides, const std::vector<std::string>& devices = kTwo) {
  auto plan = plan_sharded(scenario("llama_nano", overrides), devices);
  EXPECT_TRUE(plan) << plan.error().message;
  return std::move(plan).value();
}

const PlannedCollective* find(const ShardedPlan& plan, const std::string& operation, int64_t bytes) {
  for (const PlannedCollective& one : plan.program->collectives) {
    if (one.operation == operation && one.bytes == bytes) {
      return &one;
    }
  }
  return nullptr;
}

// The public tool's scenarios, in millions of parameters, to half of the last digit that is known of them.
TEST(ShardedPlan, ParametersOfTheScenarios) {
  struct Size {
    const char* name;
    double millions;
    double half_digit;
  };
  for (const Size& size :
       {Size{"default", 58.9, 0.05}, Size{"distributed", 1273.9, 0.05}, Size{"mi350_overlap_stress", 213.1, 0.05},
        Size{"distributed_multinode", 1243, 0.5}, Size{"profile_overlap_2gpu", 213.1, 0.05},
        Size{"profile_overlap_short", 213.1, 0.05}, Size{"reproduce_hang", 1273.9, 0.05},
        Size{"shampoo_opt", 329.2, 0.05}, Size{"gemm_overlap_comm", 375.9, 0.05},
        Size{"tf32_overlap_eval", 139.2, 0.05}, Size{"distributed_two_nodes", 13200, 50},
        Size{"reproduce_hang_no_torch_prof", 58.9, 0.05}}) {
    const double found = static_cast<double>(parameter_count(scenario(size.name).config.model)) / 1e6;
    EXPECT_NEAR(found, size.millions, size.half_digit) << size.name;
  }
  // 953.2 and 148.8, and less a head of its own.
  EXPECT_NEAR(static_cast<double>(parameter_count(scenario("llama_953m").config.model)) / 1e6, 953.2, 0.05);
  EXPECT_NEAR(static_cast<double>(parameter_count(scenario("llama_149m").config.model)) / 1e6, 148.8, 0.05);
  EXPECT_NEAR(static_cast<double>(parameter_count(scenario("llama_888m").config.model)) / 1e6, 953.2 - 65.5, 0.05);
  EXPECT_NEAR(static_cast<double>(parameter_count(scenario("llama_103m").config.model)) / 1e6, 148.8 - 46.1, 0.05);
}

// On eight ranks, the steps that a scenario asks for are those that its data suffice for.
TEST(ShardedPlan, ScenariosHaveDataForTheirSteps) {
  for (const char* name :
       {"distributed", "distributed_two_nodes", "mi350_overlap_stress", "distributed_multinode", "profile_overlap_2gpu",
        "profile_overlap_short", "reproduce_hang", "reproduce_hang_no_torch_prof", "shampoo_opt", "gemm_overlap_comm",
        "tf32_overlap_eval", "llama_nano", "llama_103m", "llama_149m", "llama_888m", "llama_953m"}) {
    const ConfigReading reading = scenario(name);
    const auto plan = plan_sharded(reading, std::vector<std::string>(8, "cpu:0"));
    ASSERT_TRUE(plan) << name << plan.error().message;
    EXPECT_EQ(plan->steps, *reading.config.training.max_steps) << name;
  }
  // The public default, whose epoch ends before: 10000 samples / (8 x 8).
  EXPECT_EQ(plan_sharded(scenario("default"), std::vector<std::string>(8, "cpu:0"))->steps, 156);
}

// nano: 128 x 64 and 64 of the root, layers of 64 x (64 + 2 x 32) + 64 x 64 + 3 x 64 x 256 + 2 x 64.
constexpr int64_t kRoot = 128 * 64 + 64;
constexpr int64_t kLayer = 64 * 128 + 64 * 64 + 3 * 64 * 256 + 2 * 64;
// Bytes in fp32, padded to 64 elements of each of two ranks.
constexpr int64_t kPaddedRoot = (kRoot + 127) / 128 * 128 * 4;
constexpr int64_t kPaddedLayer = (kLayer + 127) / 128 * 128 * 4;

TEST(ShardedPlan, CollectivesOfAShardedStep) {
  const ShardedPlan plan = nano({});
  EXPECT_EQ(plan.parameters, kRoot + 2 * kLayer);
  EXPECT_EQ(plan.shard_parameters, (kRoot + 2 * kLayer) / 2);
  ASSERT_TRUE(plan.program);
  EXPECT_EQ(plan.program->communicators, 2);
  // Two layers and room for two: none is gathered again.
  ASSERT_NE(find(plan, "all_gather", kPaddedLayer), nullptr);
  EXPECT_EQ(find(plan, "all_gather", kPaddedLayer)->calls, 2);
  EXPECT_EQ(find(plan, "all_gather", kPaddedRoot)->calls, 1);
  EXPECT_EQ(find(plan, "reduce_scatter", kPaddedLayer)->calls, 2);
  EXPECT_EQ(find(plan, "reduce_scatter", kPaddedLayer)->stream, "reduce-scatter");
  EXPECT_EQ(find(plan, "reduce_scatter", kPaddedLayer)->bus_bytes, kPaddedLayer / 2);
  // Deeper, with room for two: all but the last two are gathered again for the backward pass.
  const ShardedPlan deep = nano({"model.num_layers=6"});
  EXPECT_EQ(find(deep, "all_gather", kPaddedLayer)->calls, 6 + 4);
  EXPECT_EQ(find(nano({"model.num_layers=6", "fsdp.reshard_after_forward=false"}), "all_gather", kPaddedLayer)->calls,
            6);
}

TEST(ShardedPlan, MemoryOfAShardIsHalfOfAllOnTwoRanks) {
  const PlannedMemory whole = nano({}, {"cpu:0"}).program->memory;
  const PlannedMemory half = nano({}).program->memory;
  EXPECT_EQ(whole.weights, (kRoot + 2 * kLayer) * 4);
  EXPECT_EQ(whole.optimizer, 2 * whole.weights);
  EXPECT_EQ(whole.gathered, 0);
  EXPECT_EQ(half.weights * 2, kPaddedRoot + 2 * kPaddedLayer);
  EXPECT_EQ(half.gradients * 2, kPaddedRoot + 2 * kPaddedLayer);
  EXPECT_GT(half.gathered, 0);
  EXPECT_GT(half.rest, 0);
}

TEST(ShardedPlan, BucketsOfDdp) {
  const ShardedPlan ddp = nano({"distributed.mode=ddp"});
  ASSERT_EQ(ddp.program->collectives.size(), 1);  // 25 MiB hold all gradients
  EXPECT_EQ(ddp.program->collectives[0].operation, "all_reduce");
  EXPECT_EQ(ddp.program->collectives[0].bytes, (kRoot + 2 * kLayer) * 4);
  EXPECT_EQ(ddp.shard_parameters, ddp.parameters);
  int64_t calls = 0;
  for (const PlannedCollective& each :
       nano({"distributed.mode=ddp", "distributed.bucket_cap_mb=0.1"}).program->collectives) {
    calls += each.calls;
  }
  EXPECT_EQ(calls, 3);
}

const std::vector<std::string> kFour{"cpu:0", "cpu:1", "cpu:2", "cpu:3"};

// Shards of two ranks as on two ranks alone; between the groups each rank sums its part of every unit.
TEST(ShardedPlan, CollectivesOfHybridShards) {
  const std::vector<std::string> hybrid{"fsdp.sharding_strategy=hybrid_shard", "fsdp.hybrid_shard_ranks=2"};
  const ShardedPlan plan = nano(hybrid, kFour);
  EXPECT_EQ(plan.mode, "fsdp, hybrid_shard over 2 of 4 ranks");
  EXPECT_EQ(plan.shard_parameters, (kRoot + 2 * kLayer) / 2);
  EXPECT_EQ(plan.program->memory.optimizer, nano({}).program->memory.optimizer);
  EXPECT_EQ(plan.program->communicators, 3);
  EXPECT_EQ(plan.program->streams, 5);
  for (const char* operation : {"all_gather", "reduce_scatter"}) {
    ASSERT_NE(find(plan, operation, kPaddedLayer), nullptr) << operation;
    EXPECT_EQ(find(plan, operation, kPaddedLayer)->ranks, 2);
    EXPECT_EQ(find(plan, operation, kPaddedLayer)->calls, 2);
  }
  const PlannedCollective* const between = find(plan, "all_reduce", kPaddedLayer / 2);
  ASSERT_NE(between, nullptr);
  EXPECT_EQ(between->stream, "all-reduce");
  EXPECT_EQ(between->communicator, 2);
  EXPECT_EQ(between->ranks, 2);
  EXPECT_EQ(between->calls, 2);
  EXPECT_EQ(between->bus_bytes, kPaddedLayer / 2);  // 2 (n - 1) / n of it
  EXPECT_EQ(find(plan, "all_reduce", kPaddedRoot / 2)->calls, 1);
  EXPECT_THAT(plan_text(plan), HasSubstr("fp32, all-reduce, 2 of 2"));
  // Summed between groups once a step, however many micro-steps it has.
  std::vector<std::string> accumulating = hybrid;
  accumulating.emplace_back("training.gradient_accumulation=2");
  EXPECT_EQ(find(nano(accumulating, kFour), "all_reduce", kPaddedLayer / 2)->calls, 2);
  EXPECT_EQ(find(nano(accumulating, kFour), "reduce_scatter", kPaddedLayer)->calls, 4);
}

TEST(ShardedPlan, GroupsOfHybridShards) {
  const ShardedPlan whole = nano({"fsdp.sharding_strategy=hybrid_shard"});  // those of a node: all
  EXPECT_EQ(whole.program->communicators, 2);
  EXPECT_THAT(whole.notes, Contains(HasSubstr("hybrid_shard is full_shard here: one group has all 2 ranks")));
  const ConfigReading hybrid = scenario("llama_nano", {"fsdp.sharding_strategy=hybrid_shard"});
  EXPECT_EQ(plan_sharded(hybrid, kFour, 2)->mode, "fsdp, hybrid_shard over 2 of 4 ranks");
  const auto uneven =
      plan_sharded(scenario("llama_nano", {"fsdp.sharding_strategy=hybrid_shard", "fsdp.hybrid_shard_ranks=3"}), kFour);
  ASSERT_FALSE(uneven);
  EXPECT_EQ(uneven.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(uneven.error().message, "4 ranks in shard groups of 3");
  // Groups of one rank are whole copies, reduced block by block.
  const ShardedPlan copies = nano({"fsdp.sharding_strategy=hybrid_shard", "fsdp.hybrid_shard_ranks=1"});
  EXPECT_EQ(copies.program->collectives.size(), 2);
  EXPECT_EQ(find(copies, "all_reduce", kLayer * 4)->calls, 2);
}

// Half of the bytes of every reduction, and none less of a gather.
TEST(ShardedPlan, GradientsInBf16OnTheLink) {
  for (const char* mode : {"full_shard", "shard_grad_op"}) {
    const ShardedPlan plan =
        nano({fmt::format("fsdp.sharding_strategy={}", mode), "fsdp.reduce_dtype=bf16", "model.num_layers=6"});
    ASSERT_NE(find(plan, "reduce_scatter", kPaddedLayer / 2), nullptr);
    EXPECT_EQ(find(plan, "reduce_scatter", kPaddedLayer / 2)->calls, 6);
    EXPECT_EQ(find(plan, "reduce_scatter", kPaddedLayer / 2)->element, "bf16");
    EXPECT_EQ(find(plan, "reduce_scatter", kPaddedLayer / 2)->bus_bytes, kPaddedLayer / 4);
    EXPECT_EQ(find(plan, "reduce_scatter", kPaddedLayer), nullptr);
    EXPECT_EQ(find(plan, "all_gather", kPaddedLayer)->element, "fp32");
    EXPECT_EQ(plan.program->memory.on_link, kPaddedLayer / 2 + kPaddedLayer / 4);  // sent whole, received in part
    EXPECT_THAT(plan_text(plan), HasSubstr("cast for the link"));
  }
  const ShardedPlan ddp = nano({"distributed.mode=ddp", "fsdp.reduce_dtype=bf16"});
  EXPECT_EQ(ddp.program->collectives[0].bytes, (kRoot + 2 * kLayer) * 2);
  EXPECT_EQ(nano({}).program->memory.on_link, 0);
}

// As many gathers; but an array for each of the layers, of which limited two take turns.
TEST(ShardedPlan, GathersWithoutALimit) {
  const ShardedPlan limited = nano({"model.num_layers=6"});
  const ShardedPlan without = nano({"model.num_layers=6", "fsdp.limit_all_gathers=false"});
  EXPECT_EQ(find(without, "all_gather", kPaddedLayer)->calls, find(limited, "all_gather", kPaddedLayer)->calls);
  EXPECT_EQ(without.program->memory.gathered - limited.program->memory.gathered, 4 * kPaddedLayer);
  EXPECT_EQ(nano({"model.num_layers=6", "fsdp.limit_all_gathers=false", "distributed.overlap_param_gather=false"})
                .program->memory.gathered,
            nano({"model.num_layers=6", "distributed.overlap_param_gather=false"}).program->memory.gathered);
}

TEST(ShardedPlan, PrefetchesOfBothPasses) {
  const auto gathers = [](const ShardedPlan& plan) { return find(plan, "all_gather", kPaddedLayer)->calls; };
  const auto slots = [](const ShardedPlan& plan) { return plan.program->memory.gathered / kPaddedLayer; };
  const ShardedPlan both = nano({"model.num_layers=6"});
  const ShardedPlan forward = nano({"model.num_layers=6", "fsdp.backward_prefetch=none"});
  const ShardedPlan backward = nano({"model.num_layers=6", "fsdp.forward_prefetch=false"});
  for (const ShardedPlan* const plan : {&both, &forward, &backward}) {  // room for two
    EXPECT_EQ(gathers(*plan), 6 + 4);
    EXPECT_EQ(slots(*plan), slots(both));
  }
  // Behind a layer its place is free: room for one.
  const ShardedPlan behind =
      nano({"model.num_layers=6", "fsdp.forward_prefetch=false", "fsdp.backward_prefetch=BACKWARD_POST"});
  const ShardedPlan none = nano({"model.num_layers=6", "fsdp.forward_prefetch=false", "fsdp.backward_prefetch=none"});
  for (const ShardedPlan* const plan : {&behind, &none}) {
    EXPECT_EQ(gathers(*plan), 6 + 5);
    EXPECT_EQ(slots(*plan), slots(both) - 1);
  }
}

// The same collectives; but all gradients of a backward pass are there at once.
TEST(ShardedPlan, ReductionsBehindTheBackwardPass) {
  const ShardedPlan beside = nano({"model.num_layers=6"});
  const ShardedPlan behind = nano({"model.num_layers=6", "distributed.overlap_grad_reduce=false"});
  EXPECT_EQ(find(behind, "reduce_scatter", kPaddedLayer)->calls, find(beside, "reduce_scatter", kPaddedLayer)->calls);
  EXPECT_EQ(behind.program->memory.gathered - beside.program->memory.gathered, 4 * kPaddedLayer);
  const ShardedPlan ddp = nano({"distributed.mode=ddp", "distributed.overlap_grad_reduce=false"});
  EXPECT_EQ(ddp.program->memory.total(), nano({"distributed.mode=ddp"}).program->memory.total());
}

TEST(ShardedPlan, EpochsMayEndBeforeTheSteps) {
  EXPECT_EQ(nano({"dataset.num_samples=80", "training.max_steps=100"}).steps, 10);  // of 2 x 4 sequences
  EXPECT_EQ(nano({"dataset.num_samples=80", "training.max_steps=null", "training.epochs=3"}).steps, 30);
  const auto none = plan_sharded(scenario("llama_nano", {"dataset.num_samples=7"}), kTwo);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("dataset.num_samples 7"));
}

// Of a cycle three of 4 MiB, and the loss behind them.
TEST(ShardedPlan, CountsTheAllReducesOfTheHangReproducer) {
  const auto plan = nano({"training.inject_allreduce_copies=true", "training.allreduce_stress_level=4"});
  std::map<std::pair<std::string, int64_t>, int64_t> calls;
  for (const PlannedCollective& each : plan.program->collectives) {
    calls[{each.operation, each.bytes}] += each.calls;
  }
  EXPECT_EQ((calls[{"all_reduce", int64_t{4} << 20}]), 12);
  EXPECT_EQ((calls[{"all_reduce", 4}]), 1);
}

}  // namespace
}  // namespace aaco::sharded
