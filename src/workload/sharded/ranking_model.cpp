// SPDX-License-Identifier: MIT
#include "workload/sharded/ranking_model.h"

#include <cmath>

#include "workload/layers/linear.h"
#include "workload/layers/matmul.h"
#include "workload/sharded/ranking_buffers.h"
#include "workload/sharded/sharded_weights.h"

namespace aaco {

namespace {

// In the order of the plan.
enum RootParameter : size_t {
  kEmbedding,
  kDense,
  kDenseBias,
  kSparse,
  kSparseBias,
  kNorm,
  kScore1,
  kScore1Bias,
  kScore2,
  kScore2Bias
};
enum LayerParameter : size_t {
  kQkv,
  kQkvBias,
  kProjection,
  kProjectionBias,
  kNorm1,
  kUp,
  kUpBias,
  kDown,
  kDownBias,
  kNorm2
};

// Places of a layer that have masks of their own; the scorer's is that of a layer behind the last one.
enum DropoutSite : int32_t { kAttentionOut, kActivation, kFeedForwardOut, kSites };

// As torch.nn.Linear begins: uniform within 1 / sqrt(in), its bias too.
void plan_linear(UnitPlan& plan, const std::string& name, int64_t in, int64_t out) {
  const double range = 1 / std::sqrt(static_cast<double>(in));
  plan.parameters.push_back({name + ".weight", {in, out}, range});
  plan.parameters.push_back({name + ".bias", {out}, range});
}

// Weight 1, bias 0.
void plan_norm(UnitPlan& plan, const std::string& name, int64_t cols) {
  plan.parameters.push_back({name, {2, cols}, 0, 0, {{name + ".weight", cols, 1}, {name + ".bias", cols, 0}}});
}

struct RankingLayer {
  SelfAttention attention;
  Norm norm1;
  Linear up;
  Linear down;
  Norm norm2;
};

struct RankingWeights {
  Weight embedding;
  Linear dense;
  Linear sparse;
  std::vector<RankingLayer> layers;
  Norm norm;
  Linear score1;
  Linear score2;
};

RankingWeights weights_of(const ShardedWeights& sharded, const LlamaShape& shape) {
  const std::vector<Weight>& root = sharded.parameters[0];
  RankingWeights weights;
  weights.embedding = root[kEmbedding];
  weights.dense = {root[kDense], root[kDenseBias]};
  weights.sparse = {root[kSparse], root[kSparseBias]};
  weights.norm = {root[kNorm]};
  weights.score1 = {root[kScore1], root[kScore1Bias]};
  weights.score2 = {root[kScore2], root[kScore2Bias]};
  for (size_t i = 0; i < sharded.layers(); ++i) {
    const std::vector<Weight>& unit = sharded.parameters[ShardedWeights::unit_of(i)];
    RankingLayer& layer = weights.layers.emplace_back();
    layer.attention.qkv = {unit[kQkv], unit[kQkvBias]};
    layer.attention.projection = {unit[kProjection], unit[kProjectionBias]};
    layer.attention.heads = static_cast<int32_t>(shape.heads);
    layer.attention.head_dim = static_cast<int32_t>(shape.head_dim());
    layer.norm1 = {unit[kNorm1]};
    layer.up = {unit[kUp], unit[kUpBias]};
    layer.down = {unit[kDown], unit[kDownBias]};
    layer.norm2 = {unit[kNorm2]};
  }
  return weights;
}

std::vector<SelfAttention> attentions_of(const RankingWeights& weights) {
  std::vector<SelfAttention> attentions;
  for (const RankingLayer& layer : weights.layers) {
    attentions.push_back(layer.attention);
  }
  return attentions;
}

class RankingModel : public ShardedModel {
 public:
  RankingModel(WorkloadBuilder& builder, const ShardedConfig& config, const ShardedWeights& weights)
      : config_(config),
        precision_(config.llama.precision),
        tokens_(config.llama.tokens()),
        weights_(weights_of(weights, config.llama.shape)),
        buffers_(make_ranking_buffers(builder, config, attentions_of(weights_))) {
    for (size_t i = 0; i < weights.layers(); ++i) {
      layer_grads_.push_back(weights.units[ShardedWeights::unit_of(i)].whole_grad);
    }
    // What the clock needs of a LLaMA's buffers; the loss is one array.
    clock_config_ = config.llama;
    clock_config_.fusions.loss = true;
    clock_config_.batches = 1;  // on the device
    clock_buffers_.clock = buffers_.clock;
    clock_buffers_.history = buffers_.history;
    clock_buffers_.loss = buffers_.all_losses;
  }
  RankingModel(const RankingModel&) = delete;
  RankingModel& operator=(const RankingModel&) = delete;

  void write_forward(StepWriter& step, size_t micro, const LayerHooks& hooks) const override {
    write_inputs(step, buffers_.data[micro]);
    for (size_t i = 0; i < weights_.layers.size(); ++i) {
      step.layer(static_cast<int32_t>(i));
      hooks.before(i);
      write_layer(step, i, micro);
      hooks.after(i);
    }
    step.layer(-1);
    write_score(step, micro);
    write_loss(step, buffers_.data[micro], buffers_.losses[micro]);
  }

  void write_backward(StepWriter& step, size_t micro, const LayerHooks& hooks) const override {
    write_score_backward(step, micro);
    for (size_t i = weights_.layers.size(); i-- > 0;) {
      step.layer(static_cast<int32_t>(i));
      hooks.before(i);
      write_layer_backward(step, i, micro);
      hooks.after(i);
    }
    step.layer(-1);
    write_inputs_backward(step, buffers_.data[micro]);
  }

  BatchSource source() const override { return ranking_source(config_); }
  const Tensor& batch() const override { return buffers_.batch; }
  const LlamaMemory& memory() const override { return memory_; }

 private:
  // What `write(program, stream)` of the layers adds.
  template <class Write>
  static void write(StepWriter& step, StepPart part, const Write& write) {
    step.program(part, write);
  }

  void forward(StepWriter& step, const Linear& linear, const Tensor& in, const Tensor& out) const {
    write(step, StepPart::kProducts,
          [&](Program& program, int32_t stream) { linear_forward(program, stream, linear, in, out, precision_); });
  }
  void weight_grads(StepWriter& step, const Linear& linear, const Tensor& in, const Tensor& out_grad,
                    bool bias_is_zero = false) const {
    write(step, StepPart::kProducts, [&](Program& program, int32_t stream) {
      linear_weight_grads(program, stream, linear, in, out_grad, precision_, false, bias_is_zero);
    });
  }
  void input_grad(StepWriter& step, const Linear& linear, const Tensor& out_grad, const Tensor& in_grad,
                  bool accumulate = false) const {
    write(step, StepPart::kProducts, [&](Program& program, int32_t stream) {
      linear_input_grad(program, stream, linear, out_grad, in_grad, precision_, accumulate);
    });
  }
  static void add(StepWriter& step, const Tensor& to, const Tensor& from) {
    write(step, StepPart::kResidual, [&](Program& program, int32_t stream) { add_to(program, stream, to, from); });
  }
  static void norm(StepWriter& step, const Norm& norm, const Tensor& in, const NormState& state) {
    write(step, StepPart::kNorms,
          [&](Program& program, int32_t stream) { norm_forward(program, stream, norm, in, state); });
  }
  static void norm_grad(StepWriter& step, const Norm& norm, const Tensor& in, const NormState& state,
                        const Tensor& out_grad, const Tensor& in_grad, bool affine_is_zero = false) {
    write(step, StepPart::kNorms, [&](Program& program, int32_t stream) {
      NormState direct = state;  // the parameters' gradients where they are needed
      direct.affine_grad = norm.affine.grad;
      norm_backward(program, stream, norm, in, direct, out_grad, in_grad, affine_is_zero);
    });
  }
  bool drops() const { return config_.dropout > 0; }

  // Elements are counted over the rows of all ranks and micro-steps, so that it does not matter which rank has one.
  DropoutMask mask(size_t layer, DropoutSite site, size_t micro, int64_t cols) const {
    DropoutMask mask;
    mask.clock = buffers_.clock.as<TrainingClock>();
    mask.seed = config_.llama.seed;
    mask.first = config_.micro_config(static_cast<int64_t>(micro)).rank * tokens_ * cols;
    mask.probability = config_.dropout;
    mask.site = static_cast<int32_t>(layer) * kSites + site;
    return mask;
  }

  void gelu(StepWriter& step, const Tensor& in, const Tensor& out, const DropoutMask& mask) const {
    if (drops()) {
      step.op(StepPart::kSwiglu,
              DropoutArgs{in.data, nullptr, out.data, in.elements(), mask, UnaryOp::kGelu, in.dtype});
      return;
    }
    UnaryArgs args{in.data, out.data, in.elements(), UnaryOp::kGelu};
    args.in_dtype = in.dtype;
    args.out_dtype = out.dtype;
    step.op(StepPart::kSwiglu, args);
  }
  void gelu_grad(StepWriter& step, const Tensor& in, const Tensor& grad, const DropoutMask& mask) const {
    if (drops()) {
      step.op(StepPart::kSwiglu,
              DropoutGradArgs{in.data, grad.data, grad.data, grad.elements(), mask, UnaryOp::kGelu, grad.dtype});
      return;
    }
    step.op(StepPart::kSwiglu,
            UnaryGradArgs{in.data, grad.data, grad.data, grad.elements(), UnaryOp::kGelu, grad.dtype});
  }

  // sum = around + the rest of part, and the norm behind it.
  void norm_of_sum(StepWriter& step, const Norm& weights, const Tensor& around, const Tensor& sum,
                   const NormState& state, const DropoutMask& mask) const {
    const Tensor& part = buffers_.part;
    if (drops()) {
      step.op(StepPart::kResidual,
              DropoutArgs{part.data, around.data, sum.data, sum.elements(), mask, UnaryOp::kCast, sum.dtype});
      norm(step, weights, sum, state);
      return;
    }
    write(step, StepPart::kNorms, [&](Program& program, int32_t stream) {
      norm_forward_of_sum(program, stream, weights, part, around, sum, state);
    });
  }
  // The gradient of what was added, from that of the sum.
  Tensor part_grad(StepWriter& step, const Tensor& sum_grad, const DropoutMask& mask) const {
    if (!drops()) {
      return sum_grad;
    }
    const Tensor& part = buffers_.part;
    step.op(StepPart::kResidual,
            DropoutGradArgs{nullptr, sum_grad.data, part.data, part.elements(), mask, UnaryOp::kCast, part.dtype});
    return part;
  }

  void write_inputs(StepWriter& step, const RankingData& data) const {
    forward(step, weights_.dense, data.dense, buffers_.in);
    GatherMeanArgs bag;
    bag.table = weights_.embedding.value.data;
    bag.ids = data.categories.as<int32_t>();
    bag.out = buffers_.pooled.data;
    bag.count = tokens_;
    bag.cols = config_.ranking->embedding;
    bag.table_rows = config_.llama.shape.vocabulary;
    bag.pool = config_.ranking->categories;
    bag.dtype = buffers_.pooled.dtype;
    step.op(StepPart::kEmbedding, bag);
    forward(step, weights_.sparse, buffers_.pooled, buffers_.part);
    add(step, buffers_.in, buffers_.part);
  }

  const Tensor& input_of(size_t layer) const { return layer == 0 ? buffers_.in : buffers_.layers[layer - 1].norm2.out; }

  void write_layer(StepWriter& step, size_t number, size_t micro) const {
    const RankingLayer& layer = weights_.layers[number];
    const RankingLayerState& state = buffers_.layers[number];
    const LlamaShape& shape = config_.llama.shape;
    const Tensor& in = input_of(number);
    write(step, StepPart::kAttention, [&](Program& program, int32_t stream) {
      attention_forward(program, stream, layer.attention, in, state.attention, buffers_.part, precision_);
    });
    norm_of_sum(step, layer.norm1, in, state.sum1, state.norm1, mask(number, kAttentionOut, micro, shape.hidden));
    forward(step, layer.up, state.norm1.out, state.hidden);
    gelu(step, state.hidden, state.active, mask(number, kActivation, micro, shape.inner));
    forward(step, layer.down, state.active, buffers_.part);
    norm_of_sum(step, layer.norm2, state.norm1.out, state.sum2, state.norm2,
                mask(number, kFeedForwardOut, micro, shape.hidden));
  }

  DropoutMask score_mask(size_t micro) const {
    return mask(weights_.layers.size(), kActivation, micro, config_.llama.shape.inner);
  }

  void write_score(StepWriter& step, size_t micro) const {
    norm(step, weights_.norm, input_of(weights_.layers.size()), buffers_.norm);
    forward(step, weights_.score1, buffers_.norm.out, buffers_.score_hidden);
    gelu(step, buffers_.score_hidden, buffers_.score_active, score_mask(micro));
    forward(step, weights_.score2, buffers_.score_active, buffers_.score);
  }

  void write_loss(StepWriter& step, const RankingData& data, const Tensor& losses) const {
    BinaryCrossEntropyArgs entropy;
    entropy.score = buffers_.score.data;
    entropy.target = data.target.as<float>();
    entropy.weight = data.weight.as<float>();
    entropy.loss = losses.as<float>();
    entropy.grad = buffers_.score_grad.data;
    entropy.n = tokens_;
    entropy.scale = config_.micro_config(0).gradient_scale();
    entropy.dtype = buffers_.score.dtype;
    step.op(StepPart::kLoss, entropy);
  }

  void write_score_backward(StepWriter& step, size_t micro) const {
    weight_grads(step, weights_.score2, buffers_.score_active, buffers_.score_grad);
    input_grad(step, weights_.score2, buffers_.score_grad, buffers_.inner_grad);
    gelu_grad(step, buffers_.score_hidden, buffers_.inner_grad, score_mask(micro));
    weight_grads(step, weights_.score1, buffers_.norm.out, buffers_.inner_grad);
    input_grad(step, weights_.score1, buffers_.inner_grad, buffers_.sum_grad);
    norm_grad(step, weights_.norm, buffers_.layers.back().norm2.out, buffers_.norm, buffers_.sum_grad,
              buffers_.out_grad);
  }

  void write_layer_backward(StepWriter& step, size_t number, size_t micro) const {
    const RankingLayer& layer = weights_.layers[number];
    const RankingLayerState& state = buffers_.layers[number];
    const LlamaShape& shape = config_.llama.shape;
    const Tensor& sum_grad = buffers_.sum_grad;
    // Of the whole layer at once, what kernels of sums would each set to 0.
    write(step, StepPart::kProducts, [&](Program& program, int32_t stream) {
      const Tensor& grads = layer_grads_[number];
      program.set(stream, grads.data, 0, static_cast<size_t>(grads.bytes()));
    });
    norm_grad(step, layer.norm2, state.sum2, state.norm2, buffers_.out_grad, sum_grad, true);
    const Tensor fed_grad = part_grad(step, sum_grad, mask(number, kFeedForwardOut, micro, shape.hidden));
    weight_grads(step, layer.down, state.active, fed_grad, true);
    input_grad(step, layer.down, fed_grad, buffers_.inner_grad);
    gelu_grad(step, state.hidden, buffers_.inner_grad, mask(number, kActivation, micro, shape.inner));
    weight_grads(step, layer.up, state.norm1.out, buffers_.inner_grad, true);
    input_grad(step, layer.up, buffers_.inner_grad, sum_grad, true);  // beside the residual path's
    norm_grad(step, layer.norm1, state.sum1, state.norm1, sum_grad, buffers_.out_grad, true);
    const Tensor mixed_grad = part_grad(step, buffers_.out_grad, mask(number, kAttentionOut, micro, shape.hidden));
    write(step, StepPart::kAttention, [&](Program& program, int32_t stream) {
      attention_inner_backward(program, stream, layer.attention, state.attention, mixed_grad, buffers_.attention_grads,
                               precision_);
      attention_weight_grads(program, stream, layer.attention, input_of(number), state.attention, mixed_grad,
                             buffers_.attention_grads, precision_, false, true);
    });
    input_grad(step, layer.attention.qkv, buffers_.attention_grads.qkv, buffers_.out_grad, true);
  }

  void write_inputs_backward(StepWriter& step, const RankingData& data) const {
    weight_grads(step, weights_.dense, data.dense, buffers_.out_grad);
    weight_grads(step, weights_.sparse, buffers_.pooled, buffers_.out_grad);
    input_grad(step, weights_.sparse, buffers_.out_grad, buffers_.pooled_grad);
    GatherGradArgs args;
    args.in = buffers_.pooled_grad.data;
    args.ids = data.categories.as<int32_t>();
    args.out = weights_.embedding.grad.as<float>();
    args.count = tokens_ * config_.ranking->categories;
    args.cols = config_.ranking->embedding;
    args.out_rows = config_.llama.shape.vocabulary;
    args.in_dtype = buffers_.pooled_grad.dtype;
    args.pool = config_.ranking->categories;
    step.op(StepPart::kEmbedding, args);
  }

  const ShardedConfig& config_;
  Precision precision_;
  int64_t tokens_;
  RankingWeights weights_;
  RankingBuffers buffers_;
  std::vector<Tensor> layer_grads_;  // of all of a layer's parameters, one behind the other
  LlamaConfig clock_config_;
  LlamaWeights no_weights_;
  LlamaBuffers clock_buffers_;
  LlamaMemory memory_{clock_config_, no_weights_, clock_buffers_};
};

}  // namespace

ModelPlan plan_ranking(const RankingShape& ranking, const LlamaShape& shape) {
  ModelPlan plan;
  plan.layers = shape.layers;
  plan.root.parameters.push_back({"embedding", {shape.vocabulary, ranking.embedding}, std::sqrt(3.0)});  // variance 1
  plan_linear(plan.root, "dense", ranking.dense, shape.hidden);
  plan_linear(plan.root, "sparse", ranking.embedding, shape.hidden);
  plan_norm(plan.root, "norm", shape.hidden);
  plan_linear(plan.root, "score1", shape.hidden, shape.inner);
  plan_linear(plan.root, "score2", shape.inner, 1);
  plan_linear(plan.layer, "qkv", shape.hidden, 3 * shape.hidden);
  plan_linear(plan.layer, "projection", shape.hidden, shape.hidden);
  plan_norm(plan.layer, "norm1", shape.hidden);
  plan_linear(plan.layer, "up", shape.hidden, shape.inner);
  plan_linear(plan.layer, "down", shape.inner, shape.hidden);
  plan_norm(plan.layer, "norm2", shape.hidden);
  return plan;
}

std::unique_ptr<ShardedModel> make_ranking_model(WorkloadBuilder& builder, const ShardedConfig& config,
                                                 const ShardedWeights& weights) {
  return std::make_unique<RankingModel>(builder, config, weights);
}

}  // namespace aaco
