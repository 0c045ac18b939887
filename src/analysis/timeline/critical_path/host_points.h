// SPDX-License-Identifier: MIT
// The moments of host threads that the critical path can go through: where a thread's work begins and ends, where it
// launched, where it had waited for the device, and where it handed over to another thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/timeline/critical_path/device_waits.h"
#include "analysis/timeline/critical_path/thread_handoffs.h"
#include "analysis/timeline/host_timeline.h"

namespace aaco {

// By track and time, no two equal; 16 bytes each.
class HostPoints {
 public:
  // `host` is of kHostKinds.
  HostPoints(const EventTable& events, const HostTimeline& host, std::span<const DeviceWork> devices,
             const DeviceWaits& waits, std::span<const ThreadHandoff> handoffs);

  uint32_t size() const { return static_cast<uint32_t>(time_ns_.size()); }
  HostPoint operator[](uint32_t point) const { return {track(point), time_ns_[point]}; }
  int64_t time_ns(uint32_t point) const { return time_ns_[point]; }
  uint32_t track(uint32_t point) const;
  uint32_t find(const HostPoint& point) const;  // which must be one of them

  bool is_first(uint32_t point) const { return worked_ns_[point] == kFirst; }  // of its track
  // How long the thread was, since the point before, in operators and calls, but those that wait or may sleep.
  int64_t worked_ns(uint32_t point) const { return worked_ns_[point]; }
  void forget_work() { worked_ns_ = std::vector<int64_t>(); }  // neither of the two can be asked for after that

 private:
  static constexpr int64_t kFirst = -1;

  void add_work(const EventTable& events, const HostTimeline& host);

  std::vector<int64_t> time_ns_;
  std::vector<uint32_t> ends_;  // by track
  std::vector<int64_t> worked_ns_;
};

}  // namespace aaco
