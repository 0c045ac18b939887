// SPDX-License-Identifier: MIT
#include "device/gpu/communicator_context.h"

#include <chrono>

#include "device/gpu/libraries/nccl_library.h"

namespace aaco::gpu {

CommunicatorContext::CommunicatorContext(std::vector<DeviceContext*> devices, std::vector<NcclComm> comms,
                                         int first_rank, int ranks)
    : devices_(std::move(devices)), comms_(std::move(comms)), first_rank_(first_rank), ranks_(ranks), watch_([this] {
        watch();
      }) {}

// What the library has noticed.
NcclResult CommunicatorContext::ask() const {
  for (const NcclComm comm : comms_) {
    NcclResult state = kNcclSuccess;
    const NcclResult asked = nccl().api.comm_get_async_error(comm, &state);
    if (const NcclResult nccl_result = asked != kNcclSuccess ? asked : state;
        nccl_result != kNcclSuccess && nccl_result != kNcclInProgress) {
      return nccl_result;
    }
  }
  return kNcclSuccess;
}

// An abort waits for graphs, which whoever has them frees when it hears of the failure.
void CommunicatorContext::watch() {
  constexpr auto kPause = std::chrono::milliseconds(100);
  std::unique_lock lock(mutex_);
  while (!ends_ && !aborted_) {
    changed_.wait_for(lock, kPause, [this] { return ends_ || to_abort_; });
    if (ends_ || to_abort_) {
      aborted_ = !ends_;
    } else if (failure_.empty()) {
      lock.unlock();
      if (const NcclResult nccl_result = ask(); nccl_result != kNcclSuccess) {
        fail(text_of(nccl_result, "a collective"), true);
      }
      lock.lock();
    }
  }
  lock.unlock();
  for (size_t i = 0; i < comms_.size() && aborted_; ++i) {
    static_cast<void>(nccl().api.comm_abort(comms_[i]));
  }
}

std::string CommunicatorContext::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void CommunicatorContext::fail(const std::string& failure, bool abort) {
  const std::lock_guard lock(mutex_);
  if (!failure_.empty()) {
    return;
  }
  failure_ = failure;
  to_abort_ = abort;
  for (DeviceContext* device : abort ? devices_ : std::vector<DeviceContext*>()) {
    const std::lock_guard of_device(device->mutex);
    device->communicator_failures[this] = failure;
    device->communicator_failed = true;
  }
  changed_.notify_all();
}

NcclResult CommunicatorContext::end() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    changed_.notify_all();
  }
  watch_.join();
  for (DeviceContext* device : devices_) {
    const std::lock_guard lock(device->mutex);
    device->communicator_failures.erase(this);
    device->communicator_failed = !device->communicator_failures.empty();
  }
  NcclResult worst = kNcclSuccess;
  const bool elsewhere = ranks_ > static_cast<int>(comms_.size());
  const auto release = !failure_.empty() && elsewhere ? nccl().api.comm_abort : nccl().api.comm_destroy;
  for (size_t i = 0; i < comms_.size() && !aborted_; ++i) {
    const NcclResult ended = release(comms_[i]);
    worst = ended != kNcclSuccess && ended != kNcclInProgress ? ended : worst;
  }
  return worst;
}

std::string communicator_failure(DeviceContext& device) {
  if (!device.communicator_failed) {
    return "";
  }
  const std::lock_guard lock(device.mutex);
  return device.communicator_failures.empty() ? "" : device.communicator_failures.begin()->second;
}

}  // namespace aaco::gpu
