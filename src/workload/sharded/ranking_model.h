// SPDX-License-Identifier: MIT
// The ranking transformer of the seed as a sharded step sees it.
#pragma once

#include "workload/sharded/sharded_model.h"

namespace aaco {

ModelPlan plan_ranking(const RankingShape& ranking, const LlamaShape& shape);
std::unique_ptr<ShardedModel> make_ranking_model(WorkloadBuilder& builder, const ShardedConfig& config,
                                                 const ShardedWeights& weights);

}  // namespace aaco
