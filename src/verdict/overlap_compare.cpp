// SPDX-License-Identifier: MIT
#include "verdict/overlap_compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace aaco {

namespace {

RunSample sample_of(const std::string& created_utc, std::vector<double> medians_ns) {
  RunSample sample;
  sample.created_utc = created_utc;
  sample.status = SessionStatus::kComplete;
  sample.phase = "measure";
  sample.iterations = static_cast<int64_t>(medians_ns.size());
  sample.stationary_processes = sample.iterations;
  sample.process_medians_ns = std::move(medians_ns);
  return sample;
}

std::vector<NamedSample> samples_of(const CopyDocument& document) {
  const CopyRequest& request = document.request;
  std::vector<NamedSample> samples;
  for (const CopyFigures& figures : document.directions) {
    for (const CopyVariant variant :
         {CopyVariant::kSerial, CopyVariant::kOverlapped, CopyVariant::kProducts, CopyVariant::kCopy}) {
      std::vector<double> medians;
      for (const CopyTimes& times : figures.processes) {
        medians.push_back(times[static_cast<size_t>(variant)]);
      }
      RunSample sample = sample_of(document.created_utc, std::move(medians));
      sample.configuration.model_name =
          fmt::format("{} products of {} x {}", request.products, request.matrix_size, request.matrix_size);
      sample.configuration.backend = request.peer.empty() ? request.device : request.device + " to " + request.peer;
      sample.configuration.provider = document.device_name;
      sample.configuration.dims = {{"bytes of a copy", request.copy_bytes()}};
      sample.configuration.precision = request.precision;
      samples.push_back({fmt::format("{}, {}", word_of(figures.direction), word_of(variant)), std::move(sample)});
    }
  }
  return samples;
}

std::vector<NamedSample> samples_of(const OverlapSweep& sweep) {
  std::vector<NamedSample> samples;
  for (const JudgedSweepPoint& judged : sweep.points) {
    RunSample sample = sample_of(sweep.created_utc, judged.point.step_ns);
    if (!judged.point.failure.empty()) {
      sample.status = SessionStatus::kFailed;
      sample.status_reason = judged.point.failure;
    }
    sample.configuration.model_name = fmt::format("{} {}", sweep.config, fmt::join(sweep.overrides, " "));
    sample.configuration.backend = fmt::format("{}", fmt::join(sweep.devices, ", "));
    samples.push_back({judged.point.change.empty() ? "as it is" : judged.point.change, std::move(sample)});
  }
  return samples;
}

}  // namespace

PairComparisons compare_copies(const CopyDocument& baseline, const CopyDocument& test, const CompareOptions& options) {
  return compare_pairs(samples_of(baseline), samples_of(test), options);
}

PairComparisons compare_overlap_sweeps(const OverlapSweep& baseline, const OverlapSweep& test,
                                       const CompareOptions& options) {
  return compare_pairs(samples_of(baseline), samples_of(test), options);
}

}  // namespace aaco
