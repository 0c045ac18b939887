// SPDX-License-Identifier: MIT
// The memory of fsdp_tp: weights and shards of every layer, activations and gradients of every pass, by rank.
#pragma once

#include <fmt/format.h>
#include <vector>

#include "workload/layers/attention.h"
#include "workload/layers/collectives.h"
#include "workload/layers/mlp.h"

namespace aaco::workloads {

struct FsdpSizes {
  int64_t hidden = 0;
  int64_t heads = 0;  // of all ranks together
  int64_t layers = 0;
  int64_t stages = 0;
  int64_t batch = 0;
  int64_t micro_batches = 0;
  int64_t seq = 0;
  Precision precision;
  bool weight_gradients = true;  // else only the input's

  int64_t micro_batch() const { return batch / micro_batches; }
  int64_t rows() const { return micro_batch() * seq; }  // of a rank's micro-batch
  int64_t stage_of(int64_t layer) const { return layer * stages / layers; }
  // What it leaves goes to the next rank.
  bool ends_stage(int64_t layer) const { return layer + 1 < layers && stage_of(layer) != stage_of(layer + 1); }
};

struct FsdpLayer {
  SelfAttention attention;  // this rank's heads; each rank adds a part of the projection's bias
  Mlp mlp;                  // of the whole, gathered; norms have no weights
  WeightBucket attention_bucket;
  WeightBucket mlp_bucket;
  Tensor shard;  // this rank's part of the mlp's weights, and of their gradients; alone, the bucket's own
  Tensor shard_grad;
};

// A micro-batch's way through a layer. Alone, what would cross to other ranks is the same memory on both sides.
struct LayerPass {
  Tensor in;
  NormState norm;
  Tensor normed;  // the norm's out
  Tensor tokens;  // all ranks' normed
  SelfAttentionState attention;
  Tensor partial;  // this rank's heads' part of the attention's output, for all ranks' tokens
  Tensor middle;
  MlpState mlp;
  Tensor out;
  Tensor passed_on;  // the previous rank's out, at the end of a stage; else this rank's

  Tensor passed_on_grad;
  Tensor returned;  // gradient of out, come back; a step of an even number leaves it in the spare one
  Tensor returned_spare;
  Tensor out_grad;
  MlpGrads mlp_grads;
  Tensor middle_grad;
  Tensor partial_grad;  // all ranks' middle_grad
  SelfAttentionGrads attention_grads;
  Tensor tokens_grad;  // this rank's heads' part
  Tensor normed_grad;
  Tensor in_grad;
};

class FsdpModel {
 public:
  FsdpModel(WorkloadBuilder& builder, const FsdpSizes& sizes);

  const FsdpLayer& layer(int32_t rank, int64_t layer) const {
    return layers_[static_cast<size_t>(rank)][static_cast<size_t>(layer)];
  }
  const LayerPass& pass(int32_t rank, int64_t layer, int64_t micro) const {
    return passes_[static_cast<size_t>(rank)][static_cast<size_t>(micro * sizes_.layers + layer)];
  }
  void add_outputs_and_checks(WorkloadBuilder& builder) const;

 private:
  FsdpLayer make_layer(WorkloadBuilder& builder, int32_t rank) const;
  LayerPass make_pass(WorkloadBuilder& builder, const FsdpLayer& layer, const Tensor& in, bool passes_on,
                      int32_t rank) const;
  void link_gradients(WorkloadBuilder& builder, int32_t rank, int64_t micro);
  void add_row_sum_check(WorkloadBuilder& builder) const;
  void add_bias_check(WorkloadBuilder& builder) const;
  void add_shard_checks(WorkloadBuilder& builder, int64_t layer) const;

  FsdpSizes sizes_;
  std::vector<std::vector<FsdpLayer>> layers_;  // by rank, then layer
  std::vector<std::vector<LayerPass>> passes_;  // by rank, then micro-batch and layer
  std::vector<Tensor> ins_;                     // by rank: all micro-batches
  std::vector<Tensor> out_grads_;               // of a loss that stands above the last layer
};

}  // namespace aaco::workloads
