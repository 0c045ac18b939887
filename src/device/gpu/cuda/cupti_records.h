// SPDX-License-Identifier: MIT
// CUPTI's records as ours, batch by batch into the sink.
#pragma once

#include <cupti.h>
#include <unordered_map>
#include <vector>

#include "device/gpu/activity_batch.h"

namespace aaco::gpu {

// A call of the host that CUPTI is asked to record.
struct RecordedCall {
  CUpti_CallbackId id;
  ActivityKind kind;
  const char* name;
};
extern const std::vector<RecordedCall> kRuntimeCalls;
extern const std::vector<RecordedCall> kDriverCalls;

// Not thread-safe.
class CuptiRecords {
 public:
  explicit CuptiRecords(const AacoSink& sink) : batch_(sink) {}

  void add(const CUpti_Activity* record);
  void drop(uint64_t count) { batch_.drop(count); }
  // What was added goes to the sink. At the end `all`: calls too that were held back.
  void hand_over(bool all);

 private:
  void add_call(const CUpti_ActivityAPI& call);

  ActivityBatch batch_;
  // Per thread the latest call of the driver: when the runtime's call around it comes, it is dropped.
  std::unordered_map<uint32_t, ActivityRecord> held_;
};

}  // namespace aaco::gpu
