// SPDX-License-Identifier: MIT
#include "kind/model_run/worker/measure_loop.h"

#include <algorithm>
#include <cmath>

#include "base/interrupt.h"
#include "base/statistics.h"
#include "base/text/number_text.h"
#include "engine/warmup.h"
#include "model/registry.h"

namespace aaco {

namespace {

constexpr double kWarmUpLimitNs = 10e9;
constexpr int64_t kFewest = 30;  // of "auto"
constexpr int64_t kFewestSequences = 5;
constexpr int64_t kMost = 100'000;

// As many as fit into the text's seconds, from `fewest` on.
int64_t iterations_in(const std::string& text, double median_ns, int64_t fewest) {
  const double ns = 1e9 * seconds_of_iterations(text).value_or(0);
  return median_ns > 0 ? std::clamp(static_cast<int64_t>(std::ceil(std::min(ns / median_ns, 1e9))), fewest, kMost)
                       : fewest;
}

int64_t iterations_of(const std::string& text, double median_ns) {
  const std::optional<int64_t> number = number_of_text<int64_t>(text);
  if (number) {
    return *number;
  }
  return text == "auto" ? automatic_iterations(median_ns) : iterations_in(text, median_ns, kFewestInSeconds);
}

// The steady phase's ends, and the gaps between its iterations: the first kMostGaps of them, in memory that was touched
// beforehand, because a page fault in the loop would be measured. Of sequences the phase begins with the first prompt,
// and no gap reaches over a prompt.
class SteadySeries {
 public:
  explicit SteadySeries(int64_t iterations) : gaps_(static_cast<size_t>(std::min(iterations, kMostGaps))) {}
  void add(Ticks start, Ticks end) {
    if (follows_ && gap_count_ < gaps_.size()) {
      gaps_[gap_count_++] = static_cast<double>(static_cast<uint64_t>(start) - last_end_);
    }
    take(start, end);
    follows_ = true;
    ++count_;
  }
  void add_prompt(Ticks start, Ticks end) {
    take(start, end);
    follows_ = false;
  }
  void finish(const Recorder& recorder, LoopOutcome& outcome) const {
    if (!began_) {
      return;
    }
    const double scale = recorder.duration_ns(Ticks{0}, Ticks{1'000'000}) / 1e6;
    outcome.iterations = static_cast<int64_t>(count_);
    outcome.harness_ns = gap_count_ == 0 ? 0 : *median(std::span(gaps_).first(gap_count_)) * scale;
    outcome.t_start_ns = recorder.to_ns(first_start_);
    outcome.t_end_ns = recorder.to_ns(Ticks{last_end_});
  }

 private:
  void take(Ticks start, Ticks end) {
    first_start_ = began_ ? first_start_ : start;
    last_end_ = static_cast<uint64_t>(end);
    began_ = true;
  }

  static constexpr int64_t kMostGaps = 1 << 20;
  std::vector<double> gaps_;
  size_t gap_count_ = 0;
  bool began_ = false;
  bool follows_ = false;  // what comes next follows an iteration
  uint64_t last_end_ = 0;
  Ticks first_start_{};
  size_t count_ = 0;
};

// Runs `once(phase)`, which records and returns the iteration's ticks, until warm-up is over.
template <class Once>
Result<double> warm_up(const Recorder& recorder, const LoopPlan& plan, LoopOutcome& outcome, Once once) {
  WarmUp series(plan.warmup, plan.test_stationarity ? kWarmUpLimitNs : 0);
  while (plan.warmup > 0 || plan.test_stationarity) {
    AACO_ASSIGN(const auto ticks, once());
    const double latency_ns = recorder.duration_ns(ticks.first, ticks.second);
    outcome.first_ns = series.iterations() == 0 ? latency_ns : outcome.first_ns;
    if (series.add(latency_ns) || interrupted()) {
      break;
    }
  }
  outcome.warmup_iterations = series.iterations();
  outcome.stationary = series.stationary();
  const auto latencies = std::span(series.latencies_ns());
  outcome.warm_ns = median(latencies.last(std::min<size_t>(latencies.size(), 50))).value_or(0);
  return outcome.warm_ns;
}

}  // namespace

int64_t automatic_iterations(double median_ns) { return iterations_in("auto", median_ns, kFewest); }

Result<LoopOutcome> measure_inferences(InferenceSession& session, Recorder& recorder, const LoopPlan& plan,
                                       const SteadyPhase& steady) {
  LoopOutcome outcome;
  const auto warm_up_once = [&]() -> Result<std::pair<Ticks, Ticks>> {
    const Ticks start = read_ticks();
    const bool done = session.run();
    const Ticks end = read_ticks_after();
    if (!done) {
      return session.failure();
    }
    if (!recorder.add(start, end, JournalPhase::kWarmup)) {
      return recorder.error();
    }
    return std::pair(start, end);
  };
  AACO_ASSIGN(const double warm_ns, warm_up(recorder, plan, outcome, warm_up_once));
  const int64_t count = iterations_of(plan.iterations, warm_ns);
  SteadySeries series(count);
  steady.begins();
  for (int64_t i = 0; i < count; ++i) {
    const Ticks start = read_ticks();
    const bool done = session.run();
    const Ticks end = read_ticks_after();
    if (!done) [[unlikely]] {
      return session.failure();
    }
    if (!recorder.add(start, end, plan.phase)) [[unlikely]] {
      return recorder.error();
    }
    series.add(start, end);
    if (interrupted()) [[unlikely]] {
      break;
    }
  }
  steady.ends();
  series.finish(recorder, outcome);
  return outcome;
}

Result<LoopOutcome> measure_tokens(TokenGenerator& generator, Recorder& recorder, const TokenRequest& tokens,
                                   const LoopPlan& plan, const SteadyPhase& steady) {
  LoopOutcome outcome;
  const bool profiled = plan.phase == JournalPhase::kProfile;
  using Span = std::pair<Ticks, Ticks>;
  const auto timed = [&](auto&& work, JournalPhase phase, int32_t token) -> Result<Span> {
    const Ticks start = read_ticks();
    AACO_TRY(work());
    const Ticks end = read_ticks_after();
    if (!recorder.add(start, end, phase, token)) {
      return recorder.error();
    }
    return Span(start, end);
  };
  const auto sequence = [&](bool measured, SteadySeries* series) -> Result<Span> {
    AACO_ASSIGN(const Span prefill, timed([&] { return generator.prefill(); },
                                          measured && !profiled ? JournalPhase::kPrefill : JournalPhase::kWarmup, -1));
    if (series != nullptr) {
      series->add_prompt(prefill.first, prefill.second);
    }
    Span last = prefill;
    for (int64_t token = 1; token < tokens.generated && !interrupted(); ++token) {
      AACO_ASSIGN(last, timed([&] { return generator.step(); },
                              !measured  ? JournalPhase::kWarmup
                              : profiled ? JournalPhase::kProfile
                                         : JournalPhase::kDecode,
                              static_cast<int32_t>(token)));
      if (series != nullptr) {
        series->add(last.first, last.second);
      }
    }
    return Span(prefill.first, last.second);
  };
  AACO_ASSIGN(const double warm_ns, warm_up(recorder, plan, outcome, [&] { return sequence(false, nullptr); }));
  const int64_t count = seconds_of_iterations(plan.iterations)
                            ? iterations_in(plan.iterations, warm_ns, kFewestSequences)
                            : iterations_of(plan.iterations, warm_ns);
  SteadySeries series(count * std::max<int64_t>(tokens.generated - 1, 1));
  steady.begins();
  for (int64_t i = 0; i < count && !interrupted(); ++i) {
    AACO_TRY(sequence(true, &series));
  }
  steady.ends();
  series.finish(recorder, outcome);
  return outcome;
}

}  // namespace aaco
