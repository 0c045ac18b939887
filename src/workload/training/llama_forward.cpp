// SPDX-License-Identifier: MIT
#include "workload/training/llama_passes.h"
#include "workload/training/llama_products.h"

namespace aaco {

namespace {

// `sum` = in + part, and its norm; without a part, the norm of `sum`.
struct NormOfSum {
  const Tensor* in = nullptr;
  const Tensor* part = nullptr;
  const Tensor& sum;
  const Weight& weight;
  const Tensor& out;
  const Tensor& rstd;
};

void write_norm(StepWriter& step, const LlamaConfig& config, const NormOfSum& norm) {
  step.module(StepModule::kNorms);
  NormArgs args;
  args.in = norm.sum.data;
  args.weight = norm.weight.value.data;
  args.out = norm.out.data;
  args.rstd = norm.rstd.as<float>();
  args.rows = norm.out.rows();
  args.cols = norm.out.cols();
  args.eps = static_cast<float>(config.shape.epsilon);
  args.kind = NormKind::kRms;
  args.dtype = norm.out.dtype;
  if (norm.part != nullptr && config.fusions.norm) {
    args.in = norm.in->data;
    args.add = norm.part->data;
    args.sum = norm.sum.data;
  } else if (norm.part != nullptr) {
    write_sum(step, StepPart::kResidual, *norm.in, *norm.part, norm.sum);
  }
  step.op(StepPart::kNorms, args);
}

void write_swiglu(StepWriter& step, const LlamaMemory& memory, const LlamaLayerState& state,
                  const LlamaLayerWeights& weights) {
  const LlamaConfig& config = memory.config;
  const GateUpViews& views = state.gate_up;
  step.module(StepModule::kMlp);
  if (config.fusions.gate_up) {
    write_product(step, state.norm2, weights.gate_up, views.all, config.precision);
    step.op(StepPart::kSwiglu, GluArgs{views.gate.data, views.up.data, state.active.data, config.tokens(),
                                       config.shape.inner, views.pitch, state.active.dtype});
  } else {
    write_product(step, state.norm2, weights.gate, views.gate, config.precision);
    write_product(step, state.norm2, weights.up, views.up, config.precision);
    write_silu_times_up(step, state);
  }
  write_product(step, state.active, weights.down, memory.buffers.part, config.precision);
}

void write_layer(StepWriter& step, const LlamaMemory& memory, size_t number) {
  const LlamaConfig& config = memory.config;
  const LlamaLayerState& state = memory.buffers.layers[number];
  const LlamaLayerWeights& weights = memory.weights.layers[number];
  step.module(StepModule::kAttention);
  if (config.fusions.qkv) {
    write_product(step, state.norm1, weights.qkv, state.qkv.all, config.precision);
  } else {
    write_product(step, state.norm1, weights.q, state.qkv.q, config.precision);
    write_product(step, state.norm1, weights.k, state.qkv.k, config.precision);
    write_product(step, state.norm1, weights.v, state.qkv.v, config.precision);
  }
  write_rotary(step, memory, state.qkv, false);
  write_attention_forward(step, memory, state);
  write_product(step, state.mixed, weights.o, memory.buffers.part, config.precision);
  write_norm(step, config,
             {&state.in, &memory.buffers.part, state.middle, weights.norm2, state.norm2, state.norm2_rstd});
  write_swiglu(step, memory, state, weights);
}

void write_loss(StepWriter& step, const LlamaMemory& memory) {
  const LlamaBuffers& buffers = memory.buffers;
  CrossEntropyArgs args;
  args.logits = buffers.logits.data;
  args.targets = buffers.targets.as<int32_t>();
  args.loss = buffers.loss.as<float>();
  args.grad = memory.config.fusions.loss ? buffers.logits_grad.data : nullptr;
  args.rows = memory.config.tokens();
  args.cols = memory.config.shape.vocabulary;
  args.scale = memory.config.gradient_scale();
  args.dtype = buffers.logits.dtype;
  step.op(StepPart::kLoss, args);
  if (!memory.config.fusions.loss) {
    ReduceArgs mean;
    mean.in = buffers.loss.data;
    mean.out = buffers.mean_loss.data;
    mean.rows = 1;
    mean.cols = args.rows;
    mean.op = ReduceOp::kMean;
    step.op(StepPart::kLoss, mean);
  }
}

}  // namespace

void write_llama_forward(StepWriter& step, const LlamaMemory& memory, const LayerHooks& hooks) {
  const LlamaConfig& config = memory.config;
  const LlamaBuffers& buffers = memory.buffers;
  step.op(StepPart::kEmbedding,
          TokenBatchArgs{buffers.tokens.as<int32_t>(), buffers.clock.as<TrainingClock>(), buffers.inputs.as<int32_t>(),
                         buffers.targets.as<int32_t>(), config.batches, config.sequences, config.length});
  const Tensor& x = buffers.layers.front().in;
  step.op(StepPart::kEmbedding, GatherArgs{memory.weights.embedding.value.data, buffers.inputs.as<int32_t>(), x.data,
                                           config.tokens(), config.shape.hidden, config.shape.vocabulary, x.dtype});
  for (size_t i = 0; i < buffers.layers.size(); ++i) {
    const LlamaLayerState& state = buffers.layers[i];
    step.layer(static_cast<int32_t>(i));
    hooks.before(i);
    const bool first = i == 0;
    write_norm(step, config,
               {first ? nullptr : &buffers.layers[i - 1].middle, first ? nullptr : &buffers.part, state.in,
                memory.weights.layers[i].norm1, state.norm1, state.norm1_rstd});
    write_layer(step, memory, i);
    hooks.after(i);
  }
  step.layer(-1);
  write_norm(step, config,
             {&buffers.layers.back().middle, &buffers.part, buffers.last, memory.weights.norm, buffers.norm,
              buffers.norm_rstd});
  step.module(StepModule::kHead);
  write_product(step, buffers.norm, memory.weights.head, buffers.logits, config.precision);
  write_loss(step, memory);
}

}  // namespace aaco
