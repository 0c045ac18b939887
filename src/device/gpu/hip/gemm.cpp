// SPDX-License-Identifier: MIT
// Matrix multiplication by rocBLAS. It counts columns first, we rows: our c = a b is its c^T = b^T a^T. It has no
// epilogues, and no tf32: fp32 is what it computes where tf32 would be allowed.
#include <limits>
#include <optional>

#include "device/gpu/device_context.h"
#include "device/gpu/hip/rocblas_api.h"
#include "device/gpu/libraries/gemm_epilogue.h"
#include "device/gpu/libraries/gemm_library.h"
#include "device/gpu/libraries/library_workspace.h"
#include "device/gpu/libraries/vendor_library.h"
#include "device/gpu/run_on_gpu.h"
#include "device/module_api.h"

namespace aaco::gpu {

namespace {

constexpr size_t kWorkspaceBytes = 32U * 1024 * 1024;

struct Rocblas {
  VendorLibrary library{{.names = {"librocblas.so.5", "librocblas.so.4", "librocblas.so.3", "librocblas.so.0"},
                         .folders = {"lib"},
                         .home = "ROCM_PATH",
                         .python_folder = "",
                         .remedy = "install rocBLAS (ROCm's package rocblas), or set ROCM_PATH to where ROCm lies"}};
  RocblasApi api{};

  Rocblas() {
    library.find(api.create, "rocblas_create_handle");
    library.find(api.destroy, "rocblas_destroy_handle");
    library.find(api.set_stream, "rocblas_set_stream");
    library.find(api.set_workspace, "rocblas_set_workspace");
    library.find(api.get_version, "rocblas_get_version_string");
    library.find(api.get_status_name, "rocblas_status_to_string");
    library.find(api.gemm, "rocblas_gemm_strided_batched_ex");
  }
};

Rocblas& rocblas() {
  static Rocblas the_library;
  return the_library;
}

struct StreamGemm {
  RocblasContext* handle = nullptr;
  LibraryWorkspace workspace;

  StreamGemm() = default;
  StreamGemm(const StreamGemm&) = delete;
  StreamGemm& operator=(const StreamGemm&) = delete;
  ~StreamGemm() {
    if (handle != nullptr) {
      static_cast<void>(rocblas().api.destroy(handle));
    }
  }
};

void keep_rocblas(StreamContext& stream, RocblasStatus status, const char* call, int line) {
  if (status != kRocblasSuccess) {
    stream.keep_text(kAacoDevice, std::string(call) + ": " + rocblas().api.get_status_name(status), __FILE__, line);
  }
}

StreamGemm* stream_gemm(StreamContext& stream) {
  if (!stream.gemm) {
    auto state = std::make_shared<StreamGemm>();
    const OutsideOfCapture outside(stream);
    void* const workspace = state->workspace.at_least(stream, kWorkspaceBytes);
    keep_rocblas(stream, rocblas().api.create(&state->handle), "rocblas_create_handle", __LINE__);
    if (!stream.failed()) {
      keep_rocblas(stream, rocblas().api.set_stream(state->handle, stream.stream), "rocblas_set_stream", __LINE__);
      keep_rocblas(stream, rocblas().api.set_workspace(state->handle, workspace, kWorkspaceBytes),
                   "rocblas_set_workspace", __LINE__);
    }
    stream.gemm = std::move(state);
  }
  return static_cast<StreamGemm*>(stream.gemm.get());
}

std::optional<RocblasType> type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF16:
      return kRocblasF16;
    case Dtype::kBf16:
      return kRocblasBf16;
    case Dtype::kF32:
      return kRocblasF32;
    case Dtype::kI32:
    case Dtype::kU8:
      break;
  }
  return std::nullopt;
}

bool fits(const GemmArgs& args) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  return args.m <= kMost && args.n <= kMost && args.k <= kMost && args.lda <= kMost && args.ldb <= kMost &&
         args.ldc <= kMost && args.batch <= kMost;
}

}  // namespace

std::string gemm_library_text() {
  if (!rocblas().library) {
    return "unavailable: " + rocblas().library.what_is_wrong();
  }
  char version[48] = "";
  static_cast<void>(rocblas().api.get_version(version, sizeof(version)));
  return std::string("rocBLAS ") + version;
}

void run_on_gpu(StreamContext& stream, const GemmArgs& args) {
  const std::optional<RocblasType> in = type_of(args.in_dtype);
  const std::optional<RocblasType> out = type_of(args.out_dtype);
  if (!rocblas().library) {
    stream.keep_text(kAacoUnavailable, rocblas().library.reason(), __FILE__, __LINE__);
  } else if (!in || !out || !fits(args)) {
    stream.keep_text(kAacoUsage, "rocBLAS does not multiply matrices of this type or size", __FILE__, __LINE__);
  } else if (args.epilogue != Epilogue::kNone && args.bias == nullptr) {
    stream.keep_text(kAacoUsage, "a matrix multiplication with a bias was given none", __FILE__, __LINE__);
  }
  if (stream.failed()) {
    return;
  }
  StreamGemm& state = *stream_gemm(stream);
  if (stream.failed()) {
    return;
  }
  const auto number = [](int64_t value) { return static_cast<int32_t>(value); };
  keep_rocblas(stream,
               rocblas().api.gemm(state.handle, args.transpose_b != 0 ? kRocblasTranspose : kRocblasNone,
                                  args.transpose_a != 0 ? kRocblasTranspose : kRocblasNone, number(args.n),
                                  number(args.m), number(args.k), &args.alpha, args.b, *in, number(args.ldb),
                                  args.stride_b, args.a, *in, number(args.lda), args.stride_a, &args.beta, args.c, *out,
                                  number(args.ldc), args.stride_c, args.c, *out, number(args.ldc), args.stride_c,
                                  number(args.batch), kRocblasF32, kRocblasStandard, 0, 0),
               "rocblas_gemm_strided_batched_ex", __LINE__);
  if (args.epilogue != Epilogue::kNone && !stream.failed()) {
    add_bias(stream, args);
    activate(stream, args);
  }
}

}  // namespace aaco::gpu
