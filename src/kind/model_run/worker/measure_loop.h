// SPDX-License-Identifier: MIT
// The measured loops: nothing but the work, two clock reads and one stored row per iteration.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "engine/recorder.h"
#include "kind/model_run/request/run_request.h"
#include "model/decoder/token_generator.h"
#include "model/runtime/inference_session.h"

namespace aaco {

struct LoopPlan {
  int64_t warmup = 10;            // a minimum
  bool test_stationarity = true;  // false: exactly `warmup` warm-up iterations
  // A number, or how long: "0.5s" (from 10 iterations on), "auto" (two seconds, from 30 on); at most 100,000.
  std::string iterations = "auto";
  JournalPhase phase = JournalPhase::kMeasure;
};

struct LoopOutcome {
  int64_t warmup_iterations = 0;
  bool stationary = false;
  double first_ns = 0;     // the first iteration
  double warm_ns = 0;      // median of the last ones of warm-up, requests of tokens whole
  int64_t iterations = 0;  // steady ones
  double harness_ns = 0;   // median over at most 2^20 gaps from the end of a steady iteration to the next; 0: no gap
  int64_t t_start_ns = 0;  // of the steady phase, session time
  int64_t t_end_ns = 0;
  int64_t awaited_ns = 0;  // of the steady phase, asleep until a request was due
};

// Called at the two ends of the steady phase, outside any measured interval.
struct SteadyPhase {
  std::function<void()> begins;
  std::function<void()> ends;
};

// Iterates session.run(). Interrupts end the loop early, without an error. Errors: the session's, the journal's.
Result<LoopOutcome> measure_inferences(InferenceSession& session, Recorder& recorder, const LoopPlan& plan,
                                       const SteadyPhase& steady);

// Iterates whole sequences: one prefill, then generated - 1 decode steps (the prefill gives the first token). Times
// include feeding the inputs and choosing the token. The number of sequences is the plan's iterations. Under the
// profiler the decode steps are what is profiled, and prompts, of other shapes, are stored as warm-up.
Result<LoopOutcome> measure_tokens(TokenGenerator& generator, Recorder& recorder, const TokenRequest& tokens,
                                   const LoopPlan& plan, const SteadyPhase& steady);

// How many iterations "auto" means at this latency.
int64_t automatic_iterations(double median_ns);

}  // namespace aaco
