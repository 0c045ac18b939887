// SPDX-License-Identifier: MIT
#include "queue.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "observer.h"

namespace aaco::hip_double {
namespace {

std::vector<std::shared_ptr<Capture>> captures;  // under api_mutex()

}  // namespace

void Mark::pass() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::lock_guard lock(mutex_);
  passed_ = true;
  time_ns_ = static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
  changed_.notify_all();
}

void Mark::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return passed_; });
}

bool Mark::passed() {
  const std::lock_guard lock(mutex_);
  return passed_;
}

int64_t Mark::time_ns() {
  const std::lock_guard lock(mutex_);
  return time_ns_;
}

std::mutex& api_mutex() {
  static std::mutex mutex;
  return mutex;
}

void add_node(ihipStream_t& stream, hipGraphNodeType type, Work work) {
  auto& nodes = stream.capture->graph->nodes;
  nodes.push_back(std::make_unique<hipGraphNode>(hipGraphNode{type, std::move(work), stream.latest}));
  stream.latest = {nodes.back().get()};
}

hipError_t submit(ihipStream_t& stream, hipGraphNodeType type, Work work) {
  if (stream.capture) {
    if (stream.capture->invalid) {
      return hipErrorStreamCaptureInvalidated;
    }
    add_node(stream, type, std::move(work));
    return hipSuccess;
  }
  const auto& failure = machine().devices[static_cast<size_t>(stream.device)].failure;
  const hipError_t failed = failure;
  if (failed == hipSuccess) {
    stream.enqueue(
        correlated([&failure, work = std::move(work)] { return failure == hipSuccess ? work() : hipSuccess; }));
  }
  return failed;
}

hipStreamCaptureMode& capture_mode() {
  thread_local hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
  return mode;
}

hipError_t check_no_capture() {
  if (capture_mode() == hipStreamCaptureModeRelaxed) {
    return hipSuccess;
  }
  hipError_t status = hipSuccess;
  for (const auto& capture : captures) {
    const bool mine = capture->thread == std::this_thread::get_id();
    if (capture->mode == hipStreamCaptureModeGlobal || (capture->mode == hipStreamCaptureModeThreadLocal && mine)) {
      capture->invalid = true;
      status = hipErrorStreamCaptureUnsupported;
    }
  }
  return status;
}

void add_capture(const std::shared_ptr<Capture>& capture) { captures.push_back(capture); }

void end_capture(Capture& capture) {
  for (ihipStream_t* stream : capture.streams) {
    stream->latest.clear();
    stream->capture.reset();  // the caller and the list hold it
  }
  std::erase_if(captures, [&](const auto& other) { return other.get() == &capture; });
}

}  // namespace aaco::hip_double

ihipStream_t::ihipStream_t(int on_device, int with_priority, unsigned with_flags)
    : device(on_device), priority(with_priority), flags(with_flags), worker_([this] { run(); }) {}

ihipStream_t::~ihipStream_t() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  worker_.join();
}

void ihipStream_t::enqueue(aaco::hip_double::Work work) {
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(work));
  changed_.notify_all();
}

void ihipStream_t::wait_until_empty() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return queue_.empty() && !busy_; });
}

bool ihipStream_t::empty() {
  const std::lock_guard lock(mutex_);
  return queue_.empty() && !busy_;
}

void ihipStream_t::run() {
  auto& failure = aaco::hip_double::machine().devices[static_cast<size_t>(device)].failure;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return !queue_.empty() || ending_; });
    if (queue_.empty()) {
      return;
    }
    const aaco::hip_double::Work work = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    const hipError_t status = work();
    if (hipError_t none = hipSuccess; status != hipSuccess) {
      failure.compare_exchange_strong(none, status);
    }
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}
