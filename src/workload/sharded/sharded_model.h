// SPDX-License-Identifier: MIT
// A model as a sharded step sees it: units of parameters, and passes over them that call back around each layer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "workload/sharded/batch_loader.h"
#include "workload/sharded/sharded_config.h"
#include "workload/training/llama_passes.h"

namespace aaco {

struct ShardedWeights;

// A parameter in its unit. Values are uniform in [-range, range); with range 0 all are `constant`, or those of each
// part.
struct PlannedParameter {
  // A part of it that has a name of its own, and where the range is 0 a constant.
  struct Part {
    std::string name;
    int64_t elements = 0;
    double constant = 0;
  };
  std::string name;
  std::vector<int64_t> dims;
  double range = 0;
  double constant = 0;
  std::vector<Part> parts = {};  // NOLINT(readability-redundant-member-init): most have none
};

struct UnitPlan {
  std::vector<PlannedParameter> parameters;
};

// What belongs to no layer, and what each layer has.
struct ModelPlan {
  UnitPlan root;
  UnitPlan layer;
  int64_t layers = 0;
};

class ShardedModel {
 public:
  virtual ~ShardedModel() = default;
  // At the stream of the writer. `micro`: which micro-step.
  virtual void write_forward(StepWriter& step, size_t micro, const LayerHooks& hooks) const = 0;
  virtual void write_backward(StepWriter& step, size_t micro, const LayerHooks& hooks) const = 0;
  // What a step is trained on, and the device memory that the passes find it in, as bytes.
  virtual BatchSource source() const = 0;
  virtual const Tensor& batch() const = 0;
  // Clock, history, and the losses of all micro-steps, one behind the other.
  virtual const LlamaMemory& memory() const = 0;
};

ModelPlan plan_of(const ShardedConfig& config);
// With its buffers. `config` and `weights` must outlive it.
std::unique_ptr<ShardedModel> make_model(WorkloadBuilder& builder, const ShardedConfig& config,
                                         const ShardedWeights& weights);

}  // namespace aaco
