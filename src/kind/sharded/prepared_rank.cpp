// SPDX-License-Identifier: MIT
#include "kind/sharded/prepared_rank.h"

#include "device/backend.h"
#include "engine/ranks/rank_id.h"
#include "workload/checks/verify.h"
#include "workload/sharded/communication/registered_collectives.h"

namespace aaco {

namespace {

CommunicatorOptions options_of(const sharded::DistributedConfig& config) {
  return {.copy_engine = config.collectives == sharded::CollectivePath::kCopyEngine,
          .most_blocks = static_cast<int32_t>(config.collective_blocks),
          .nonblocking = config.nonblocking,
          .registers_memory = config.collectives != sharded::CollectivePath::kKernel};
}

}  // namespace

Result<JoinedRank> join_ranks(const ShardedRequest& request, int64_t rank, std::span<const RankGroup> groups) {
  JoinedRank joined;
  joined.rank = rank;
  joined.ranks = static_cast<int64_t>(request.devices.size());
  const std::string& id = request.devices[static_cast<size_t>(rank)];
  AACO_ASSIGN(Backend * backend, backend_of(id));
  AACO_ASSIGN(joined.device, open_device(id));
  const sharded::DistributedConfig& distributed = request.config.distributed;
  joined.requires_registered_memory = distributed.require_collectives;
  for (const RankGroup& group : groups) {
    const CommunicatorPlace place{static_cast<int32_t>(joined.communicators.size()), group.ranks.front()};
    AACO_ASSIGN(const RankId shared,
                share_rank_id(request.folder, rank, [&] { return backend->make_rank_id(); }, place));
    AACO_ASSIGN(joined.communicators.emplace_back(),
                backend->join_communicator(*joined.device, shared, group.place_of(static_cast<int32_t>(rank)),
                                           static_cast<int32_t>(group.ranks.size()), options_of(distributed)));
  }
  joined.high_priority = request.config.streams.high_priority;
  return joined;
}

int priority_of(ShardedStream stream, const sharded::StreamPriorities& high, const DeviceProperties& device) {
  const bool asked_for = (stream == ShardedStream::kGather && high.all_gather) ||
                         (stream == ShardedStream::kReduce && high.reduce_scatter) ||
                         (stream == ShardedStream::kReplicate && high.all_reduce);
  return asked_for ? device.highest_priority : device.lowest_priority;
}

namespace {

// Where there is no such thing, it is done without, unless it is required.
Result<void> register_memory(const JoinedRank& joined, PreparedRank& prepared) {
  auto registered = register_collectives(prepared.training, prepared.target.communicators);
  if (registered) {
    prepared.registered = std::move(*registered);
    return {};
  }
  if (registered.error().kind != ErrorKind::kUnavailable || joined.requires_registered_memory) {
    return registered.error();
  }
  prepared.not_registered = registered.error().message;
  return {};
}

}  // namespace

Result<std::unique_ptr<PreparedRank>> prepare_rank(const JoinedRank& joined, const ShardedConfig& config) {
  auto prepared = std::make_unique<PreparedRank>();
  joined.device->reset_peak();
  for (int32_t i = 0; i < kShardedStreams; ++i) {
    AACO_ASSIGN(prepared->streams.emplace_back(),
                joined.device->make_stream(
                    priority_of(static_cast<ShardedStream>(i), joined.high_priority, joined.device->properties())));
    prepared->target.streams.push_back(prepared->streams.back().get());
    prepared->target.devices.push_back(joined.device);
  }
  for (const auto& communicator : joined.communicators) {
    prepared->target.communicators.push_back(communicator.get());
  }
  AACO_ASSIGN(prepared->training, build_sharded(*joined.device, config));
  if (config.registers_memory && !joined.communicators.empty()) {
    AACO_TRY(register_memory(joined, *prepared));
  }
  AACO_TRY(run_setup(*prepared->training.instance, prepared->target));
  return prepared;
}

Result<std::unique_ptr<Dispatcher>> make_rank_dispatcher(PreparedRank& prepared, DispatchMode mode,
                                                         int64_t& steps_done) {
  const Program& step = prepared.training.instance->iteration;
  if (mode == DispatchMode::kGraph) {
    AACO_ASSIGN(const auto first,
                make_step_dispatcher(DispatchMode::kSingle, prepared.training, step, prepared.target));
    AACO_TRY(first->enqueue());
    AACO_TRY(synchronize(prepared.target));
    ++steps_done;
  }
  return make_step_dispatcher(mode, prepared.training, step, prepared.target);
}

}  // namespace aaco
