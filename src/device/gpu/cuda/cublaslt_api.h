// SPDX-License-Identifier: MIT
// The part of cuBLASLt that we call. Declared here rather than included: the library is opened at run time, its headers
// come in a wheel of 400 MB only, and the C interface is stable. Checked against cublasLt.h of CUDA 13.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <library_types.h>

namespace aaco::gpu {

struct CublasLtContext;  // opaque, as are the next four
struct CublasLtMatmulDesc;
struct CublasLtMatrixLayout;
struct CublasLtMatmulPreference;

enum CublasStatus : int { kCublasSuccess = 0 };
enum CublasOperation : int32_t { kCublasNone = 0, kCublasTranspose = 1 };
enum CublasComputeType : int32_t { kCublasCompute32F = 68, kCublasCompute32FFastTf32 = 77 };
enum CublasLtEpilogue : uint32_t { kEpilogueDefault = 1, kEpilogueBias = 4, kEpilogueReluBias = 6 };
enum CublasLtDescAttribute : int { kDescTransA = 3, kDescTransB = 4, kDescEpilogue = 7, kDescBiasPointer = 8 };
enum CublasLtLayoutAttribute : int { kLayoutBatchCount = 5, kLayoutBatchStride = 6 };
enum CublasLtPreferenceAttribute : int {
  kPreferenceWorkspaceBytes = 1,
  kPreferenceAlignmentA = 5,
  kPreferenceAlignmentB = 6,
  kPreferenceAlignmentC = 7,
  kPreferenceAlignmentD = 8,
};

struct CublasLtAlgorithm {
  uint64_t data[8];
};

struct CublasLtHeuristic {
  CublasLtAlgorithm algorithm;
  size_t workspace_bytes;
  CublasStatus state;
  float waves;
  int reserved[4];
};

struct CublasLtApi {
  CublasStatus (*create)(CublasLtContext** handle);
  size_t (*get_version)();
  const char* (*get_status_name)(CublasStatus status);
  CublasStatus (*desc_create)(CublasLtMatmulDesc** desc, CublasComputeType compute, cudaDataType_t scale);
  CublasStatus (*desc_destroy)(CublasLtMatmulDesc* desc);
  CublasStatus (*desc_set)(CublasLtMatmulDesc* desc, CublasLtDescAttribute attribute, const void* value, size_t bytes);
  CublasStatus (*layout_create)(CublasLtMatrixLayout** layout, cudaDataType_t type, uint64_t rows, uint64_t cols,
                                int64_t ld);
  CublasStatus (*layout_destroy)(CublasLtMatrixLayout* layout);
  CublasStatus (*layout_set)(CublasLtMatrixLayout* layout, CublasLtLayoutAttribute attribute, const void* value,
                             size_t bytes);
  CublasStatus (*preference_create)(CublasLtMatmulPreference** preference);
  CublasStatus (*preference_destroy)(CublasLtMatmulPreference* preference);
  CublasStatus (*preference_set)(CublasLtMatmulPreference* preference, CublasLtPreferenceAttribute attribute,
                                 const void* value, size_t bytes);
  CublasStatus (*heuristic)(CublasLtContext* handle, CublasLtMatmulDesc* desc, CublasLtMatrixLayout* a,
                            CublasLtMatrixLayout* b, CublasLtMatrixLayout* c, CublasLtMatrixLayout* d,
                            CublasLtMatmulPreference* preference, int wanted, CublasLtHeuristic* heuristic, int* count);
  CublasStatus (*matmul)(CublasLtContext* handle, CublasLtMatmulDesc* desc, const void* alpha, const void* a,
                         CublasLtMatrixLayout* a_layout, const void* b, CublasLtMatrixLayout* b_layout,
                         const void* beta, const void* c, CublasLtMatrixLayout* c_layout, void* d,
                         CublasLtMatrixLayout* d_layout, const CublasLtAlgorithm* algorithm, void* workspace,
                         size_t workspace_bytes, cudaStream_t stream);
};

}  // namespace aaco::gpu
