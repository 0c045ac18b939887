// SPDX-License-Identifier: MIT
#include "workload/sharded/batch_loader.h"

#include <cstring>
#include <gtest/gtest.h>

#include "workload/checks/hazards.h"
#include "workload/sharded/test_ranks.h"

namespace aaco {
namespace {

constexpr int64_t kSteps = 7;

ShardedConfig loaded_config(bool ranking) {
  ShardedConfig config;
  config.llama.shape = {.vocabulary = 50, .hidden = 16, .layers = 2, .heads = 2, .kv_heads = 2, .inner = 24};
  if (ranking) {
    config.ranking = RankingShape{.embedding = 12, .dense = 20, .categories = 3};
  }
  config.llama.sequences = 4;
  config.llama.length = 6;
  config.llama.batches = 5;  // the first come again
  config.llama.steps = kSteps;
  config.micro_steps = 2;
  return config;
}

std::vector<std::byte> expected_batch(const ShardedTraining& training, int64_t step) {
  std::vector<std::byte> batch(static_cast<size_t>(training.source.bytes));
  training.source.make(step, batch.data());
  return batch;
}

// What the last step was trained on: memory of a CPU device.
std::vector<std::byte> current(const ShardedTraining& training) {
  std::vector<std::byte> batch(static_cast<size_t>(training.source.bytes));
  std::memcpy(batch.data(), training.slots.current.data, batch.size());
  return batch;
}

struct LoadingWay {
  bool ranking;
  BatchLoading loading;
  DispatchMode mode;
};

class EachLoading : public ::testing::TestWithParam<LoadingWay> {};

// Steps are enqueued without a wait in between, so that what is loaded too early or too late would be seen in the
// losses.
TEST_P(EachLoading, TrainsEachStepOnItsBatch) {
  const LoadingWay& way = GetParam();
  ShardedConfig config = loaded_config(way.ranking);
  std::vector<float> one_by_one;
  on_ranks(config, 1, [&](TestRank& rank, int32_t) -> Result<void> {
    for (int64_t step = 1; step <= kSteps; ++step) {
      AACO_TRY(rank.train(1));
      EXPECT_EQ(current(rank.training), expected_batch(rank.training, step)) << step;
    }
    EXPECT_NE(expected_batch(rank.training, 1), expected_batch(rank.training, 2));
    EXPECT_EQ(expected_batch(rank.training, 1), expected_batch(rank.training, 6));
    AACO_ASSIGN(one_by_one, rank.reader->floats(rank.training.history));
    return {};
  });
  config.loading = way.loading;
  on_ranks(config, 1, [&](TestRank& rank, int32_t) -> Result<void> {
    AACO_TRY(rank.train(3, way.mode));
    EXPECT_EQ(current(rank.training), expected_batch(rank.training, 3));
    AACO_TRY(rank.train(kSteps - 3, way.mode));  // from the step that the clock says
    EXPECT_EQ(current(rank.training), expected_batch(rank.training, kSteps));
    AACO_ASSIGN(const std::vector<float> losses, rank.reader->floats(rank.training.history));
    EXPECT_EQ(losses, one_by_one);
    return {};
  });
}

INSTANTIATE_TEST_SUITE_P(Ways, EachLoading,
                         ::testing::Values(LoadingWay{true, {0, true}, DispatchMode::kSingle},
                                           LoadingWay{true, {1, true}, DispatchMode::kSingle},
                                           LoadingWay{true, {3, true}, DispatchMode::kSingle},
                                           LoadingWay{true, {3, true}, DispatchMode::kGraph},
                                           LoadingWay{true, {0, true}, DispatchMode::kGraph},
                                           LoadingWay{true, {1, false}, DispatchMode::kGraph},
                                           LoadingWay{true, {3, false}, DispatchMode::kSingle},
                                           LoadingWay{false, {0, true}, DispatchMode::kSingle},
                                           LoadingWay{false, {2, true}, DispatchMode::kGraph},
                                           LoadingWay{false, {2, false}, DispatchMode::kSingle}));

// The copies that make room and take it are ordered by events alone.
TEST(BatchLoader, CopiesWithoutTheirEventsAreARace) {
  const ShardedConfig config = loaded_config(true);
  on_ranks(config, 1, [](TestRank& rank, int32_t) -> Result<void> {
    const Program& step = rank.training.instance->iteration;
    EXPECT_TRUE(find_hazards(step, 1).empty());
    Program without(step.streams());
    for (const Command& command : step.commands()) {
      if (command.kind == CommandKind::kCopy) {
        without.copy(command.stream, command.to, command.from, command.bytes);
      }
    }
    EXPECT_FALSE(find_hazards(without, 1).empty());
    return {};
  });
}

// The program's copies: a batch from pinned memory on the copy stream, which is no stream of anything else.
TEST(BatchLoader, OneCopyAStepComesFromTheHost) {
  on_ranks(loaded_config(true), 1, [](TestRank& rank, int32_t) -> Result<void> {
    const BatchSlots& slots = rank.training.slots;
    int64_t from_host = 0;
    for (const Command& command : rank.training.instance->iteration.commands()) {
      if (command.kind == CommandKind::kCopy && command.from == slots.staging.data) {
        ++from_host;
        EXPECT_EQ(command.stream, static_cast<int32_t>(ShardedStream::kCopy));
        EXPECT_EQ(command.bytes, static_cast<size_t>(rank.training.source.bytes));
      }
    }
    EXPECT_EQ(from_host, 1);
    return {};
  });
}

}  // namespace
}  // namespace aaco
