// SPDX-License-Identifier: MIT
#include "device/gpu/cupti/cupti_heartbeat.h"

#include <dlfcn.h>

namespace aaco::gpu {

namespace {

// Costs no device anything and is made once by a process that makes it at all.
constexpr CUpti_CallbackId kBeat = CUPTI_DRIVER_TRACE_CBID_cuDriverGetVersion;

}  // namespace

void CuptiHeartbeat::start(CuptiApi& api) {
  sent_ = 0;
  received_ = 0;
  latest_ns_ = 0;
  sent_at_latest_ = 0;
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver != nullptr && api.enable_driver(kBeat, 1) == CUPTI_SUCCESS) {
    driver_version_ = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDriverGetVersion"));
  }
}

void CuptiHeartbeat::restart(CuptiApi& api) {
  sent_ = 0;
  received_ = 0;
  sent_at_latest_ = 0;
  start(api);
}

bool CuptiHeartbeat::take(const CUpti_Activity& record) {
  if (record.kind != CUPTI_ACTIVITY_KIND_DRIVER ||
      reinterpret_cast<const CUpti_ActivityAPI&>(record).cbid != static_cast<uint32_t>(kBeat)) {
    return false;
  }
  received_.fetch_add(1, std::memory_order_relaxed);
  latest_ns_.store(reinterpret_cast<const CUpti_ActivityAPI&>(record).end, std::memory_order_relaxed);
  sent_at_latest_.store(sent_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  return true;
}

bool CuptiHeartbeat::beat() {
  if (driver_version_ == nullptr) {
    return true;
  }
  const uint64_t most = received_.load(std::memory_order_relaxed) > 0 ? kMostMissing : kMostBefore;
  if (sent_.load(std::memory_order_relaxed) - sent_at_latest_.load(std::memory_order_relaxed) >= most) {
    return false;
  }
  sent_.fetch_add(1, std::memory_order_relaxed);
  int version = 0;
  static_cast<void>(driver_version_(&version));
  return true;
}

bool CuptiHeartbeat::is_unanswered() const {
  return sent_.load(std::memory_order_relaxed) > 0 && received_.load(std::memory_order_relaxed) == 0;
}

}  // namespace aaco::gpu
