// SPDX-License-Identifier: MIT
// SwiGLU's function where it is not fused: as a framework runs silu(gate) * up and their gradients.
#include "workload/training/llama_passes.h"

namespace aaco {

namespace {

void write_times(StepWriter& step, const Tensor& a, const Tensor& b, const Tensor& to) {
  BinaryArgs args{a.data, b.data, to.data, to.elements(), to.elements()};
  args.op = BinaryOp::kMul;
  args.dtype = to.dtype;
  step.op(StepPart::kSwiglu, args);
}

}  // namespace

void write_silu_times_up(StepWriter& step, const LlamaLayerState& state) {
  const Tensor& gate = state.gate_up.gate;
  const Tensor& silu = state.silu;
  UnaryArgs args{gate.data, silu.data, silu.elements(), UnaryOp::kSilu};
  args.in_dtype = gate.dtype;
  args.out_dtype = silu.dtype;
  step.op(StepPart::kSwiglu, args);
  write_times(step, silu, state.gate_up.up, state.active);
}

void write_silu_times_up_grad(StepWriter& step, const LlamaLayerState& state, const GateUpViews& grads,
                              const LlamaBuffers& buffers) {
  write_times(step, buffers.active_grad, state.silu, grads.up);
  write_times(step, buffers.active_grad, state.gate_up.up, buffers.silu_grad);
  step.op(StepPart::kSwiglu, UnaryGradArgs{state.gate_up.gate.data, buffers.silu_grad.data, grads.gate.data,
                                           grads.gate.elements(), UnaryOp::kSilu, grads.gate.dtype});
}

}  // namespace aaco
