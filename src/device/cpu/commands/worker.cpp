// SPDX-License-Identifier: MIT
#include "device/cpu/commands/worker.h"

#include "base/clock.h"
#include "device/cpu/commands/cpu_event.h"
#include "device/cpu/commands/cpu_graph.h"

namespace aaco {

namespace {

void take_time(const RecordCommand& record) {
  EventState& event = *record.event;
  if (!event.timing) {
    return;
  }
  const int64_t now_ns = monotonic_ns();
  const std::lock_guard lock(event.mutex);
  if (event.generation == record.generation) {
    event.time_ns = now_ns;
  }
}

// Its failure is its stream's, not the next one's.
void wait_for_launch_before(const GraphCommand& graph) {
  if (graph.after.progress != nullptr) {
    graph.after.progress->wait_for(graph.after.sequence);
  }
}

}  // namespace

Worker::Worker(const OpFunctions& ops, ActivityHub& hub, uint32_t device, uint64_t stream)
    : log_(hub), context_{ops, &log_, stream, device}, thread_([this] { serve(); }) {}

Worker::~Worker() {
  queue_.close();
  thread_.join();
}

void Worker::serve() {
  uint64_t sequence = 0;
  while (QueuedCommand* command = queue_.front()) {
    ++sequence;
    if (progress_->failed()) {
      leave_out(*command, progress_->outcome_of(sequence).error());
    } else if (auto outcome = execute(*command); !outcome) {
      progress_->fail(sequence, outcome.error());
    }
    command->work.emplace<std::monostate>();  // what it held is free before anybody is told
    queue_.pop();
    progress_->advance_to(sequence);
  }
}

Result<void> Worker::execute(QueuedCommand& command) {
  if (const auto* task = std::get_if<Task>(&command.work)) {
    return run_task(*task, context_, command.correlation, 0);
  }
  if (const auto* record = std::get_if<RecordCommand>(&command.work)) {
    take_time(*record);
  } else if (const auto* wait = std::get_if<WaitCommand>(&command.work)) {
    return wait_for(wait->mark);
  } else if (const auto* graph = std::get_if<GraphCommand>(&command.work)) {
    wait_for_launch_before(*graph);
    return graph->graph->run(context_, command.correlation);
  } else if (const auto* failure = std::get_if<FailCommand>(&command.work)) {
    return failure->error;
  }
  return {};
}

void Worker::leave_out(QueuedCommand& command, const Error& failure) {
  if (const auto* task = std::get_if<Task>(&command.work)) {
    if (const auto* call = std::get_if<CallTask>(task)) {
      call->call->abandon(failure);
    }
  } else if (const auto* graph = std::get_if<GraphCommand>(&command.work)) {
    wait_for_launch_before(*graph);
    graph->graph->abandon(failure);
  }
}

void WorkerList::add(const Worker& worker) {
  const std::lock_guard lock(mutex_);
  workers_.insert(&worker);
}

void WorkerList::remove(const Worker& worker) {
  const std::lock_guard lock(mutex_);
  workers_.erase(&worker);
}

std::vector<Mark> WorkerList::marks(std::optional<uint32_t> device) const {
  const std::lock_guard lock(mutex_);
  std::vector<Mark> marks;
  for (const Worker* worker : workers_) {
    if (!device || worker->context().device == *device) {
      marks.push_back(worker->mark());
    }
  }
  return marks;
}

}  // namespace aaco
