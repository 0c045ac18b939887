// SPDX-License-Identifier: MIT
// The race check of a sharded step can fail: with a wait left out, for a gather, a reduction or the replication of what
// was reduced, it finds a race.
#include <algorithm>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

#include "workload/checks/hazards.h"
#include "workload/sharded/test_ranks.h"

namespace aaco {
namespace {

// Waits of one stream for another.
struct Waits {
  ShardedStream waiting;
  ShardedStream awaited;
  bool each;  // is needed; else some are implied by others, and those that are not are needed

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
    std::vector<size_t> candidates;
    for (size_t i = 0; i < program_.commands().size(); ++i) {
      const Command& command = program_.commands()[i];
      if (command.kind == CommandKind::kWait && command.stream == static_cast<int32_t>(waits.waiting) &&
          recorded_[static_cast<size_t>(command.index)] == static_cast<int32_t>(waits.awaited)) {
        candidates.push_back(i);
      }
    }
    return candidates;
  }

  // Other waits order what is waited for before what comes next in the stream, in both iterations: without this one
  // nothing may race. Told by streams and events alone, not by the clocks of the check.
  bool is_implied(size_t wait) const {
    const size_t count = program_.commands().size();
    return is_before(wait, wait) && is_before(wait, wait + count);
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
  const Command& unrolled(size_t number) const { return program_.commands()[number % program_.commands().size()]; }

  // The latest record of the event in front of a wait, of two iterations; none in front of the first.
  std::optional<size_t> record_of(size_t wait) const {
    for (size_t i = wait; i-- > 0;) {
      if (unrolled(i).kind == CommandKind::kRecord && unrolled(i).index == unrolled(wait).index) {
        return i;
      }
    }
    return std::nullopt;
  }

  std::optional<size_t> predecessor_of(size_t number) const {
    for (size_t i = number; i-- > 0;) {
      if (unrolled(i).stream == unrolled(number).stream) {
        return i;
      }
    }
    return std::nullopt;
  }

  // Records one behind the other mark the same place: the first of them.
  size_t place_of(size_t record) const {
    for (auto i = predecessor_of(record); i && unrolled(*i).kind == CommandKind::kRecord; i = predecessor_of(*i)) {
      record = *i;
    }
    return record;
  }

  // The next command of the stream that is no wait.
  size_t successor_of(size_t wait) const {
    for (size_t i = wait + 1; i < 2 * program_.commands().size(); ++i) {
      if (unrolled(i).stream == unrolled(wait).stream && unrolled(i).kind != CommandKind::kWait) {
        return i;
      }
    }
    return wait;
  }

  // Whether what `place` (the wait, in one of two iterations) waits for is before its successor without that wait.
  bool is_before(size_t wait, size_t place) const {
    const std::optional<size_t> record = record_of(place);
    if (!record) {
      return true;
    }
    const size_t awaited = place_of(*record);
    const size_t successor = successor_of(place);
    std::vector<bool> before(successor + 1);
    before[successor] = true;
    for (size_t i = successor; i > awaited; --i) {
      if (!before[i]) {
        continue;
      }
      if (const auto predecessor = predecessor_of(i)) {
        before[*predecessor] = true;
      }
      const bool waits = unrolled(i).kind == CommandKind::kWait && i % program_.commands().size() != wait;
      if (const auto recorded = waits ? record_of(i) : std::nullopt) {
        before[*recorded] = true;
      }
    }
    return before[awaited];
  }

  // The program is the test's own, and not constant.
  Command& command_at(size_t number) const {
    return const_cast<Command&>(program_.commands()[number]);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  }

  Program& program_;
  std::vector<int32_t> recorded_;  // stream, by event
};

void expect_refused(LeftOutWaits& left_out, std::span<const Waits> all) {
  for (const Waits& waits : all) {
    const std::vector<size_t> races = left_out.find(waits);
    ASSERT_FALSE(races.empty()) << waits.text();
    EXPECT_TRUE(left_out.refused_without(races)) << waits.text();
    size_t needed = 0;
    for (const size_t wait : races) {
      const bool implied = left_out.is_implied(wait);
      EXPECT_EQ(left_out.refused_without({wait}), !implied) << waits.text() << ", command " << wait;
      needed += implied ? 0 : 1;
    }
    EXPECT_GE(needed, waits.each ? races.size() : 1) << waits.text();
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
