// SPDX-License-Identifier: MIT
// Tells a watch of each step before it is enqueued, and is where a fault of the process is injected.
#pragma once

#include <memory>
#include <utility>

#include "experiment/overlap/watch/injection.h"
#include "experiment/overlap/watch/rank_watch.h"
#include "workload/dispatch.h"

namespace aaco {

class WatchedDispatcher : public Dispatcher {
 public:
  // `steps`: done before. `captured`: collectives are not enqueued one by one. `watch` and `stream`, the one that
  // computes, must outlive it.
  WatchedDispatcher(std::unique_ptr<Dispatcher> inner, bool captured, RankWatch& watch, Stream& stream,
                    OverlapInjection injection, int64_t steps)
      : inner_(std::move(inner)),
        captured_(captured),
        watch_(watch),
        stream_(stream),
        injection_(std::move(injection)),
        step_(steps) {}

  Result<void> enqueue() override {
    ++step_;
    if (step_ == injection_.step) {
      inject_into_process(injection_);
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
  std::unique_ptr<Dispatcher> inner_;
  bool captured_;
  RankWatch& watch_;
  Stream& stream_;
  OverlapInjection injection_;
  int64_t step_;
};

}  // namespace aaco
