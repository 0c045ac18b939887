// SPDX-License-Identifier: MIT
#include "kind/model_run/worker/load_loop.h"

#include <algorithm>
#include <ctime>
#include <immintrin.h>
#include <sys/prctl.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/text/number_text.h"
#include "kind/model_run/load/load_request.h"
#include "model/registry.h"

namespace aaco {

namespace {

// Sleeps, and spins over what a sleep may be late by. False where it was interrupted. Adds to `asleep_ns` what it
// slept, but not what the kernel woke it too late by: then it waited for a processor.
bool wait_until(int64_t time_ns, int64_t& asleep_ns) {
  constexpr int64_t kSpinNs = 200'000;
  constexpr int64_t kLongestSleepNs = 500'000'000;  // an interrupt that comes just before a sleep does not end it
  for (int64_t left_ns = time_ns - monotonic_ns(); left_ns > 0; left_ns = time_ns - monotonic_ns()) {
    if (interrupted()) {
      return false;
    }
    if (left_ns > kSpinNs) {
      const timespec sleep{0, std::min(left_ns - kSpinNs, kLongestSleepNs)};
      const int64_t before_ns = monotonic_ns();
      static_cast<void>(::nanosleep(&sleep, nullptr));  // a signal ends it early: the loop looks again
      asleep_ns += std::min<int64_t>(monotonic_ns() - before_ns, sleep.tv_nsec);
    } else {
      _mm_pause();
    }
  }
  return !interrupted();
}

}  // namespace

Result<LoopOutcome> measure_load(const LoadPlan& plan, const ServeRequest& serve, const SteadyPhase& steady,
                                 RowJournalWriter<RequestRow>& requests) {
  const std::optional<int64_t> number = number_of_text<int64_t>(plan.requests);
  const double seconds = plan.requests == "auto" ? kAutomaticArrivalsS
                                                 : seconds_of_iterations(plan.requests).value_or(kAutomaticArrivalsS);
  const std::vector<int64_t> arrivals = arrival_times(
      plan.load, plan.seed, plan.process, number ? *number : automatic_requests(plan.load, plan.service_ns, seconds));
  LoopOutcome outcome;
  // By default the kernel ends a sleep up to 50 us late, which would count as time off the processor.
  static_cast<void>(::prctl(PR_SET_TIMERSLACK, 1UL));
  steady.begins();
  outcome.t_start_ns = monotonic_ns();
  for (const int64_t offset_ns : arrivals) {
    RequestRow row;
    row.process = plan.process;
    row.request = outcome.iterations;
    row.t_arrival_ns = outcome.t_start_ns + offset_ns;
    if (!wait_until(row.t_arrival_ns, outcome.awaited_ns)) {
      break;
    }
    row.t_start_ns = monotonic_ns();
    AACO_ASSIGN(const ServedRequest served, serve());
    row.t_end_ns = monotonic_ns();
    if (interrupted()) {
      break;  // it may have been cut short
    }
    row.t_first_token_ns = served.first_token_ns;
    row.tokens = served.tokens;
    if (!requests.append(row)) {
      return requests.close().error();
    }
    ++outcome.iterations;
    outcome.t_end_ns = row.t_end_ns;
  }
  steady.ends();
  return outcome;
}

ServeRequest serve_inference(InferenceSession& session, Recorder& recorder) {
  return [&]() -> Result<ServedRequest> {
    const Ticks start = read_ticks();
    const bool done = session.run();
    const Ticks end = read_ticks_after();
    if (!done) {
      return session.failure();
    }
    if (!recorder.add(start, end, JournalPhase::kMeasure)) {
      return recorder.error();
    }
    return ServedRequest();
  };
}

ServeRequest serve_tokens(TokenGenerator& generator, Recorder& recorder, const TokenRequest& tokens) {
  return [&]() -> Result<ServedRequest> {
    ServedRequest served;
    Ticks start = read_ticks();
    AACO_TRY(generator.prefill());
    if (!recorder.add(start, read_ticks_after(), JournalPhase::kPrefill)) {
      return recorder.error();
    }
    served.first_token_ns = monotonic_ns();
    served.tokens = 1;
    for (int64_t token = 1; token < tokens.generated && !interrupted(); ++token) {
      start = read_ticks();
      AACO_TRY(generator.step());
      if (!recorder.add(start, read_ticks_after(), JournalPhase::kDecode, static_cast<int32_t>(token))) {
        return recorder.error();
      }
      served.tokens = token + 1;
    }
    return served;
  };
}

}  // namespace aaco
