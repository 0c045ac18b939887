// SPDX-License-Identifier: MIT
// When each kernel of a real workload could have begun, from the activity records of its device.
//
//   ready = max(end of the launching call, end of the work before on the same stream, ends of the work that it waits
//               for through events)     ns
//
// Copies and memory sets are work of their stream, but are not listed. Streams run in order.
// What it does not tell: waits that nobody recorded. A kernel that waits for one looks ready too early.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/events/event_table.h"

namespace aaco {

// The work `waiter` began only after the work `producer`, through an event. By correlation; kNoId as the producer: it
// waited for work that nobody knows.
struct EventDependency {
  int64_t waiter = kNoId;
  int64_t producer = kNoId;
};

// What one process recorded.
struct ActivityRun {
  std::shared_ptr<const EventTable> events;  // slices of its devices and calls; of others nothing is read
  std::vector<EventDependency> waits;
  // Why it is not known of some work what it waited for (`waits` names such work too, without a producer). Empty:
  // known.
  std::string unresolved;
  // When the host began to enqueue again after it had waited for all streams; empty: it did not wait.
  std::vector<int64_t> round_starts_ns;
};

struct ReadyKernel {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  uint64_t stream = 0;
  uint32_t device = 0;
  // None: the launching call is not recorded, the kernel is a graph's node (whose dependencies only the graph knows),
  // or an event's producer is not resolved.
  std::optional<int64_t> ready_ns;
  std::optional<int64_t> launch_end_ns;    // of a kernel outside graphs
  std::optional<int64_t> previous_end_ns;  // of the work before on its stream
  int64_t correlation = kNoId;
  std::vector<int64_t> producers;  // correlations of the work that it waits for
  bool unresolved = false;         // of one of them it is not known when it ended
};

// Kernels by device and start; the order of the records does not matter.
std::vector<ReadyKernel> ready_kernels(const ActivityRun& run);

// Why no figure of waiting can be made of these processes: records were lost, or end before they begin. Empty: it can.
std::string activity_problem(std::span<const ActivityRun> processes);

// Why figures that need to know when kernels were ready have no data. Empty: they can have.
std::string readiness_problem(std::span<const ActivityRun> processes);

}  // namespace aaco
