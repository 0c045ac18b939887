// SPDX-License-Identifier: MIT
// For tests: a small training whose ranks are threads, each with a CPU device and communicators that it joins as a
// process would.
#pragma once

#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "device/backend.h"
#include "workload/checks/verify.h"
#include "workload/sharded/communication/communicator_ranks.h"
#include "workload/sharded/sharded_step.h"
#include "workload/training/gates/llama_gates.h"

namespace aaco {

struct TestRank {
  ShardedTraining training;
  std::vector<std::unique_ptr<Communicator>> communicators;
  std::vector<std::unique_ptr<Stream>> streams;  // behind the training: they end before its memory is freed
  ProgramTarget target;
  std::unique_ptr<DeviceReader> reader;

  Result<void> train(int64_t steps, DispatchMode mode = DispatchMode::kSingle) const {
    std::unique_ptr<Dispatcher> dispatcher;
    {
      static std::mutex one_at_a_time;  // ranks are threads here, and of captures a process has one
      const std::lock_guard lock(one_at_a_time);
      AACO_ASSIGN(dispatcher, make_step_dispatcher(mode, training, training.instance->iteration, target));
    }
    for (int64_t i = 0; i < steps; ++i) {
      AACO_TRY(dispatcher->enqueue());
    }
    return synchronize(target);
  }
};

// By communicator, and of each by the first of the ranks that it joins.
using TestRankIds = std::vector<std::vector<RankId>>;

inline TestRankIds make_test_ids(int32_t ranks) {
  constexpr size_t kMostOfTests = 3;
  TestRankIds ids(kMostOfTests);
  for (std::vector<RankId>& of_communicator : ids) {
    for (int32_t i = 0; i < ranks; ++i) {
      of_communicator.push_back(make_cpu_rank_id());
    }
  }
  return ids;
}

inline Result<TestRank> make_test_rank(const ShardedConfig& config, const TestRankIds& ids) {
  TestRank test_rank;
  const auto rank = static_cast<int32_t>(config.llama.rank);
  AACO_ASSIGN(Device * device, open_device("cpu:" + std::to_string(rank)));
  for (const RankGroup& group : communicator_ranks(config)) {
    const RankId& id = ids[test_rank.communicators.size()][static_cast<size_t>(group.ranks.front())];
    AACO_ASSIGN(test_rank.communicators.emplace_back(),
                join_cpu_communicator(id, group.place_of(rank), static_cast<int32_t>(group.ranks.size())));
    test_rank.target.communicators.push_back(test_rank.communicators.back().get());
  }
  for (int32_t i = 0; i < kShardedStreams; ++i) {
    AACO_ASSIGN(test_rank.streams.emplace_back(), device->make_stream(0));
    test_rank.target.streams.push_back(test_rank.streams.back().get());
    test_rank.target.devices.push_back(device);
  }
  AACO_ASSIGN(test_rank.training, build_sharded(*device, config));
  AACO_ASSIGN(test_rank.reader, make_device_reader(*device));
  AACO_TRY(run_setup(*test_rank.training.instance, test_rank.target));
  return test_rank;
}

// `work` on every rank at once. What one fails at is told, and fails the test.
inline void on_ranks(const ShardedConfig& of_all, int32_t ranks,
                     const std::function<Result<void>(TestRank& rank, int32_t number)>& work) {
  const TestRankIds ids = make_test_ids(ranks);
  std::vector<std::string> failures(static_cast<size_t>(ranks));
  std::vector<std::thread> threads;
  for (int32_t number = 0; number < ranks; ++number) {
    threads.emplace_back([&, number] {
      ShardedConfig config = of_all;
      config.llama.rank = number;
      config.llama.ranks = ranks;
      config.llama.sequences = of_all.llama.sequences / ranks / of_all.micro_steps;
      auto rank = make_test_rank(config, ids);
      const Result<void> outcome = rank ? work(*rank, number) : Result<void>(rank.error());
      if (!outcome) {
        failures[static_cast<size_t>(number)] = outcome.error().message;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const std::string& failure : failures) {
    EXPECT_EQ(failure, "");
  }
}

using NamedValues = std::map<std::string, std::vector<float>>;

// Of the ranks' parts (each rank's masters, flat), every parameter by its name: of the first shard group.
inline NamedValues named_values(const ShardedWeights& weights, const std::vector<std::vector<float>>& parts) {
  NamedValues values;
  for (const NamedPlace& place : weights.named) {
    std::vector<float>& all = values[place.name];
    const ShardedUnit& unit = weights.units[place.unit];
    const int64_t part = unit.master.elements();
    const int64_t first = unit.master.as<float>() - weights.masters.as<float>();
    for (int64_t i = place.offset; i < place.offset + place.elements; ++i) {
      all.push_back(parts[static_cast<size_t>(i / part)][static_cast<size_t>(first + i % part)]);
    }
  }
  return values;
}

// What a training came to: mean losses over ranks, and parameters before and behind it.
struct TrainingOutcome {
  std::vector<double> losses;
  NamedValues before;
  NamedValues after;
};

inline TrainingOutcome train_on_ranks(const ShardedConfig& config, int32_t ranks, int64_t steps,
                                      const std::function<void(ShardedTraining&)>& change = {}) {
  std::vector<std::vector<float>> losses(static_cast<size_t>(ranks));
  std::vector<std::vector<float>> before(static_cast<size_t>(ranks));
  std::vector<std::vector<float>> after(static_cast<size_t>(ranks));
  ShardedWeights places;  // the same on all ranks
  TrainingOutcome trained;
  on_ranks(config, ranks, [&](TestRank& rank, int32_t number) -> Result<void> {
    const auto at = static_cast<size_t>(number);
    AACO_ASSIGN(before[at], rank.reader->floats(rank.training.weights.masters));
    if (change) {
      change(rank.training);
    }
    AACO_TRY(rank.train(steps));
    AACO_ASSIGN(losses[at], rank.reader->floats(rank.training.history));
    AACO_ASSIGN(after[at], rank.reader->floats(rank.training.weights.masters));
    if (number == 0) {
      places = rank.training.weights;
    }
    return {};
  });
  trained.losses.resize(static_cast<size_t>(steps));
  for (size_t step = 0; step < trained.losses.size(); ++step) {
    for (const std::vector<float>& of_rank : losses) {
      trained.losses[step] += static_cast<double>(of_rank[step]) / ranks;
    }
  }
  trained.before = named_values(places, before);
  trained.after = named_values(places, after);
  return trained;
}

}  // namespace aaco
