// SPDX-License-Identifier: MIT
#include "workload/sharded/sharded_model.h"

#include "workload/sharded/llama_model.h"
#include "workload/sharded/ranking_model.h"

namespace aaco {

ModelPlan plan_of(const ShardedConfig& config) {
  return config.ranking ? plan_ranking(*config.ranking, config.llama.shape) : plan_llama(config.llama.shape);
}

std::unique_ptr<ShardedModel> make_model(WorkloadBuilder& builder, const ShardedConfig& config,
                                         const ShardedWeights& weights) {
  return config.ranking ? make_ranking_model(builder, config, weights) : make_llama_model(builder, config, weights);
}

}  // namespace aaco
