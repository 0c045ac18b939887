// SPDX-License-Identifier: MIT
// Streams, events and captures of the double. A stream is an in-order queue with a thread of its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "machine.h"

namespace aaco::hip_double {

// Returns why it failed; then its device has failed.
using Work = std::function<hipError_t()>;

// When an event's latest record has been passed. Shared with the streams that wait for it.
class Mark {
 public:
  void pass();
  void wait();
  bool passed();
  int64_t time_ns();  // of the passing

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool passed_ = false;
  int64_t time_ns_ = 0;
};

}  // namespace aaco::hip_double

// The handles of HIP's header.

struct hipGraphNode {
  hipGraphNodeType type = hipGraphNodeTypeEmpty;
  aaco::hip_double::Work work;
  std::vector<hipGraphNode*> after;
};

struct ihipGraph {
  std::vector<std::unique_ptr<hipGraphNode>> nodes;
};

// From hipStreamBeginCapture to hipStreamEndCapture.
struct Capture {
  std::unique_ptr<ihipGraph> graph = std::make_unique<ihipGraph>();
  ihipStream_t* origin = nullptr;
  std::vector<ihipStream_t*> streams;
  hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
  std::thread::id thread;
  bool invalid = false;
};

struct ihipStream_t {
  ihipStream_t(int on_device, int with_priority, unsigned with_flags);
  ihipStream_t(const ihipStream_t&) = delete;
  ihipStream_t& operator=(const ihipStream_t&) = delete;
  ~ihipStream_t();  // when all is done

  void enqueue(aaco::hip_double::Work work);
  void wait_until_empty();
  bool empty();

  const int device;
  const int priority;
  const unsigned flags;
  std::shared_ptr<Capture> capture;   // that it takes part in
  std::vector<hipGraphNode*> latest;  // of the capture: what comes next on this stream comes after these

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<aaco::hip_double::Work> queue_;
  bool busy_ = false;
  bool ending_ = false;
  std::thread worker_;
};

struct ihipEvent_t {
  int device = 0;
  unsigned flags = 0;
  std::shared_ptr<aaco::hip_double::Mark> mark;  // of the latest record
  std::shared_ptr<Capture> capture;              // where that was captured
  std::vector<hipGraphNode*> captured_after;
};

namespace aaco::hip_double {

// Of the live handles and their captures; not of what streams run.
std::mutex& api_mutex();

// Runs `work` on the stream unless its device has failed by then; keeps it where the stream is captured. Under
// api_mutex().
hipError_t submit(ihipStream_t& stream, hipGraphNodeType type, Work work);

// Adds a node behind the stream's latest.
void add_node(ihipStream_t& stream, hipGraphNodeType type, Work work);

// Of the calling thread.
hipStreamCaptureMode& capture_mode();
// For calls that may not be made while something is captured: marks the captures as failed. Under api_mutex().
hipError_t check_no_capture();

// Of every device, or of one.
void wait_for_streams(int device = -1);

void add_capture(const std::shared_ptr<Capture>& capture);
void end_capture(Capture& capture);

}  // namespace aaco::hip_double
