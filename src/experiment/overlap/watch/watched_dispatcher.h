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
  // `steps`: done before. `watch` must outlive it.
  WatchedDispatcher(std::unique_ptr<Dispatcher> inner, RankWatch& watch, OverlapInjection injection, int64_t steps)
      : inner_(std::move(inner)), watch_(watch), injection_(std::move(injection)), step_(steps) {}

  Result<void> enqueue() override {
    ++step_;
    if (step_ == injection_.step) {
      inject_into_process(injection_);
    }
    watch_.begin_step(step_);
    return inner_->enqueue();
  }

 private:
  std::unique_ptr<Dispatcher> inner_;
  RankWatch& watch_;
  OverlapInjection injection_;
  int64_t step_;
};

}  // namespace aaco
