// SPDX-License-Identifier: MIT
// Tells a watch of each step before it is enqueued, and is where a fault of the process is injected.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "kind/sharded/watch/injection.h"
#include "kind/sharded/watch/rank_watch.h"
#include "workload/dispatch.h"

namespace aaco {

class WatchedDispatcher : public Dispatcher {
 public:
  using MakeDispatcher = std::function<Result<std::unique_ptr<Dispatcher>>()>;

  // `steps`: done before. `captured`: collectives are not enqueued one by one. `watch` and `stream`, the one that
  // computes, must outlive it. `from_fault`: makes what dispatches from the step with the fault on, one by one; empty:
  // nothing changes.
  WatchedDispatcher(std::unique_ptr<Dispatcher> inner, bool captured, RankWatch& watch, Stream& stream,
                    ShardedInjection injection, int64_t steps, MakeDispatcher from_fault = {})
      : inner_(std::move(inner)),
        captured_(captured),
        watch_(watch),
        stream_(stream),
        injection_(std::move(injection)),
        from_fault_(std::move(from_fault)),
        step_(steps) {}

  Result<void> enqueue() override {
    ++step_;
    if (step_ == injection_.step) {
      inject_into_process(injection_);
      AACO_TRY(leave_capture());
    }
    watch_.begin_step(step_);
    if (step_ == injection_.step) {
      inject_into_stream(stream_, injection_);
    }
    AACO_TRY(inner_->enqueue());
    captured_ ? watch_.launched_whole_step() : watch_.enqueued_whole_step();
    return {};
  }

 private:
  // Batches are loaded by one dispatcher at a time.
  Result<void> leave_capture() {
    if (from_fault_) {
      inner_.reset();
      AACO_ASSIGN(inner_, from_fault_());
      captured_ = false;
    }
    return {};
  }

  std::unique_ptr<Dispatcher> inner_;
  bool captured_;
  RankWatch& watch_;
  Stream& stream_;
  ShardedInjection injection_;
  MakeDispatcher from_fault_;
  int64_t step_;
};

}  // namespace aaco
