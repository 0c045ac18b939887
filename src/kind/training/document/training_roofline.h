// SPDX-License-Identifier: MIT
// A training step under the roofs that were measured of its device: each part (class of kernels) of each phase, each
// module of the model, each phase, and the step.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/timeline/operators/operator_roofline.h"
#include "kind/training/document/training_run_document.h"

namespace aaco {

// Work that was timed alone, beside the least time that the roofs allow it: that of its FLOPs at the roof of products,
// or that of its ideal bytes at the roof of memory, whichever is more.
struct RoofedWork {
  std::string phase;  // empty: all
  std::string name;   // of the part or module; empty: all of the phase
  int64_t operations = 0;
  double flops = 0;
  double ideal_bytes = 0;
  std::optional<double> alone_ns;          // of the step: its measured median
  std::optional<double> intensity;         // FLOPs by ideal byte; none without FLOPs
  std::optional<double> flops_per_s;       // what was achieved
  std::optional<double> bytes_per_s;       // of ideal bytes
  std::optional<double> roof_flops_per_s;  // at that intensity
  std::optional<double> roof_ns;           // the least time; none where a roof is not known
  std::optional<double> of_roof;           // least time by its own; above 1 where caches held what is counted as moved
  RoofBound bound = RoofBound::kUnknown;   // kCompute or kMemory: which of the two times is more
};

struct StepRoofline {
  std::optional<ProductRoof> products;
  std::optional<MemoryRoof> memory;
  std::string memory_unavailable;
  std::optional<double> ridge;  // FLOPs by byte at which the roofs meet
  std::vector<RoofedWork> parts;
  std::vector<RoofedWork> modules;
  std::vector<RoofedWork> phases;
  RoofedWork step;
};

// Pure. Times are medians over processes.
StepRoofline step_roofline(const TrainingRunDocument& run);

void to_json(Json& json, const StepRoofline& roofline);

}  // namespace aaco
