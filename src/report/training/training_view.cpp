// SPDX-License-Identifier: MIT
#include "report/training/training_view.h"

#include <fmt/format.h>

namespace aaco::report {

TrainingView training_view(const TrainingRunDocument& document) {
  return {document, training_figures(document.work, document.processes, document.roof), why_no_speed(document)};
}

std::string training_title(const TrainingRunDocument& document) {
  const TrainingRequest& request = document.request;
  return fmt::format("Tiny LLaMA, version {}, {}, {} on {}{}", request.version, request.preset, request.precision,
                     request.device, document.device ? fmt::format(" ({})", document.device->name) : "");
}

}  // namespace aaco::report
