// SPDX-License-Identifier: MIT
// Whether a mixture of experts routed every token as its router says, and combined what its experts make of it.
#pragma once

#include <vector>

#include "workload/workload.h"

namespace aaco::workloads {

// Two linear layers with GELU between them, by expert along the first dimension.
struct ExpertWeights {
  Tensor up;         // [experts, cols, hidden]
  Tensor up_bias;    // [experts, hidden]
  Tensor down;       // [experts, hidden, cols]
  Tensor down_bias;  // [experts, cols]
};

// What the first rank's iteration leaves, and where.
struct MoeLayout {
  Tensor tokens;                       // [tokens, cols]
  Tensor logits;                       // [tokens, experts]
  Tensor chosen;                       // int32 [tokens, choices]
  Tensor weights;                      // [tokens, choices]
  Tensor out;                          // [tokens, cols]
  Tensor counts;                       // int32 [experts]
  Tensor place_of;                     // int32 [tokens * choices]; no data: dense, nothing is routed
  Tensor token_of;                     // int32, by place
  int64_t capacity = 0;                // places of an expert; 0: as many as it has tokens
  int64_t experts_here = 0;            // of a rank
  bool emulated = false;               // the other ranks hold this one's data
  std::vector<ExpertWeights> experts;  // by rank
  Precision precision;
};

Result<void> check_routing(DeviceReader& reader, const MoeLayout& moe);
// Some tokens, from their row to the combined output.
Result<void> check_outputs(DeviceReader& reader, const MoeLayout& moe);

}  // namespace aaco::workloads
