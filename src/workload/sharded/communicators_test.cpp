// SPDX-License-Identifier: MIT
// Collectives of different communicators run at once, by the device's own records; those of one never do.
#include <gtest/gtest.h>
#include <map>

#include "record/device/activity_table.h"
#include "record/device/device_rows.h"
#include "record/intervals.h"
#include "workload/sharded/test_ranks.h"

namespace aaco {
namespace {

struct Collectives {
  std::vector<Span> gathers;
  std::vector<Span> reductions;
};

// Of rank 0, which is on device 0.
Collectives collectives_of(ActivityTable& sink) {
  Collectives collectives;
  const EventTable events = sink.take();
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.kind[i] != EventKind::kKernel || stream_of(events, i).device != 0) {
      continue;
    }
    const std::string_view name = events.strings[events.name[i]];
    const Span span{events.start_ns[i], events.end_ns(i)};
    if (name == "all_gather") {
      collectives.gathers.push_back(span);
    } else if (name == "reduce_scatter") {
      collectives.reductions.push_back(span);
    }
  }
  return collectives;
}

bool at_once(const Collectives& collectives) {
  for (const Span& a : collectives.gathers) {
    for (const Span& b : collectives.reductions) {
      if (a.start_ns < b.end_ns && b.start_ns < a.end_ns) {
        return true;
      }
    }
  }
  return false;
}

// Rank 1 comes to the gather behind the reduction, and late to that: rank 0, which is given the gather first, could not
// come to an end if one had to be done before the other.
Result<void> gather_beside_reduction(const std::vector<RankId>& ids, int32_t rank) {
  constexpr int64_t kLateNs = 50'000'000;
  std::vector<float> send(64, 1);
  std::vector<float> receive(64);
  std::vector<float> gradients(64, 2);
  std::vector<float> reduced(32);
  AACO_ASSIGN(Device * device, open_device("cpu:" + std::to_string(rank)));
  Program program(2);
  CollectiveCommand gather{Collective::kAllGather, {{0, send.data(), receive.data()}}, 32, Dtype::kF32, 0};
  CollectiveCommand reduce{Collective::kReduceScatter, {{1, gradients.data(), reduced.data()}}, 32, Dtype::kF32, 1};
  if (rank == 0) {
    program.collective(gather);
    program.collective(reduce);
  } else {
    program.op(1, SpinArgs{nullptr, kLateNs, 1});
    program.collective(reduce);
    program.after(0, 1);
    program.collective(gather);
  }
  EXPECT_EQ(program.communicators(), 2);
  std::vector<std::unique_ptr<Communicator>> communicators;
  std::vector<std::unique_ptr<Stream>> streams;
  ProgramTarget target;
  for (size_t i = 0; i < 2; ++i) {
    AACO_ASSIGN(communicators.emplace_back(), join_cpu_communicator(ids[i], rank, 2));
    AACO_ASSIGN(streams.emplace_back(), device->make_stream(0));
    target.communicators.push_back(communicators.back().get());
    target.streams.push_back(streams.back().get());
    target.devices.push_back(device);
  }
  AACO_ASSIGN(const auto dispatcher, make_dispatcher(DispatchMode::kSingle, program, target));
  AACO_TRY(dispatcher->enqueue());
  AACO_TRY(synchronize(target));
  EXPECT_EQ(reduced.front(), 4);
  EXPECT_EQ(receive.back(), 1);
  return {};
}

TEST(Communicators, GatherAndReductionOfDifferentOnesRunAtOnce) {
  ActivityTable sink;
  const auto collector = (*backend_of("cpu"))->collect(sink);
  ASSERT_TRUE(collector);
  const std::vector<RankId> ids{make_cpu_rank_id(), make_cpu_rank_id()};
  std::vector<std::thread> ranks;
  for (int32_t rank = 0; rank < 2; ++rank) {
    ranks.emplace_back([&, rank] {
      const Result<void> outcome = gather_beside_reduction(ids, rank);
      EXPECT_TRUE(outcome) << outcome.error().message;
    });
  }
  for (std::thread& rank : ranks) {
    rank.join();
  }
  ASSERT_TRUE((*collector)->flush());
  const Collectives collectives = collectives_of(sink);
  ASSERT_EQ(collectives.gathers.size(), 1);
  ASSERT_EQ(collectives.reductions.size(), 1);
  EXPECT_TRUE(at_once(collectives));
}

TEST(Communicators, AProgramIsNotDispatchedWithFewerThanItNames) {
  Program program(1);
  program.collective({Collective::kAllReduce, {{0, nullptr, nullptr}}, 0, Dtype::kF32, 1});
  const auto device = open_device("cpu");
  const auto stream = (*device)->make_stream(0);
  const auto communicator = make_cpu_communicator(1);
  const auto dispatcher =
      make_dispatcher(DispatchMode::kSingle, program, ProgramTarget{{stream->get()}, {*device}, {communicator.get()}});
  ASSERT_FALSE(dispatcher);
  EXPECT_EQ(dispatcher.error().message, "a program of 2 communicators was given 1");
}

// A sharded step on one communicator: reductions wait for gathers, and gathers for reductions.
TEST(Communicators, OfOneNothingRunsAtOnce) {
  ShardedConfig config;
  config.llama = oracle_config(LlamaConfig(), false);
  config.llama.fusions = llama_versions()[2].fusions;
  config.llama.shape.layers = 4;
  config.llama.sequences = 4;
  config.one_communicator = true;
  ActivityTable sink;
  const auto collector = (*backend_of("cpu"))->collect(sink);
  ASSERT_TRUE(collector);
  on_ranks(config, 2, [](TestRank& rank, int32_t) { return rank.train(10); });
  ASSERT_TRUE((*collector)->flush());
  const Collectives collectives = collectives_of(sink);
  EXPECT_EQ(collectives.reductions.size(), 50);  // of five units
  EXPECT_EQ(collectives.gathers.size(), 72);     // two layers of four are held behind the forward pass; two of setup
  EXPECT_FALSE(at_once(collectives));
}

}  // namespace
}  // namespace aaco
