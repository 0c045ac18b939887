// SPDX-License-Identifier: MIT
// How cuBLASLt is to do one shape of matrix multiplication: its descriptors and the algorithm that was chosen.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>

#include "device/gpu/cuda/cublaslt_api.h"
#include "device/gpu/stream_context.h"
#include "device/ops/gemm.h"

namespace aaco::gpu {

// All of the arguments that the choice may depend on; of pointers their alignment only.
using GemmKey = std::array<int64_t, 12>;
GemmKey key_of(const GemmArgs& args);

// Of a device: every stream uses what was chosen first.
struct DeviceGemm {
  CublasLtContext* handle = nullptr;
  std::mutex mutex;  // of what follows
  std::map<GemmKey, CublasLtAlgorithm> chosen;
};

class GemmPlan {
 public:
  GemmPlan(const CublasLtApi& api, const GemmArgs& args);
  ~GemmPlan();
  GemmPlan(const GemmPlan&) = delete;
  GemmPlan& operator=(const GemmPlan&) = delete;

  // Up to `wanted` algorithms, the library's favourite first. Failures are the stream's.
  int candidates(StreamContext& stream, DeviceGemm& device, const GemmKey& key, CublasLtHeuristic* heuristic,
                 int wanted);
  // `result`: args.c, or another array of its shape that is written in its place.
  CublasStatus run(CublasLtContext* handle, const GemmArgs& args, const CublasLtAlgorithm& algorithm, void* result,
                   void* workspace, cudaStream_t stream) const;
  CublasStatus status() const { return made_; }

  CublasLtAlgorithm algorithm{};

 private:
  void note(CublasStatus status) { made_ = made_ == kCublasSuccess ? status : made_; }
  CublasLtMatrixLayout* layout(cudaDataType_t type, int64_t rows, int64_t cols, int64_t ld, const GemmArgs& args,
                               int64_t stride);

  const CublasLtApi& api_;
  CublasStatus made_ = kCublasSuccess;
  CublasLtMatmulDesc* desc_ = nullptr;
  CublasLtMatrixLayout* first_ = nullptr;  // b of the arguments
  CublasLtMatrixLayout* second_ = nullptr;
  CublasLtMatrixLayout* result_ = nullptr;
};

inline constexpr size_t kGemmWorkspaceBytes = 32U * 1024 * 1024;  // what the vendor advises for its largest devices

}  // namespace aaco::gpu
