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
    // What the clock needs of a LLaMA's buffers; the loss is one array.
    clock_config_ = config.llama;
    clock_config_.fusions.loss = true;
    clock_buffers_.clock = buffers_.clock;
    clock_buffers_.history = buffers_.history;
    clock_buffers_.loss = buffers_.all_losses;
  }
  RankingModel(const RankingModel&) = delete;
  RankingModel& operator=(const RankingModel&) = delete;

  void write_forward(StepWriter& step, size_t micro, const LayerHooks& hooks) const override {
    write_batch(step, buffers_.data[micro]);
    write_inputs(step);
    const Tensor* in = &buffers_.in;
    for (size_t i = 0; i < weights_.layers.size(); ++i) {
      step.layer(static_cast<int32_t>(i));
      hooks.before(i);
      write_layer(step, weights_.layers[i], *in, buffers_.layers[i]);
      hooks.after(i);
      in = &buffers_.layers[i].norm2.out;
    }
    step.layer(-1);
    write_score(step, *in);
    write_loss(step, buffers_.losses[micro]);
  }

  void write_backward(StepWriter& step, size_t /*micro*/, const LayerHooks& hooks) const override {
    write_score_backward(step);
    for (size_t i = weights_.layers.size(); i-- > 0;) {
      step.layer(static_cast<int32_t>(i));
      hooks.before(i);
      write_layer_backward(step, weights_.layers[i], i == 0 ? buffers_.in : buffers_.layers[i - 1].norm2.out,
                           buffers_.layers[i]);
      hooks.after(i);
    }
    step.layer(-1);
    write_inputs_backward(step);
  }

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
  void weight_grads(StepWriter& step, const Linear& linear, const Tensor& in, const Tensor& out_grad) const {
    write(step, StepPart::kProducts, [&](Program& program, int32_t stream) {
      linear_weight_grads(program, stream, linear, in, out_grad, precision_, false);
    });
  }
  void input_grad(StepWriter& step, const Linear& linear, const Tensor& out_grad, const Tensor& in_grad) const {
    write(step, StepPart::kProducts, [&](Program& program, int32_t stream) {
      linear_input_grad(program, stream, linear, out_grad, in_grad, precision_);
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
                        const Tensor& out_grad, const Tensor& in_grad) {
    write(step, StepPart::kNorms, [&](Program& program, int32_t stream) {
      NormState direct = state;  // the parameters' gradients where they are needed
      direct.affine_grad = norm.affine.grad;
      norm_backward(program, stream, norm, in, direct, out_grad, in_grad);
    });
  }
  static void gelu(StepWriter& step, const Tensor& in, const Tensor& out) {
    UnaryArgs args{in.data, out.data, in.elements(), UnaryOp::kGelu};
    args.in_dtype = in.dtype;
    args.out_dtype = out.dtype;
    step.op(StepPart::kSwiglu, args);
  }
  static void gelu_grad(StepWriter& step, const Tensor& in, const Tensor& grad) {
    step.op(StepPart::kSwiglu,
            UnaryGradArgs{in.data, grad.data, grad.data, grad.elements(), UnaryOp::kGelu, grad.dtype});
  }

  void gather_rows(StepWriter& step, const Tensor& table, const Tensor& to) const {
    step.op(StepPart::kEmbedding,
            GatherArgs{table.data, buffers_.rows.as<int32_t>(), to.data, tokens_, to.elements() / tokens_,
                       table.elements() * tokens_ / to.elements(), to.dtype});
  }

  void write_batch(StepWriter& step, const RankingData& data) const {
    const auto* const clock = buffers_.clock.as<TrainingClock>();
    step.op(StepPart::kEmbedding, GatherArgs{buffers_.row_numbers.data, &clock->batch, buffers_.rows.data, 1, tokens_,
                                             config_.llama.batches, Dtype::kI32});
    gather_rows(step, data.dense, buffers_.dense);
    gather_rows(step, data.categories, buffers_.categories);
    gather_rows(step, data.target, buffers_.target);
    gather_rows(step, data.weight, buffers_.weight);
  }

  // For each token, its `categories` rows of `b` by `average`, or, transposed, one row to so many.
  GemmArgs pooling(const Tensor& from, const Tensor& to, bool spreads) const {
    const int64_t categories = config_.ranking->categories;
    const int64_t embedding = config_.ranking->embedding;
    GemmArgs args;
    args.a = buffers_.average.data;
    args.b = from.data;
    args.c = to.data;
    args.m = spreads ? categories : 1;
    args.k = spreads ? 1 : categories;
    args.n = embedding;
    args.lda = args.k;
    args.ldb = embedding;
    args.ldc = embedding;
    args.batch = tokens_;
    args.stride_b = args.k * embedding;
    args.stride_c = args.m * embedding;
    args.in_dtype = from.dtype;
    args.out_dtype = to.dtype;
    args.math = precision_.math;
    return args;
  }

  void write_inputs(StepWriter& step) const {
    forward(step, weights_.dense, buffers_.dense, buffers_.in);
    step.op(StepPart::kEmbedding,
            GatherArgs{weights_.embedding.value.data, buffers_.categories.as<int32_t>(), buffers_.embedded.data,
                       tokens_ * config_.ranking->categories, config_.ranking->embedding,
                       config_.llama.shape.vocabulary, buffers_.embedded.dtype});
    step.op(StepPart::kEmbedding, pooling(buffers_.embedded, buffers_.pooled, false));
    forward(step, weights_.sparse, buffers_.pooled, buffers_.part);
    add(step, buffers_.in, buffers_.part);
  }

  void write_layer(StepWriter& step, const RankingLayer& layer, const Tensor& in,
                   const RankingLayerState& state) const {
    write(step, StepPart::kAttention, [&](Program& program, int32_t stream) {
      attention_forward(program, stream, layer.attention, in, state.attention, state.sum1, precision_);
    });
    add(step, state.sum1, in);
    norm(step, layer.norm1, state.sum1, state.norm1);
    forward(step, layer.up, state.norm1.out, state.hidden);
    gelu(step, state.hidden, state.active);
    forward(step, layer.down, state.active, state.sum2);
    add(step, state.sum2, state.norm1.out);
    norm(step, layer.norm2, state.sum2, state.norm2);
  }

  void write_score(StepWriter& step, const Tensor& in) const {
    norm(step, weights_.norm, in, buffers_.norm);
    forward(step, weights_.score1, buffers_.norm.out, buffers_.score_hidden);
    gelu(step, buffers_.score_hidden, buffers_.score_active);
    forward(step, weights_.score2, buffers_.score_active, buffers_.score);
  }

  BinaryArgs binary(BinaryOp op, const Tensor& a, const Tensor& b, const Tensor& out, float scale = 1) const {
    BinaryArgs args{a.data, b.data, out.data, a.elements(), b.elements(), a.elements() / b.elements(), op, scale};
    return args;
  }

  // With logits (0, score) the two classes' cross-entropies are -log(1 - p) and -log p, and the softmax's second column
  // is p = sigmoid(score): loss = weight * (target * -log p + (1 - target) * -log(1 - p)), gradient weight * (p -
  // target).
  void write_loss(StepWriter& step, const Tensor& losses) const {
    UnaryArgs widen{buffers_.score.data, buffers_.score_wide.data, tokens_};
    widen.in_dtype = buffers_.score.dtype;
    step.op(StepPart::kLoss, widen);
    step.op(StepPart::kLoss, binary(BinaryOp::kMul, buffers_.second, buffers_.score_wide, buffers_.logits));
    CrossEntropyArgs entropy;
    entropy.logits = buffers_.logits.data;
    entropy.rows = tokens_;
    entropy.cols = 2;
    entropy.scale = config_.micro_config(0).gradient_scale();
    entropy.targets = buffers_.all_ones.as<int32_t>();
    entropy.loss = buffers_.loss_of_one.as<float>();
    step.op(StepPart::kLoss, entropy);
    entropy.targets = buffers_.all_zeros.as<int32_t>();
    entropy.loss = buffers_.loss_of_zero.as<float>();
    entropy.grad = buffers_.logits_grad.data;
    step.op(StepPart::kLoss, entropy);
    step.op(StepPart::kLoss, binary(BinaryOp::kSub, buffers_.loss_of_one, buffers_.loss_of_zero, losses));
    step.op(StepPart::kLoss, binary(BinaryOp::kMul, losses, buffers_.target, losses));
    step.op(StepPart::kLoss, binary(BinaryOp::kAdd, losses, buffers_.loss_of_zero, losses));
    step.op(StepPart::kLoss, binary(BinaryOp::kMul, losses, buffers_.weight, losses));
  }

  void write_score_backward(StepWriter& step) const {
    const Tensor& grad = buffers_.logits_grad;
    const float scale = config_.micro_config(0).gradient_scale();
    step.op(StepPart::kLoss, binary(BinaryOp::kSub, grad, buffers_.target, grad, scale));
    step.op(StepPart::kLoss, binary(BinaryOp::kMul, grad, buffers_.weight, grad));
    step.op(StepPart::kLoss, binary(BinaryOp::kMul, grad, buffers_.second, grad));
    step.op(StepPart::kLoss, ReduceArgs{grad.data, buffers_.score_grad_wide.data, tokens_, 2});
    UnaryArgs narrow{buffers_.score_grad_wide.data, buffers_.score_grad.data, tokens_};
    narrow.out_dtype = buffers_.score_grad.dtype;
    step.op(StepPart::kLoss, narrow);
    weight_grads(step, weights_.score2, buffers_.score_active, buffers_.score_grad);
    input_grad(step, weights_.score2, buffers_.score_grad, buffers_.inner_grad);
    gelu_grad(step, buffers_.score_hidden, buffers_.inner_grad);
    weight_grads(step, weights_.score1, buffers_.norm.out, buffers_.inner_grad);
    input_grad(step, weights_.score1, buffers_.inner_grad, buffers_.sum_grad);
    norm_grad(step, weights_.norm, buffers_.layers.back().norm2.out, buffers_.norm, buffers_.sum_grad,
              buffers_.out_grad);
  }

  void write_layer_backward(StepWriter& step, const RankingLayer& layer, const Tensor& in,
                            const RankingLayerState& state) const {
    norm_grad(step, layer.norm2, state.sum2, state.norm2, buffers_.out_grad, buffers_.sum_grad);
    weight_grads(step, layer.down, state.active, buffers_.sum_grad);
    input_grad(step, layer.down, buffers_.sum_grad, buffers_.inner_grad);
    gelu_grad(step, state.hidden, buffers_.inner_grad);
    weight_grads(step, layer.up, state.norm1.out, buffers_.inner_grad);
    input_grad(step, layer.up, buffers_.inner_grad, buffers_.out_grad);
    add(step, buffers_.out_grad, buffers_.sum_grad);
    norm_grad(step, layer.norm1, state.sum1, state.norm1, buffers_.out_grad, buffers_.sum_grad);
    write(step, StepPart::kAttention, [&](Program& program, int32_t stream) {
      attention_backward(program, stream, layer.attention, state.attention, buffers_.sum_grad, buffers_.attention_grads,
                         precision_);
      attention_weight_grads(program, stream, layer.attention, in, state.attention, buffers_.sum_grad,
                             buffers_.attention_grads, precision_, false);
    });
    BinaryArgs sum{buffers_.attention_grads.in.data, buffers_.sum_grad.data, buffers_.out_grad.data,
                   buffers_.out_grad.elements(), buffers_.out_grad.elements()};
    sum.dtype = buffers_.out_grad.dtype;
    step.op(StepPart::kResidual, sum);
  }

  void write_inputs_backward(StepWriter& step) const {
    weight_grads(step, weights_.dense, buffers_.dense, buffers_.out_grad);
    weight_grads(step, weights_.sparse, buffers_.pooled, buffers_.out_grad);
    input_grad(step, weights_.sparse, buffers_.out_grad, buffers_.pooled_grad);
    step.op(StepPart::kEmbedding, pooling(buffers_.pooled_grad, buffers_.embedded_grad, true));
    GatherGradArgs args;
    args.in = buffers_.embedded_grad.data;
    args.ids = buffers_.categories.as<int32_t>();
    args.out = weights_.embedding.grad.as<float>();
    args.count = tokens_ * config_.ranking->categories;
    args.cols = config_.ranking->embedding;
    args.out_rows = config_.llama.shape.vocabulary;
    args.in_dtype = buffers_.embedded_grad.dtype;
    step.op(StepPart::kEmbedding, args);
  }

  const ShardedConfig& config_;
  Precision precision_;
  int64_t tokens_;
  RankingWeights weights_;
  RankingBuffers buffers_;
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
