// SPDX-License-Identifier: MIT
// A sharded training at the run's own sizes, precision, dispatch and collectives, against one process in fp32.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "engine/activity/executed_kernels.h"
#include "kind/sharded/prepared_rank.h"
#include "kind/training/document/training_gate.h"

namespace aaco {

// What a rank found.
struct OwnSizeResult {
  std::optional<double> worst;  // relative error of a gradient, in 2-norms; none: it is no number
  std::string where;
  double tolerance = 0;
  std::string reference;                            // "one process: the step in fp32, one kernel per operation"
  std::optional<std::vector<std::string>> kernels;  // that the device executed
  double seconds = 0;
};

void to_json(Json& json, const OwnSizeResult& result);
void from_json(const Json& json, OwnSizeResult& result);

// The run's step with two layers: every product, attention, norm and collective has the shape that the run has.
// `on_host`: of one short sequence.
ShardedConfig own_step_config(const ShardedConfig& config, bool on_host);

// A training's named parameters, and this rank's part of their gradients, which begins at part_number * part of a unit.
struct GradientParts {
  std::vector<NamedPlace> named;
  std::vector<int64_t> unit_parts;         // elements of this rank, by unit
  int64_t part_number = 0;                 // among the ranks that share a unit
  std::vector<std::vector<float>> values;  // by unit
};

struct WorstGradient {
  double error = 0;  // NaN where a value is none
  std::string name;
};

// Of the parameters of which `part` has something; `whole` has all of all. Nothing in common is an error of infinity.
// Pure.
WorstGradient worst_gradient(const GradientParts& part, const GradientParts& whole);

// Trains three steps alone, then on all ranks, each rank in its own process. Errors: the device's, the other ranks'.
Result<OwnSizeResult> check_own_size(const JoinedRank& joined, const ShardedConfig& config, DispatchMode mode,
                                     ExecutedKernels& kernels);

// Of all ranks. Pure.
TrainingGate own_size_gate(std::span<const OwnSizeResult> ranks);

}  // namespace aaco
