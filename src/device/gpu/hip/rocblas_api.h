// SPDX-License-Identifier: MIT
// The part of rocBLAS that we call, declared here as the library is opened at run time. Checked against rocblas.h of
// rocBLAS 5.5 (ROCm 5.5); the same in ROCm 6 and 7.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/gpu/vendor.h"

namespace aaco::gpu {

struct RocblasContext;  // opaque

enum RocblasStatus : int { kRocblasSuccess = 0 };
enum RocblasOperation : int { kRocblasNone = 111, kRocblasTranspose = 112 };
enum RocblasType : int { kRocblasF16 = 150, kRocblasF32 = 151, kRocblasBf16 = 168 };
enum RocblasAlgorithm : int { kRocblasStandard = 0 };

struct RocblasApi {
  RocblasStatus (*create)(RocblasContext** handle);
  RocblasStatus (*destroy)(RocblasContext* handle);
  RocblasStatus (*set_stream)(RocblasContext* handle, gpuStream_t stream);
  RocblasStatus (*set_workspace)(RocblasContext* handle, void* memory, size_t bytes);
  RocblasStatus (*get_version)(char* text, size_t size);
  const char* (*get_status_name)(RocblasStatus status);
  RocblasStatus (*gemm)(RocblasContext* handle, RocblasOperation a_operation, RocblasOperation b_operation, int32_t m,
                        int32_t n, int32_t k, const void* alpha, const void* a, RocblasType a_type, int32_t lda,
                        int64_t stride_a, const void* b, RocblasType b_type, int32_t ldb, int64_t stride_b,
                        const void* beta, const void* c, RocblasType c_type, int32_t ldc, int64_t stride_c, void* d,
                        RocblasType d_type, int32_t ldd, int64_t stride_d, int32_t batch, RocblasType compute_type,
                        RocblasAlgorithm algorithm, int32_t solution, uint32_t flags);
};

}  // namespace aaco::gpu
