// SPDX-License-Identifier: MIT
// What users feel where requests come whether or not the model is ready (aaco run --load): latency from the moment that
// a request was due, its queueing included; how many answers were good enough; and whether the queue grows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "analysis/metric/metric.h"
#include "record/load.h"
#include "record/request_row.h"

namespace aaco {

// The requests of each process, in the order of arrival; those with impossible times are left out.
std::map<int64_t, std::vector<RequestRow>> requests_by_process(std::span<const RequestRow> requests);

// Requests that have arrived and not begun, over a process's time: a point at each change, times from the first
// arrival.
struct QueuePoint {
  int64_t time_ns = 0;
  int64_t waiting = 0;  // from then on
};
std::vector<QueuePoint> queue_over_time(const std::vector<RequestRow>& requests);

struct LoadRates {
  double arrived_per_s = 0;  // over all processes
  double served_per_s = 0;   // at most, as long as the model takes for each; mean over processes
  // From 1 on the queue grows as long as requests come.
  double offered() const { return arrived_per_s / served_per_s; }
};
// None without two requests of a process.
std::optional<LoadRates> load_rates(std::span<const RequestRow> requests);

// The table of load_*, in report order.
std::span<const MetricInfo> load_metric_infos();
// Their values; `has_tokens`: of a decoder's run (--tokens).
std::vector<MetricValue> load_metrics(const LoadFacts& load, std::span<const RequestRow> requests, bool has_tokens);

}  // namespace aaco
