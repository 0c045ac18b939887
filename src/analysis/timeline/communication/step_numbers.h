// SPDX-License-Identifier: MIT
// Steps as PyTorch's profiler numbers them ("ProfilerStep#7").
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "record/events/event_table.h"
#include "record/intervals.h"

namespace aaco {

class StepNumbers {
 public:
  explicit StepNumbers(const EventTable& events) : events_(events) {}

  // Of the step of its rank in which the call began, on whatever thread; kNoId outside of steps. The first call looks
  // through all events.
  int64_t step(size_t call);

 private:
  struct Step {
    Span span;
    int64_t number = kNoId;
  };
  using Key = std::pair<uint32_t, int64_t>;  // recording and rank

  Key key_of(size_t event) const;
  void find_steps();

  const EventTable& events_;
  bool is_searched_ = false;
  std::map<Key, std::vector<Step>> steps_;  // by start
};

}  // namespace aaco
