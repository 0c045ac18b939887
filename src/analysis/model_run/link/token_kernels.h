// SPDX-License-Identifier: MIT
// What a device did for one generated token: of the profiled decode steps of a decoder on a GPU.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/model_run/context.h"

namespace aaco {

struct TokenWork {
  int64_t kernels = 0;
  int64_t active_ns = 0;  // in which at least one of them ran
  int64_t wall_ns = 0;    // from the end of the token before
};

// Of each decode step whose predecessor in its process is recorded, in the order of the rows.
std::vector<TokenWork> token_works(const Recording& recording);

// token_kernels, token_gpu_active_ratio; none of them where the run has no tokens or no GPU.
std::vector<MetricValue> token_kernel_metrics(const Context& context);

}  // namespace aaco
