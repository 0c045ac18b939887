// SPDX-License-Identifier: MIT
// The figures of a training run: medians over its processes, with intervals from those.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/model_run/results.h"
#include "engine/roofs/device_roof.h"
#include "kind/training/analysis/training_power.h"
#include "kind/training/analysis/training_process.h"

namespace aaco {

// A part of the step beside what the device could do: its time alone, and the time that its FLOPs need at the roof.
struct PartFigure {
  std::string phase;
  std::string part;
  int64_t operations = 0;
  double flops = 0;
  double ideal_bytes = 0;
  std::optional<double> alone_ns;
  std::optional<double> bytes_per_s;  // ideal bytes over the time alone
  std::optional<double> flops_per_s;
};

struct TrainingFigures {
  std::optional<Estimate> step_ns;  // wall time of all over their number
  std::optional<Estimate> median_ns;
  std::optional<Estimate> dispatch_ns;  // the host's enqueueing of a step
  std::optional<Estimate> tokens_per_s;
  std::optional<Estimate> sequences_per_s;
  std::optional<Estimate> model_flops_per_s;
  std::optional<double> mfu;  // model FLOPs by the step's time, over the product roof
  std::string mfu_unavailable;
  int64_t peak_bytes = 0;  // the most of any process
  std::optional<double> first_loss;
  std::optional<double> last_loss;   // mean of the last tenth of the steps
  bool same_losses = false;          // bit by bit, in all processes
  std::optional<bool> same_weights;  // bit by bit, in all processes of as many steps; none: fewer than two of them
  std::vector<PartFigure> parts;
  TrainingEnergy energy;
};

// Pure.
TrainingFigures training_figures(const TrainingWork& work, const std::vector<TrainingProcess>& processes,
                                 const std::optional<ProductRoof>& roof);

void to_json(Json& json, const ProductRoof& roof);
void from_json(const Json& json, ProductRoof& roof);
void to_json(Json& json, const MemoryRoof& roof);
void from_json(const Json& json, MemoryRoof& roof);
void to_json(Json& json, const PartFigure& figure);
void from_json(const Json& json, PartFigure& figure);
void to_json(Json& json, const TrainingFigures& figures);
void from_json(const Json& json, TrainingFigures& figures);

}  // namespace aaco
