// SPDX-License-Identifier: MIT
// Streams and events.
#include <algorithm>
#include <set>

#include "observer.h"

namespace aaco::hip_double {
namespace {

constexpr int kLeastPriority = 1;
constexpr int kGreatestPriority = -1;

// Under api_mutex().
std::set<ihipStream_t*>& live_streams() {
  static auto* const all = new std::set<ihipStream_t*>;
  return *all;
}
std::set<ihipEvent_t*>& live_events() {
  static auto* const all = new std::set<ihipEvent_t*>;
  return *all;
}

bool live(hipStream_t stream) { return live_streams().contains(stream); }
bool live(hipEvent_t event) { return live_events().contains(event); }

hipError_t failure_of(int device) { return machine().devices[static_cast<size_t>(device)].failure; }

// A wait within a capture: the stream takes part from here on.
hipError_t join_capture(ihipStream_t& stream, const ihipEvent_t& event) {
  if (stream.capture && stream.capture != event.capture) {
    stream.capture->invalid = event.capture->invalid = true;
    return hipErrorStreamCaptureMerge;
  }
  if (!stream.capture) {
    stream.capture = event.capture;
    stream.capture->streams.push_back(&stream);
  }
  for (hipGraphNode* node : event.captured_after) {
    if (std::find(stream.latest.begin(), stream.latest.end(), node) == stream.latest.end()) {
      stream.latest.push_back(node);
    }
  }
  return hipSuccess;
}

}  // namespace

void wait_for_streams(int device) {
  std::vector<ihipStream_t*> waited;
  {
    const std::lock_guard lock(api_mutex());
    for (ihipStream_t* stream : live_streams()) {
      if (device < 0 || stream->device == device) {
        waited.push_back(stream);
      }
    }
  }
  for (ihipStream_t* stream : waited) {
    stream->wait_until_empty();
  }
}

}  // namespace aaco::hip_double

using namespace aaco::hip_double;

extern "C" {

hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  HIP_DOUBLE_CALL();
  *least = kLeastPriority;
  *greatest = kGreatestPriority;
  return hipSuccess;
}

hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned int flags, int priority) {
  HIP_DOUBLE_CALL();
  const std::lock_guard lock(api_mutex());
  *stream = new ihipStream_t(current_device(), std::clamp(priority, kGreatestPriority, kLeastPriority), flags);
  live_streams().insert(*stream);
  return hipSuccess;
}

hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) {
  HIP_DOUBLE_CALL();
  const std::lock_guard lock(api_mutex());
  if (!live(stream)) {
    return returns(hipErrorInvalidHandle);
  }
  *priority = stream->priority;
  return hipSuccess;
}

hipError_t hipStreamDestroy(hipStream_t stream) {
  HIP_DOUBLE_CALL();
  {
    const std::lock_guard lock(api_mutex());
    if (live_streams().erase(stream) == 0) {
      return returns(hipErrorInvalidHandle);
    }
  }
  delete stream;
  return hipSuccess;
}

hipError_t hipStreamSynchronize(hipStream_t stream) {
  const ObservedCall call(__func__, stream);
  HIP_DOUBLE_CALL();
  {
    const std::lock_guard lock(api_mutex());
    if (!live(stream)) {
      return returns(hipErrorInvalidHandle);
    }
    if (stream->capture) {
      stream->capture->invalid = true;
      return returns(hipErrorStreamCaptureUnsupported);
    }
  }
  stream->wait_until_empty();
  return returns(failure_of(stream->device));
}

hipError_t hipStreamQuery(hipStream_t stream) {
  HIP_DOUBLE_CALL();
  const std::lock_guard lock(api_mutex());
  if (!live(stream)) {
    return returns(hipErrorInvalidHandle);
  }
  return returns(stream->empty() ? failure_of(stream->device) : hipErrorNotReady);
}

hipError_t hipDeviceSynchronize() {
  const ObservedCall call(__func__, nullptr);
  HIP_DOUBLE_CALL();
  {
    const std::lock_guard lock(api_mutex());
    if (const hipError_t captured = check_no_capture(); captured != hipSuccess) {
      return returns(captured);
    }
  }
  wait_for_streams(current_device());
  return returns(failure_of(current_device()));
}

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned int flags) {
  HIP_DOUBLE_CALL();
  const std::lock_guard lock(api_mutex());
  *event = new ihipEvent_t;
  (*event)->device = current_device();
  (*event)->flags = flags;
  live_events().insert(*event);
  return hipSuccess;
}

hipError_t hipEventDestroy(hipEvent_t event) {
  HIP_DOUBLE_CALL();
  const std::lock_guard lock(api_mutex());
  if (live_events().erase(event) == 0) {
    return returns(hipErrorInvalidHandle);
  }
  delete event;
  return hipSuccess;
}

// Recorded in a capture, an event means a place in the graph, and no time.
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  HIP_DOUBLE_CALL();
  const std::lock_guard lock(api_mutex());
  if (!live(event) || !live(stream) || event->device != stream->device) {
    return returns(hipErrorInvalidHandle);
  }
  event->capture = stream->capture;
  event->captured_after = stream->latest;
  event->mark.reset();
  if (!stream->capture) {
    event->mark = std::make_shared<Mark>();
    stream->enqueue([mark = event->mark] {
      mark->pass();
      return hipSuccess;
    });
  }
  return returns(failure_of(stream->device));
}

// Of an event that was never recorded: nothing to wait for.
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int /*flags*/) {
  HIP_DOUBLE_CALL();
  const std::lock_guard lock(api_mutex());
  if (!live(event) || !live(stream)) {
    return returns(hipErrorInvalidHandle);
  }
  if (event->capture) {
    return returns(join_capture(*stream, *event));
  }
  if (stream->capture) {
    stream->capture->invalid = true;
    return returns(hipErrorStreamCaptureIsolation);
  }
  if (event->mark) {
    stream->enqueue([mark = event->mark] {
      mark->wait();
      return hipSuccess;
    });
  }
  return returns(failure_of(stream->device));
}

hipError_t hipEventSynchronize(hipEvent_t event) {
  const ObservedCall call(__func__, nullptr);
  HIP_DOUBLE_CALL();
  std::shared_ptr<Mark> mark;
  int device = 0;
  {
    const std::lock_guard lock(api_mutex());
    if (!live(event)) {
      return returns(hipErrorInvalidHandle);
    }
    if (event->capture) {
      event->capture->invalid = true;
      return returns(hipErrorCapturedEvent);
    }
    mark = event->mark;
    device = event->device;
  }
  if (mark) {
    mark->wait();
  }
  return returns(failure_of(device));
}

hipError_t hipEventQuery(hipEvent_t event) {
  HIP_DOUBLE_CALL();
  const std::lock_guard lock(api_mutex());
  if (!live(event)) {
    return returns(hipErrorInvalidHandle);
  }
  return returns(!event->mark || event->mark->passed() ? failure_of(event->device) : hipErrorNotReady);
}

hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop) {
  HIP_DOUBLE_CALL();
  const std::lock_guard lock(api_mutex());
  if (!live(start) || !live(stop) || !start->mark || !stop->mark ||
      ((start->flags | stop->flags) & hipEventDisableTiming) != 0) {
    return returns(hipErrorInvalidHandle);
  }
  if (!start->mark->passed() || !stop->mark->passed()) {
    return returns(hipErrorNotReady);
  }
  *milliseconds = static_cast<float>(static_cast<double>(stop->mark->time_ns() - start->mark->time_ns()) * 1e-6);
  return hipSuccess;
}

}  // extern "C"
