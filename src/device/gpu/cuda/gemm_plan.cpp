// SPDX-License-Identifier: MIT
// The library counts columns first, we rows: our c = a b is its c^T = b^T a^T, so that b is its first operand.
#include "device/gpu/cuda/gemm_plan.h"

#include "device/module_api.h"

namespace aaco::gpu {

namespace {

cudaDataType_t type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF16:
      return CUDA_R_16F;
    case Dtype::kBf16:
      return CUDA_R_16BF;
    case Dtype::kI32:
      return CUDA_R_32I;
    case Dtype::kU8:
      return CUDA_R_8U;
    case Dtype::kF32:
      break;
  }
  return CUDA_R_32F;
}

uint32_t alignment_of(const void* data) {
  const uintptr_t bits = reinterpret_cast<uintptr_t>(data) | 256U;
  return static_cast<uint32_t>(bits & (~bits + 1));
}

CublasLtEpilogue epilogue_of(Epilogue epilogue) {
  switch (epilogue) {
    case Epilogue::kBias:
    case Epilogue::kBiasGelu:  // the library's GELU is the one by tanh, ours the one by erf: it follows in a kernel
      return kEpilogueBias;
    case Epilogue::kBiasRelu:
      return kEpilogueReluBias;
    case Epilogue::kNone:
      break;
  }
  return kEpilogueDefault;
}

}  // namespace

GemmKey key_of(const GemmArgs& args) {
  const int64_t kind = args.transpose_a | args.transpose_b << 1 | static_cast<int64_t>(args.in_dtype) << 2 |
                       static_cast<int64_t>(args.out_dtype) << 6 | static_cast<int64_t>(args.math) << 10 |
                       static_cast<int64_t>(epilogue_of(args.epilogue)) << 12 | (args.beta != 0 ? 1 : 0) << 20;
  const int64_t alignments = static_cast<int64_t>(alignment_of(args.a)) | int64_t{alignment_of(args.b)} << 10 |
                             int64_t{alignment_of(args.c)} << 20 |
                             int64_t{args.bias != nullptr ? alignment_of(args.bias) : 0} << 30;
  return {args.m,     args.n,        args.k,        args.lda,      args.ldb, args.ldc,
          args.batch, args.stride_a, args.stride_b, args.stride_c, kind,     alignments};
}

GemmPlan::GemmPlan(const CublasLtApi& api, const GemmArgs& args) : api_(api) {
  const bool tf32 = args.in_dtype == Dtype::kF32 && args.math == MathMode::kTf32;
  note(api_.desc_create(&desc_, tf32 ? kCublasCompute32FFastTf32 : kCublasCompute32F, CUDA_R_32F));
  const CublasOperation first = args.transpose_b != 0 ? kCublasTranspose : kCublasNone;
  const CublasOperation second = args.transpose_a != 0 ? kCublasTranspose : kCublasNone;
  const CublasLtEpilogue epilogue = epilogue_of(args.epilogue);
  note(api_.desc_set(desc_, kDescTransA, &first, sizeof(first)));
  note(api_.desc_set(desc_, kDescTransB, &second, sizeof(second)));
  note(api_.desc_set(desc_, kDescEpilogue, &epilogue, sizeof(epilogue)));
  if (epilogue != kEpilogueDefault) {
    note(api_.desc_set(desc_, kDescBiasPointer, &args.bias, sizeof(args.bias)));
  }
  const cudaDataType_t in = type_of(args.in_dtype);
  first_ = args.transpose_b != 0 ? layout(in, args.k, args.n, args.ldb, args, args.stride_b)
                                 : layout(in, args.n, args.k, args.ldb, args, args.stride_b);
  second_ = args.transpose_a != 0 ? layout(in, args.m, args.k, args.lda, args, args.stride_a)
                                  : layout(in, args.k, args.m, args.lda, args, args.stride_a);
  result_ = layout(type_of(args.out_dtype), args.n, args.m, args.ldc, args, args.stride_c);
}

GemmPlan::~GemmPlan() {
  for (CublasLtMatrixLayout* layout : {first_, second_, result_}) {
    if (layout != nullptr) {
      static_cast<void>(api_.layout_destroy(layout));
    }
  }
  if (desc_ != nullptr) {
    static_cast<void>(api_.desc_destroy(desc_));
  }
}

CublasLtMatrixLayout* GemmPlan::layout(cudaDataType_t type, int64_t rows, int64_t cols, int64_t ld,
                                       const GemmArgs& args, int64_t stride) {
  CublasLtMatrixLayout* cublas_lt_matrix_layout = nullptr;
  note(
      api_.layout_create(&cublas_lt_matrix_layout, type, static_cast<uint64_t>(rows), static_cast<uint64_t>(cols), ld));
  if (args.batch > 1 && cublas_lt_matrix_layout != nullptr) {
    const auto batch = static_cast<int32_t>(args.batch);
    note(api_.layout_set(cublas_lt_matrix_layout, kLayoutBatchCount, &batch, sizeof(batch)));
    note(api_.layout_set(cublas_lt_matrix_layout, kLayoutBatchStride, &stride, sizeof(stride)));
  }
  return cublas_lt_matrix_layout;
}

int GemmPlan::candidates(StreamContext& stream, DeviceGemm& device, const GemmKey& key, CublasLtHeuristic* heuristic,
                         int wanted) {
  CublasLtMatmulPreference* preference = nullptr;
  note(api_.preference_create(&preference));
  const uint64_t workspace = kGemmWorkspaceBytes;
  note(api_.preference_set(preference, kPreferenceWorkspaceBytes, &workspace, sizeof(workspace)));
  const auto set_alignment = [&](CublasLtPreferenceAttribute attribute, int shift) {
    const auto bytes = static_cast<uint32_t>(key.back() >> shift & 0x3ff);
    note(api_.preference_set(preference, attribute, &bytes, sizeof(bytes)));
  };
  set_alignment(kPreferenceAlignmentA, 10);  // b
  set_alignment(kPreferenceAlignmentB, 0);   // a
  set_alignment(kPreferenceAlignmentC, 20);
  set_alignment(kPreferenceAlignmentD, 20);
  int count = 0;
  note(api_.heuristic(device.handle, desc_, first_, second_, result_, result_, preference, wanted, heuristic, &count));
  static_cast<void>(api_.preference_destroy(preference));
  if (made_ != kCublasSuccess || count == 0) {
    stream.keep_text(
        kAacoUnavailable,
        std::string("cuBLASLt has no algorithm for this matrix multiplication: ") + api_.get_status_name(made_),
        __FILE__, __LINE__);
    return 0;
  }
  return count;
}

CublasStatus GemmPlan::run(CublasLtContext* handle, const GemmArgs& args, const CublasLtAlgorithm& algorithm_to_use,
                           void* result, void* workspace, cudaStream_t stream) const {
  if (args.epilogue != Epilogue::kNone) {
    if (const CublasStatus status = api_.desc_set(desc_, kDescBiasPointer, &args.bias, sizeof(args.bias));
        status != kCublasSuccess) {
      return status;
    }
  }
  return api_.matmul(handle, desc_, &args.alpha, args.b, first_, args.a, second_, &args.beta, args.c, result_, result,
                     result_, &algorithm_to_use, workspace, kGemmWorkspaceBytes, stream);
}

}  // namespace aaco::gpu
