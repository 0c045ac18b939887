// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "base/version.h"
#include "kind/training/document/training_request.h"
#include "kind/training/lab/lab_list.h"

namespace aaco {

std::span<const Lab> all_labs() {
  static const std::vector<Lab> kLabs = [] {
#define AACO_LAB_CALL(name) lab_##name(),
    std::vector<Lab> labs{AACO_LABS(AACO_LAB_CALL)};
#undef AACO_LAB_CALL
    for (size_t i = 0; i < labs.size(); ++i) {
      labs[i].number = static_cast<int32_t>(i) + 1;
    }
    return labs;
  }();
  return kLabs;
}

Result<const Lab*> find_lab(std::string_view number) {
  const std::span<const Lab> labs = all_labs();
  const auto found =
      std::ranges::find_if(labs, [&](const Lab& lab) { return fmt::format("{}", lab.number) == number; });
  if (found == labs.end()) {
    return Error{ErrorKind::kUsage, fmt::format("there is no lab {}", number),
                 fmt::format("labs are 1 to {}: aaco llama lab lists them", labs.size())};
  }
  return &*found;
}

Result<LabSetup> lab_setup(const Lab& lab, const LabRequest& request) {
  AACO_ASSIGN(const TrainingRequest training, complete_request(request.training));
  if (request.case_number < 1) {
    return Error{ErrorKind::kUsage, fmt::format("--case {}: must be 1 or above", request.case_number),
                 "each number plants another slowdown"};
  }
  return LabSetup{lab.number,         training.preset, training.device, training.precision,
                  training.processes, training.steps,  training.seed,   request.case_number};
}

Result<LabMeasurement> measure_lab(const Lab& lab, const LabRequest& request, const ProgressCallback& progress) {
  AACO_ASSIGN(const LabSetup setup, lab_setup(lab, request));
  AACO_ASSIGN(LabMeasurement measurement, lab.measure(request, progress));
  measurement.version = program_version();
  measurement.setup = setup;
  measurement.tolerance = lab.tolerance;
  return measurement;
}

}  // namespace aaco
