// SPDX-License-Identifier: MIT
// Every workload, at its sizes for tests, through the HIP module on the double: each operation against the CPU, the
// concurrent run against the serial one, and the workload's own checks. Collectives between two devices go through a
// double of RCCL.
#include <algorithm>
#include <array>
#include <cmath>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/max_or_nan.h"
#include "child.h"
#include "on_doubles.h"
#include "workload/sharded/communication/communicator_ranks.h"
#include "workload/sharded/sharded_step.h"
#include "workload/training/gates/llama_gates.h"

namespace aaco {
namespace {

using ::testing::HasSubstr;

class HipWorkload : public ::testing::TestWithParam<const WorkloadInfo*> {};
INSTANTIATE_TEST_SUITE_P(Module, HipWorkload, ::testing::ValuesIn(all_workloads().begin(), all_workloads().end()),
                         [](const auto& instance) { return std::string(instance.param->id); });

TEST_P(HipWorkload, IsRightOnOneDevice) {
  for (const char* architecture : {"gfx942", "gfx1100"}) {
    EXPECT_EQ(in_child_with_backend({{"AACO_HIP_DOUBLE_ARCH", architecture}},
                                    [](ModuleBackend& backend) -> Result<void> {
                                      AACO_ASSIGN(const OnDoubles run, OnDoubles::make(backend, *GetParam(), 1));
                                      AACO_TRY(run.verify_as(DispatchMode::kThreads));
                                      return run.instance->iteration.host_steps().empty()
                                                 ? run.verify_as(DispatchMode::kGraph)
                                                 : Result<void>{};
                                    }),
              "")
        << architecture;
  }
}

TEST_P(HipWorkload, IsRightOnTwoDevices) {
  EXPECT_EQ(in_child_with_backend({},
                                  [](ModuleBackend& backend) -> Result<void> {
                                    AACO_ASSIGN(const OnDoubles run, OnDoubles::make(backend, *GetParam(), 2));
                                    return run.verify_as(DispatchMode::kSingle);
                                  }),
            "");
}

struct TwoRanks {
  std::array<Device*, 2> devices{};
  std::unique_ptr<Communicator> communicator;
  std::array<std::unique_ptr<Stream>, 2> streams;
  std::array<std::unique_ptr<Buffer>, 2> memory;  // 8 numbers each: the rank's from 1 on, times 10 to its place

  static Result<TwoRanks> make(ModuleBackend& backend) {
    TwoRanks made;
    for (int rank = 0; rank < 2; ++rank) {
      AACO_ASSIGN(made.devices.at(rank), backend.open(rank));
      AACO_ASSIGN(made.streams.at(rank), made.devices.at(rank)->make_stream(0));
      AACO_ASSIGN(made.memory.at(rank), made.devices.at(rank)->allocate(8 * sizeof(float), MemoryKind::kDevice));
      for (int i = 0; i < 8; ++i) {
        made.floats(rank)[i] = static_cast<float>(rank == 0 ? i + 1 : 10 * (i + 1));
      }
    }
    AACO_ASSIGN(made.communicator, backend.make_communicator(made.devices));
    return made;
  }

  float* floats(int rank) const { return static_cast<float*>(memory.at(rank)->data()); }

  // From the first four numbers of each rank to its last four, or for what takes more in place.
  Result<std::vector<std::vector<float>>> run(Collective collective, int send, int receive, int64_t count) const {
    std::array<CollectivePart, 2> parts;
    for (int rank = 0; rank < 2; ++rank) {
      parts.at(rank) = {streams.at(rank).get(), floats(rank) + send, floats(rank) + receive};
    }
    communicator->enqueue(collective, parts, count, Dtype::kF32);
    std::vector<std::vector<float>> all;
    for (int rank = 0; rank < 2; ++rank) {
      AACO_TRY(streams.at(rank)->synchronize());
      all.emplace_back(floats(rank), floats(rank) + 8);
    }
    return all;
  }
};

// Ranks hold 1 to 8, and 10 to 80.
TEST(HipCollectives, AreWhatTheirNamesSay) {
  struct Case {
    Collective collective;
    int send, receive;  // NOLINT(readability-isolate-declaration): a row of the table
    int64_t count;
    std::vector<std::vector<float>> right;
  };
  const std::vector<Case> cases{
      {Collective::kAllReduce, 0, 0, 2, {{11, 22, 3, 4, 5, 6, 7, 8}, {11, 22, 30, 40, 50, 60, 70, 80}}},
      {Collective::kReduceScatter, 0, 4, 2, {{1, 2, 3, 4, 11, 22, 7, 8}, {10, 20, 30, 40, 33, 44, 70, 80}}},
      {Collective::kAllGather, 0, 4, 2, {{1, 2, 3, 4, 1, 2, 10, 20}, {10, 20, 30, 40, 1, 2, 10, 20}}},
      {Collective::kAllToAll, 0, 4, 2, {{1, 2, 3, 4, 1, 2, 10, 20}, {10, 20, 30, 40, 3, 4, 30, 40}}},
      {Collective::kBroadcast, 0, 0, 8, {{1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4, 5, 6, 7, 8}}},
      {Collective::kSendNext, 0, 4, 4, {{1, 2, 3, 4, 10, 20, 30, 40}, {10, 20, 30, 40, 1, 2, 3, 4}}}};
  for (const Case& each : cases) {
    EXPECT_EQ(in_child_with_backend({},
                                    [&](ModuleBackend& backend) -> Result<void> {
                                      AACO_ASSIGN(const TwoRanks two, TwoRanks::make(backend));
                                      AACO_ASSIGN(const auto is,
                                                  two.run(each.collective, each.send, each.receive, each.count));
                                      return is == each.right ? Result<void>{} : wrong(::testing::PrintToString(is));
                                    }),
              "")
        << static_cast<int>(each.collective);
  }
}

// What the double of RCCL counts.
int rccl_count(const char* name) {
  void* library = dlopen("librccl.so.1", RTLD_NOW | RTLD_NOLOAD);
  const auto count = library == nullptr ? nullptr : reinterpret_cast<int (*)()>(dlsym(library, name));
  return count == nullptr ? -1 : count();
}

TEST(HipCollectives, ACommunicatorThatIsMadeInPartIsGivenBack) {
  EXPECT_EQ(in_child_with_backend({{"AACO_HIP_DOUBLE_FAIL", "ncclCommInitAll:1:1"}},
                                  [](ModuleBackend& backend) -> Result<void> {
                                    const auto two = TwoRanks::make(backend);
                                    if (two || two.error().message.find("ncclCommInitAll") == std::string::npos) {
                                      return wrong(two ? "it was made" : two.error().message);
                                    }
                                    const int live = rccl_count("rccl_double_live_communicators");
                                    return live == 0 ? Result<void>{} : wrong(std::to_string(live) + " are left");
                                  }),
            "");
}

// Each rank as a process has it, though here it is a thread: a device, a communicator and a part of its own.
Result<void> sum_as_rank(ModuleBackend& backend, const RankId& id, int rank, bool nonblocking,
                         std::vector<float>& sums) {
  AACO_ASSIGN(Device * device, backend.open(rank));
  AACO_ASSIGN(const auto communicator, backend.join_communicator(*device, id, rank, 2, {.nonblocking = nonblocking}));
  AACO_ASSIGN(const auto memory, device->allocate(4 * sizeof(float), MemoryKind::kDevice));
  AACO_ASSIGN(const auto stream, device->make_stream(0));
  auto* const numbers = static_cast<float*>(memory->data());
  for (int i = 0; i < 4; ++i) {
    numbers[i] = static_cast<float>((rank == 0 ? 1 : 10) * (i + 1));
  }
  const CollectivePart part{stream.get(), numbers, numbers};
  communicator->enqueue(Collective::kAllReduce, {&part, 1}, 4, Dtype::kF32);
  AACO_TRY(stream->synchronize());
  sums.assign(numbers, numbers + 4);
  return {};
}

class JoinedOneByOne : public ::testing::TestWithParam<bool> {};

TEST_P(JoinedOneByOne, RanksSum) {
  EXPECT_EQ(
      in_child_with_backend({},
                            [](ModuleBackend& backend) -> Result<void> {
                              AACO_ASSIGN(const RankId id, backend.make_rank_id());
                              std::array<std::vector<float>, 2> sums;
                              std::array<Result<void>, 2> ended;
                              std::thread other([&] { ended[1] = sum_as_rank(backend, id, 1, GetParam(), sums[1]); });
                              ended[0] = sum_as_rank(backend, id, 0, GetParam(), sums[0]);
                              other.join();
                              AACO_TRY(std::move(ended[0]));
                              AACO_TRY(std::move(ended[1]));
                              const std::vector<float> expected{11, 22, 33, 44};
                              if (sums[0] != expected || sums[1] != expected) {
                                return wrong("another sum");
                              }
                              const int live = rccl_count("rccl_double_live_communicators");
                              return live == 0 ? Result<void>{} : wrong(std::to_string(live) + " are left");
                            }),
      "");
}

INSTANTIATE_TEST_SUITE_P(HipCollectives, JoinedOneByOne, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "nonblocking" : "waiting"; });

// By communicator, and of each by the first rank that it joins.
using IdsOfGroups = std::vector<std::vector<RankId>>;

Result<IdsOfGroups> make_ids(ModuleBackend& backend, const ShardedConfig& config) {
  IdsOfGroups ids(communicator_ranks(config).size());
  for (std::vector<RankId>& of_communicator : ids) {
    for (int64_t rank = 0; rank < config.llama.ranks; ++rank) {
      AACO_ASSIGN(of_communicator.emplace_back(), backend.make_rank_id());
    }
  }
  return ids;
}

// A rank of a sharded training: its communicators, streams of its own, the last of the highest priority, some steps;
// its losses.
Result<std::vector<float>> train_as_rank(ModuleBackend& backend, const IdsOfGroups& ids, ShardedConfig config,
                                         int rank) {
  AACO_ASSIGN(Device * device, backend.open(rank));
  config.llama.rank = rank;
  std::vector<std::unique_ptr<Communicator>> communicators;
  std::array<std::unique_ptr<Stream>, kShardedStreams> streams;
  ProgramTarget target;
  for (const RankGroup& group : communicator_ranks(config)) {
    const RankId& id = ids.at(communicators.size()).at(static_cast<size_t>(group.ranks.front()));
    AACO_ASSIGN(communicators.emplace_back(),
                backend.join_communicator(*device, id, group.place_of(rank), static_cast<int>(group.ranks.size()), {}));
    target.communicators.push_back(communicators.back().get());
  }
  for (auto& stream : streams) {
    AACO_ASSIGN(stream, device->make_stream(&stream == &streams.back() ? device->properties().highest_priority
                                                                       : device->properties().lowest_priority));
    target.streams.push_back(stream.get());
    target.devices.push_back(device);
  }
  AACO_ASSIGN(const ShardedTraining training, build_sharded(*device, config));
  AACO_TRY(run_setup(*training.instance, target));
  AACO_ASSIGN(const auto dispatcher,
              make_step_dispatcher(DispatchMode::kSingle, training, training.instance->iteration, target));
  for (int64_t i = 0; i < config.llama.steps; ++i) {
    AACO_TRY(dispatcher->enqueue());
  }
  AACO_TRY(synchronize(target));
  AACO_ASSIGN(const auto reader, make_device_reader(*device));
  return reader->floats(training.history);
}

// The mean over ranks of each step's loss, less that of one rank; the largest.
Result<double> losses_apart(ModuleBackend& backend, const ShardedConfig& config) {
  const auto ranks = static_cast<size_t>(config.llama.ranks);
  AACO_ASSIGN(const IdsOfGroups ids, make_ids(backend, config));
  std::vector<Result<std::vector<float>>> losses(ranks, std::vector<float>());
  std::vector<std::thread> threads;
  for (size_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] { losses[rank] = train_as_rank(backend, ids, config, static_cast<int>(rank)); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  ShardedConfig whole = config;
  whole.llama.sequences *= config.llama.ranks;
  whole.llama.ranks = 1;
  AACO_ASSIGN(const std::vector<float> one, train_as_rank(backend, {}, whole, 0));
  double worst = 0;
  for (size_t step = 0; step < one.size(); ++step) {
    double mean = 0;
    for (const auto& of_rank : losses) {
      if (!of_rank) {
        return of_rank.error();
      }
      mean += static_cast<double>((*of_rank)[step]) / static_cast<double>(ranks);
    }
    worst = max_or_nan(worst, std::abs(mean - static_cast<double>(one[step])));
  }
  return worst;
}

ShardedConfig small_training(int32_t ranks) {
  ShardedConfig config;
  config.llama = oracle_config(LlamaConfig(), false);
  config.llama.fusions = llama_versions()[2].fusions;
  config.llama.sequences = 1;
  config.llama.ranks = ranks;
  config.llama.steps = 3;
  config.clip_norm = 0.5;
  config.watched = true;
  return config;
}

Result<void> expect_as_one(ModuleBackend& backend, const ShardedConfig& config, double bound) {
  AACO_ASSIGN(const double apart, losses_apart(backend, config));
  if (!(apart < bound)) {
    return wrong("losses are apart by " + std::to_string(apart));
  }
  return rccl_count("rccl_double_misuses") == 0 ? Result<void>{} : wrong("a wrong use of RCCL");
}

TEST(HipSharded, TwoRanksTrainAsOneDoes) {
  EXPECT_EQ(in_child_with_backend({},
                                  [](ModuleBackend& backend) -> Result<void> {
                                    ShardedConfig config = small_training(2);
                                    AACO_TRY(expect_as_one(backend, config, 1e-4));
                                    config.limits_gathers = false;
                                    config.overlaps_reduction = false;
                                    return expect_as_one(backend, config, 1e-4);
                                  }),
            "");
}

// Communicators of two ranks each: within the groups, and between them.
TEST(HipSharded, FourRanksInTwoGroupsTrainAsOneDoes) {
  EXPECT_EQ(in_child_with_backend({{"AACO_HIP_DOUBLE_DEVICES", "4"}},
                                  [](ModuleBackend& backend) -> Result<void> {
                                    ShardedConfig config = small_training(4);
                                    config.shard_group = 2;
                                    AACO_TRY(expect_as_one(backend, config, 1e-4));
                                    config.reduce_dtype = Dtype::kBf16;
                                    return expect_as_one(backend, config, 1e-2);
                                  }),
            "");
}

// A rank alone, which the double takes as a communicator of one.
struct OneRank {
  Device* device = nullptr;
  std::unique_ptr<Communicator> communicator;
  std::unique_ptr<Buffer> memory;
  std::unique_ptr<Stream> stream;

  static Result<OneRank> make(ModuleBackend& backend, const CommunicatorOptions& options) {
    OneRank made;
    AACO_ASSIGN(made.device, backend.open(0));
    AACO_ASSIGN(const RankId id, backend.make_rank_id());
    AACO_ASSIGN(made.communicator, backend.join_communicator(*made.device, id, 0, 1, options));
    AACO_ASSIGN(made.memory, made.device->allocate(64, MemoryKind::kCollective));
    AACO_ASSIGN(made.stream, made.device->make_stream(0));
    return made;
  }
};

// The library notices by itself, as it does where a rank of another node has gone: the communicator is aborted, and
// what is waited for fails rather than that it hangs.
TEST(HipCollectives, WhatTheLibraryNoticesFailsTheStreamsAndAborts) {
  EXPECT_EQ(in_child_with_backend({{"AACO_HIP_DOUBLE_FAIL", "ncclCommGetAsyncError:6:1"}},
                                  [](ModuleBackend& backend) -> Result<void> {
                                    AACO_ASSIGN(OneRank one, OneRank::make(backend, {}));
                                    AACO_TRY(one.stream->synchronize());
                                    Result<void> ended;
                                    for (int i = 0; i < 100 && ended; ++i) {
                                      std::this_thread::sleep_for(std::chrono::milliseconds(20));
                                      ended = one.stream->synchronize();
                                    }
                                    if (ended || ended.error().message.find("a collective: ") == std::string::npos) {
                                      return wrong(ended ? "nothing failed" : ended.error().message);
                                    }
                                    const CollectivePart part{one.stream.get(), one.memory->data(), one.memory->data()};
                                    one.communicator->enqueue(Collective::kAllReduce, {&part, 1}, 4, Dtype::kF32);
                                    one.communicator.reset();
                                    const int aborts = rccl_count("rccl_double_aborts");
                                    const int live = rccl_count("rccl_double_live_communicators");
                                    if (aborts != 1 || live != 0) {
                                      return wrong(std::to_string(aborts) + " aborts, " + std::to_string(live) +
                                                   " communicators are left");
                                    }
                                    AACO_ASSIGN(const auto other, one.device->make_stream(0));
                                    return other->synchronize();  // it was the communicator's, not the device's
                                  }),
            "");
}

TEST(HipCollectives, AreAsWideAsIsWanted) {
  EXPECT_EQ(in_child_with_backend({},
                                  [](ModuleBackend& backend) -> Result<void> {
                                    AACO_ASSIGN(const OneRank one, OneRank::make(backend, {.most_blocks = 4}));
                                    const int most = rccl_count("rccl_double_most_ctas");
                                    return most == 4 ? Result<void>{} : wrong(std::to_string(most));
                                  }),
            "");
}

TEST(HipCollectives, MemoryIsRegisteredAndGivenBack) {
  EXPECT_EQ(in_child_with_backend({},
                                  [](ModuleBackend& backend) -> Result<void> {
                                    AACO_ASSIGN(OneRank one, OneRank::make(backend, {.copy_engine = true}));
                                    {
                                      AACO_ASSIGN(const auto window, one.communicator->add_memory(*one.memory));
                                      if (rccl_count("rccl_double_live_windows") != 1) {
                                        return wrong("no window");
                                      }
                                    }
                                    if (rccl_count("rccl_double_live_windows") != 0) {
                                      return wrong("a window is left");
                                    }
                                    AACO_ASSIGN(const auto plain, one.device->allocate(64, MemoryKind::kDevice));
                                    if (one.communicator->add_memory(*plain)) {
                                      return wrong("memory that the library does not have was registered");
                                    }
                                    return {};
                                  }),
            "");
}

TEST(HipCollectives, ALibraryWithoutSymmetricMemorySaysSo) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"AACO_RCCL_DOUBLE_VERSION=21805", "3 RCCL 2.18.5 has no symmetric memory"},
      {"AACO_RCCL_DOUBLE_NO_WINDOWS=1", "3 RCCL 2.28.3 gives no symmetric memory between these devices"}};
  for (const auto& [setting, said] : cases) {
    const std::string text = setting;
    const size_t equals = text.find('=');
    EXPECT_THAT(in_child_with_backend({{text.substr(0, equals), text.substr(equals + 1)}},
                                      [](ModuleBackend& backend) -> Result<void> {
                                        AACO_ASSIGN(OneRank one, OneRank::make(backend, {}));
                                        AACO_TRY(one.communicator->add_memory(*one.memory));
                                        return {};
                                      }),
                HasSubstr(said));
  }
}

TEST(HipCollectives, ARankThatCannotJoinSaysWhy) {
  for (const char* call : {"ncclGetUniqueId", "ncclCommInitRankConfig"}) {
    const std::string said = in_child_with_backend({{"AACO_HIP_DOUBLE_FAIL", std::string(call) + ":1:1"}},
                                                   [](ModuleBackend& backend) -> Result<void> {
                                                     AACO_ASSIGN(Device * device, backend.open(0));
                                                     AACO_ASSIGN(const RankId id, backend.make_rank_id());
                                                     AACO_TRY(backend.join_communicator(*device, id, 0, 1, {}));
                                                     return {};
                                                   });
    EXPECT_THAT(said, HasSubstr(std::string("6 ") + call + ": ")) << call;
  }
}

TEST(HipCollectives, AGroupThatDidNotBeginIsNotEnded) {
  for (const char* call : {"ncclGroupStart:1:1", "ncclAllReduce:5:2", "ncclGroupEnd:1:1"}) {
    const std::string said =
        in_child_with_backend({{"AACO_HIP_DOUBLE_FAIL", call}}, [](ModuleBackend& backend) -> Result<void> {
          AACO_ASSIGN(const TwoRanks two, TwoRanks::make(backend));
          const auto failed = two.run(Collective::kAllReduce, 0, 0, 2);
          if (rccl_count("rccl_double_misuses") != 0) {
            return wrong("a wrong use of RCCL");
          }
          return failed ? wrong("nothing failed") : Result<void>(failed.error());
        });
    EXPECT_THAT(said, HasSubstr("6 a collective: ")) << call;
  }
}

}  // namespace
}  // namespace aaco
