// SPDX-License-Identifier: MIT
// Events of the CPU backend. What streams and events know of each other lies in EventState, which lives as long as a
// command needs it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "device/cpu/commands/progress.h"
#include "device/device.h"

namespace aaco {

class Capture;

struct EventState {
  std::mutex mutex;
  // The latest record: at a place in a stream, or behind nodes of a capture; neither: never recorded.
  Mark mark;
  std::shared_ptr<Capture> capture;
  std::vector<uint32_t> nodes;
  uint64_t generation = 0;  // counts records
  int64_t time_ns = -1;     // of the latest record; -1 until it is done
  const bool timing;

  explicit EventState(bool with_timing) : timing(with_timing) {}
};

class CpuEvent : public Event {
 public:
  explicit CpuEvent(bool timing) : state_(std::make_shared<EventState>(timing)) {}

  // Errors: of the stream up to the record; kUsage where the latest record is in a captured graph.
  Result<void> synchronize() override;
  const std::shared_ptr<EventState>& state() const { return state_; }

 private:
  std::shared_ptr<EventState> state_;
};

// From one event's latest record to the other's, by the monotonic clock. Errors: kUsage where a record is not done, or
// an event was made without timing.
Result<double> elapsed_ns_between(Event& from, Event& to);

// The event as this backend's. Errors: kUsage.
Result<CpuEvent*> as_cpu_event(Event& event);

}  // namespace aaco
