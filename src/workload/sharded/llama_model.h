// SPDX-License-Identifier: MIT
// The LLaMA of training/ as a sharded step sees it.
#pragma once

#include "workload/sharded/sharded_model.h"

namespace aaco {

ModelPlan plan_llama(const LlamaShape& shape);
std::unique_ptr<ShardedModel> make_llama_model(WorkloadBuilder& builder, const ShardedConfig& config,
                                               const ShardedWeights& weights);

}  // namespace aaco
