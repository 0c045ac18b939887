// SPDX-License-Identifier: MIT
#include "device/cpu/collectives/rendezvous.h"

namespace aaco {

Result<void> Rendezvous::meet() {
  std::unique_lock lock(mutex_);
  if (abandoned_) {
    return *abandoned_;
  }
  const uint64_t meeting = meetings_;
  if (++here_ == ranks_) {
    here_ = 0;
    ++meetings_;
    lock.unlock();
    changed_.notify_all();
    return {};
  }
  changed_.wait(lock, [&] { return meetings_ != meeting || abandoned_; });
  if (meetings_ != meeting) {
    return {};  // what became of the next one is not of this
  }
  return *abandoned_;
}

void Rendezvous::abandon(const Error& failure) {
  {
    const std::lock_guard lock(mutex_);
    if (!abandoned_) {
      abandoned_ = failure;
    }
  }
  changed_.notify_all();
}

}  // namespace aaco
