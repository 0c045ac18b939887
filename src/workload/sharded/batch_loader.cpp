// SPDX-License-Identifier: MIT
#include "workload/sharded/batch_loader.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/process/thread_start.h"
#include "workload/checks/verify.h"
#include "workload/sharded/sharded_step.h"

namespace aaco {

namespace {

using namespace std::chrono_literals;

// Of the staged batch, between the device, which takes it, and the host, which puts the next one in its place.
class Staging {
 public:
  explicit Staging(const BatchSlots& slots) : slots_(slots) {}

  std::byte* data() const { return slots_.staging.as<std::byte>(); }
  size_t bytes() const { return static_cast<size_t>(slots_.staging.bytes()); }
  bool is_taken() const { return word().load(std::memory_order_acquire) != 0; }
  void fill_again() const { word().store(0, std::memory_order_release); }

 private:
  std::atomic_ref<int32_t> word() const { return std::atomic_ref<int32_t>(*slots_.consumed.as<int32_t>()); }

  const BatchSlots& slots_;
};

// Threads that make batches ahead, a batch each, and stage them in the order of steps.
class BatchWorkers {
 public:
  // `first`: the step whose batch is staged next. Errors: kResource where there are not so many threads.
  static Result<std::unique_ptr<BatchWorkers>> start(const BatchSource& source, const BatchLoading& loading,
                                                     const Staging& staging, int64_t first) {
    std::unique_ptr<BatchWorkers> workers(new BatchWorkers(source, loading, staging, first));
    for (int32_t i = 0; i < loading.workers; ++i) {
      AACO_ASSIGN(std::thread thread, start_thread([&self = *workers] { self.work(); }));
      workers->threads_.push_back(std::move(thread));
    }
    return workers;
  }
  ~BatchWorkers() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }
  BatchWorkers(const BatchWorkers&) = delete;
  BatchWorkers& operator=(const BatchWorkers&) = delete;

  bool has_staged(int64_t step) {
    const std::lock_guard lock(mutex_);
    return next_staged_ > step;
  }

  // Waits until the batch of `step` is staged. The device has taken the one before.
  void wait_for(int64_t step) {
    std::unique_lock lock(mutex_);
    if (pinned_) {
      changed_.wait(lock, [&] { return next_staged_ > step; });
      return;
    }
    changed_.wait(lock, [&] { return ready_ != nullptr; });
    std::memcpy(staging_.data(), ready_->data(), ready_->size());
    staging_.fill_again();
    ready_ = nullptr;
    ++next_staged_;
    changed_.notify_all();
  }

 private:
  BatchWorkers(const BatchSource& source, const BatchLoading& loading, const Staging& staging, int64_t first)
      : source_(source), staging_(staging), pinned_(loading.pinned), next_made_(first), next_staged_(first) {}

  using Bytes = std::vector<std::byte>;

  void work() {
    Bytes batch(staging_.bytes());
    std::unique_lock lock(mutex_);
    while (!ends_) {
      const int64_t step = next_made_++;
      lock.unlock();
      source_.make(step, batch.data());
      lock.lock();
      changed_.wait(lock, [&] { return ends_ || (next_staged_ == step && ready_ == nullptr); });
      if (ends_) {
        return;
      }
      if (pinned_) {
        stage(batch, lock);
      } else {
        ready_ = &batch;
        changed_.notify_all();
        changed_.wait(lock, [&] { return ends_ || ready_ != &batch; });
      }
    }
  }

  // As soon as the device has taken the batch before: it says so in memory, without waking anybody.
  void stage(const Bytes& batch, std::unique_lock<std::mutex>& lock) {
    constexpr auto kPause = 20us;
    while (!staging_.is_taken()) {
      if (changed_.wait_for(lock, kPause, [&] { return ends_; })) {
        return;
      }
    }
    std::memcpy(staging_.data(), batch.data(), batch.size());
    staging_.fill_again();
    ++next_staged_;
    changed_.notify_all();
  }

  const BatchSource& source_;
  const Staging& staging_;
  const bool pinned_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t next_made_;
  int64_t next_staged_;
  const Bytes* ready_ = nullptr;  // not pinned: the batch of step next_staged_, until it is copied
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

class LoadingDispatcher final : public Dispatcher {
 public:
  // `step`: to be done next; its batch arrives, and that of the step behind it is staged.
  LoadingDispatcher(Dispatcher& inner, const ShardedTraining& training, const ProgramTarget& target, int64_t step)
      : inner_(inner), training_(training), target_(target), staging_(training.slots), staged_(step + 1) {}

  void own(std::unique_ptr<Dispatcher> inner) { owned_ = std::move(inner); }
  // Errors: as BatchWorkers::start.
  Result<void> start_workers() {
    if (training_.config.loading.workers > 0) {
      AACO_ASSIGN(workers_, BatchWorkers::start(training_.source, training_.config.loading, staging_, staged_ + 1));
    }
    return {};
  }

  Result<void> enqueue() override {
    if (!first_) {
      ++staged_;
      AACO_TRY(stage());
    }
    first_ = false;
    return inner_.enqueue();
  }

 private:
  Result<void> stage() {
    if (workers_ != nullptr && training_.config.loading.pinned) {
      AACO_TRY(wait_until_taken(true));
      workers_->wait_for(staged_);
      return {};
    }
    AACO_TRY(wait_until_taken(false));
    if (workers_ != nullptr) {
      workers_->wait_for(staged_);
    } else {
      training_.source.make(staged_, staging_.data());
      staging_.fill_again();
    }
    return {};
  }

  bool is_taken(bool by_worker) const { return staging_.is_taken() || (by_worker && workers_->has_staged(staged_)); }

  // A stream that has failed takes nothing: what it failed at is the error. Waiting for the stream that takes leaves
  // the step behind it enqueued; of a captured step it has nothing to wait for.
  Result<void> wait_until_taken(bool by_worker) const {
    constexpr auto kPatience = 200ms;
    const auto begin = std::chrono::steady_clock::now();
    while (!is_taken(by_worker)) {
      if (std::chrono::steady_clock::now() - begin > kPatience) {
        AACO_TRY(target_.streams[static_cast<size_t>(ShardedStream::kCopy)]->synchronize());
        return is_taken(by_worker) ? Result<void>() : synchronize(target_);
      }
      std::this_thread::sleep_for(10us);
    }
    return {};
  }

  std::unique_ptr<Dispatcher> owned_;  // where it is nobody else's
  Dispatcher& inner_;
  const ShardedTraining& training_;
  const ProgramTarget& target_;
  Staging staging_;
  int64_t staged_;  // the step whose batch is staged, or is to be before the next is enqueued
  bool first_ = true;
  std::unique_ptr<BatchWorkers> workers_;
};

// The step that is to be done next, once all that was enqueued is done.
Result<int64_t> next_step(const ShardedTraining& training, const ProgramTarget& target) {
  AACO_TRY(synchronize(target));
  AACO_ASSIGN(const auto reader, make_device_reader(*target.devices.front()));
  TrainingClock clock;
  AACO_TRY(reader->bytes(&clock, training.clock.data, sizeof clock));
  return clock.step;
}

// Its batch arrives and the one behind it is staged, whatever there was before.
Result<void> load_from(int64_t step, const ShardedTraining& training, const ProgramTarget& target) {
  const Staging staging(training.slots);
  training.source.make(step, staging.data());
  Stream& copies = *target.streams[static_cast<size_t>(ShardedStream::kCopy)];
  copies.copy(training.slots.arriving.data, staging.data(), staging.bytes());
  AACO_TRY(copies.synchronize());
  training.source.make(step + 1, staging.data());
  staging.fill_again();
  return {};
}

}  // namespace

BatchSlots make_batch_slots(WorkloadBuilder& builder, const BatchSource& source, const Tensor& current,
                            int32_t stream) {
  BatchSlots slots;
  slots.current = current;
  slots.arriving = builder.tensor(Dtype::kU8, {source.bytes});
  slots.staging = builder.pinned(Dtype::kU8, {source.bytes});
  slots.consumed = builder.pinned(Dtype::kI32, {1});
  const auto stage = [&](int64_t step) {
    builder.setup().host_step(stream, [make = source.make, to = slots.staging.as<std::byte>(), step]() -> Result<void> {
      make(step, to);
      return {};
    });
  };
  stage(1);
  builder.setup().copy(stream, slots.arriving.data, slots.staging.data, static_cast<size_t>(source.bytes));
  stage(2);
  return slots;
}

void write_batch_copies(StepWriter& step, const BatchSlots& slots, int32_t copies) {
  const int32_t passes = step.stream();
  const auto bytes = static_cast<size_t>(slots.current.bytes());
  step.after(copies);
  step.copy(slots.current.data, slots.arriving.data, bytes);
  step.stream(copies);
  step.after(passes);
  step.copy(slots.arriving.data, slots.staging.data, bytes);
  step.op(StepPart::kEmbedding, FillArgs{slots.consumed.data, 1, 1, Dtype::kI32});
  step.stream(passes);
}

namespace {

Result<std::unique_ptr<LoadingDispatcher>> loading_dispatcher(Dispatcher& inner, const ShardedTraining& training,
                                                              const ProgramTarget& target) {
  AACO_ASSIGN(const int64_t step, next_step(training, target));
  AACO_TRY(load_from(step, training, target));
  auto loading = std::make_unique<LoadingDispatcher>(inner, training, target, step);
  AACO_TRY(loading->start_workers());
  return loading;
}

}  // namespace

Result<std::unique_ptr<Dispatcher>> make_step_dispatcher(DispatchMode mode, const ShardedTraining& training,
                                                         const Program& program, const ProgramTarget& target) {
  AACO_ASSIGN(auto inner, make_dispatcher(mode, program, target));
  AACO_ASSIGN(auto loading, loading_dispatcher(*inner, training, target));
  loading->own(std::move(inner));
  return std::unique_ptr<Dispatcher>(std::move(loading));
}

Result<std::unique_ptr<Dispatcher>> load_batches_of(Dispatcher& inner, const ShardedTraining& training,
                                                    const ProgramTarget& target) {
  AACO_ASSIGN(auto loading, loading_dispatcher(inner, training, target));
  return std::unique_ptr<Dispatcher>(std::move(loading));
}

}  // namespace aaco
