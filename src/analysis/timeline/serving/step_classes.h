// SPDX-License-Identifier: MIT
// The steps of a serving engine, taken together by class.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/timeline/serving/engine_step.h"

namespace aaco {

// Of the steps of one class on one device.
struct StepClassSummary {
  uint32_t recording = 0;
  int64_t rank = kNoId;
  int64_t device = kNoId;
  StepClass step_class = StepClass::kUnknown;
  uint64_t steps = 0;
  int64_t median_ns = 0;          // of whole(): the lower of the two middle ones of an even count
  std::optional<int64_t> p99_ns;  // the smallest that at least 99 of 100 do not exceed; from 299 steps on
  uint64_t replayed = 0;          // steps that replay a graph
  uint64_t kernels = 0;
  uint64_t launches = 0;
  int64_t ran_ns = 0;                   // while at least one of them ran: the union of whole()
  std::optional<int64_t> requests;      // in all steps; null where one does not say
  std::optional<int64_t> tokens;        // the same
  std::optional<double> tokens_per_s;   // tokens over ran_ns
  int64_t work_ns = 0;                  // from the first start to the last end on the device, summed
  int64_t idle_ns = 0;                  // of the device, within that
  int64_t idle_before_ns = 0;           // from the step before
  int64_t host_held_ns = 0;             // of idle_ns
  std::optional<IdleCause> main_cause;  // of most of both
};

// By recording, rank, device and class.
std::vector<StepClassSummary> summarise_step_classes(std::span<const EngineStep> steps);

}  // namespace aaco
