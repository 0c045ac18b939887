// SPDX-License-Identifier: MIT
#include "engine/ranks/rank_exchange.h"

#include <fmt/format.h>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/json/json.h"
#include "device/backend.h"
#include "engine/ranks/rank_id.h"
#include "engine/recorder.h"
#include "engine/worker_role.h"

namespace aaco {

AACO_JSON_FIELDS(RankExchangePlan, backend, ranks, rounds, count)
AACO_JSON_FIELDS(RankExchange, rank, rounds, last, library)

namespace {

// Small enough that every sum is exact.
float part_of(int64_t rank, int64_t element) { return static_cast<float>((rank + 1) * (element % 7 + 1)); }

// A device with a rank's numbers on it.
class Rank {
 public:
  Rank(const RankExchangePlan& plan, int64_t rank) : plan_(plan), rank_(rank) {}

  Result<void> join(const std::filesystem::path& folder) {
    AACO_ASSIGN(Backend * backend, backend_of(plan_.backend));
    AACO_ASSIGN(device_, backend->open(static_cast<int>(rank_)));
    AACO_ASSIGN(const RankId id, share_rank_id(folder, rank_, [&] { return backend->make_rank_id(); }));
    AACO_ASSIGN(communicator_, backend->join_communicator(*device_, id, static_cast<int32_t>(rank_), plan_.ranks));
    const auto bytes = static_cast<size_t>(plan_.count) * sizeof(float);
    AACO_ASSIGN(host_, device_->allocate(bytes, MemoryKind::kPinnedHost));
    AACO_ASSIGN(data_, device_->allocate(bytes, MemoryKind::kDevice));
    AACO_ASSIGN(stream_, device_->make_stream(0));
    return {};
  }

  Result<void> sum() {
    auto* const numbers = static_cast<float*>(host_->data());
    const auto bytes = static_cast<size_t>(plan_.count) * sizeof(float);
    for (int64_t i = 0; i < plan_.count; ++i) {
      numbers[i] = part_of(rank_, i);
    }
    stream_->copy(data_->data(), numbers, bytes);
    const CollectivePart part{stream_.get(), data_->data(), data_->data()};
    communicator_->enqueue(Collective::kAllReduce, {&part, 1}, plan_.count, Dtype::kF32);
    stream_->copy(numbers, data_->data(), bytes);
    AACO_TRY(stream_->synchronize());
    for (int64_t i = 0; i < plan_.count; ++i) {
      float expected = 0;
      for (int64_t rank = 0; rank < plan_.ranks; ++rank) {
        expected += part_of(rank, i);
      }
      if (numbers[i] != expected) {
        return Error{ErrorKind::kInvalid,
                     fmt::format("rank {}: element {} is {}, not {}", rank_, i, numbers[i], expected),
                     "the library or the link between the devices is at fault"};
      }
    }
    return {};
  }

  double last() const { return static_cast<const float*>(host_->data())[plan_.count - 1]; }
  const std::string& library() const { return communicator_->info().library; }

 private:
  const RankExchangePlan& plan_;
  int64_t rank_;
  Device* device_ = nullptr;
  std::unique_ptr<Communicator> communicator_;
  std::unique_ptr<Buffer> host_;
  std::unique_ptr<Buffer> data_;
  std::unique_ptr<Stream> stream_;  // ends before the memory it works on
};

}  // namespace

Result<Json> rank_exchange_role(const WorkerTask& task) {
  AACO_ASSIGN(const auto plan, from_json_value<RankExchangePlan>(task.plan, task.plan_file.string()));
  if (plan.count < 1 || task.process < 0 || task.process >= plan.ranks) {
    return Error{ErrorKind::kUsage, fmt::format("rank {} of {}, {} elements", task.process, plan.ranks, plan.count),
                 "ranks count from 0; one element at least"};
  }
  const std::filesystem::path folder = task.plan_file.parent_path();
  Rank rank(plan, task.process);
  AACO_TRY(rank.join(folder));
  AACO_TRY(rank.sum());  // the first one connects, and is no round
  AACO_ASSIGN(Recorder recorder, Recorder::create(folder, task.process));
  RankExchange result;
  while ((plan.rounds == 0 || result.rounds < plan.rounds) && !interrupted()) {
    const Ticks start = read_ticks();
    AACO_TRY(rank.sum());
    if (!recorder.add(start, read_ticks(), JournalPhase::kMeasure)) {
      return recorder.error();
    }
    ++result.rounds;
  }
  AACO_TRY(recorder.close());
  result.rank = task.process;
  result.last = rank.last();
  result.library = rank.library();
  return Json(result);
}

}  // namespace aaco
