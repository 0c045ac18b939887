// SPDX-License-Identifier: MIT
// A gate in front of streams: what is enqueued behind it begins when the host says so.
//
// One kernel on a stream of its own waits for a flag of the host; the others wait for its event. Whatever hardware
// queue the streams share, nothing locks up: each wait is for work that was enqueued earlier, and the gate itself waits
// for the host alone. The host must not block before it opens the gate, as it would where it enqueues more than the
// device's queues hold: then the gate opens by itself after `timeout_ns`, and says so.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device/device.h"

namespace aaco {

class Gate {
 public:
  static Result<std::unique_ptr<Gate>> make(Device& device, int64_t timeout_ns);
  // Opens, and waits for the device: the gate's memory must not go before its kernel has ended.
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // Closed until open(); what is enqueued on `streams` from now on waits.
  void close(std::span<const std::unique_ptr<Stream>> streams);
  void open();
  // Of the latest round, after its work is done.
  bool timed_out() const;
  // The stream of the gate itself.
  Stream& stream() { return *stream_; }

 private:
  Gate(Device& device, int64_t timeout_ns) : device_(device), timeout_ns_(timeout_ns) {}
  uint32_t* flag() const { return static_cast<uint32_t*>(flags_->data()); }

  Device& device_;
  int64_t timeout_ns_;
  std::unique_ptr<Buffer> flags_;  // the flag; whether it timed out
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<Event> opened_;
};

// As many streams of one priority.
Result<std::vector<std::unique_ptr<Stream>>> make_streams(Device& device, int32_t count, int priority);

}  // namespace aaco
