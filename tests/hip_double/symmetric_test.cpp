// SPDX-License-Identifier: MIT
// A sharded training whose collectives use registered memory and copy engines, through the double of RCCL, which counts
// windows and wrong uses. Ranks are threads.
#include <array>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "child.h"
#include "workload/checks/verify.h"
#include "workload/dispatch.h"
#include "workload/sharded/communication/registered_collectives.h"
#include "workload/training/gates/llama_gates.h"

namespace aaco {
namespace {

using testing::HasSubstr;

constexpr int32_t kRanks = 2;

int rccl_count(const char* name) {
  void* library = dlopen("librccl.so.1", RTLD_NOW | RTLD_NOLOAD);
  const auto count = library == nullptr ? nullptr : reinterpret_cast<int (*)()>(dlsym(library, name));
  return count == nullptr ? -1 : count();
}

struct RankOutcome {
  std::vector<float> losses;
  size_t windows = 0;
};

Result<RankOutcome> train_as_rank(ModuleBackend& backend, const std::array<RankId, 2>& ids, ShardedConfig config,
                                  int rank) {
  AACO_ASSIGN(Device * device, backend.open(rank));
  config.llama.rank = rank;
  std::vector<std::unique_ptr<Communicator>> communicators;
  std::array<std::unique_ptr<Stream>, kShardedStreams> streams;
  ProgramTarget target;
  for (const RankId& id : ids) {
    AACO_ASSIGN(communicators.emplace_back(),
                backend.join_communicator(*device, id, rank, kRanks,
                                          {.copy_engine = true, .registers_memory = config.registers_memory}));
    target.communicators.push_back(communicators.back().get());
  }
  for (auto& stream : streams) {
    AACO_ASSIGN(stream, device->make_stream(0));
    target.streams.push_back(stream.get());
    target.devices.push_back(device);
  }
  AACO_ASSIGN(const ShardedTraining training, build_sharded(*device, config));
  std::vector<std::unique_ptr<RegisteredMemory>> registered;
  if (config.registers_memory) {
    AACO_ASSIGN(registered, register_collectives(training, target.communicators));
  }
  AACO_TRY(run_setup(*training.instance, target));
  AACO_ASSIGN(const auto dispatcher, make_dispatcher(DispatchMode::kSingle, training.instance->iteration, target));
  for (int64_t i = 0; i < config.llama.steps; ++i) {
    AACO_TRY(dispatcher->enqueue());
  }
  AACO_TRY(synchronize(target));
  AACO_ASSIGN(const auto reader, make_device_reader(*device));
  RankOutcome outcome;
  AACO_ASSIGN(outcome.losses, reader->floats(training.history));
  outcome.windows = registered.size();
  return outcome;
}

ShardedConfig config_of(bool registers_memory) {
  ShardedConfig config;
  config.llama = oracle_config(LlamaConfig(), false);
  config.llama.sequences = 1;
  config.llama.ranks = kRanks;
  config.llama.steps = 3;
  config.clip_norm = 0.5;
  config.registers_memory = registers_memory;
  return config;
}

Result<std::array<RankOutcome, kRanks>> train(ModuleBackend& backend, bool registers_memory) {
  std::array<RankId, 2> ids;
  for (RankId& id : ids) {
    AACO_ASSIGN(id, backend.make_rank_id());
  }
  const ShardedConfig config = config_of(registers_memory);
  Result<RankOutcome> second = RankOutcome();
  std::thread other([&] { second = train_as_rank(backend, ids, config, 1); });
  Result<RankOutcome> first = train_as_rank(backend, ids, config, 0);
  other.join();
  if (!first || !second) {
    return first ? second.error() : first.error();
  }
  return std::array<RankOutcome, kRanks>{*first, *second};
}

TEST(HipSymmetric, TrainsAlikeWithRegisteredMemory) {
  EXPECT_EQ(
      in_child_with_backend(
          {},
          [](ModuleBackend& backend) -> Result<void> {
            AACO_ASSIGN(const auto plain, train(backend, false));
            AACO_ASSIGN(const auto symmetric, train(backend, true));
            if (plain[0].losses != symmetric[0].losses || plain[1].losses != symmetric[1].losses) {
              return wrong("other losses");
            }
            if (plain[0].windows != 0 || symmetric[0].windows < 4 || symmetric[0].windows != symmetric[1].windows) {
              return wrong(std::to_string(symmetric[0].windows) + " windows");
            }
            if (rccl_count("rccl_double_live_windows") != 0) {
              return wrong("windows are left");
            }
            return rccl_count("rccl_double_misuses") == 0 ? Result<void>{} : wrong("a wrong use of RCCL");
          }),
      "");
}

TEST(HipSymmetric, IsSaidToBeMissing) {
  EXPECT_THAT(in_child_with_backend({{"AACO_RCCL_DOUBLE_VERSION", "21805"}},
                                    [](ModuleBackend& backend) -> Result<void> {
                                      AACO_TRY(train(backend, true));
                                      return {};
                                    }),
              HasSubstr("3 RCCL 2.18.5 has no symmetric memory"));
}

}  // namespace
}  // namespace aaco
