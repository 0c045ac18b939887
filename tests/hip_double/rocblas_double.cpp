// SPDX-License-Identifier: MIT
// The part of rocBLAS that the HIP module calls, on the streams of the double: a plain loop, summed in fp32.
#include <cstdio>

#include "device/ops/dtype.h"
#include "memory.h"
#include "observer.h"

namespace aaco::hip_double {
namespace {

enum Status : int { kSuccess = 0, kInvalidHandle = 1, kNotImplemented = 2, kInvalidSize = 4 };
enum Type : int { kF16 = 150, kF32 = 151, kBf16 = 168 };
constexpr int kNone = 111;

struct Matrix {
  const void* data;
  Type type;
  int64_t row;  // elements from row to row, and from column to column
  int64_t column;
  int64_t batch;

  float at(int64_t b, int64_t i, int64_t j) const {
    const int64_t place = b * batch + i * row + j * column;
    switch (type) {
      case kF16:
        return to_float(static_cast<const Half*>(data)[place]);
      case kBf16:
        return to_float(static_cast<const Bfloat16*>(data)[place]);
      case kF32:
        break;
    }
    return static_cast<const float*>(data)[place];
  }
};

struct Product {
  int64_t m, n, k, batch;  // NOLINT(readability-isolate-declaration): as ever
  float alpha, beta;       // NOLINT(readability-isolate-declaration)
  Matrix a, b, c;          // NOLINT(readability-isolate-declaration)
  void* d;
};

void store(const Product& product, int64_t place, float value) {
  switch (product.c.type) {
    case kF16:
      static_cast<Half*>(product.d)[place] = to_half(value);
      return;
    case kBf16:
      static_cast<Bfloat16*>(product.d)[place] = to_bfloat16(value);
      return;
    case kF32:
      break;
  }
  static_cast<float*>(product.d)[place] = value;
}

hipError_t multiply(const Product& product) {
  for (int64_t b = 0; b < product.batch; ++b) {
    for (int64_t j = 0; j < product.n; ++j) {
      for (int64_t i = 0; i < product.m; ++i) {
        float sum = 0;
        for (int64_t l = 0; l < product.k; ++l) {
          sum += product.a.at(b, i, l) * product.b.at(b, l, j);
        }
        sum *= product.alpha;
        if (product.beta != 0) {
          sum += product.beta * product.c.at(b, i, j);
        }
        store(product, b * product.c.batch + i + j * product.c.column, sum);
      }
    }
  }
  return hipSuccess;
}

bool known(int type) { return type == kF16 || type == kF32 || type == kBf16; }

}  // namespace
}  // namespace aaco::hip_double

using namespace aaco::hip_double;

struct RocblasContext {
  hipStream_t stream = nullptr;
};

extern "C" {

int rocblas_create_handle(RocblasContext** handle) {
  *handle = new RocblasContext;
  return kSuccess;
}

int rocblas_destroy_handle(RocblasContext* handle) {
  delete handle;
  return kSuccess;
}

int rocblas_set_stream(RocblasContext* handle, hipStream_t stream) {
  handle->stream = stream;
  return kSuccess;
}

int rocblas_set_workspace(RocblasContext* /*handle*/, void* memory, size_t bytes) {
  return check_range(memory, bytes, true) == hipSuccess ? kSuccess : kInvalidSize;
}

int rocblas_get_version_string(char* text, size_t size) {
  std::snprintf(text, size, "test double");
  return kSuccess;
}

const char* rocblas_status_to_string(int status) {
  return status == kSuccess ? "rocblas_status_success" : "rocblas_status_of_the_double";
}

int rocblas_gemm_strided_batched_ex(RocblasContext* handle, int a_operation, int b_operation, int32_t m, int32_t n,
                                    int32_t k, const void* alpha, const void* a, int a_type, int32_t lda,
                                    int64_t stride_a, const void* b, int b_type, int32_t ldb, int64_t stride_b,
                                    const void* beta, const void* c, int c_type, int32_t ldc, int64_t stride_c, void* d,
                                    int d_type, int32_t ldd, int64_t stride_d, int32_t batch, int compute_type,
                                    int /*algorithm*/, int32_t /*solution*/, uint32_t /*flags*/) {
  if (handle == nullptr || handle->stream == nullptr) {
    return kInvalidHandle;
  }
  if (compute_type != kF32 || !known(a_type) || a_type != b_type || !known(c_type) || c_type != d_type || c != d ||
      ldc != ldd || stride_c != stride_d) {
    return kNotImplemented;
  }
  if (m < 0 || n < 0 || k < 0 || batch < 0 || lda < (a_operation == kNone ? m : k) ||
      ldb < (b_operation == kNone ? k : n) || ldc < m) {
    return kInvalidSize;
  }
  const auto matrix = [](const void* data, int type, int operation, int64_t ld, int64_t stride) {
    return operation == kNone ? Matrix{data, static_cast<Type>(type), 1, ld, stride}
                              : Matrix{data, static_cast<Type>(type), ld, 1, stride};
  };
  const Product product{m,
                        n,
                        k,
                        batch,
                        *static_cast<const float*>(alpha),
                        *static_cast<const float*>(beta),
                        matrix(a, a_type, a_operation, lda, stride_a),
                        matrix(b, b_type, b_operation, ldb, stride_b),
                        matrix(c, c_type, kNone, ldc, stride_c),
                        d};
  const ObservedCall call("hipExtModuleLaunchKernel", handle->stream);
  const WorkRecord kernel{.kernel = "Cijk_of_the_double", .device = handle->stream->device};
  const std::lock_guard lock(api_mutex());
  const hipError_t status =
      submit(*handle->stream, hipGraphNodeTypeKernel, observed(kernel, [product] { return multiply(product); }));
  return status == hipSuccess ? kSuccess : kInvalidHandle;
}

}  // extern "C"
