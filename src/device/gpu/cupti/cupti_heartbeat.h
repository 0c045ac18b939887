// SPDX-License-Identifier: MIT
// A sign of life of CUPTI's deliveries: calls of the driver that nothing else makes, and their records.
#pragma once

#include <atomic>
#include <cstdint>
#include <cupti.h>

#include "device/gpu/cupti/cupti_api.h"

namespace aaco::gpu {

class CuptiHeartbeat {
 public:
  // It may be that nothing beats: then nothing is concluded.
  void start(CuptiApi& api);
  // Records come here again.
  void restart(CuptiApi& api);
  // Whether it is the record of a beat.
  bool take(const CUpti_Activity& record);
  // Beats. False: no record came of the latest kMostMissing beats, or of the first kMostBefore ones.
  bool beat();
  // It beat, and no record ever came.
  bool is_unanswered() const;
  // The latest beat whose record came; 0: none did.
  uint64_t latest_ns() const { return latest_ns_.load(std::memory_order_relaxed); }

 private:
  static constexpr uint64_t kMostMissing = 4;
  static constexpr uint64_t kMostBefore = 16;

  int (*driver_version_)(int*) = nullptr;  // cuDriverGetVersion
  std::atomic<uint64_t> sent_ = 0;
  std::atomic<uint64_t> received_ = 0;
  std::atomic<uint64_t> latest_ns_ = 0;
  std::atomic<uint64_t> sent_at_latest_ = 0;  // how many were sent when the latest record came
};

}  // namespace aaco::gpu
