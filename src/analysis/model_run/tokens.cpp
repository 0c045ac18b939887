// SPDX-License-Identifier: MIT
#include "analysis/model_run/tokens.h"

#include <algorithm>
#include <map>

#include "analysis/model_run/latency.h"
#include "analysis/model_run/profile/profile_view.h"

namespace aaco {

namespace {

using ByProcess = std::map<int64_t, std::vector<double>>;

struct TokenTimes {
  ByProcess prefill_ns;
  ByProcess between_tokens_ns;
};

TokenTimes token_times(const Recording& recording) {
  std::map<int64_t, std::vector<const IterationRow*>> steps;
  for (const IterationRow& row : recording.iterations) {
    if ((row.phase == IterationPhase::kPrefill || row.phase == IterationPhase::kDecode) &&
        is_plausible(row.t_start_ns, row.t_end_ns) && row.t_end_ns > row.t_start_ns) {
      steps[row.process].push_back(&row);
    }
  }
  TokenTimes times;
  for (auto& [process, rows] : steps) {
    std::sort(rows.begin(), rows.end(),
              [](const IterationRow* a, const IterationRow* b) { return a->iter_idx < b->iter_idx; });
    const IterationRow* previous = nullptr;
    for (const IterationRow* row : rows) {
      if (row->phase == IterationPhase::kPrefill) {
        times.prefill_ns[process].push_back(static_cast<double>(row->t_end_ns - row->t_start_ns));
      } else if (previous != nullptr && row->iter_idx == previous->iter_idx + 1 && row->t_end_ns > previous->t_end_ns) {
        times.between_tokens_ns[process].push_back(static_cast<double>(row->t_end_ns - previous->t_end_ns));
      }
      previous = row;
    }
  }
  return times;
}

// Tokens per second of each process (tokens over the summed times), then over processes.
MetricValue rate(const char* id, const ByProcess& times, double tokens_per_step) {
  std::vector<double> rates;
  for (const auto& [process, values] : times) {
    rates.push_back(tokens_per_step * 1e9 / *mean(values));
  }
  const auto estimate = estimate_over_processes(rates);
  return estimate ? measured(id, estimate->value, estimate->interval) : no_data(id, "the batch is not positive");
}

}  // namespace

std::vector<MetricValue> token_metrics(const Recording& recording) {
  const TokenTimes times = token_times(recording);
  const std::string missing =
      recording.facts.prompt_tokens == 0 ? "not a token run (--tokens P,G)" : "no such step was recorded";
  const auto batch = static_cast<double>(recording.facts.batch);
  std::vector<MetricValue> metrics;
  if (times.prefill_ns.empty()) {
    metrics.push_back(no_data("ttft", missing));
  } else {
    const LatencySummary prefill = summarize_latency(IterationPhase::kPrefill, times.prefill_ns);
    metrics.push_back(measured("ttft", prefill.p50_ns.value, prefill.p50_ns.interval));
  }
  if (times.between_tokens_ns.empty()) {
    for (const char* id : {"itl_p50", "itl_p95", "itl_p99"}) {
      metrics.push_back(no_data(id, missing));
    }
  } else {
    const LatencySummary decode = summarize_latency(IterationPhase::kDecode, times.between_tokens_ns);
    const auto tail = [&](const char* id, const std::optional<double>& value, const std::optional<Interval>& interval,
                          int64_t needed) {
      return value
                 ? measured(id, *value, interval)
                 : no_data(id, "needs " + std::to_string(needed) + " tokens, has " + std::to_string(decode.iterations));
    };
    metrics.push_back(measured("itl_p50", decode.p50_ns.value, decode.p50_ns.interval));
    metrics.push_back(tail("itl_p95", decode.p95_ns, decode.p95_interval_ns, kIterationsForP95));
    metrics.push_back(tail("itl_p99", decode.p99_ns, decode.p99_interval_ns, kIterationsForP99));
  }
  metrics.push_back(
      times.prefill_ns.empty() || recording.facts.prompt_tokens == 0
          ? no_data("prefill_tokens_per_s", missing)
          : rate("prefill_tokens_per_s", times.prefill_ns, batch * static_cast<double>(recording.facts.prompt_tokens)));
  metrics.push_back(times.between_tokens_ns.empty() ? no_data("decode_tokens_per_s", missing)
                                                    : rate("decode_tokens_per_s", times.between_tokens_ns, batch));
  return metrics;
}

}  // namespace aaco
