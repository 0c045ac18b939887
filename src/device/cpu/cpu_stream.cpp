// SPDX-License-Identifier: MIT
#include "device/cpu/cpu_stream.h"

#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

#include "base/clock.h"
#include "base/process/limit_error.h"

namespace aaco {

CpuStream::CpuStream(CpuShared& shared, uint32_t device)
    : shared_(shared), worker_(shared.ops, shared.activity, device, shared.next_stream++) {
  shared_.workers.add(worker_);
}

CpuStream::~CpuStream() {
  if (const CapturePosition* position = capturing(); position != nullptr && position->origin) {
    (void)position->capture->finish({}, shared_.ops);  // nobody is left to take it
    shared_.capturing = false;
  }
  shared_.workers.remove(worker_);
}

CapturePosition* CpuStream::capturing() {
  if (position_ && !position_->capture->active()) {
    position_.reset();
  }
  return position_ ? &*position_ : nullptr;
}

template <class Work, class... Values>
void CpuStream::enqueue(const char* called, Values&&... values) {
  if (!worker_.log().wanted()) {
    worker_.push<Work>(kNoCorrelation, std::forward<Values>(values)...);
    return;
  }
  ActivityRecord record;
  record.kind = ActivityKind::kLaunchCall;
  record.correlation = shared_.activity.next_correlation();
  record.stream = static_cast<uint64_t>(gettid());
  record.device = worker_.context().device;
  record.start_ns = monotonic_ns();
  worker_.push<Work>(record.correlation, std::forward<Values>(values)...);
  record.end_ns = monotonic_ns();
  worker_.log().append(record, called);
}

template <class Kind, class... Values>
void CpuStream::task(const char* called, Values&&... values) {
  if (CapturePosition* position = capturing()) {
    const uint32_t node = position->capture->add(
        position->lane, Task(std::in_place_type<Kind>, std::forward<Values>(values)...), std::move(position->last));
    position->last = {node};
    return;
  }
  enqueue<Task>(called, std::in_place_type<Kind>, std::forward<Values>(values)...);
}

void CpuStream::launch(OpId op, const void* args) { task<OpTask>("launch", op, args, shared_.ops.size_of_args(op)); }

void CpuStream::copy(void* to, const void* from, size_t bytes) {
  task<CopyTask>("launch_copy", CopyTask{to, from, bytes});
}

void CpuStream::set(void* to, int value, size_t bytes) { task<SetTask>("launch_set", SetTask{to, value, bytes}); }

void CpuStream::call(std::shared_ptr<StreamCall> call) { task<CallTask>("launch_call", CallTask{std::move(call)}); }

void CpuStream::fail(Error error) {
  if (const CapturePosition* position = capturing()) {
    position->capture->fail(std::move(error));
    return;
  }
  worker_.push<FailCommand>(kNoCorrelation, FailCommand{std::move(error)});
}

void CpuStream::record(Event& event) {
  const Result<CpuEvent*> own = as_cpu_event(event);
  if (!own) {
    fail(own.error());
    return;
  }
  const std::shared_ptr<EventState>& state = (*own)->state();
  const CapturePosition* position = capturing();
  uint64_t generation = 0;
  {
    const std::lock_guard lock(state->mutex);
    state->capture = position != nullptr ? position->capture : nullptr;
    state->nodes = position != nullptr ? position->last : std::vector<uint32_t>{};
    state->mark = position != nullptr ? Mark{} : worker_.next_mark();
    state->time_ns = -1;
    generation = ++state->generation;
  }
  if (position == nullptr) {
    worker_.push<RecordCommand>(kNoCorrelation, RecordCommand{state, generation});
  }
}

void CpuStream::wait(Event& event) {
  const Result<CpuEvent*> own = as_cpu_event(event);
  if (!own) {
    fail(own.error());
    return;
  }
  Mark mark;
  std::shared_ptr<Capture> capture;
  std::vector<uint32_t> nodes;
  {
    EventState& state = *(*own)->state();
    const std::lock_guard lock(state.mutex);
    mark = state.mark;
    capture = state.capture;
    nodes = state.nodes;
  }
  if (capture != nullptr) {
    wait_for_captured(capture, nodes);
  } else if (mark.progress == nullptr) {
    return;  // never recorded
  } else if (capturing() != nullptr) {
    fail({ErrorKind::kUsage, "a captured stream waits for an event that was recorded outside the capture",
          "record the event in the capture, or wait before it begins"});
  } else if (mark.progress != worker_.mark().progress) {  // the stream's own past needs no wait
    worker_.push<WaitCommand>(kNoCorrelation, WaitCommand{std::move(mark)});
  }
}

void CpuStream::wait_for_captured(const std::shared_ptr<Capture>& capture, const std::vector<uint32_t>& nodes) {
  CapturePosition* position = capturing();
  if (!capture->active() || (position != nullptr && position->capture != capture)) {
    fail({ErrorKind::kUsage, "a stream waits for an event whose latest record is part of another, captured graph",
          "record the event again, outside of the capture"});
    return;
  }
  if (position == nullptr) {
    position_ = CapturePosition{capture, capture->add_lane(), {}, false};
    position = &*position_;
  }
  position->last.insert(position->last.end(), nodes.begin(), nodes.end());
}

void CpuStream::launch(Graph& graph) {
  auto* own = dynamic_cast<CpuGraph*>(&graph);
  if (own == nullptr) {
    fail({ErrorKind::kUsage, "a graph of another backend was given to a CPU stream", "capture it on a CPU stream"});
    return;
  }
  const std::shared_ptr<GraphProgram>& program = own->program();
  if (CapturePosition* position = capturing()) {
    position->last = position->capture->add_graph(position->lane, *program, position->last);
    return;
  }
  const std::lock_guard lock(program->launch_mutex);
  Mark before = std::exchange(program->last_launch, worker_.next_mark());
  enqueue<GraphCommand>("launch_graph", GraphCommand{program, std::move(before)});
}

void CpuStream::begin_capture() {
  if (shared_.capturing.exchange(true)) {
    Error error{ErrorKind::kUsage, "a capture began while another one was under way", "end that capture first"};
    if (const CapturePosition* position = capturing()) {
      position->capture->fail(std::move(error));
    } else {
      no_capture_ = std::move(error);
    }
    return;
  }
  position_ = CapturePosition{std::make_shared<Capture>(), 0, {}, true};
}

Result<std::unique_ptr<Graph>> CpuStream::end_capture() {
  const CapturePosition* position = capturing();
  if (position == nullptr || !position->origin) {
    if (no_capture_) {
      const Error error = *std::exchange(no_capture_, std::nullopt);
      return error;
    }
    return Error{ErrorKind::kUsage, "a capture ended on a stream where none began",
                 "end it on the stream that it began on"};
  }
  auto lanes = position->capture->finish(position->last, shared_.ops);
  position_.reset();
  shared_.capturing = false;
  if (!lanes) {
    return lanes.error();
  }
  return make_graph(std::move(lanes).value());
}

Result<std::unique_ptr<Graph>> CpuStream::make_graph(std::vector<LaneNodes> lanes) {
  std::vector<uint64_t> streams;
  for (size_t i = 1; i < lanes.size(); ++i) {
    streams.push_back(shared_.next_stream++);
  }
  const size_t threads = streams.size();
  try {
    return std::unique_ptr<Graph>(
        std::make_unique<CpuGraph>(std::make_shared<GraphProgram>(std::move(lanes), streams, shared_.activity)));
  } catch (const std::system_error& failure) {
    return Error{ErrorKind::kResource,
                 fmt::format("a graph of {} branches: {}", threads + 1,
                             limit_error("start a thread", failure.code().value()).message),
                 "use fewer streams, or raise the limit of threads (ulimit -u)"};
  }
}

Result<void> CpuStream::synchronize() {
  if (const CapturePosition* position = capturing()) {
    Error error{ErrorKind::kUsage, "a stream was synchronized while it was captured", "end the capture first"};
    position->capture->fail(error);
    return error;
  }
  return wait_for(worker_.mark());
}

}  // namespace aaco
