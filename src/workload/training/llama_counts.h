// SPDX-License-Identifier: MIT
// What the mathematics of a training step computes, and what its arrays take, from the shape alone: the same for every
// version, and an independent check of what is counted from the operations. A multiply-add is two.
#pragma once

#include <optional>

#include "workload/training/llama_config.h"

namespace aaco {

// Products and attention; of attention the pairs on or below the diagonal only. Element-wise work is not counted (below
// 1 %), as is usual for MFU.
struct ModelFlops {
  double forward = 0;
  double backward = 0;  // twice the forward pass: each product has two gradients

  double total() const { return forward + backward; }
};

ModelFlops llama_model_flops(const LlamaConfig& config);

// What a training's arrays take, in bytes, from the shape and the fusions alone: what a device has allocated is held
// against it.
struct TrainingMemory {
  double weights = 0;      // what the optimiser changes, fp32, and what products read where that is another copy
  double gradients = 0;    // of weights, fp32
  double moments = 0;      // the optimiser's two
  double activations = 0;  // what the forward pass leaves for the backward pass
  double working = 0;      // where both passes work, layer after layer
  double data = 0;         // tokens and tables

  double total() const { return weights + gradients + moments + activations + working + data; }
};

TrainingMemory llama_memory(const LlamaConfig& config);

// The most that PyTorch's eager step of the same model takes, in bytes: the larger of the optimiser's step (six arrays
// of the parameters' size) and of the backward pass's begin. Its constant for logits and what is passing was fitted to
// peaks of runs in fp32 at a vocabulary of 1000 and a hidden size of 512, which it meets within 0.3 %: none of others.
std::optional<double> pytorch_peak_bytes(const LlamaConfig& config);

}  // namespace aaco
