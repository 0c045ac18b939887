// SPDX-License-Identifier: MIT
// The roles of a training run's worker processes. The plan of each is a complete TrainingRequest.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "kind/training/document/training_run_document.h"

namespace aaco {

namespace role {
inline constexpr const char* kTrainingCheck = "training_check";        // TrainingInspection
inline constexpr const char* kTrainingRoof = "training_roof";          // TrainingRoofs
inline constexpr const char* kTrainingMeasure = "training_measure";    // TrainingProcess
inline constexpr const char* kTrainingParts = "training_parts";        // a TrainingProcess with nothing but its parts
inline constexpr const char* kTrainingActivity = "training_activity";  // TrainingActivity, and its trace (a file)
}  // namespace role

// Where kTrainingActivity leaves the trace of one step with its phases, within the run's folder.
inline constexpr const char* kStepFolder = "step";

// What kTrainingCheck found.
struct TrainingInspection {
  TrainingWork work;
  DeviceFacts device;
  std::map<std::string, std::string> types;
  std::vector<TrainingGate> gates;  // where they were asked for
  std::string kernels_unavailable;  // why it is not known which kernels they executed; empty: it is
  std::vector<std::string> notes;
};

void to_json(Json& json, const TrainingInspection& inspection);
void from_json(const Json& json, TrainingInspection& inspection);

// What kTrainingRoof measured. The memory of GPUs only: that of processors is known to the whole program, and kept.
struct TrainingRoofs {
  ProductRoof products;
  std::optional<MemoryRoof> memory;
  std::string memory_unavailable;  // why there is none
};

void to_json(Json& json, const TrainingRoofs& roofs);
void from_json(const Json& json, TrainingRoofs& roofs);

struct WorkerTask;
Result<Json> training_check_role(const WorkerTask& task);
Result<Json> training_roof_role(const WorkerTask& task);
Result<Json> training_measure_role(const WorkerTask& task);
Result<Json> training_parts_role(const WorkerTask& task);
Result<Json> training_activity_role(const WorkerTask& task);

}  // namespace aaco
