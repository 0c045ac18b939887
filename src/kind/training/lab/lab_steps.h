// SPDX-License-Identifier: MIT
// What labs do in common: train, count, and lay out what they found.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kind/training/lab/lab.h"

namespace aaco {

TrainingRequest version_of(const LabRequest& request, int32_t version);

// One training, its session named in the measurement. Errors: those of run_training().
Result<TrainingRunDocument> train(const TrainingRequest& request, LabMeasurement& measurement,
                                  const ProgressCallback& progress);
// Several, their processes in turns.
Result<std::vector<TrainingRunDocument>> train(const std::vector<TrainingRequest>& requests,
                                               LabMeasurement& measurement, const ProgressCallback& progress);

// A step's parts, counted and not run, in a device that is opened here.
Result<std::vector<TrainingPart>> count_parts(const TrainingRequest& request);
int64_t operations_in(const std::vector<TrainingPart>& parts);

// Of one step in this process, at its most, with what libraries took.
Result<double> peak_bytes(const TrainingRequest& request);

// Alone, all phases of a part together, ms.
std::map<std::string, double> milliseconds_by_part(const TrainingRunDocument& document);
// Of one phase; null where it has no such part.
const PartFigure* find_part(const TrainingRunDocument& document, const std::string& phase, const std::string& part);

// How many times as fast a step of `after` is, process by process: "1.04 [0.98, 1.10]", with the 95 % interval, or
// "1.04 (one process: no interval)". Errors: kUnavailable where no process of both measured a step.
Result<std::string> speedup_text(const TrainingRunDocument& before, const TrainingRunDocument& after);

// Mean time of a step. Errors: kUnavailable where no step was measured.
Result<double> step_ns(const TrainingRunDocument& document);

}  // namespace aaco
