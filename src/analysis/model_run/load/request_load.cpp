// SPDX-License-Identifier: MIT
#include "analysis/model_run/load/request_load.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "analysis/model_run/latency.h"

namespace aaco {

namespace {

using ByProcess = std::map<int64_t, std::vector<RequestRow>>;
using Values = std::map<int64_t, std::vector<double>>;

constexpr const char* kLoad = "--load RATE";
constexpr const char* kLoadTokens = "--load RATE with --tokens P,G";
constexpr const char* kGoodput = "--load RATE with --goodput";

// id, title, unit, formula, needs, what it does not tell.
constexpr std::array kMetrics{
    MetricInfo{"load_arrived", "Requests arrived", "requests/s",
               "(requests - 1) / (last arrival - first), of all processes", kLoad,
               "the rate that was asked for: a short run's may differ much"},
    MetricInfo{"load_capacity", "Requests that can be served", "requests/s",
               "requests / sum of t_end_ns - t_start_ns; mean over processes", kLoad, "a server that batches requests"},
    MetricInfo{"load_offered", "Offered load", "1", "load_arrived / load_capacity", kLoad,
               "a rate that changes within the run"},
    MetricInfo{"load_throughput", "Requests served", "requests/s",
               "requests / (last end - first arrival); mean over processes", kLoad, "the most that could be served"},
    MetricInfo{"load_busy", "Time serving", "1",
               "sum of t_end_ns - t_start_ns / (last end - first arrival); mean over processes", kLoad,
               "how busy the processors are meanwhile"},
    MetricInfo{"load_queue_mean", "Requests waiting, mean over time", "1",
               "sum of t_start_ns - t_arrival_ns / (last end - first arrival); mean over processes", kLoad,
               "the one that is being served"},
    MetricInfo{"load_queue_max", "Requests waiting, most", "1", "mean over processes", kLoad,
               "how long they were so many"},
    MetricInfo{"load_latency_p50", "Latency from the arrival, median", "ns",
               "median over processes of each process's median of t_end_ns - t_arrival_ns", kLoad,
               "a steady state where the queue grows: then no data"},
    MetricInfo{"load_latency_p95", "Latency from the arrival, 95th percentile", "ns",
               "pooled over processes, from 59 busy periods on", kLoad, "whether processes differ"},
    MetricInfo{"load_latency_p99", "Latency from the arrival, 99th percentile", "ns",
               "pooled over processes, from 299 busy periods on", kLoad, "whether processes differ"},
    MetricInfo{"load_wait_p50", "Waiting before the start, median", "ns",
               "median over processes of each process's median of t_start_ns - t_arrival_ns, below 1 us 0", kLoad,
               "queues in front of the program"},
    MetricInfo{"load_wait_p95", "Waiting before the start, 95th percentile", "ns",
               "pooled over processes, from 59 busy periods on", kLoad, "queues in front of the program"},
    MetricInfo{"load_wait_p99", "Waiting before the start, 99th percentile", "ns",
               "pooled over processes, from 299 busy periods on", kLoad, "queues in front of the program"},
    MetricInfo{"load_ttft_p50", "Time to first token from the arrival, median", "ns",
               "median over processes of each process's median of t_first_token_ns - t_arrival_ns", kLoadTokens,
               "a server that interleaves requests"},
    MetricInfo{"load_ttft_p95", "Time to first token from the arrival, 95th percentile", "ns",
               "pooled over processes, from 59 busy periods on", kLoadTokens, "a server that interleaves requests"},
    MetricInfo{"load_ttft_p99", "Time to first token from the arrival, 99th percentile", "ns",
               "pooled over processes, from 299 busy periods on", kLoadTokens, "a server that interleaves requests"},
    MetricInfo{"load_tpot_p50", "Time per output token, median", "ns",
               "median over processes of each process's median of (t_end_ns - t_first_token_ns) / (tokens - 1)",
               kLoadTokens, "single long gaps: itl_p99 has them"},
    MetricInfo{"load_tpot_p95", "Time per output token, 95th percentile", "ns",
               "pooled over processes, from 59 requests on", kLoadTokens, "single long gaps: itl_p99 has them"},
    MetricInfo{"load_tpot_p99", "Time per output token, 99th percentile", "ns",
               "pooled over processes, from 299 requests on", kLoadTokens, "single long gaps: itl_p99 has them"},
    MetricInfo{"load_goodput", "Goodput", "requests/s",
               "requests within all limits / (last end - first arrival); mean over processes", kGoodput,
               "how far the others are beyond"},
    MetricInfo{"load_good_share", "Requests within the limits", "1",
               "requests within all limits / requests; mean over processes", kGoodput, "how far the others are beyond"},
};

constexpr double kNsPerS = 1e9;
constexpr double kNsPerMs = 1e6;
// A request that finds the server idle begins within this: readings of the clock and the loop around them, no waiting.
constexpr int64_t kNoWaitNs = 1'000;

bool is_possible(const RequestRow& row) {
  return row.t_start_ns >= row.t_arrival_ns && row.t_end_ns > row.t_start_ns &&
         (!row.t_first_token_ns || (*row.t_first_token_ns > row.t_start_ns && *row.t_first_token_ns <= row.t_end_ns));
}

// The mean time between its tokens, in ns; none of fewer than two.
std::optional<double> token_gap_ns(const RequestRow& row) {
  if (!row.t_first_token_ns || row.tokens.value_or(0) < 2) {
    return std::nullopt;
  }
  return static_cast<double>(row.t_end_ns - *row.t_first_token_ns) / static_cast<double>(*row.tokens - 1);
}

// From the first arrival to the last end.
double served_ns(const std::vector<RequestRow>& requests) {
  int64_t end_ns = requests.front().t_end_ns;
  for (const RequestRow& row : requests) {
    end_ns = std::max(end_ns, row.t_end_ns);
  }
  return static_cast<double>(end_ns - requests.front().t_arrival_ns);
}

Values values_of(const ByProcess& requests, const std::function<std::optional<double>(const RequestRow&)>& value) {
  Values values;
  for (const auto& [process, rows] : requests) {
    for (const RequestRow& row : rows) {
      if (const std::optional<double> known = value(row)) {
        values[process].push_back(*known);
      }
    }
  }
  return values;
}

// A figure of each process, 0 or more, and over processes the mean: a median's interval is of logarithms.
MetricValue over_processes(const char* id, const ByProcess& requests,
                           const std::function<double(const std::vector<RequestRow>&)>& value,
                           double most = std::numeric_limits<double>::infinity()) {
  std::vector<double> values;
  for (const auto& [process, rows] : requests) {
    values.push_back(value(rows));
  }
  const std::optional<double> centre = mean(values);
  if (!centre) {
    return no_data(id, "no request was served");
  }
  const std::optional<double> half = half_width_over_processes(values);
  return measured(
      id, *centre,
      half ? std::optional(Interval{std::max(*centre - *half, 0.0), std::min(*centre + *half, most)}) : std::nullopt);
}

bool is_good(const RequestRow& row, const LoadFacts& load) {
  const auto within = [](const std::optional<double>& limit_ms, const std::optional<double>& ns) {
    return !limit_ms || (ns && *ns <= *limit_ms * kNsPerMs);
  };
  const std::optional<double> ttft = row.t_first_token_ns
                                         ? std::optional(static_cast<double>(*row.t_first_token_ns - row.t_arrival_ns))
                                         : std::nullopt;
  return within(load.ttft_ms, ttft) && within(load.tpot_ms, token_gap_ns(row)) &&
         within(load.e2el_ms, static_cast<double>(row.t_end_ns - row.t_arrival_ns));
}

double count_good(const std::vector<RequestRow>& rows, const LoadFacts& load) {
  return static_cast<double>(std::ranges::count_if(rows, [&](const RequestRow& row) { return is_good(row, load); }));
}

// What a tail is a sample of. Requests of one busy period wait for each other: a single burst may be all of a tail, so
// that of waits the busy periods count.
struct Independent {
  int64_t count = 0;
  const char* what = "requests";
};

// Those that begin with a request that found the server idle.
Independent busy_periods(const ByProcess& requests) {
  Independent periods{.what = "busy periods (requests of one wait for each other)"};
  for (const auto& [process, rows] : requests) {
    int64_t end_ns = std::numeric_limits<int64_t>::min();
    for (const RequestRow& row : rows) {
      periods.count += row.t_arrival_ns >= end_ns ? 1 : 0;
      end_ns = std::max(end_ns, row.t_end_ns);
    }
  }
  return periods;
}

std::string too_few(const Independent& independent, int64_t needed) {
  return fmt::format("needs {} {}, has {}", needed, independent.what, independent.count);
}

// "load_latency" and the percentiles of what it stands for; no data where the queue grows: they would tell how long the
// run was.
void add_percentiles(const std::string& id, const Values& values, const std::string& missing,
                     const Independent& independent, std::vector<MetricValue>& metrics) {
  if (!missing.empty() || values.empty()) {
    for (const char* quantile : {"_p50", "_p95", "_p99"}) {
      metrics.push_back(no_data(id + quantile, missing.empty() ? "no request has it" : missing));
    }
    return;
  }
  const LatencySummary summary = summarize_latency(IterationPhase::kMeasure, values);
  const auto tail = [&](const char* quantile, const std::optional<double>& value,
                        const std::optional<Interval>& interval, int64_t needed) {
    metrics.push_back(value && independent.count >= needed ? measured(id + quantile, *value, interval)
                                                           : no_data(id + quantile, too_few(independent, needed)));
  };
  metrics.push_back(measured(id + "_p50", summary.p50_ns.value, summary.p50_ns.interval));
  tail("_p95", summary.p95_ns, summary.p95_interval_ns, kIterationsForP95);
  tail("_p99", summary.p99_ns, summary.p99_interval_ns, kIterationsForP99);
}

// The same of waits, many of which may be 0: the interval of their median is known where no process has a median of 0.
void add_wait_percentiles(const Values& waits, const std::string& missing, const Independent& independent,
                          std::vector<MetricValue>& metrics) {
  std::vector<double> medians;
  std::vector<double> pooled;
  for (const auto& [process, values] : waits) {
    medians.push_back(*median(values));
    pooled.insert(pooled.end(), values.begin(), values.end());
  }
  const auto tail = [&](const char* id, double q, int64_t needed) {
    metrics.push_back(!missing.empty()              ? no_data(id, missing)
                      : independent.count >= needed ? measured(id, *quantile(pooled, q))
                                                    : no_data(id, too_few(independent, needed)));
  };
  if (!missing.empty() || medians.empty()) {
    metrics.push_back(no_data("load_wait_p50", missing.empty() ? "no request was served" : missing));
  } else {
    const bool positive = std::ranges::all_of(medians, [](double value) { return value > 0; });
    const std::optional<Estimate> estimate = positive ? estimate_over_processes(medians) : std::nullopt;
    metrics.push_back(measured("load_wait_p50", *median(medians), estimate ? estimate->interval : std::nullopt));
  }
  tail("load_wait_p95", 0.95, kIterationsForP95);
  tail("load_wait_p99", 0.99, kIterationsForP99);
}

double mean_waiting(const std::vector<RequestRow>& rows) {
  double waited_ns = 0;
  for (const RequestRow& row : rows) {
    waited_ns += static_cast<double>(row.t_start_ns - row.t_arrival_ns);
  }
  return waited_ns / served_ns(rows);
}

double most_waiting(const std::vector<RequestRow>& rows) {
  int64_t most = 0;
  for (const QueuePoint& point : queue_over_time(rows)) {
    most = std::max(most, point.waiting);
  }
  return static_cast<double>(most);
}

double busy_ns(const std::vector<RequestRow>& rows) {
  double sum_ns = 0;
  for (const RequestRow& row : rows) {
    sum_ns += static_cast<double>(row.t_end_ns - row.t_start_ns);
  }
  return sum_ns;
}

double busy_share(const std::vector<RequestRow>& rows) { return busy_ns(rows) / served_ns(rows); }

// Requests a second, were there always one: never less than a process served, whose mean is taken the same way.
double capacity(const std::vector<RequestRow>& rows) {
  return static_cast<double>(rows.size()) * kNsPerS / busy_ns(rows);
}

}  // namespace

std::map<int64_t, std::vector<RequestRow>> requests_by_process(std::span<const RequestRow> all) {
  ByProcess requests;
  for (const RequestRow& row : all) {
    if (is_possible(row)) {
      requests[row.process].push_back(row);
    }
  }
  for (auto& [process, rows] : requests) {
    std::ranges::stable_sort(rows, {}, &RequestRow::t_arrival_ns);
  }
  return requests;
}

std::vector<QueuePoint> queue_over_time(const std::vector<RequestRow>& requests) {
  std::vector<std::pair<int64_t, int64_t>> changes;  // of one moment leaving comes first: it was not waiting then
  for (const RequestRow& row : requests) {
    if (row.t_start_ns - row.t_arrival_ns >= kNoWaitNs) {
      changes.emplace_back(row.t_arrival_ns, 1);
      changes.emplace_back(row.t_start_ns, -1);
    }
  }
  std::ranges::sort(changes);
  std::vector<QueuePoint> points;
  int64_t waiting = 0;
  for (size_t i = 0; i < changes.size(); ++i) {
    waiting += changes[i].second;
    if (i + 1 == changes.size() || changes[i + 1].first != changes[i].first) {
      points.push_back({changes[i].first - requests.front().t_arrival_ns, waiting});
    }
  }
  return points;
}

std::optional<LoadRates> load_rates(std::span<const RequestRow> requests) {
  double arrivals = 0;
  double span_ns = 0;
  std::vector<double> served;
  for (const auto& [process, rows] : requests_by_process(requests)) {
    arrivals += static_cast<double>(rows.size() - 1);
    span_ns += static_cast<double>(rows.back().t_arrival_ns - rows.front().t_arrival_ns);
    served.push_back(capacity(rows));
  }
  return span_ns > 0 ? std::optional(LoadRates{arrivals / span_ns * kNsPerS, *mean(served)}) : std::nullopt;
}

std::span<const MetricInfo> load_metric_infos() { return kMetrics; }

std::vector<MetricValue> load_metrics(const LoadFacts& load, std::span<const RequestRow> all, bool has_tokens) {
  const ByProcess requests = requests_by_process(all);
  const std::optional<LoadRates> rates = load_rates(all);
  const Independent periods = busy_periods(requests);
  std::vector<MetricValue> metrics;
  metrics.push_back(rates ? measured("load_arrived", rates->arrived_per_s)
                          : no_data("load_arrived", "needs two requests of a process"));
  metrics.push_back(over_processes("load_capacity", requests, capacity));
  metrics.push_back(rates ? measured("load_offered", rates->offered())
                          : no_data("load_offered", "needs two requests of a process"));
  metrics.push_back(over_processes("load_throughput", requests, [](const std::vector<RequestRow>& rows) {
    return static_cast<double>(rows.size()) * kNsPerS / served_ns(rows);
  }));
  metrics.push_back(over_processes("load_busy", requests, busy_share, 1));
  metrics.push_back(over_processes("load_queue_mean", requests, mean_waiting));
  metrics.push_back(over_processes("load_queue_max", requests, most_waiting));
  const std::string grows = rates && rates->offered() >= 1
                                ? "arrivals faster than the model serves: the queue grows as long as they come"
                                : "";
  add_percentiles("load_latency",
                  values_of(requests,
                            [](const RequestRow& row) -> std::optional<double> {
                              return static_cast<double>(row.t_end_ns - row.t_arrival_ns);
                            }),
                  grows, periods, metrics);
  add_wait_percentiles(values_of(requests,
                                 [](const RequestRow& row) -> std::optional<double> {
                                   const int64_t wait_ns = row.t_start_ns - row.t_arrival_ns;
                                   return wait_ns < kNoWaitNs ? 0 : static_cast<double>(wait_ns);
                                 }),
                       grows, periods, metrics);
  const std::string no_tokens = has_tokens ? "" : "not a token run (--tokens P,G)";
  add_percentiles("load_ttft",
                  values_of(requests,
                            [](const RequestRow& row) -> std::optional<double> {
                              return row.t_first_token_ns
                                         ? std::optional(static_cast<double>(*row.t_first_token_ns - row.t_arrival_ns))
                                         : std::nullopt;
                            }),
                  no_tokens.empty() ? grows : no_tokens, periods, metrics);
  const Values gaps = values_of(requests, token_gap_ns);
  Independent each;
  for (const auto& [process, values] : gaps) {
    each.count += std::ssize(values);
  }
  add_percentiles("load_tpot", gaps, no_tokens, each, metrics);
  if (!load.has_limits()) {
    metrics.push_back(no_data("load_goodput", "no limits were given (--goodput)"));
    metrics.push_back(no_data("load_good_share", "no limits were given (--goodput)"));
  } else {
    metrics.push_back(over_processes("load_goodput", requests, [&](const std::vector<RequestRow>& rows) {
      return count_good(rows, load) * kNsPerS / served_ns(rows);
    }));
    metrics.push_back(over_processes(
        "load_good_share", requests,
        [&](const std::vector<RequestRow>& rows) { return count_good(rows, load) / static_cast<double>(rows.size()); },
        1));
  }
  return metrics;
}

}  // namespace aaco
