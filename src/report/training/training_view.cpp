// SPDX-License-Identifier: MIT
#include "report/training/training_view.h"

#include <algorithm>
#include <fmt/format.h>

namespace aaco::report {

TrainingView training_view(const TrainingRunDocument& document) {
  const auto failed =
      std::find_if(document.gates.begin(), document.gates.end(), [](const TrainingGate& gate) { return !gate.passed; });
  return {document, training_figures(document.work, document.processes, document.roof),
          failed == document.gates.end()
              ? ""
              : fmt::format("{}: found {}, must be {}", failed->name, failed->found, failed->must)};
}

std::string training_title(const TrainingRunDocument& document) {
  const TrainingRequest& request = document.request;
  return fmt::format("Tiny LLaMA, version {}, {}, {} on {}{}", request.version, request.preset, request.precision,
                     request.device, document.device ? fmt::format(" ({})", document.device->name) : "");
}

}  // namespace aaco::report
