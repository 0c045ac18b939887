// SPDX-License-Identifier: MIT
// Collectives between CPU devices: each rank's stream gets a call that meets the others', does its part, and meets them
// again. As long as all streams are given collectives in the same order, the earliest that is not done can always be.
#include <algorithm>
#include <fmt/format.h>

#include "device/communicator.h"
#include "device/cpu/collectives/collective_work.h"
#include "device/cpu/collectives/rendezvous.h"
#include "device/cpu/cpu_stream.h"

namespace aaco {

namespace {

// One collective; launched with a graph, again and again.
struct CollectiveState {
  Collective collective;
  std::vector<CollectivePart> parts;
  int64_t count = 0;
  Dtype dtype = Dtype::kF32;
  Rendezvous rendezvous;
};

class CollectiveCall : public StreamCall {
 public:
  CollectiveCall(std::shared_ptr<CollectiveState> state, size_t rank) : state_(std::move(state)), rank_(rank) {}

  const char* name() const override { return name_of(state_->collective); }

  Result<void> run() override {
    AACO_TRY(state_->rendezvous.meet());
    run_rank_of_collective(state_->collective, state_->parts, rank_, state_->count, state_->dtype);
    return state_->rendezvous.meet();
  }

  void abandon(const Error& failure) override {
    state_->rendezvous.abandon(
        {failure.kind, fmt::format("{}: rank {} failed before it: {}", name(), rank_, failure.message), failure.hint});
  }

 private:
  std::shared_ptr<CollectiveState> state_;
  size_t rank_;
};

class CpuCommunicator : public Communicator {
 public:
  explicit CpuCommunicator(int32_t ranks) : info_{ranks, false, "in process"} {}

  const CommunicatorInfo& info() const override { return info_; }
  void enqueue(Collective collective, std::span<const CollectivePart> parts, int64_t count, Dtype dtype) override;

 private:
  std::string problem_of(Collective collective, std::span<CpuStream* const> streams, int64_t count, Dtype dtype) const;

  CommunicatorInfo info_;
};

std::string CpuCommunicator::problem_of(Collective collective, std::span<CpuStream* const> streams, int64_t count,
                                        Dtype dtype) const {
  if (streams.size() != static_cast<size_t>(info_.ranks)) {
    return fmt::format("{} parts for {} ranks", streams.size(), info_.ranks);
  }
  std::vector<CpuStream*> sorted(streams.begin(), streams.end());
  std::sort(sorted.begin(), sorted.end());
  if (sorted.front() == nullptr) {
    return "a stream that is not of the CPU";
  }
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    return "one stream for two ranks, which would wait for itself";
  }
  if (count < 0 || (sums(collective) && dtype == Dtype::kU8)) {
    return fmt::format("{} elements of {}", count, name_of(dtype));
  }
  return "";
}

void CpuCommunicator::enqueue(Collective collective, std::span<const CollectivePart> parts, int64_t count,
                              Dtype dtype) {
  std::vector<CpuStream*> streams;
  for (const CollectivePart& part : parts) {
    streams.push_back(dynamic_cast<CpuStream*>(part.stream));
  }
  if (const std::string problem = problem_of(collective, streams, count, dtype); !problem.empty()) {
    for (CpuStream* stream : streams) {
      if (stream != nullptr) {
        stream->fail({ErrorKind::kUsage, fmt::format("{} was given {}", name_of(collective), problem),
                      "give one part, with a CPU stream of its own, for each rank"});
      }
    }
    return;
  }
  const std::shared_ptr<CollectiveState> state(
      new CollectiveState{collective, {parts.begin(), parts.end()}, count, dtype, Rendezvous(info_.ranks)});
  for (size_t rank = 0; rank < streams.size(); ++rank) {
    streams[rank]->call(std::make_shared<CollectiveCall>(state, rank));
  }
}

}  // namespace

std::unique_ptr<Communicator> make_cpu_communicator(int32_t ranks) { return std::make_unique<CpuCommunicator>(ranks); }

}  // namespace aaco
