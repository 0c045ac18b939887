// SPDX-License-Identifier: MIT
#include "kind/training/lab/lab_steps.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "base/format.h"
#include "kind/training/document/training_ladder.h"
#include "kind/training/document/training_request.h"
#include "kind/training/training_run.h"
#include "kind/training/worker/part_times.h"
#include "kind/training/worker/prepared_training.h"
#include "workload/checks/verify.h"

namespace aaco {

TrainingRequest version_of(const LabRequest& request, int32_t version) {
  TrainingRequest training = request.training;
  training.version = version;
  return training;
}

Result<std::vector<TrainingRunDocument>> train(const std::vector<TrainingRequest>& requests,
                                               LabMeasurement& measurement, const ProgressCallback& progress) {
  std::vector<TrainingRunDocument> documents;
  for (Result<TrainingRunDocument>& run : run_trainings(requests, progress)) {
    AACO_ASSIGN(documents.emplace_back(), std::move(run));
    measurement.sessions.push_back(documents.back().bundle);
  }
  return documents;
}

Result<TrainingRunDocument> train(const TrainingRequest& request, LabMeasurement& measurement,
                                  const ProgressCallback& progress) {
  AACO_ASSIGN(std::vector<TrainingRunDocument> documents, train(std::vector{request}, measurement, progress));
  return std::move(documents.front());
}

Result<std::vector<TrainingPart>> count_parts(const TrainingRequest& request) {
  AACO_ASSIGN(const TrainingRequest complete, complete_request(request));
  AACO_ASSIGN(const auto prepared, prepare_training(complete));
  return parts_of(prepared->training);
}

int64_t operations_in(const std::vector<TrainingPart>& parts) {
  int64_t operations = 0;
  for (const TrainingPart& part : parts) {
    operations += part.operations;
  }
  return operations;
}

Result<double> peak_bytes(const TrainingRequest& request) {
  AACO_ASSIGN(const TrainingRequest complete, complete_request(request));
  AACO_ASSIGN(const auto prepared, prepare_training(complete));
  AACO_ASSIGN(const auto dispatcher,
              make_dispatcher(DispatchMode::kSingle, prepared->training.instance->iteration, prepared->target));
  AACO_TRY(dispatcher->enqueue());
  AACO_TRY(synchronize(prepared->target));
  const MemoryUse use = prepared->device->memory_use();
  return static_cast<double>(use.peak_bytes + use.library_bytes);
}

std::map<std::string, double> milliseconds_by_part(const TrainingRunDocument& document) {
  std::map<std::string, double> times;
  for (const PartFigure& figure : document.figures.parts) {
    if (figure.alone_ns) {
      times[figure.part] += *figure.alone_ns / 1e6;
    }
  }
  return times;
}

const PartFigure* find_part(const TrainingRunDocument& document, const std::string& phase, const std::string& part) {
  for (const PartFigure& figure : document.figures.parts) {
    if (figure.phase == phase && figure.part == part) {
      return &figure;
    }
  }
  return nullptr;
}

Result<std::string> speedup_text(const TrainingRunDocument& before, const TrainingRunDocument& after) {
  const std::optional<Estimate> speedup = training_ladder({before, after}).rows.back().speedup;
  if (!speedup) {
    return Error{ErrorKind::kUnavailable,
                 fmt::format("{} and {}: no process of both measured a step", before.bundle, after.bundle),
                 "let both run to their ends"};
  }
  if (speedup->interval) {
    return fmt::format("{:.2f} [{:.2f}, {:.2f}]", speedup->value, speedup->interval->low, speedup->interval->high);
  }
  const size_t processes = std::min(before.processes.size(), after.processes.size());
  return fmt::format("{:.2f} ({}: no interval)", speedup->value,
                     processes == 1 ? "one process" : counted(processes, "process", "processes"));
}

Result<double> step_ns(const TrainingRunDocument& document) {
  if (!document.figures.step_ns) {
    return Error{ErrorKind::kUnavailable, document.bundle + ": no step was measured", "let it run to its end"};
  }
  return document.figures.step_ns->value;
}

}  // namespace aaco
