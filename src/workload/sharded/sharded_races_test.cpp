// SPDX-License-Identifier: MIT
// The race check of a sharded step can fail: with a wait left out, for a gather, a reduction or the replication of what
// was reduced, it finds a race.
#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "workload/hazards.h"
#include "workload/sharded/test_ranks.h"

namespace aaco {
namespace {

// Waits of one stream for another.
struct Waits {
  ShardedStream waiting;
  ShardedStream awaited;
  bool each;  // is needed; else some are implied by others

  std::string text() const { return std::string(name_of(waiting)) + " for " + name_of(awaited); }
};

constexpr Waits kGathers[] = {{ShardedStream::kGather, ShardedStream::kCompute, true},
                              {ShardedStream::kCompute, ShardedStream::kGather, false}};
constexpr Waits kReductions[] = {{ShardedStream::kReduce, ShardedStream::kCompute, true},
                                 {ShardedStream::kCompute, ShardedStream::kReduce, false}};
constexpr Waits kReplications[] = {{ShardedStream::kReplicate, ShardedStream::kReduce, true},
                                   {ShardedStream::kCompute, ShardedStream::kReplicate, false}};
constexpr Waits kBuckets[] = {{ShardedStream::kReplicate, ShardedStream::kCompute, true},
                              {ShardedStream::kCompute, ShardedStream::kReplicate, false}};

ShardedConfig small_config() {
  ShardedConfig config;
  config.llama = oracle_config(LlamaConfig(), false);
  config.llama.fusions = llama_versions()[2].fusions;
  config.llama.shape.layers = 4;
  config.llama.sequences = 4;
  return config;
}

class LeftOutWaits {
 public:
  explicit LeftOutWaits(Program& program) : program_(program), recorded_(static_cast<size_t>(program.events())) {
    for (const Command& command : program.commands()) {
      if (command.kind == CommandKind::kRecord) {
        recorded_[static_cast<size_t>(command.index)] = command.stream;
      }
    }
  }

  std::vector<size_t> find(const Waits& waits) const {
    std::vector<size_t> found;
    for (size_t i = 0; i < program_.commands().size(); ++i) {
      const Command& command = program_.commands()[i];
      if (command.kind == CommandKind::kWait && command.stream == static_cast<int32_t>(waits.waiting) &&
          recorded_[static_cast<size_t>(command.index)] == static_cast<int32_t>(waits.awaited)) {
        found.push_back(i);
      }
    }
    return found;
  }

  bool refused_without(const std::vector<size_t>& commands) {
    std::vector<Command> kept;
    for (const size_t number : commands) {
      Command& command = command_at(number);
      kept.push_back(command);
      command.kind = CommandKind::kSet;  // of nothing
      command.bytes = 0;
    }
    const bool refused = !find_hazards(program_, 4, 1).empty();
    for (size_t i = 0; i < commands.size(); ++i) {
      command_at(commands[i]) = kept[i];
    }
    return refused;
  }

 private:
  // The program is the test's own, and not constant.
  Command& command_at(size_t number) const {
    return const_cast<Command&>(program_.commands()[number]);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  }

  Program& program_;
  std::vector<int32_t> recorded_;  // stream, by event
};

void expect_refused(LeftOutWaits& left_out, std::span<const Waits> all) {
  for (const Waits& waits : all) {
    const std::vector<size_t> found = left_out.find(waits);
    ASSERT_FALSE(found.empty()) << waits.text();
    EXPECT_TRUE(left_out.refused_without(found)) << waits.text();
    const auto refused =
        std::count_if(found.begin(), found.end(), [&](size_t one) { return left_out.refused_without({one}); });
    EXPECT_GE(refused, waits.each ? static_cast<std::ptrdiff_t>(found.size()) : 1) << waits.text();
  }
}

void expect_refused_of(const ShardedConfig& config, const std::vector<std::span<const Waits>>& roles) {
  on_ranks(config, 4, [&](TestRank& rank, int32_t number) -> Result<void> {
    if (number == 0) {
      LeftOutWaits left_out(rank.training.instance->iteration);
      EXPECT_FALSE(left_out.refused_without({}));
      for (const std::span<const Waits> role : roles) {
        expect_refused(left_out, role);
      }
    }
    return {};
  });
}

TEST(ShardedRaces, AWaitLeftOutOfAHybridStepIsRefused) {
  ShardedConfig config = small_config();
  config.shard_group = 2;
  expect_refused_of(config, {kGathers, kReductions, kReplications});
  config.clip_norm = 1;
  expect_refused_of(config, {kGathers, kReductions, kReplications});
  config.reduce_dtype = Dtype::kBf16;
  expect_refused_of(config, {kGathers, kReductions, kReplications});
  config.overlaps_reduction = false;
  config.limits_gathers = false;
  expect_refused_of(config, {kGathers, {kReductions + 1, 1}, kReplications});
}

TEST(ShardedRaces, AWaitLeftOutOfAStepInBucketsIsRefused) {
  ShardedConfig config = small_config();
  config.mode = ShardedMode::kReplicate;
  config.bucket_bytes = 40'000;
  expect_refused_of(config, {kBuckets});
  config.reduce_dtype = Dtype::kBf16;
  expect_refused_of(config, {kBuckets});
}

TEST(ShardedRaces, AWaitLeftOutOfAGatherWithoutALimitIsRefused) {
  ShardedConfig config = small_config();
  config.limits_gathers = false;
  expect_refused_of(config, {kGathers, kReductions});
}

}  // namespace
}  // namespace aaco
