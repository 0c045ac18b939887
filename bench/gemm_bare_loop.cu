// SPDX-License-Identifier: MIT
// gemm_bare_loop SIZE PRODUCTS: bf16 products of two square matrices by cuBLASLt's first choice on one stream, with
// nothing of aaco around them, for operands that flip few or many bits. Prints a JSON object a line: TFLOP/s of the
// first ten after a rest of half a second, and of PRODUCTS more. bench/gemm_operands.py compares.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <string>
#include <thread>

namespace {

constexpr int kFirst = 10;
constexpr size_t kWorkspace = size_t{64} << 20;

template <class Status>
void check(Status status, const char* what) {
  if (static_cast<int>(status) != 0) {
    std::fprintf(stderr, "gemm_bare_loop: %s: %d\n", what, static_cast<int>(status));
    std::exit(3);
  }
}

__device__ float uniform(unsigned long long counter) {  // of [0, 1), by the finaliser of MurmurHash3
  counter ^= counter >> 33;
  counter *= 0xff51afd7ed558ccdULL;
  counter ^= counter >> 33;
  counter *= 0xc4ceb9fe1a85ec53ULL;
  counter ^= counter >> 33;
  return static_cast<float>(counter >> 40) * 0x1p-24F;
}

__global__ void fill(__nv_bfloat16* out, size_t n, bool zeros, unsigned long long seed) {
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x) {
    out[i] = __float2bfloat16(zeros ? 0.0F : 2 * uniform(i + seed) - 1);
  }
}

class Products {
 public:
  explicit Products(int size) : size_(size) {
    const size_t bytes = sizeof(__nv_bfloat16) * size * size;
    check(cudaMalloc(&left_, bytes), "cudaMalloc");
    check(cudaMalloc(&right_, bytes), "cudaMalloc");
    check(cudaMalloc(&out_, bytes), "cudaMalloc");
    check(cudaMalloc(&workspace_, kWorkspace), "cudaMalloc");
    check(cublasLtCreate(&library_), "cublasLtCreate");
    check(cublasLtMatmulDescCreate(&operation_, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
    check(cublasLtMatrixLayoutCreate(&layout_, CUDA_R_16BF, size, size, size), "cublasLtMatrixLayoutCreate");
    cublasLtMatmulPreference_t preference = nullptr;
    check(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspace, sizeof(kWorkspace)),
          "cublasLtMatmulPreferenceSetAttribute");
    int found = 0;
    check(cublasLtMatmulAlgoGetHeuristic(library_, operation_, layout_, layout_, layout_, layout_, preference, 1, &choice_, &found),
          "cublasLtMatmulAlgoGetHeuristic");
  }

  void fill_operands(bool zeros) {
    const size_t n = static_cast<size_t>(size_) * size_;
    fill<<<1024, 256>>>(left_, n, zeros, 0);
    fill<<<1024, 256>>>(right_, n, zeros, n);
    check(cudaDeviceSynchronize(), "fill");
  }

  // TFLOP/s of `count` products, by the device's events.
  double rate(int count) {
    cudaEvent_t begin = nullptr;
    cudaEvent_t end = nullptr;
    check(cudaEventCreate(&begin), "cudaEventCreate");
    check(cudaEventCreate(&end), "cudaEventCreate");
    check(cudaEventRecord(begin), "cudaEventRecord");
    for (int i = 0; i < count; ++i) {
      const float one = 1;
      const float zero = 0;
      check(cublasLtMatmul(library_, operation_, &one, left_, layout_, right_, layout_, &zero, out_, layout_, out_, layout_, &choice_.algo,
                           workspace_, kWorkspace, nullptr),
            "cublasLtMatmul");
    }
    check(cudaEventRecord(end), "cudaEventRecord");
    check(cudaEventSynchronize(end), "cudaEventSynchronize");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
    return 2.0 * size_ * size_ * size_ * count / milliseconds / 1e9;
  }

 private:
  int size_;
  __nv_bfloat16* left_ = nullptr;
  __nv_bfloat16* right_ = nullptr;
  __nv_bfloat16* out_ = nullptr;
  void* workspace_ = nullptr;
  cublasLtHandle_t library_ = nullptr;
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t layout_ = nullptr;
  cublasLtMatmulHeuristicResult_t choice_{};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: gemm_bare_loop SIZE PRODUCTS\n");
    return 2;
  }
  Products products(std::stoi(argv[1]));
  for (const bool zeros : {false, true}) {
    products.fill_operands(zeros);
    products.rate(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    const double first = products.rate(kFirst);
    std::printf("{\"operands\": \"%s\", \"first_tflops\": %.1f, \"tflops\": %.1f}\n", zeros ? "zeros" : "random", first,
                products.rate(std::stoi(argv[2])));
  }
  return 0;
}
