// SPDX-License-Identifier: MIT
// Every workload, in the order of `aaco queue list`. The file that defines workloads::NAME is NAME.cpp.
#pragma once

#include "workload/workload.h"

// clang-format off
#define AACO_WORKLOADS(X)                                                                                              \
  X(hetero_kernels)                                                                                                    \
  X(tiny_kernel_stress)                                                                                                \
  X(large_gemm_only)                                                                                                   \
  X(fsdp_tp)                                                                                                           \
  X(moe)                                                                                                               \
  X(activation_ckpt)                                                                                                   \
  X(grad_accum)                                                                                                        \
  X(comms_compute_overlap)                                                                                             \
  X(speculative_decode)                                                                                                \
  X(continuous_batch)                                                                                                  \
  X(rag_pipeline)                                                                                                      \
  X(async_dataload)                                                                                                    \
  X(zero_offload)                                                                                                      \
  X(multi_region)                                                                                                      \
  X(simple_transformer)                                                                                                \
  X(graph_subgraphs)
// clang-format on

namespace aaco::workloads {

#define AACO_WORKLOAD_DECLARED(name) extern const WorkloadInfo name;
AACO_WORKLOADS(AACO_WORKLOAD_DECLARED)
#undef AACO_WORKLOAD_DECLARED

}  // namespace aaco::workloads
