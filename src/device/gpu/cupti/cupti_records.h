// SPDX-License-Identifier: MIT
// CUPTI's records as ours, batch by batch into the sink.
#pragma once

#include <cstdint>
#include <cupti.h>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "device/gpu/activity_batch.h"

namespace aaco::gpu {

// Of the kinds that are recorded; of others 0.
uint64_t start_of(const CUpti_Activity& record);

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
  void tell_thread(uint32_t thread);
  void add_work(ActivityRecord work);
  void add_graph(const CUpti_ActivityGraphTrace2& graph);

  ActivityBatch batch_;
  // Per thread the latest call of the driver: when the runtime's call around it comes, it is dropped.
  std::unordered_map<uint32_t, ActivityRecord> held_;
  std::unordered_set<uint32_t> told_threads_;
  std::unordered_map<uint32_t, uint32_t> graph_names_;  // of the sink, by the number of the graph
  std::vector<uint32_t> path_names_;  // of the sink, by the number of the path; kNoName: not asked for yet
};

}  // namespace aaco::gpu
