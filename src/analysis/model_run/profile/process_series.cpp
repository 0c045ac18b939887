// SPDX-License-Identifier: MIT
#include "analysis/model_run/profile/process_series.h"

#include <algorithm>

#include "analysis/model_run/profile/profile_view.h"

namespace aaco {

namespace {

bool has_duration(const IterationRow& row) {
  return is_plausible(row.t_start_ns, row.t_end_ns) && row.t_end_ns > row.t_start_ns;
}

}  // namespace

SeriesByProcess process_series(const Recording& recording, IterationPhase phase) {
  SeriesByProcess by_process;
  for (const IterationRow& row : recording.iterations) {
    if (row.phase != phase || !has_duration(row)) {
      continue;
    }
    ProcessSeries& series = by_process[row.process];
    const bool first = series.latencies_ns.empty();
    series.first_start_ns = first ? row.t_start_ns : std::min(series.first_start_ns, row.t_start_ns);
    series.last_end_ns = first ? row.t_end_ns : std::max(series.last_end_ns, row.t_end_ns);
    series.latencies_ns.push_back(static_cast<double>(row.t_end_ns - row.t_start_ns));
  }
  return by_process;
}

IterationPhase primary_phase(const Recording& recording) {
  for (const IterationPhase phase : {IterationPhase::kMeasure, IterationPhase::kDecode, IterationPhase::kPrefill}) {
    if (std::any_of(recording.iterations.begin(), recording.iterations.end(),
                    [&](const IterationRow& row) { return row.phase == phase && has_duration(row); })) {
      return phase;
    }
  }
  return IterationPhase::kUnknown;
}

std::map<int64_t, double> elapsed_per_inference(const Recording& recording) {
  std::map<int64_t, double> result;
  if (primary_phase(recording) == IterationPhase::kMeasure) {
    for (const auto& [process, series] : process_series(recording, IterationPhase::kMeasure)) {
      result[process] = series.elapsed_ns() / static_cast<double>(series.latencies_ns.size());
    }
    return result;
  }
  SeriesByProcess requests = process_series(recording, IterationPhase::kPrefill);
  const SeriesByProcess decoded = process_series(recording, IterationPhase::kDecode);
  for (auto& [process, series] : requests) {
    if (const auto steps = decoded.find(process); steps != decoded.end()) {
      series.last_end_ns = std::max(series.last_end_ns, steps->second.last_end_ns);
    }
    result[process] = series.elapsed_ns() / static_cast<double>(series.latencies_ns.size());
  }
  return result;
}

}  // namespace aaco
