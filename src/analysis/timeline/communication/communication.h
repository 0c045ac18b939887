// SPDX-License-Identifier: MIT
// What a device communicated: per collective its size and time, the part of it that no computation hid (exposed), and
// the part of that in which computation stood launched and had to wait for it (blocking), where the trace proves that
// it did.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "analysis/timeline/communication/collective_arguments.h"
#include "analysis/timeline/communication/step_numbers.h"
#include "analysis/timeline/device_work.h"
#include "analysis/timeline/stream_dependencies.h"
#include "base/memory/growing_array.h"
#include "record/events/event_row.h"
#include "record/intervals.h"

namespace aaco {

struct CollectiveKernel {
  EventRow event = 0;
  uint32_t kind = 0;    // index of Communication::kinds
  uint32_t device = 0;  // in the order of device_work()
  int64_t exposed_ns = 0;
  int64_t blocking_ns = kNoId;  // kNoId: no computation is proved to depend on it
  int64_t sequence = kNoId;     // its number in the process group, where that is recorded
  int64_t step = kNoId;         // number of the step that launched it
};

struct Communication {
  std::vector<CollectiveKind> kinds;
  GrowingArray<CollectiveKernel> kernels;  // of all devices, by device and start
};

class CommunicationFinder {
 public:
  explicit CommunicationFinder(const EventTable& events) : events_(events), arguments_(events), steps_(events) {}

  // The next device's; `exposed` is its exposed communication, `order` what stream_order() gives, of all streams.
  void add(const DeviceWork& work, const SpanSet& exposed, const StreamDependencies& dependencies,
           std::span<const uint32_t> order);
  Communication finish() { return std::move(found_); }

 private:
  uint32_t number_of(const CollectiveKind& kind);

  const EventTable& events_;
  CollectiveArguments arguments_;
  StepNumbers steps_;
  uint32_t devices_ = 0;
  std::map<CollectiveKind, uint32_t> kinds_;
  Communication found_;
};

// Of one kind on one device.
struct CollectiveStatistics {
  uint32_t kind = 0;
  uint64_t count = 0;
  std::optional<int64_t> bytes;  // nccl-tests' size of one
  int64_t total_ns = 0;
  int64_t median_ns = 0;  // the lower of the two middle ones of an even count
  int64_t exposed_ns = 0;
  uint64_t proved = 0;      // of which a computation is proved to depend
  int64_t blocking_ns = 0;  // of those
  // Bytes in a nanosecond, which is GB/s, of the median; a kernel's time includes that in which it waits for other
  // ranks.
  std::optional<double> algorithm_bandwidth;
  std::optional<double> bus_bandwidth;
};

// Of the collectives of one device, longest total first.
std::vector<CollectiveStatistics> collective_statistics(const EventTable& events, const Communication& communication,
                                                        uint32_t device);

}  // namespace aaco
