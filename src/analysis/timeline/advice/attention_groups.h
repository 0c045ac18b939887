// SPDX-License-Identifier: MIT
// Attention as a chain of kernels: products of matrices, the softmax between them, and what lies between on the stream.
#pragma once

#include <span>
#include <vector>

#include "analysis/timeline/advice/advice_input.h"

namespace aaco {

struct AttentionGroup {
  bool backward = false;
  size_t first = 0;  // places in the stream's order, the last one included
  size_t last = 0;
  EventRow product = kNoEvent;  // operator of the first
  EventRow softmax = kNoEvent;
  int64_t rows = 0;     // queries, all batches and heads together
  int64_t keys = 0;     // of each
  int64_t width = 0;    // of a head
  double flops = 0;     // of the products
  double elements = 0;  // queries, keys, values and results, each once; in backward their gradients too
  std::string dtype;
};

// Of slices in the order of one stream, without overlap. Shapes decide: what the softmax takes is as large as what one
// product gives, and as what another takes.
std::vector<AttentionGroup> attention_groups(const AdviceInput& input, const RankOperators& rank,
                                             std::span<const uint32_t> order);

}  // namespace aaco
