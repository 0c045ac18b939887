// SPDX-License-Identifier: MIT
#include "workload/sharded/communication/allreduce_stress.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "workload/checks/hazards.h"
#include "workload/sharded/test_ranks.h"

namespace aaco {
namespace {

constexpr int64_t kSteps = 3;

ShardedConfig stressed(int64_t cycles, bool waits) {
  ShardedConfig config;
  config.llama = oracle_config(LlamaConfig(), false);
  config.llama.sequences = 4;
  config.llama.steps = kSteps;
  config.watched = true;
  config.stress_cycles = cycles;
  config.stress_waits = waits;
  return config;
}

std::vector<float> output_of(const TestRank& rank, const std::string& name) {
  for (const WorkloadOutput& output : rank.training.instance->outputs) {
    if (output.name == name) {
      return *rank.reader->floats(output.tensor);
    }
  }
  return {};
}

// The ranks draw the same numbers: the mean leaves them, the sum of n ranks is n times as much, the next mean leaves
// that.
TEST(AllreduceStress, ReducesAndCopiesAndChangesNothingThatIsTrained) {
  for (const int32_t ranks : {1, 2}) {
    std::vector<float> plain;
    on_ranks(stressed(0, true), ranks, [&](TestRank& rank, int32_t number) -> Result<void> {
      AACO_TRY(rank.train(kSteps));
      EXPECT_TRUE(output_of(rank, "stress, behind").empty());
      if (number == 0) {
        plain = output_of(rank, "losses");
      }
      return {};
    });
    for (const bool captured : {false, true}) {
      on_ranks(stressed(2, !captured), ranks, [&](TestRank& rank, int32_t number) -> Result<void> {
        EXPECT_TRUE(find_hazards(rank.training.instance->iteration, ranks, 1).empty());
        AACO_TRY(rank.train(1));  // communicators connect
        AACO_TRY(rank.train(kSteps - 1, captured ? DispatchMode::kGraph : DispatchMode::kSingle));
        const std::vector<float> before = output_of(rank, "stress, before");
        const std::vector<float> behind = output_of(rank, "stress, behind");
        EXPECT_EQ(before.size(), size_t{1} << 20);
        EXPECT_TRUE(std::equal(before.begin(), before.end(), behind.begin(), behind.end(),
                               [&](float a, float b) { return a * static_cast<float>(ranks) == b; }));
        EXPECT_GT(std::count_if(before.begin(), before.end(), [](float a) { return a != 0; }), 1 << 19);
        if (number == 0) {
          EXPECT_EQ(output_of(rank, "losses"), plain);
        }
        return {};
      });
    }
  }
}

}  // namespace
}  // namespace aaco
