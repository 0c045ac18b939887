// SPDX-License-Identifier: MIT
// The Tiny LLaMA's parameters, their gradients and the optimiser's states: each in one flat array, layer by layer and
// the norms' behind the last, laid out alike whatever is fused. Weights of products are [out, in], so that those of a
// fused product are rows of one matrix.
#pragma once

#include <string>
#include <vector>

#include "workload/layers/weights.h"
#include "workload/training/llama_config.h"

namespace aaco {

struct LlamaLayerWeights {
  Weight norm1;  // part of all norms
  Weight qkv;    // [hidden + 2 kv_width, hidden]: rows of q, k, v
  Weight q;      // part of qkv
  Weight k;
  Weight v;
  Weight o;  // [hidden, hidden]
  Weight norm2;
  Weight gate_up;  // [2 inner, hidden]: rows of gate, up
  Weight gate;     // part of gate_up
  Weight up;
  Weight down;  // [hidden, inner]
};

// A parameter by the name that it has in every version.
struct NamedWeight {
  std::string name;  // "layers.3.gate"
  Weight weight;
  int32_t layer = -1;
};

// The elements [first, end) of the flat arrays: a layer's without its norms, or what belongs to none.
struct WeightRange {
  int64_t first = 0;
  int64_t end = 0;
};

struct LlamaWeights {
  Weight embedding;  // [vocabulary, hidden]
  Weight head;       // the embedding where they are tied; else another of that size, behind it
  std::vector<LlamaLayerWeights> layers;
  Weight norms;                    // [2 layers + 1, hidden]: of layer by layer both, and the last
  Weight norm;                     // part of norms
  std::vector<NamedWeight> named;  // in the order of the model
  WeightRange embedding_range;     // with the head
  std::vector<WeightRange> layer_ranges;
  WeightRange norm_range;
  Tensor values;   // of the precision, flat
  Tensor masters;  // fp32
  Tensor grads;    // fp32, of all but low_range
  // Gradients of the layers' products as these give them: of the precision, the layers one behind the other. In fp32
  // there are none, and the range is empty.
  Tensor low_grads;
  WeightRange low_range;
  Tensor first;  // fp32: the optimiser's
  Tensor second;
};

// Matrices uniform with deviation 0.02 (+- 0.02 sqrt 3), norms 1: the same values for the same seed and shape.
LlamaWeights make_llama_weights(WorkloadBuilder& builder, const LlamaConfig& config);

// Where a weight begins in the flat arrays of masters and states.
int64_t first_element(const LlamaWeights& weights, const Weight& weight);

// Elements of all parameters, from the shape alone.
int64_t llama_parameter_count(const LlamaShape& shape);

}  // namespace aaco
