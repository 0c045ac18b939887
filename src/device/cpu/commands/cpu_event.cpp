// SPDX-License-Identifier: MIT
#include "device/cpu/commands/cpu_event.h"

namespace aaco {

namespace {

Result<int64_t> time_of(Event& event) {
  AACO_ASSIGN(CpuEvent* const own, as_cpu_event(event));
  EventState& state = *own->state();
  if (!state.timing) {
    return Error{ErrorKind::kUsage, "the event was made without timing", "make it with timing"};
  }
  const std::lock_guard lock(state.mutex);
  if (state.time_ns < 0) {
    return Error{ErrorKind::kUsage, "the event's latest record is not done", "record and synchronize the event first"};
  }
  return state.time_ns;
}

}  // namespace

Result<CpuEvent*> as_cpu_event(Event& event) {
  auto* own = dynamic_cast<CpuEvent*>(&event);
  if (own == nullptr) {
    return Error{ErrorKind::kUsage, "an event of another backend was given to a CPU stream",
                 "use events of a CPU device with its streams"};
  }
  return own;
}

Result<void> CpuEvent::synchronize() {
  Mark mark;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->capture != nullptr) {
      return Error{ErrorKind::kUsage, "the event's latest record is part of a captured graph",
                   "synchronize the stream that launches the graph"};
    }
    mark = state_->mark;
  }
  return wait_for(mark);
}

Result<double> elapsed_ns_between(Event& from, Event& to) {
  AACO_ASSIGN(const int64_t start, time_of(from));
  AACO_ASSIGN(const int64_t end, time_of(to));
  return static_cast<double>(end - start);
}

}  // namespace aaco
