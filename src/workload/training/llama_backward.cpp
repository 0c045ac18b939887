// SPDX-License-Identifier: MIT
#include <vector>

#include "workload/training/llama_passes.h"
#include "workload/training/llama_products.h"

namespace aaco {

namespace {

class BackwardWriter {
 public:
  BackwardWriter(StepWriter& step, const LlamaMemory& memory, const std::function<void(const WeightRange&)>& update,
                 const LayerHooks& hooks)
      : step_(step),
        memory_(memory),
        config_(memory.config),
        buffers_(memory.buffers),
        weights_(memory.weights),
        update_(update),
        hooks_(hooks),
        down_done_(memory.buffers.layers.size()) {}

  void write() {
    if (!config_.fusions.loss) {
      write_loss_grad();
    }
    step_.module(StepModule::kHead);
    weight_grad(buffers_.logits_grad, buffers_.norm, weights_.head);
    write_input_grad(step_, buffers_.logits_grad, weights_.head, buffers_.norm_grad, config_.precision);
    norm_grad({buffers_.last, buffers_.norm_rstd, weights_.norm, nullptr, buffers_.last_grad});
    for (size_t i = buffers_.layers.size(); i-- > 0;) {
      step_.layer(static_cast<int32_t>(i));
      hooks_.before(i);
      write_layer(i);
      hooks_.after(i);
      update_beside(weights_.layer_ranges[i]);
    }
    step_.layer(-1);
    write_embedding_grad();
  }

 private:
  // The gradient of a norm's input into `in_grad`: added to `around`, that of the residual path around the norm, where
  // there is one.
  struct NormBackward {
    const Tensor& in;
    const Tensor& rstd;
    const Weight& weight;
    const Tensor* around;
    const Tensor& in_grad;
  };

  void norm_grad(const NormBackward& norm) {
    const bool separate = norm.around != nullptr && !config_.fusions.norm;
    step_.module(StepModule::kNorms);
    NormGradArgs args;
    args.in = norm.in.data;
    args.weight = norm.weight.value.data;
    args.rstd = norm.rstd.as<float>();
    args.out_grad = buffers_.norm_grad.data;
    args.in_grad = separate ? buffers_.partial_grad.data : norm.in_grad.data;
    // Left in parts, in the order of the norms' weights.
    const bool in_parts = sums_norms_at_once();
    const int64_t number = in_parts ? (norm.weight.grad.as<float>() - norm_grads()) / config_.shape.hidden : 0;
    args.weight_grad = in_parts ? nullptr : norm.weight.grad.as<float>();
    args.rows = norm.in.rows();
    args.cols = norm.in.cols();
    args.kind = NormKind::kRms;
    args.dtype = norm.in.dtype;
    args.add = norm.around == nullptr || separate ? nullptr : norm.around->data;
    const int64_t parts = norm_grad_parts(args.rows);
    args.partial = buffers_.norm_parts.as<float>() + number * parts * args.cols;
    step_.op(StepPart::kNorms, args);
    if (separate) {
      write_sum(step_, StepPart::kResidual, *norm.around, buffers_.partial_grad, norm.in_grad);
    }
  }

  // All norms' weight gradients from their parts.
  void sum_norm_parts() {
    if (sums_norms_at_once()) {
      step_.op(StepPart::kNorms, SumPartsArgs{buffers_.norm_parts.as<float>(), norm_grads(), llama_norm_parts(config_),
                                              norm_grad_parts(config_.tokens()), config_.shape.hidden});
    }
  }
  // Where their weights lie in one array; those of a sharded model lie with its layers.
  bool sums_norms_at_once() const { return config_.fusions.norm && weights_.norms.grad.data != nullptr; }
  float* norm_grads() const { return weights_.norms.grad.as<float>(); }

  // Beside the backward pass, once what it is made of is there.
  void weight_grad(const Tensor& out_grad, const Tensor& in, const Weight& weight) {
    if (config_.fusions.beside) {
      step_.stream(kBesideStream);
      step_.after(0);
    }
    write_weight_grad(step_, out_grad, in, weight, config_.precision);
    step_.stream(0);
  }

  void update_beside(const WeightRange& range) {
    if (config_.fusions.beside) {
      step_.stream(kBesideStream);
      step_.after(0);
      update_(range);
      step_.stream(0);
    }
  }

  // One more term of the gradient in front of several products.
  void add_input_grad(const Tensor& out_grad, const Weight& weight) {
    write_input_grad(step_, out_grad, weight, buffers_.partial_grad, config_.precision);
    write_sum(step_, StepPart::kResidual, buffers_.norm_grad, buffers_.partial_grad, buffers_.norm_grad);
  }

  void write_swiglu(const LlamaLayerState& state, const LlamaLayerWeights& weights, const GateUpViews& grads,
                    const Tensor& out_grad) {
    write_input_grad(step_, out_grad, weights.down, buffers_.active_grad, config_.precision);
    if (config_.fusions.gate_up) {
      step_.op(StepPart::kSwiglu,
               GluGradArgs{state.gate_up.gate.data, state.gate_up.up.data, buffers_.active_grad.data, grads.gate.data,
                           grads.up.data, config_.tokens(), config_.shape.inner, grads.pitch,
                           buffers_.active_grad.dtype, config_.fusions.recompute ? state.active.data : nullptr});
      if (config_.fusions.recompute) {
        weight_grad(out_grad, state.active, weights.down);
      }
      weight_grad(grads.all, state.norm2, weights.gate_up);
      write_input_grad(step_, grads.all, weights.gate_up, buffers_.norm_grad, config_.precision);
      return;
    }
    write_silu_times_up_grad(step_, state, grads, buffers_);
    weight_grad(grads.gate, state.norm2, weights.gate);
    weight_grad(grads.up, state.norm2, weights.up);
    write_input_grad(step_, grads.gate, weights.gate, buffers_.norm_grad, config_.precision);
    add_input_grad(grads.up, weights.up);
  }

  void write_qkv(const LlamaLayerState& state, const LlamaLayerWeights& weights, const QkvViews& grads) {
    if (config_.fusions.qkv) {
      weight_grad(grads.all, state.norm1, weights.qkv);
      write_input_grad(step_, grads.all, weights.qkv, buffers_.norm_grad, config_.precision);
      return;
    }
    weight_grad(grads.q, state.norm1, weights.q);
    weight_grad(grads.k, state.norm1, weights.k);
    weight_grad(grads.v, state.norm1, weights.v);
    write_input_grad(step_, grads.q, weights.q, buffers_.norm_grad, config_.precision);
    add_input_grad(grads.k, weights.k);
    add_input_grad(grads.v, weights.v);
  }

  void write_layer(size_t number) {
    const LlamaLayerState& state = buffers_.layers[number];
    const LlamaLayerWeights& weights = weights_.layers[number];
    const LlamaLayerGrads& grads = buffers_.grads_of(number);
    const bool last = number + 1 == buffers_.layers.size();
    const Tensor& out_grad = last ? buffers_.last_grad : buffers_.grads_of(number + 1).in;
    wait_for_set(number);
    step_.module(StepModule::kMlp);
    if (!config_.fusions.recompute) {
      weight_grad(out_grad, state.active, weights.down);
    }
    mark_down(number);
    write_swiglu(state, weights, grads.gate_up, out_grad);
    norm_grad({state.middle, state.norm2_rstd, weights.norm2, &out_grad, grads.middle});
    step_.module(StepModule::kAttention);
    weight_grad(grads.middle, state.mixed, weights.o);
    write_input_grad(step_, grads.middle, weights.o, buffers_.mixed_grad, config_.precision);
    write_attention_backward(step_, memory_, state, grads.qkv);
    write_rotary(step_, memory_, grads.qkv, true);
    write_qkv(state, weights, grads.qkv);
    norm_grad({state.in, state.norm1_rstd, weights.norm1, &grads.middle, grads.in});
  }

  // A layer's set was that of the layer kGradSets above; the last that reads it is the gradient of the down-projection
  // of the layer below that one.
  void wait_for_set(size_t number) {
    if (config_.fusions.beside && number + kGradSets < buffers_.layers.size()) {
      step_.wait(down_done_[number + kGradSets - 1]);
    }
  }
  void mark_down(size_t number) {
    if (config_.fusions.beside) {
      step_.stream(kBesideStream);
      down_done_[number] = step_.record();
      step_.stream(0);
    }
  }

  void write_loss_grad() {
    CrossEntropyArgs args;
    args.logits = buffers_.logits.data;
    args.targets = buffers_.targets.as<int32_t>();
    args.loss = buffers_.loss.as<float>();
    args.grad = buffers_.logits_grad.data;
    args.rows = config_.tokens();
    args.cols = config_.shape.vocabulary;
    args.scale = config_.gradient_scale();
    args.dtype = buffers_.logits.dtype;
    step_.op(StepPart::kLoss, args);
  }

  void write_embedding_grad() {
    const Tensor& in_grad = buffers_.grads_of(0).in;
    GatherGradArgs args;
    args.in = in_grad.data;
    args.ids = buffers_.inputs.as<int32_t>();
    args.out = weights_.embedding.grad.as<float>();
    args.count = config_.tokens();
    args.cols = config_.shape.hidden;
    args.out_rows = config_.shape.vocabulary;
    args.accumulate = config_.shape.tie_head ? 1 : 0;  // to that of the head
    args.in_dtype = in_grad.dtype;
    if (config_.fusions.beside) {
      step_.stream(kBesideStream);
      step_.after(0);
    }
    step_.op(StepPart::kEmbedding, args);
    step_.stream(0);
    sum_norm_parts();
    update_beside(weights_.embedding_range);
    update_beside(weights_.norm_range);
  }

  StepWriter& step_;
  const LlamaMemory& memory_;
  const LlamaConfig& config_;
  const LlamaBuffers& buffers_;
  const LlamaWeights& weights_;
  const std::function<void(const WeightRange&)>& update_;
  const LayerHooks& hooks_;
  std::vector<int32_t> down_done_;  // events, by layer
};

}  // namespace

void write_llama_backward(StepWriter& step, const LlamaMemory& memory,
                          const std::function<void(const WeightRange&)>& update, const LayerHooks& hooks) {
  BackwardWriter(step, memory, update, hooks).write();
}

}  // namespace aaco
