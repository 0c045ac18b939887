// SPDX-License-Identifier: MIT
#include "kind/training/report/training_view.h"

#include <fmt/format.h>

#include "report/sections/estimates.h"

namespace aaco::report {

TrainingView training_view(const TrainingRunDocument& document, const LatencySummary* latency) {
  TrainingView view{
      document, training_figures(document.work, document.processes, document.roof), {}, why_no_speed(document)};
  view.metrics = training_metrics(view.figures, latency);
  if (!view.failure.empty()) {
    view.metrics = rows_of(view.metrics, {"training_peak_memory", "first_loss", "last_loss"});
  }
  return view;
}

std::string training_title(const TrainingRunDocument& document) {
  const TrainingRequest& request = document.request;
  return fmt::format("Tiny LLaMA, version {}, {}, {} on {}{}", request.version, request.preset, request.precision,
                     request.device, document.device ? fmt::format(" ({})", document.device->name) : "");
}

}  // namespace aaco::report
