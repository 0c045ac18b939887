// SPDX-License-Identifier: MIT
// The memory of a ranking transformer's step besides its weights, and what it is trained on.
#pragma once

#include <vector>

#include "workload/layers/attention.h"
#include "workload/layers/norm.h"
#include "workload/sharded/sharded_model.h"

namespace aaco {

// By token; kKeptBatches batches in turn, the same for the same seed, whatever the number of ranks.
struct RankingData {
  Tensor dense;       // [tokens, dense], of the precision: uniform, of variance 1
  Tensor categories;  // int32 [tokens, categories]
  Tensor target;      // fp32, in [0, 1), as the weight
  Tensor weight;
};

struct RankingLayerState {
  SelfAttentionState attention;
  Tensor sum1;  // [tokens, hidden]: with what is around the attention
  NormState norm1;
  Tensor hidden;  // [tokens, inner], before the function and behind it
  Tensor active;
  Tensor sum2;
  NormState norm2;  // its output is the layer's
};

struct RankingBuffers {
  Tensor batch;                   // all of a step's data, as bytes
  std::vector<RankingData> data;  // by micro-step, in it
  std::vector<Tensor> losses;     // fp32 [tokens], by micro-step: parts of all_losses
  Tensor all_losses;

  Tensor pooled;  // [tokens, embedding]: the mean of a token's categories' rows
  Tensor in;      // [tokens, hidden], of the first layer
  Tensor part;    // [tokens, hidden]: what is added to the residual path, and then its gradient
  std::vector<RankingLayerState> layers;
  NormState norm;
  Tensor score_hidden;  // [tokens, inner]
  Tensor score_active;
  Tensor score;  // [tokens, 1]

  Tensor score_grad;
  Tensor inner_grad;
  Tensor sum_grad;  // [tokens, hidden]: of what goes into a norm
  Tensor out_grad;  // of what a layer leaves, and of what it is given
  SelfAttentionGrads attention_grads;
  Tensor pooled_grad;

  Tensor history;
  Tensor clock;
};

inline constexpr int64_t kKeptBatches = 16;

// Where the data of a micro-step lies in a step's batch.
RankingData ranking_data_at(const ShardedConfig& config, std::byte* batch, int64_t micro);

// What comes to RankingBuffers::batch.
BatchSource ranking_source(const ShardedConfig& config);

// `attentions`: of each layer.
RankingBuffers make_ranking_buffers(WorkloadBuilder& builder, const ShardedConfig& config,
                                    const std::vector<SelfAttention>& attentions);

}  // namespace aaco
