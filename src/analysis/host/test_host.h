// SPDX-License-Identifier: MIT
// Recordings with rows of the kernel whose meaning is known: a process that measures 100 iterations of 1 ms, 1 ms after
// the other, from 1 s on.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "record/recording.h"

namespace aaco::test_host {

inline constexpr int64_t kPid = 4000;
inline constexpr int64_t kWorker = 4001;
inline constexpr int64_t kStart_ns = 1'000'000'000;
inline constexpr int64_t kMs = 1'000'000;
inline constexpr int64_t kUs = 1'000;

inline int64_t start_of(int64_t iteration) { return kStart_ns + 2 * kMs * iteration; }

inline Recording recording(int64_t iterations = 100) {
  Recording recording;
  for (int64_t i = 0; i < iterations; ++i) {
    IterationRow row;
    row.iter_idx = i;
    row.phase = IterationPhase::kMeasure;
    row.t_start_ns = start_of(i);
    row.t_end_ns = start_of(i) + kMs + i % 7 * kUs;  // a little apart, so that the quartiles are
    recording.iterations.push_back(row);
  }
  ProcessFacts facts;
  facts.role = ProcessRole::kMeasure;
  facts.pid = kPid;
  facts.t_start_ns = kStart_ns;
  facts.t_end_ns = recording.iterations.back().t_end_ns;
  recording.facts.process_facts.push_back(facts);
  return recording;
}

inline OffCpuRow& add_off_cpu(Recording& recording, int64_t start_ns, int64_t length_ns, OffCpuReason reason,
                              int64_t thread = kPid) {
  OffCpuRow row;
  row.process_id = kPid;
  row.thread_id = thread;
  row.thread_name = thread == kPid ? "aaco" : "worker";
  row.t_start_ns = start_ns;
  row.t_end_ns = start_ns + length_ns;
  row.reason = reason;
  recording.collected.rows<OffCpuRow>().push_back(row);
  return recording.collected.rows<OffCpuRow>().back();
}

inline void add_preemption(Recording& recording, int64_t start_ns, int64_t length_ns, std::string by,
                           int64_t thread = kPid) {
  OffCpuRow& row = add_off_cpu(recording, start_ns, length_ns, OffCpuReason::kPreempted, thread);
  row.next_thread_id = 77;
  row.next_name = std::move(by);
}

inline HostEventRow& add_event(Recording& recording, HostEventKind kind, int64_t start_ns, int64_t length_ns,
                               std::string name = "", int64_t thread = kPid) {
  HostEventRow row;
  row.kind = kind;
  row.name = std::move(name);
  row.t_start_ns = start_ns;
  if (length_ns > 0) {
    row.t_end_ns = start_ns + length_ns;
  }
  row.process_id = kPid;
  row.thread_id = thread;
  recording.collected.rows<HostEventRow>().push_back(row);
  return recording.collected.rows<HostEventRow>().back();
}

inline void add_stack(Recording& recording, int64_t number, std::string kernel, std::string user) {
  StackRow row;
  row.stack = number;
  row.kernel_frames = std::move(kernel);
  row.user_frames = std::move(user);
  recording.collected.rows<StackRow>().push_back(row);
}

// The iteration takes `ns` longer.
inline void slow_down(Recording& recording, int64_t iteration, int64_t ns) {
  recording.iterations[static_cast<size_t>(iteration)].t_end_ns += ns;
}

}  // namespace aaco::test_host
