// SPDX-License-Identifier: MIT
// Collectives between CPU devices of several processes. Every rank gets what all of them send, and then does the part
// of all on what it has, so that results are those of ranks in one process, bit by bit. It stands in for NCCL where
// there is no GPU; it is not fast.
#include <fmt/format.h>

#include "device/communicator.h"
#include "device/cpu/collectives/collective_work.h"
#include "device/cpu/collectives/rank_link.h"
#include "device/cpu/cpu_stream.h"

namespace aaco {

namespace {

struct Membership {
  RankLink link;
  int32_t rank;
  int32_t ranks;
};

class ExchangeCall : public StreamCall {
 public:
  ExchangeCall(std::shared_ptr<Membership> member, Collective collective, const CollectivePart& part, int64_t count,
               Dtype dtype)
      : member_(std::move(member)), collective_(collective), part_(part), count_(count), dtype_(dtype) {}

  const char* name() const override { return name_of(collective_); }

  Result<void> run() override {
    const auto ranks = static_cast<size_t>(member_->ranks);
    const auto chunk = static_cast<size_t>(count_ * size_of(dtype_));
    const bool sends_all = collective_ == Collective::kReduceScatter || collective_ == Collective::kAllToAll;
    const bool receives_all = collective_ == Collective::kAllGather || collective_ == Collective::kAllToAll;
    const size_t sent = sends_all ? ranks * chunk : chunk;
    auto all = member_->link.exchange(fmt::format("{} of {} {}", name(), count_, name_of(dtype_)),
                                      {static_cast<const std::byte*>(part_.send), sent});
    if (!all) {
      Error error = all.error();
      error.message = fmt::format("{}: {}", name(), error.message);
      return error;
    }
    // What the others receive is not kept.
    std::vector<std::byte> elsewhere(ranks * (receives_all ? ranks * chunk : chunk));
    std::vector<CollectivePart> parts(ranks);
    for (size_t rank = 0; rank < ranks; ++rank) {
      const bool own = rank == static_cast<size_t>(member_->rank);
      parts[rank].send = all->data() + rank * sent;
      parts[rank].receive = own ? part_.receive : elsewhere.data() + rank * elsewhere.size() / ranks;
    }
    for (size_t rank = 0; rank < ranks; ++rank) {
      run_rank_of_collective(collective_, parts, rank, count_, dtype_);
    }
    return {};
  }

  void abandon(const Error& /*failure*/) override { member_->link.abandon(); }

 private:
  std::shared_ptr<Membership> member_;
  Collective collective_;
  CollectivePart part_;
  int64_t count_;
  Dtype dtype_;
};

class ProcessCommunicator : public Communicator {
 public:
  explicit ProcessCommunicator(std::shared_ptr<Membership> member)
      : member_(std::move(member)),
        info_{member_->ranks, false, member_->link.is_of_one_machine() ? "between processes" : "between nodes"} {}

  const CommunicatorInfo& info() const override { return info_; }

  void enqueue(Collective collective, std::span<const CollectivePart> parts, int64_t count, Dtype dtype) override {
    const bool fits = parts.size() == 1 && count >= 0 && !(sums(collective) && dtype == Dtype::kU8);
    for (const CollectivePart& part : parts) {
      auto* const stream = dynamic_cast<CpuStream*>(part.stream);
      if (stream != nullptr && fits) {
        stream->call(std::make_shared<ExchangeCall>(member_, collective, part, count, dtype));
      } else if (stream != nullptr) {
        stream->fail(
            {ErrorKind::kUsage,
             fmt::format("{} was given {} parts of {} {}", name_of(collective), parts.size(), count, name_of(dtype)),
             "give the one part of this process's rank"});
      }
    }
  }

 private:
  std::shared_ptr<Membership> member_;
  CommunicatorInfo info_;
};

}  // namespace

Result<std::unique_ptr<Communicator>> join_cpu_communicator(const RankId& id, int32_t rank, int32_t ranks) {
  AACO_ASSIGN(RankLink link, RankLink::join(id, rank, ranks));
  const std::shared_ptr<Membership> member(new Membership{std::move(link), rank, ranks});
  return std::unique_ptr<Communicator>(std::make_unique<ProcessCommunicator>(member));
}

}  // namespace aaco
