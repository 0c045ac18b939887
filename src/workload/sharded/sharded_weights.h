// SPDX-License-Identifier: MIT
// Parameters, gradients and optimiser's states spread over the ranks of a shard group by units: what belongs to no
// layer (embedding, last norm), then each layer. A unit is padded so that every rank has an equal part of it; where it
// is needed whole, it lies in an array that several layers may take turns in.
#pragma once

#include <string>
#include <vector>

#include "workload/layers/weights.h"
#include "workload/sharded/sharded_model.h"

namespace aaco {

// Parts are views into the flat arrays of all units; without sharding they are the whole, in the same memory.
struct ShardedUnit {
  std::string name;      // "root", "layers.3"
  int64_t used = 0;      // elements without the padding behind
  int64_t elements = 0;  // of all ranks of a shard group
  Tensor whole_value;    // [elements], of the precision
  Tensor whole_grad;     // [elements], fp32: this rank's, not reduced, of one micro-step
  Tensor master;         // [elements / ranks of the group], as all that follow: this rank's part
  Tensor value;          // of the precision; in fp32 the master itself
  Tensor grad;           // reduced
  Tensor first;
  Tensor second;
};

// Where a parameter lies, by name: "embedding", "layers.3.q".
struct NamedPlace {
  std::string name;
  size_t unit = 0;
  int64_t offset = 0;  // in the whole unit
  int64_t elements = 0;
};

struct ShardedWeights {
  std::vector<ShardedUnit> units;
  std::vector<NamedPlace> named;
  // By unit, in the order of its plan: views into the whole unit, without masters where these are sharded.
  std::vector<std::vector<Weight>> parameters;
  Tensor masters;  // this rank's parts of all units
  Tensor values;
  Tensor grads;
  Tensor first;
  Tensor second;
  size_t value_slots = 1;  // of whole layers: layer i is in slot i % value_slots
  size_t grad_slots = 1;
  Tensor incoming;  // where gradients are added up: reduced, of one micro-step

  static size_t unit_of(size_t layer) { return layer + 1; }
  size_t layers() const { return units.size() - 1; }
};

// The same values for the same seed and shape, whatever the mode and the number of ranks.
ShardedWeights make_sharded_weights(WorkloadBuilder& builder, const ShardedConfig& config);

}  // namespace aaco
