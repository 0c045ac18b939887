// SPDX-License-Identifier: MIT
#include "device/cpu/commands/cpu_graph.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace aaco {

GraphProgram::GraphProgram(std::vector<LaneNodes> lanes, const std::vector<uint64_t>& streams, ActivityHub& hub)
    : nodes_(std::make_move_iterator(lanes.begin()), std::make_move_iterator(lanes.end())), lanes_(nodes_.size()) {
  try {
    for (size_t i = 1; i < lanes_.size(); ++i) {
      lanes_[i].log.emplace(hub);
      lanes_[i].stream = streams[i - 1];
      lanes_[i].thread = std::thread([this, i] { serve(i); });
    }
  } catch (...) {
    stop();
    throw;
  }
}

GraphProgram::~GraphProgram() { stop(); }

void GraphProgram::stop() {
  stop_ = true;
  started_.advance_to(runs_ + 1);
  for (Lane& lane : lanes_) {
    if (lane.thread.joinable()) {
      lane.thread.join();
    }
  }
}

void GraphProgram::serve(size_t lane) {
  for (uint64_t run = 1;; ++run) {
    started_.wait_for(run);
    if (stop_) {
      return;
    }
    TaskContext context = context_;
    context.log = &*lanes_[lane].log;
    context.stream = lanes_[lane].stream;
    run_lane(lane, run, context);
  }
}

Result<void> GraphProgram::run(const TaskContext& context, uint64_t correlation) {
  ++runs_;
  context_ = context;
  correlation_ = correlation;
  failed_ = false;
  started_.advance_to(runs_);
  if (!nodes_.empty()) {
    run_lane(0, runs_, context);
  }
  for (size_t i = 1; i < lanes_.size(); ++i) {
    lanes_[i].progress.wait_for(runs_ * nodes_[i].size());
  }
  if (failed_) {
    const std::lock_guard lock(mutex_);
    return failure_;
  }
  return {};
}

void GraphProgram::run_lane(size_t lane, uint64_t run, const TaskContext& context) {
  uint64_t done = (run - 1) * nodes_[lane].size();
  for (const LaneNode& node : nodes_[lane]) {
    for (const LaneMark& mark : node.after) {
      lanes_[mark.lane].progress.wait_for((run - 1) * nodes_[mark.lane].size() + mark.nodes);
    }
    if (!failed_.load(std::memory_order_acquire)) {
      if (auto outcome = run_task(node.task, context, correlation_, node.id + 1); !outcome) {
        keep_failure(outcome.error());
      }
    } else if (const auto* call = std::get_if<CallTask>(&node.task)) {
      const std::lock_guard lock(mutex_);
      call->call->abandon(failure_);
    }
    lanes_[lane].progress.advance_to(++done);
  }
}

void GraphProgram::keep_failure(Error error) {
  const std::lock_guard lock(mutex_);
  if (!failed_) {
    failure_ = std::move(error);
    failed_.store(true, std::memory_order_release);
  }
}

void GraphProgram::abandon(const Error& failure) {
  for (const LaneNodes& nodes : nodes_) {
    for (const LaneNode& node : nodes) {
      if (const auto* call = std::get_if<CallTask>(&node.task)) {
        call->call->abandon(failure);
      }
    }
  }
}

int64_t GraphProgram::kernels() const {
  int64_t count = 0;
  for (const LaneNodes& nodes : nodes_) {
    count += std::count_if(nodes.begin(), nodes.end(),
                           [](const LaneNode& node) { return std::holds_alternative<OpTask>(node.task); });
  }
  return count;
}

}  // namespace aaco
